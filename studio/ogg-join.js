// Joins Opus streams in Ogg (RFC 3533, RFC 7845) to one stream: all pages follow one header and get new positions,
// numbers and checksums. Each packet must be 20 ms long, as are those of the server.

const PACKET = 960; // samples per packet, at 48,000 Hz
const HEAD = 27; // bytes of a page header before its segment table
const [FIRST, LAST] = [2, 4]; // flags of a page

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = (byte << 24) >>> 0;
  for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000_0000 ? 0x04c1_1db7 : 0)) >>> 0;
  return crc;
});

export class OggJoin {
  #pages = 0;
  #packets = 0;
  #began = false;
  // Latest page with audio. It is held back because it may be the last page of the joined stream.
  #kept = null;
  #ends = 0;

  constructor(asked) {
    this.asked = asked;
  }

  begin() {
    return null;
  }

  add(bytes) {
    const [before, out] = [this.#packets, []];
    let headers = 2;
    for (const page of pages(bytes)) {
      if (headers > 0) {
        headers -= 1;
        if (!this.#began) out.push(this.#written(page, { granule: 0, flags: page[5] & FIRST }));
        continue;
      }
      if (this.#kept) out.push(this.#written(this.#kept, { granule: this.#packets * PACKET, flags: 0 }));
      this.#kept = page;
      this.#ends = before * PACKET + Number(view(page).getBigUint64(6, true));
      this.#packets += packets(page);
    }
    this.#began = true;
    return { ms: (before * PACKET) / 48, bytes: joined(out) };
  }

  // Returns the last page. Its position is the end of the audio, which may lie within the last packet.
  finish() {
    const last = this.#kept ? this.#written(this.#kept, { granule: Math.min(this.#ends, this.#packets * PACKET), flags: LAST }) : new Uint8Array();
    return { bytes: last, first: null };
  }

  // Returns a copy of a page with a new position, flags, number and checksum.
  #written(page, { granule, flags }) {
    const copy = page.slice();
    const fields = view(copy);
    copy[5] = flags | (page[5] & 1); // keep the flag for a packet that is continued from the previous page
    fields.setBigUint64(6, BigInt(granule), true);
    fields.setUint32(14, 1, true); // serial number of the stream
    fields.setUint32(18, this.#pages, true);
    fields.setUint32(22, 0, true);
    let crc = 0;
    for (const byte of copy) crc = ((crc << 8) ^ CRC[(crc >>> 24) ^ byte]) >>> 0;
    fields.setUint32(22, crc, true);
    this.#pages += 1;
    return copy;
  }
}

const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function* pages(bytes) {
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const segments = bytes.subarray(at + HEAD, at + HEAD + bytes[at + HEAD - 1]);
    const length = HEAD + segments.length + segments.reduce((sum, size) => sum + size, 0);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

// Returns the number of packets that end in a page.
const packets = (page) => page.subarray(HEAD, HEAD + page[HEAD - 1]).reduce((sum, size) => sum + (size < 255 ? 1 : 0), 0);

export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
