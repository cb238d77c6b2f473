/** WebSocket frames, received and sent by a client (RFC 6455, section 5). */

import { randomFillSync } from "node:crypto";

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
/** Maximum size of a received message, in bytes. */
export const MAX_MESSAGE_BYTES = 1 << 20;

export interface RawFrame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Violation of the protocol by the server. */
export class FrameError extends Error {}

/** Splits bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the frames that these bytes complete. Throws `FrameError`. */
  push(bytes: Buffer): RawFrame[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const frames: RawFrame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): RawFrame | undefined {
    const bytes = this.#rest;
    if (bytes.length < 2) return undefined;
    const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0) throw new FrameError("a frame uses an extension that was not negotiated");
    if ((second & 0x80) !== 0) throw new FrameError("a server's frame is masked");
    let size = second & 0x7f;
    let start = 2;
    if (opcode >= OPCODES.close && (size > 125 || (first & 0x80) === 0)) {
      throw new FrameError("a control frame is longer than 125 bytes, or fragmented");
    }
    if (size === 126) {
      if (bytes.length < 4) return undefined;
      [size, start] = [bytes.readUInt16BE(2), 4];
    } else if (size === 127) {
      if (bytes.length < 10) return undefined;
      [size, start] = [Number(bytes.readBigUInt64BE(2)), 10];
    }
    if (size > MAX_MESSAGE_BYTES) throw new FrameError(`a frame has ${size} bytes; the limit is ${MAX_MESSAGE_BYTES}`);
    if (bytes.length < start + size) return undefined;
    this.#rest = bytes.subarray(start + size);
    return { final: (first & 0x80) !== 0, opcode, payload: bytes.subarray(start, start + size) };
  }
}

/** Returns an unfragmented, masked frame, as a client sends it. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  const extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extra + 4 + size);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extra === 0 ? size : extra === 2 ? 126 : 127);
  if (extra === 2) frame.writeUInt16BE(size, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(size), 2);
  const mask = randomFillSync(Buffer.allocUnsafe(4));
  mask.copy(frame, 2 + extra);
  const start = 6 + extra;
  for (let at = 0; at < size; at += 1) frame[start + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return frame;
}
