// Shows the request of the playground as code. The code never contains the key, which it reads from the environment.

// `request` is the JSON body of `POST /v1/tts`; `base` is an address such as https://tts.example. Returns [{name,
// code}].
export function snippets(base, request) {
  return [
    { name: "curl", code: curl(base, request) },
    { name: "Python", code: python(base, request) },
    { name: "JavaScript", code: javascript(base, request) },
    { name: "OpenAI", code: openai(base, request) },
  ];
}

const quoteForShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

// Returns an object as JSON with spaces. If all values are numbers or strings, the JSON is also a literal in Python and
// JavaScript.
function literal(request) {
  const fields = Object.entries(request).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${fields.join(", ")}}`;
}

function curl(base, request) {
  // there is no comment, because an interactive zsh would run it as a command
  return `export SHRUTI_API_KEY=sk_...

curl -sS --fail-with-body ${quoteForShell(`${base}/v1/tts`)} -o clip.wav \\
  -H "Authorization: Bearer $SHRUTI_API_KEY" \\
  -H 'content-type: application/json' -H 'accept: audio/wav' \\
  -d ${quoteForShell(literal(request))}
`;
}

function python(base, request) {
  return `# SHRUTI_API_KEY=sk_... python speak.py
import json, os, urllib.request, urllib.error

request = urllib.request.Request(${JSON.stringify(`${base}/v1/tts`)},
    json.dumps(${literal(request)}).encode(),
    {"authorization": f"Bearer {os.environ['SHRUTI_API_KEY']}",
     "content-type": "application/json", "accept": "audio/wav"})
try:
    with urllib.request.urlopen(request) as response, open("clip.wav", "wb") as clip:
        while piece := response.read1(4096):   # sound, as it is made
            clip.write(piece)
except urllib.error.HTTPError as refused:
    print(refused.status, refused.read().decode())
`;
}

function javascript(base, request) {
  return `// SHRUTI_API_KEY=sk_... node speak.mjs
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const response = await fetch(${JSON.stringify(`${base}/v1/tts`)}, {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.SHRUTI_API_KEY}\`,
    "content-type": "application/json", accept: "audio/wav" },
  body: JSON.stringify(${literal(request)}),
});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
await pipeline(Readable.fromWeb(response.body), createWriteStream("clip.wav"));
`;
}

// Returns code that uses the OpenAI library with the address of this server, because many programs already use that
// library.
function openai(base, { text, voice, speed, ...more }) {
  const extra = Object.keys(more).length ? `, extra_body=${literal(more)}` : "";
  return `# pip install openai; SHRUTI_API_KEY=sk_... python speak.py
import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(`${base}/v1`)}, api_key=os.environ["SHRUTI_API_KEY"])
with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice=${JSON.stringify(voice ?? "nova")}, speed=${speed ?? 1}, response_format="wav",
        input=${JSON.stringify(text)}${extra}) as response:
    response.stream_to_file("clip.wav")
`;
}

// Returns code for Node: a conversation over the WebSocket with a barge-in.
export function conversation(base) {
  return `// SHRUTI_API_KEY=sk_... node talk.mjs
import { createWriteStream } from "node:fs";
import WebSocket from "ws";

const stream = new WebSocket(${JSON.stringify(`${base.replace(/^http/, "ws")}/v1/tts/stream`)}, {
  headers: { authorization: \`Bearer \${process.env.SHRUTI_API_KEY}\` } });
const say = (message) => stream.send(JSON.stringify(message));
const sound = createWriteStream("reply.raw");
let interrupted = false;
stream.on("open", () => {
  for (const text of ["आपका order ", "कल शाम तक ", "पहुँच जाएगा।"]) say({ text, turn_id: "reply" });
  say({ type: "end", turn_id: "reply" });
  setTimeout(() => { interrupted = true; say({ type: "cancel", turn_id: "reply" }); }, 1000);
});
stream.on("message", (data, isBinary) => {
  if (isBinary) return interrupted || sound.write(data);
  const event = JSON.parse(data);
  if (event.type === "error") console.error(event.error.message);
  if (event.type === "turn.cancelled") { console.log("heard:", event.heard.text); say({ type: "close" }); }
});
stream.on("unexpected-response", (_, answer) => answer.pipe(process.stderr));
stream.on("close", () => sound.end());
`;
}
