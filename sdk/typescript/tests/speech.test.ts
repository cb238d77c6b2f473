/** Tests of a server as a speech source: tokens, errors, pieces and cancellation. */

import { expect, test } from "vitest";

import { ServerSource, type SpeechPiece } from "../src/speech/index.js";

const LINES = [
  { type: "start", voice: "Ananya", language: "hi", output_format: "pcm_24000", content_type: "audio/L16" },
  {
    type: "audio",
    audio: btoa("\x01\x00\x02\x00"),
    words: [{ text: "😀₹5", start_ms: 20, end_ms: 60, char_start: 1, char_end: 4, spoken: "पाँच रुपए" }],
  },
  { type: "audio", audio: btoa("\x03\x00"), words: [] },
  { type: "done", audio_ms: 1, chars: 5 },
];
const answer = () => new Response(LINES.map((line) => `${JSON.stringify(line)}\n`).join(""));

/** Returns a source whose requests get the given responses in order, and the list of the requests that it has sent. */
function source(answers: (() => Response)[]) {
  const sent: { url: string; authorization: string | null; body: unknown }[] = [];
  let tokens = 0;
  const fetch = (url: RequestInfo | URL, request?: RequestInit): Promise<Response> => {
    const authorization = new Headers(request?.headers).get("authorization");
    sent.push({ url: url as string, authorization, body: JSON.parse(request?.body as string) });
    const next = answers.shift();
    return next ? Promise.resolve(next()) : Promise.reject(new TypeError("no more answers"));
  };
  const token = () => `tok_${(tokens += 1)}`;
  return { sent, source: new ServerSource({ baseUrl: "https://tts.example/", token, fetch }) };
}

async function spoken(from: ServerSource, text: string): Promise<SpeechPiece[]> {
  const pieces: SpeechPiece[] = [];
  const settings = { language: "hi", speed: 1.5 };
  for await (const piece of from.speak(text, settings, new AbortController().signal)) pieces.push(piece);
  return pieces;
}

test("a text becomes samples with words, whose positions are in UTF-16 units", async () => {
  const { source: from, sent } = source([answer]);
  const pieces = await spoken(from, "a😀₹5");
  expect(pieces.map(({ samples }) => [...samples])).toEqual([[1, 2], [3]]);
  expect(pieces[0]?.words).toMatchObject([{ charStart: 1, charEnd: 5, startMs: 20, spoken: "पाँच रुपए" }]);
  const body = { text: "a😀₹5", language: "hi", speed: 1.5, output_format: "pcm_24000" };
  expect(sent).toEqual([{ url: "https://tts.example/v1/tts/timed", authorization: "Bearer tok_1", body }]);
});

test("a temporary rejection is retried with another token", async () => {
  const detail = { type: "rate_limit_error", code: "rate_limited", retryable: true, retry_after_ms: 0 };
  const refused = () => Response.json({ error: detail }, { status: 429 });
  const { source: from, sent } = source([refused, answer]);
  expect(await spoken(from, "a")).toHaveLength(2);
  expect(sent.map(({ authorization }) => authorization)).toEqual(["Bearer tok_1", "Bearer tok_2"]);
});

test("an incomplete response is an error", async () => {
  const broken = () => new Response(`${JSON.stringify(LINES[0])}\n`);
  await expect(spoken(source([broken]).source, "a")).rejects.toMatchObject({ name: "ConnectionLostError" });
});

test("an abort signal ends the stream before the next chunk", async () => {
  const ending = new AbortController();
  const begun = LINES.slice(0, 2).map((line) => `${JSON.stringify(line)}\n`);
  const fetch = (_url: RequestInfo | URL, request?: RequestInit): Promise<Response> => {
    const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
      stream.enqueue(new TextEncoder().encode(begun.join("")));
      // send no more, like a slow server
      request?.signal?.addEventListener("abort", () => stream.error(new DOMException("aborted", "AbortError")));
    };
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
  const from = new ServerSource({ baseUrl: "https://tts.example", token: () => "tok_1", fetch });
  const pieces = from.speak("a", {}, ending.signal)[Symbol.asyncIterator]();
  expect((await pieces.next()).done).toBe(false);
  const next = pieces.next();
  ending.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});
