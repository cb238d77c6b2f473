// Recorded greetings of the built-in voices. Playing them needs no account. The documentation plays them too.

import { Failure } from "./api.js";
import { sourceOf } from "./voices.js";

const RATE = 24_000;
const VOICES = ["Ananya", "Arjun"];

// Texts of the recordings, as in checks/greetings.tsv.
export const GREETINGS = {
  hi: "नमस्ते, आपके खाते में ₹1,25,000 हैं।",
  bn: "নমস্কার, আপনি কেমন আছেন?",
  ta: "வணக்கம், எப்படி இருக்கிறீர்கள்?",
  te: "నమస్కారం, మీరు ఎలా ఉన్నారు?",
  gu: "નમસ્તે, તમે કેમ છો?",
  kn: "ನಮಸ್ಕಾರ, ನೀವು ಹೇಗಿದ್ದೀರಿ?",
  ml: "നമസ്കാരം, സുഖമാണോ?",
  mr: "नमस्कार, तुम्ही कसे आहात?",
  pa: "ਸਤ ਸ੍ਰੀ ਅਕਾਲ, ਤੁਸੀਂ ਕਿਵੇਂ ਹੋ?",
  or: "ନମସ୍କାର, ଆପଣ କେମିତି ଅଛନ୍ତି?",
  en: "Hello, your order will reach Bengaluru at 3 PM.",
};

// Returns whether a recording exists for a voice (an entry of `GET /v1/voices`) in a language. Only the learned voices
// have recordings.
export const isRecorded = (voice, code) =>
  VOICES.includes(voice.name) && code in GREETINGS && sourceOf(voice, code)?.engine === "learned";

// Returns the recording as a clip without word timestamps. Throws a `Failure`.
export async function recordedClip(voice, code) {
  const name = `${code}-${voice.name.toLowerCase()}.opus`;
  let samples;
  try {
    const answer = await fetch(`/docs/files/${name}`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const context = new OfflineAudioContext(1, 1, RATE); // decodes at the sample rate of clips
    const decoded = await context.decodeAudioData(await answer.arrayBuffer());
    samples = Int16Array.from(decoded.getChannelData(0), (value) => Math.max(-1, Math.min(value, 1)) * 32_767);
  } catch {
    throw new Failure("The recording could not be loaded, or this browser does not play Opus.", { code: "no_recording" });
  }
  return { id: null, spokenAt: Date.now(), text: GREETINGS[code], voice: voice.name, language: code, settings: null, words: [], samples, whole: true, heardEnd: null };
}
