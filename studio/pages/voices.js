// Voices page: languages, engines, licences and recordings of each voice.

import { ClipPlayer } from "../clip-player.js";
import { el, field, icon, languageLabel } from "../dom.js";
import { latency, plural } from "../format.js";
import { noticeBoard } from "../notice.js";
import { accountObstacle, browserObstacle } from "../obstacle.js";
import { PlaybackSession } from "../playback-session.js";
import { recordedClip } from "../recordings.js";
import { SAMPLES } from "../samples.js";
import { session } from "../session.js";
import { recordedIn } from "../voice-choice.js";
import { engineNames, range, sexName, sourceName, sources, speaks, terms } from "../voices.js";

export const title = "Voices";

// Maximum number of languages with a button each. If there are more, the user chooses from a list of languages.
const AT_A_GLANCE = 4;

export async function render(root) {
  root.classList.add("wide", "voices");
  const voices = await session.loadVoices(); // the operator may have added voices since the page was loaded
  const playback = new PlaybackSession();
  const player = new ClipPlayer();
  const speech = sampleSpeech(playback, player);
  const cards = voices.map((voice, at) => card(voice, at, speech));
  root.append(
    el("h1", {}, title),
    el(
      "div",
      { class: "next" },
      accountObstacle() ?? el("p", {}, "Select a language to hear a sentence, and again to stop it."),
    ),
    voices.length > AT_A_GLANCE ? filter(voices, cards) : "",
    el("div", { class: "voice-cards" }, ...cards),
  );
  return () => {
    playback.close();
    player.close();
  };
}

// Shows only the cards of voices that speak a language.
function filter(voices, cards) {
  const told = el("p", { class: "hint", role: "status" }, plural(voices.length, "voice"));
  const spoken = session.setup.languages.filter(({ code }) => voices.some((voice) => speaks(voice, code)));
  const language = el(
    "select",
    {},
    el("option", { value: "" }, "Any language"),
    ...spoken.map(({ code, name }) => el("option", { value: code }, name)),
  );
  language.addEventListener("change", () => {
    voices.forEach((voice, at) => (cards[at].hidden = language.value !== "" && !speaks(voice, language.value)));
    const left = cards.filter(({ hidden }) => !hidden).length;
    told.textContent =
      left < voices.length ? `${left} of ${plural(voices.length, "voice")}` : plural(voices.length, "voice");
  });
  return el("div", { class: "form" }, field("Voices that speak", language), told);
}

function card(voice, at, speech) {
  const heading = el("h2", { id: `voice-${at}` }, voice.name);
  const times = voice.timestamps.includes("word") ? "yes" : voice.languages.length > 1 ? "not in every language" : "no";
  const place = el("div", { class: "sample-speech" });
  return el(
    "article",
    { class: "voice", "aria-labelledby": heading.id },
    el(
      "div",
      { class: "voice-head" },
      speech.recording(voice, place),
      heading,
      el(
        "a",
        {
          href: `/studio?${new URLSearchParams({ voice: voice.name })}`,
          "aria-label": `Your own text with ${voice.name}`,
        },
        "Your own text",
      ),
    ),
    facts({
      Sex: sexName(voice) ?? "not stated",
      Engine: engineNames(voice),
      Speaks: range(voice, session.setup.languages),
      "Word times": times,
    }),
    ...sources(voice).map((source) => bySource(voice, source, speech, place)),
    place,
  );
}

// Creates the block for the languages of one source: its licence, and a button per language.
function bySource(voice, source, speech, place) {
  const { licence, attribution, commercial } = terms(source);
  const name = sourceName(source);
  return el(
    "div",
    { class: "source", role: "group", "aria-label": `${voice.name}, ${name}` },
    facts({
      "Spoken by": name,
      Licence: licence ?? "not stated",
      "Commercial use": commercial,
      Attribution: attribution,
    }),
    el(
      "div",
      { class: "row" },
      ...source.codes.filter((code) => SAMPLES[code]).map((code) => speech.button(voice, code, place)),
    ),
  );
}

function facts(all) {
  const stated = Object.entries(all).filter(([, value]) => value !== null);
  return el(
    "dl",
    { class: "figures" },
    ...stated.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

// Creates buttons that speak a sentence or play a recording. Only one of them is heard at a time; its text is shown
// next to its button.
function sampleSpeech(playback, player) {
  const board = noticeBoard();
  const sentence = el("p", { dir: "auto" });
  const figure = el("p", { class: "hint" });
  let pressed = null;

  playback.addEventListener("state", ({ detail }) => {
    if (detail !== "idle") return;
    pressed?.setAttribute("aria-pressed", "false");
    pressed = null;
  });
  playback.addEventListener("first-audio", ({ detail }) => {
    figure.textContent = `First audio after ${latency(detail.firstAudioMs)}.`;
  });
  playback.addEventListener("failed", ({ detail }) => board.fail(detail));

  let recording = null; // the recording that is playing, with its button: {button, symbol}
  const showRecording = (playing) => {
    if (!recording) return;
    recording.button.setAttribute("aria-pressed", `${playing}`);
    recording.symbol.className = `icon icon-${playing ? "pause" : "play"}`;
  };
  player.addEventListener("change", () => showRecording(player.playing));
  player.addEventListener("failed", ({ detail }) => board.fail(detail));
  const play = async (own, voice, code, place) => {
    playback.interrupt();
    if (recording === own && player.playing) {
      player.pause();
      return;
    }
    player.pause();
    recording = own;
    board.clear();
    try {
      const clip = await recordedClip(voice, code);
      if (recording !== own) return; // another recording was started in the meantime
      sentence.lang = code;
      sentence.textContent = clip.text;
      figure.textContent = "A recording.";
      place.replaceChildren(sentence, figure, board);
      player.load(clip);
      await player.play();
    } catch (failure) {
      place.replaceChildren(board);
      board.fail(failure);
    }
  };

  const speak = (button, voice, code, place) => {
    player.pause();
    recording = null;
    board.clear();
    figure.textContent = "";
    sentence.lang = code;
    sentence.textContent = SAMPLES[code][0];
    place.replaceChildren(sentence, figure, board);
    const obstacle = browserObstacle();
    if (obstacle) {
      board.show(obstacle);
      return;
    }
    pressed = button;
    button.setAttribute("aria-pressed", "true");
    playback.speak(SAMPLES[code][0], { voice: voice.name, language: code }, false);
  };
  return {
    // Creates a large button for the recording of a voice. Returns null if the voice has no recording.
    recording(voice, place) {
      const code = recordedIn(voice, null);
      if (!code) return null;
      const symbol = icon("play");
      const own = { symbol };
      const attributes = { type: "button", class: "primary round hear", "aria-pressed": "false", "aria-label": `Play a recording of ${voice.name}` };
      own.button = el("button", { ...attributes, on: { click: () => play(own, voice, code, place) } }, symbol);
      return own.button;
    },
    button(voice, code, place) {
      const press = () => {
        const again = pressed === button;
        playback.interrupt();
        if (!again) speak(button, voice, code, place);
      };
      const attributes = { type: "button", class: "chip sample", lang: code, "aria-pressed": "false" };
      const button = el(
        "button",
        { ...attributes, on: { click: press } },
        ...languageLabel(session.language(code), `hear ${voice.name}`),
      );
      return button;
    },
  };
}
