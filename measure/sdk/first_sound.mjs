#!/usr/bin/env node
// Measures the time from the text to the first audible sample, with a raw socket and with the TypeScript client. Both
// run in the same process and alternate, so that other load on the machine affects both equally. Prints the median and
// the 95th percentile of each, and the overhead of the client.
//
// usage: first_sound.mjs http://127.0.0.1:8080 sk_... [ROUNDS]        after `npm ci && npm run build` in sdk/typescript

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { Client } from "../../sdk/typescript/dist/node.js";
import { isAudible } from "../audible.mjs";

const TEXT = "ठीक है, मैं अभी आपका order देखती हूँ।";
const PAUSE_MS = 20;
const [url, key, rounds = "200"] = process.argv.slice(2);

// Minimal WebSocket client (RFC 6455).
class BareSocket {
  received = Buffer.alloc(0);

  static async open() {
    const bare = new BareSocket();
    const { hostname, port, host } = new URL(url);
    bare.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(bare.socket, "connect");
    bare.socket.write(`GET /v1/tts/stream HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
      + `Sec-WebSocket-Key: ${Buffer.alloc(16, 7).toString("base64")}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const greeted = new Promise((resolve) => (bare.onFrame = resolve));
    let upgraded = false;
    bare.socket.on("data", (data) => {
      bare.received = Buffer.concat([bare.received, data]);
      if (!upgraded) {
        const end = bare.received.indexOf("\r\n\r\n");
        if (end < 0) return;
        bare.received = bare.received.subarray(end + 4);
        upgraded = true;
      }
      bare.#cut();
    });
    await greeted;
    return bare;
  }

  #cut() {
    while (this.received.length >= 2) {
      let [size, start] = [this.received[1], 2];
      if (size === 126) {
        if (this.received.length < 4) return;
        [size, start] = [this.received.readUInt16BE(2), 4];
      }
      if (this.received.length < start + size) return;
      const [kind, data] = [this.received[0] & 0xf, this.received.subarray(start, start + size)];
      this.received = this.received.subarray(start + size);
      this.onFrame(kind, data);
    }
  }

  say(message) {
    const data = Buffer.from(JSON.stringify(message));
    const size = data.length < 126 ? [0x80 | data.length] : [0xfe, data.length >> 8, data.length & 0xff];
    // RFC 6455 allows a mask of zeros
    this.socket.write(Buffer.concat([Buffer.from([0x81, ...size, 0, 0, 0, 0]), data]));
  }

  round(number) {
    return new Promise((resolve) => {
      const begun = performance.now();
      let took;
      this.onFrame = (kind, data) => {
        if (kind === 2 && took === undefined && isAudible(new Uint8Array(data))) {
          took = performance.now() - begun;
          this.say({ type: "cancel", id: "c" });
        } else if (kind === 1 && JSON.parse(data).type === "turn.cancelled") resolve(took);
      };
      this.say({ text: TEXT, turn_id: `r${number}`, final: true });
    });
  }
}

async function clientRound(session) {
  const begun = performance.now();
  for await (const chunk of session.say(TEXT).audio()) {
    if (!isAudible(chunk)) continue;
    const took = performance.now() - begun;
    await session.interrupt();
    return took;
  }
}

const bare = await BareSocket.open();
const session = await new Client({ baseUrl: url, apiKey: key }).connect();
const times = { "bare socket": [], "@shruti/client": [] };
for (let number = 0; number < Number(rounds); number += 1) {
  times["bare socket"].push(await bare.round(number));
  await pause(PAUSE_MS);
  times["@shruti/client"].push(await clientRound(session));
  await pause(PAUSE_MS);
}
await session.close();
bare.socket.destroy();
let base;
for (const [way, all] of Object.entries(times)) {
  all.sort((one, other) => one - other);
  const [median, late] = [all[all.length >> 1], all[Math.floor(all.length * 0.95)]];
  base ??= median;
  const added = median - base;
  console.log(`${way.padEnd(14)} first audible sample after p50 ${median.toFixed(2)} ms, p95 ${late.toFixed(2)} ms; ${added < 0 ? "" : "+"}${added.toFixed(2)} ms`);
}
