// Clip: a spoken text, with all data needed to play it again without the server.

const SAMPLES_A_MS = 24;

// Creates a clip from a turn of a playback session: {id, spokenAt, text, voice, language, settings, words, samples,
// whole, heardEnd}. `whole` is true if the clip has the audio of the whole text. `heardEnd` is the end of the text that
// was heard if the clip was interrupted, in UTF-16 units; null if the clip was heard to its end.
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

// Returns the samples of a clip from a position in milliseconds to the end.
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
