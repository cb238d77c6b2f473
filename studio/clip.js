// A clip: a spoken text with everything needed to play it again without the server.

const SAMPLES_A_MS = 24;

// Makes a clip of a turn of a playback session: {id, spokenAt, text, voice, language, settings, words, samples, whole,
// heardEnd}. `whole`: whether the clip has the sound of the whole text. `heardEnd`: how far an interrupted clip was heard, in
// UTF-16 units; null if it was heard to its end.
export function clipOf(turn) {
  return {
    id: [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    spokenAt: Date.now(),
    text: turn.text,
    voice: turn.voice,
    language: turn.language,
    settings: turn.settings,
    words: turn.words,
    samples: joined(turn.blocks),
    whole: turn.sentWhole,
    heardEnd: turn.heard?.charEnd ?? null,
  };
}

export const clipMs = ({ samples }) => samples.length / SAMPLES_A_MS;

// Returns the samples from a position on.
export const samplesFrom = ({ samples }, ms) => samples.subarray(Math.round(ms * SAMPLES_A_MS));

function joined(blocks) {
  const samples = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return samples;
}
