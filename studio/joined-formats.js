// Joins turns, each received as a stream, into one file. Raw samples and MP3 are concatenated, WAV gets one header, and
// Opus becomes one Ogg stream.

import { OggJoin } from "./ogg-join.js";

const HEADERS = { wav: { tag: 1, bytes: 2 }, wav_f32: { tag: 3, bytes: 4 }, wav_mulaw: { tag: 7, bytes: 1 }, wav_alaw: { tag: 6, bytes: 1 } };
const SAMPLE_BYTES = { pcm: 2, pcm_f32: 4, mulaw: 1, alaw: 1 };

// Returns an object that joins turns in a format (a name for `output_format`). It has `asked`, the format in which the
// turns are requested; `begin()`, which returns the first bytes of the file; `add(bytes)`, which returns the bytes to
// append for a turn, and `ms`, the start of the turn in the file; and `finish()`, which returns the last bytes, and new
// first bytes if the first bytes contain the length.
export function joinOf(format) {
  const [, prefix, rate, kbit] = /^([a-z_0-9]+?)_(\d+)(?:_(\d+))?$/.exec(format).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (prefix === "opus") return new OggJoin(format);
  if (prefix === "mp3") return new PlainJoin(format, kbit / 8);
  if (prefix in SAMPLE_BYTES) return new PlainJoin(format, (SAMPLE_BYTES[prefix] * rate) / 1_000);
  return new WavJoin(prefix, rate);
}

// Joins formats that can be concatenated. `bytesAMs` is the number of bytes per millisecond, which is exact for raw
// samples and for MP3 with a constant bit rate.
class PlainJoin {
  bytes = 0;

  constructor(asked, bytesAMs) {
    Object.assign(this, { asked, bytesAMs });
  }

  begin() {
    return null;
  }

  add(bytes) {
    const ms = this.bytes / this.bytesAMs;
    this.bytes += bytes.length;
    return { ms, bytes };
  }

  finish() {
    return { bytes: new Uint8Array(), first: null };
  }
}

class WavJoin extends PlainJoin {
  constructor(prefix, rate) {
    const raw = prefix === "wav" ? "pcm" : prefix.slice("wav_".length);
    super(`${raw === "f32" ? "pcm_f32" : raw}_${rate}`, (HEADERS[prefix].bytes * rate) / 1_000);
    this.kind = { ...HEADERS[prefix], rate };
  }

  begin() {
    return header(this.kind, null);
  }

  // RIFF chunks must end at even positions, so add a byte if the size is odd
  finish() {
    return { bytes: new Uint8Array(this.bytes % 2), first: header(this.kind, this.bytes) };
  }
}

// Returns the header for `length` bytes of samples. A length that is unknown (null) or does not fit in 32 bits is
// written with all bits set.
function header({ tag, bytes, rate }, length) {
  const extension = tag === 1 ? 0 : 14; // an empty format extension and the `fact` chunk
  const view = new DataView(new ArrayBuffer(44 + extension));
  const text = (at, letters) => [...letters].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  const long = (number) => (length === null || number > 0xffff_ffff ? 0xffff_ffff : number);
  text(0, "RIFF");
  view.setUint32(4, long(36 + extension + length + (length % 2)), true);
  text(8, "WAVEfmt ");
  view.setUint32(16, extension ? 18 : 16, true);
  view.setUint16(20, tag, true);
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * bytes, true);
  view.setUint16(32, bytes, true);
  view.setUint16(34, 8 * bytes, true);
  if (extension) {
    text(38, "fact");
    view.setUint32(42, 4, true);
    view.setUint32(46, long(length / bytes), true);
  }
  text(36 + extension, "data");
  view.setUint32(40 + extension, long(length), true);
  return new Uint8Array(view.buffer);
}
