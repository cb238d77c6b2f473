// Creates WAV files from raw samples.

const HEADER_BYTES = 44;

// Returns a WAV file as a Blob. `blocks` are Int16Arrays of mono samples, and `rate` is the number of samples per
// second.
export function wav(blocks, rate = 24_000) {
  const bytes = blocks.reduce((sum, block) => sum + block.byteLength, 0);
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const tag = (at, text) => [...text].forEach((letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
  tag(0, "RIFF");
  header.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  tag(8, "WAVE");
  tag(12, "fmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true); // PCM
  header.setUint16(22, 1, true); // mono
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  tag(36, "data");
  header.setUint32(40, bytes, true);
  return new Blob([header, ...blocks], { type: "audio/wav" });
}

// Makes the browser download a file.
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
