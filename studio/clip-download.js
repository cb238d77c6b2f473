// Downloads a clip: as WAV from the samples in this page, or in any output format, for which the server synthesises the
// text again.

import { api, read, Failure } from "./api.js";
import { dialogButtons, openDialog } from "./dialog.js";
import { announce, el, field } from "./dom.js";
import { count } from "./format.js";
import { attempt, noticeBoard } from "./notice.js";
import { characterCount } from "./length.js";
import { download, wav } from "./wav.js";

const RATES = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const KBITS = [32, 48, 64, 96, 128, 192];

// Kinds of formats: the prefix of `output_format`, the label, the file extension (`ending`), and whether the bit rate
// can be chosen (`kbits`).
const KINDS = [
  { prefix: "wav", label: "WAV, 16 bits", ending: "wav" },
  { prefix: "mp3", label: "MP3", ending: "mp3", kbits: true },
  { prefix: "opus", label: "Opus in Ogg", ending: "opus", kbits: true },
  { prefix: "pcm", label: "Raw samples, 16 bits", ending: "pcm" },
  { prefix: "pcm_f32", label: "Raw samples, 32-bit floats", ending: "f32" },
  { prefix: "mulaw", label: "G.711 µ-law", ending: "ulaw" },
  { prefix: "alaw", label: "G.711 A-law", ending: "alaw" },
  { prefix: "wav_f32", label: "WAV, 32-bit floats", ending: "wav" },
  { prefix: "wav_mulaw", label: "WAV, µ-law", ending: "wav" },
  { prefix: "wav_alaw", label: "WAV, A-law", ending: "wav" },
];

// Sample rates in Hz, and bit rates in kbit/s, that a kind supports.
export const ratesOf = ({ prefix }) => (prefix === "opus" ? [48_000] : RATES);
export const kbitsOf = ({ prefix }, rate) => KBITS.filter((kbit) => prefix === "opus" || kbit <= (rate < 16_000 ? 64 : rate < 32_000 ? 128 : 192));

// Returns the name of a format, as used in `output_format`.
export const formatName = ({ prefix, kbits }, rate, kbit) => [prefix, rate, ...(kbits ? [kbit] : [])].join("_");

const fileName = (clip, ending) => ["shruti", clip.language ?? "clip", clip.voice?.toLowerCase(), clip.whole ? null : "interrupted"].filter(Boolean).join("-") + `.${ending}`;

export const downloadWav = (clip) => download(wav([clip.samples]), fileName(clip, "wav"));

// Creates the fields with which the user chooses a format. Returns their elements, the chosen `output_format`, and the
// file extension.
export function formatFields() {
  const options = (values, label = String) => values.map((value) => el("option", { value }, label(value)));
  const kind = el("select", {}, ...KINDS.map(({ label }, at) => el("option", { value: at }, label)));
  const rate = el("select");
  const kbit = el("select");
  const kbitField = field("Bit rate", kbit);
  const chosen = () => KINDS[kind.value];
  const fit = () => {
    const rates = ratesOf(chosen());
    const before = Number(rate.value || 24_000);
    rate.replaceChildren(...options(rates, (hz) => `${count(hz)} Hz`));
    rate.value = rates.includes(before) ? before : rates.includes(24_000) ? 24_000 : rates[0];
    const kbits = kbitsOf(chosen(), Number(rate.value));
    const bits = Number(kbit.value || 64);
    kbit.replaceChildren(...options(kbits, (each) => `${each} kbit/s`));
    kbit.value = kbits.includes(bits) ? bits : kbits.at(-1);
    kbitField.hidden = !chosen().kbits;
  };
  fit();
  kind.addEventListener("change", fit);
  rate.addEventListener("change", fit);
  return {
    elements: [field("Format", kind), el("div", { class: "pair" }, field("Sample rate", rate), kbitField)],
    get name() {
      return formatName(chosen(), rate.value, kbit.value);
    },
    get ending() {
      return chosen().ending;
    },
  };
}

// Opens a dialog in which the user chooses a format. The server then synthesises the clip again, and the browser
// downloads the file.
export function chooseFormat(clip) {
  openDialog("Download", (dialog) => {
    const format = formatFields();
    const board = noticeBoard();
    const button = el("button", { class: "primary" }, "Download");
    const submit = async (event) => {
      event.preventDefault();
      const done = await attempt(board, button, async () => download(await spoken(clip, format.name), fileName(clip, format.ending)));
      if (!done) return;
      dialog.close();
      announce("Downloaded");
    };
    const cost = `The server synthesizes the text again for this format: ${count(characterCount(clip.text))} characters. Download WAV costs nothing.`;
    return [el("form", { on: { submit } }, el("p", { class: "hint" }, cost), ...format.elements, board, dialogButtons(dialog, button))];
  });
}

// Requests the text of a clip again and returns the audio as a Blob. Voice, language and settings are the same, so the
// audio is the same, apart from the format.
async function spoken({ text, settings, language }, format) {
  const token = await api.token();
  let response;
  try {
    response = await fetch("/v1/tts", {
      method: "POST", credentials: "omit", cache: "no-store",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ text, ...settings, language: settings.language ?? language, output_format: format }),
    });
    if (response.ok) return await response.blob();
  } catch {
    throw new Failure("The server cannot be reached, or the connection was lost.", { code: "unreachable" });
  }
  return read(response); // throws the error in the response
}
