/**
 * WebSocket for Node. Node 20 has no WebSocket. The WebSocket of later versions does not report why an upgrade was
 * rejected, cannot pause reading, and cannot abort a stalled connection.
 */

import { createHash, randomBytes } from "node:crypto";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";

import {
  ConnectionFailedError,
  ConnectionLostError,
  ConversationClosedError,
  ProtocolError,
  refusal,
} from "./errors.js";
import { clientFrame, FrameError, FrameReader, MAX_MESSAGE_BYTES, OPCODES, type RawFrame } from "./frames.js";
import { Inbox, MAX_INBOX_FRAMES, PATH, PROTOCOL, type Frame, type Socket } from "./socket.js";
import { onAbort } from "./timers.js";

/** Constant of RFC 6455. The server hashes it with the client's key to prove that it has read the request. */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MAX_REFUSAL_BYTES = 65_536;

export class NodeSocket implements Socket {
  readonly #stream: Duplex;
  readonly #reader = new FrameReader();
  readonly #inbox = new Inbox();
  readonly #ended: Promise<void>;
  #parts: { opcode: number; payloads: Buffer[]; size: number } | undefined;
  #closing = false;

  constructor(stream: Duplex, head: Buffer) {
    this.#stream = stream;
    stream.on("data", (bytes: Buffer) => this.#read(bytes));
    stream.on("error", (error) =>
      this.#inbox.end(new ConnectionLostError(`the connection was lost: ${error.message}`)),
    );
    stream.on("end", () => this.#gone());
    this.#ended = new Promise((resolve) => {
      stream.on("close", () => {
        this.#gone();
        resolve();
      });
    });
    if (head.length > 0) this.#read(head);
  }

  get unsentBytes(): number {
    return this.#stream.writableLength;
  }

  send(text: string): void {
    this.#write(OPCODES.text, Buffer.from(text));
  }

  async receive(): Promise<Frame> {
    const frame = await this.#inbox.take();
    if (this.#inbox.length < MAX_INBOX_FRAMES && this.#stream.isPaused()) this.#stream.resume();
    return frame;
  }

  async close(): Promise<void> {
    this.#sendClose(1000);
    // keep reading until the close frame of the peer arrives
    this.#stream.resume();
    await this.#ended;
  }

  abort(): void {
    this.#inbox.end(new ConnectionLostError("the connection was lost: it was aborted"));
    this.#stream.destroy();
  }

  #gone(): void {
    this.#inbox.end(new ConnectionLostError("the connection was lost: it ended without a close frame"));
  }

  #write(opcode: number, payload: Buffer): void {
    if (this.#stream.writable) this.#stream.write(clientFrame(opcode, payload));
  }

  #sendClose(code: number): void {
    if (this.#closing) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(OPCODES.close, payload);
    this.#closing = true;
  }

  #read(bytes: Buffer): void {
    try {
      for (const frame of this.#reader.push(bytes)) this.#take(frame);
    } catch (error) {
      if (!(error instanceof FrameError) && !(error instanceof TypeError)) throw error;
      this.#inbox.end(new ProtocolError(`the response is not a valid WebSocket stream: ${error.message}`));
      this.#sendClose(1002);
      this.#stream.destroy();
      return;
    }
    if (this.#inbox.length >= MAX_INBOX_FRAMES && !this.#closing) this.#stream.pause();
  }

  #take({ final, opcode, payload }: RawFrame): void {
    if (opcode === OPCODES.ping) {
      this.#write(OPCODES.pong, payload);
    } else if (opcode === OPCODES.close) {
      const [code, reason] = payload.length >= 2 ? [payload.readUInt16BE(0), payload.toString("utf8", 2)] : [1005, ""];
      this.#inbox.end(new ConversationClosedError(code, reason));
      this.#sendClose(code === 1005 ? 1000 : code);
      this.#stream.end();
    } else if (opcode !== OPCODES.pong) {
      this.#join(final, opcode, payload);
    }
  }

  #join(final: boolean, opcode: number, payload: Buffer): void {
    if (opcode > OPCODES.binary) throw new FrameError(`the frame type ${opcode} does not exist`);
    if ((opcode === OPCODES.continuation) !== (this.#parts !== undefined)) {
      throw new FrameError("the fragments of a message are out of order");
    }
    this.#parts ??= { opcode, payloads: [], size: 0 };
    this.#parts.payloads.push(payload);
    this.#parts.size += payload.length;
    if (this.#parts.size > MAX_MESSAGE_BYTES)
      throw new FrameError(`a message is larger than ${MAX_MESSAGE_BYTES} bytes`);
    if (!final) return;
    const { opcode: kind, payloads } = this.#parts;
    this.#parts = undefined;
    const whole = payloads.length === 1 ? payload : Buffer.concat(payloads);
    // copy the message to a separate, aligned buffer, so that the larger received chunk does not stay in memory
    this.#inbox.put(
      kind === OPCODES.binary ? new Uint8Array(whole) : new TextDecoder("utf-8", { fatal: true }).decode(whole),
    );
  }
}

/** Connects to a server and signs in with the `Authorization` header. */
export async function openNodeSocket(url: string, credential: string, signal: AbortSignal): Promise<Socket> {
  const key = randomBytes(16).toString("base64");
  const request = (url.startsWith("https:") ? requestHttps : requestHttp)(url + PATH, {
    agent: false,
    headers: {
      Authorization: `Bearer ${credential}`,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Protocol": PROTOCOL,
    },
  });
  const settled = onAbort(signal, () => request.destroy(new Error("it was aborted")));
  try {
    return await new Promise<Socket>((resolve, reject) => {
      request.on("error", (error) => {
        reject(new ConnectionFailedError(`no connection to ${url}: ${error.message}`, { cause: error }));
      });
      request.on("response", (response) => {
        readRefusal(response).then(
          (body) => reject(refusal(response.statusCode ?? 0, body, response.headers["retry-after"])),
          (error: Error) =>
            reject(new ConnectionFailedError(`no response from ${url}: ${error.message}`, { cause: error })),
        );
      });
      request.on("upgrade", (response, stream, head) => {
        const proof = createHash("sha1")
          .update(key + ACCEPT_GUID)
          .digest("base64");
        if (response.headers["sec-websocket-accept"] !== proof) {
          stream.destroy();
          reject(new ProtocolError(`${url} does not speak WebSocket`));
          return;
        }
        (stream as Duplex & { setNoDelay?: (on: boolean) => void }).setNoDelay?.(true);
        resolve(new NodeSocket(stream, head));
      });
      request.end();
    });
  } finally {
    settled();
  }
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_REFUSAL_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}
