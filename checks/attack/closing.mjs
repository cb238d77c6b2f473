// Ends conversations in several ways over a browser-compatible WebSocket: `ws` in Node, or the WebSocket of the page
// that imports this module. In Node, `closing.mjs ws://127.0.0.1:8080/v1/tts/stream sk_…` prints the outcomes as JSON.
// closing.py runs both.

const PATIENCE_MS = 10_000;
const TEXT = "This is being said when the end comes. ".repeat(40);
const say = (socket) => socket.send(JSON.stringify({ text: TEXT, turn_id: "t", max_lead_ms: 0 }));

// ways to end a conversation, each with the close code that the client must receive and the actions of the client
const WAYS = {
  "the client closes": [1000, (socket) => socket.close(1000)],
  "the client closes without a code": [1005, (socket) => socket.close()],
  "the client closes with a custom code": [4000, (socket) => socket.close(4000, "bye")],
  "the client closes during audio": [1000, say, (socket) => socket.close(1000)],
  "the client requests the close": [1000, (socket) => socket.send('{"type":"close"}')],
  "the client ends a turn and requests the close": [1000, (socket) => { socket.send('{"text":"Hello there.","final":true}'); socket.send('{"type":"close"}'); }],
  "the server refuses binary": [1003, (socket) => socket.send(new Uint8Array([1, 2, 3]))],
  "the server refuses an oversized message": [1009, (socket) => socket.send(" ".repeat(70_000))],
};

function end([expected, begin, onSound], open) {
  return new Promise((resolve) => {
    let asked = performance.now();
    const socket = open();
    const timer = setTimeout(() => resolve({ expected, code: "no close event" }), PATIENCE_MS);
    let isGreeted = false, isHeard = false;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (!isGreeted) {
        isGreeted = true;
        asked = performance.now();
        begin(socket);
      } else if (typeof data !== "string" && onSound && !isHeard) {
        isHeard = true;
        asked = performance.now();
        onSound(socket);
      }
    };
    socket.onclose = ({ code, wasClean }) => {
      clearTimeout(timer);
      resolve({ expected, code, wasClean, ms: performance.now() - asked });
    };
    socket.onerror = () => {};
  });
}

export async function tryAll(open) {
  const came = {};
  for (const [name, way] of Object.entries(WAYS)) came[name] = await end(way, await open());
  return came;
}

if (typeof process !== "undefined") {
  const { createRequire } = await import("node:module");
  const { WebSocket } = createRequire(new URL("../clients/package.json", import.meta.url))("ws");
  const [url, key] = process.argv.slice(2);
  const open = () => () => new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  console.log(JSON.stringify(await tryAll(open)));
  process.exit(0);
}
