/** Tests of WebSocket frames, including frames of a hostile server, and of text that is split anywhere. */

import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { ConversationClosedError, ProtocolError } from "../src/errors.js";
import { serverUrl } from "../src/options.js";
import { openNodeSocket } from "../src/socket-node.js";
import { Halves, messagesOf, Places } from "../src/text.js";

/** Sends the bytes to a client after the upgrade. Returns the messages that the client receives, and then its error. */
async function received(...pieces: Buffer[]): Promise<unknown[]> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head: Buffer) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(head.toString())?.[1] ?? "";
      const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
      );
      for (const piece of pieces) socket.write(piece);
      socket.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const socket = await openNodeSocket(url, "sk_", new AbortController().signal);
  const told: unknown[] = [];
  try {
    for (;;) told.push(await socket.receive());
  } catch (error) {
    told.push(error);
  }
  await socket.close();
  server.close();
  return told;
}

const frame = (first: number, payload: string | Buffer) => {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat([Buffer.from([first, bytes.length]), bytes]);
};

test("a message in parts, a ping between them, and a close", async () => {
  const close = frame(0x88, Buffer.from([0x11, 0x3a, 0x68, 0x69]));
  const all = Buffer.concat([frame(0x01, "न"), frame(0x89, "p"), frame(0x80, "म"), frame(0x82, "abc"), close]);
  const [text, sound, end] = await received(...Array.from(all, (byte) => Buffer.from([byte])));
  expect(text).toBe("नम");
  expect(sound).toEqual(new Uint8Array([97, 98, 99]));
  expect((sound as Uint8Array).buffer.byteLength).toBe(3);
  expect(end).toBeInstanceOf(ConversationClosedError);
  expect(end).toMatchObject({ code: 4410, reason: "hi" });
});

test.each([
  ["a part of nothing", frame(0x80, "x")],
  ["a message inside another", Buffer.concat([frame(0x01, "x"), frame(0x01, "y")])],
  ["an extension", frame(0xc1, "x")],
  ["a mask", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 120])],
  ["half a ping", frame(0x09, "x")],
  ["a kind that does not exist", frame(0x83, "x")],
  ["text that is not UTF-8", frame(0x81, Buffer.from([0xff]))],
  ["more than is taken", Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0])],
])("%s is no WebSocket", async (_, bytes) => {
  const [end] = await received(bytes);
  expect(end).toBeInstanceOf(ProtocolError);
});

test("text is split between characters, and surrogate halves are joined", () => {
  const pieces = messagesOf("😀".repeat(5_001));
  expect(pieces.map((piece) => [...piece].length)).toEqual([5_000, 1]);
  const halves = new Halves();
  expect(["a\ud83d", "\ude00b", "\ud83d"].map((piece) => halves.next(piece, false))).toEqual(["a", "😀b", ""]);
  expect(halves.next("", true)).toBe("\ufffd");
  const places = new Places();
  expect([0, 1, 2, 3, 1, 9].map((chars) => places.units("a😀b", chars))).toEqual([0, 1, 3, 4, 1, 4]);
});

test("neither an address nor its error messages contain a key", () => {
  expect(serverUrl("wss://tts.example/base/")).toBe("https://tts.example/base");
  for (const wrong of ["ftp://x", "tts.example", "http://sk_secret@x", "http://x/?key=sk_secret"]) {
    expect(() => serverUrl(wrong)).toThrow(/^(?!.*sk_secret).*is not a valid server address/);
  }
});
