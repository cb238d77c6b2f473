// Languages, engines and licences of the voices of `GET /v1/voices`.

const lists = new Intl.ListFormat("en-IN", { type: "conjunction" });

export const speaks = (voice, code) => voice.languages.includes(code);

// Returns the voice for a language: `chosen` if it speaks the language, otherwise the first of `voices` that does, or
// null.
export function speakerOf(voices, chosen, code) {
  if (speaks(chosen, code)) return chosen;
  return voices.find((voice) => speaks(voice, code)) ?? null;
}

// Groups the languages of a voice by their source: [{engine, pack, licence, codes}], in the order of the languages.
export function sources(voice) {
  const found = [];
  for (const { language, engine, pack, licence } of voice.by_language) {
    const known = found.find((source) => source.engine === engine && source.pack === pack);
    if (known) known.codes.push(language);
    else found.push({ engine, pack, licence, codes: [language] });
  }
  return found;
}

// Returns the source of a language of a voice; null if the voice is not listed or does not speak it.
export const sourceOf = (voice, code) => voice?.by_language.find(({ language }) => language === code) ?? null;

// Returns whether the pitch can be shifted in a language of a voice or, if no language is given, in any of its
// languages.
export const canShift = (voice, code) =>
  voice.by_language.some(({ language, pitch }) => pitch && (!code || language === code));

// Returns whether an engine belongs to a built-in voice: the rule-based or the learned engine.
const isBuiltIn = (engine) => engine === "parametric" || engine === "learned";

const ENGINES = { learned: "learned", parametric: "rules", neural: "trained", remote: "on another server" };

// Returns the engines of a voice in a language, or in all its languages if none is given: "learned", "trained or
// learned".
export function engineNames(voice, code) {
  const sources = code ? [sourceOf(voice, code)] : voice.by_language;
  const names = sources.filter(Boolean).map(({ engine }) => ENGINES[engine] ?? engine);
  return [...new Set(names)].join(" or ");
}

const SEXES = { female: "Female", male: "Male" };

// Returns "Female" or "Male"; null if the sex is unknown.
export const sexName = (voice) => SEXES[voice.gender] ?? null;

// Returns the name of a source: "built in", "pack te-padmavathi", "pack maya, on another server".
export function sourceName({ engine, pack }) {
  if (isBuiltIn(engine)) return "built in";
  const away = engine === "remote" ? "on another server" : null;
  return [pack ? `pack ${pack}` : null, away].filter(Boolean).join(", ") || engine;
}

const allowed = (licence) => ({ true: "yes", false: "no" })[licence.commercial] ?? "not known";

// Returns the licence of a source in words: {licence, attribution, commercial}. Unknown values of the first two are
// null.
export function terms({ engine, licence }) {
  if (licence) {
    return { licence: licence.spdx, attribution: licence.attribution || null, commercial: allowed(licence) };
  }
  if (isBuiltIn(engine)) return { licence: "MIT or Apache-2.0, like Shruti", attribution: null, commercial: "yes" };
  return { licence: null, attribution: null, commercial: "not known" };
}

const WARNINGS = {
  yes: null,
  no: "not for commercial use",
  "not known": "not known whether commercial use is allowed",
};

// Returns the attribution of a source; null for built-in voices.
export function credit(source) {
  if (!source || isBuiltIn(source.engine)) return null;
  const { licence, attribution, commercial } = terms(source);
  const facts = [`Spoken by ${sourceName(source)}`, licence && `licence ${licence}`, attribution, WARNINGS[commercial]];
  return facts.filter(Boolean).join(" · ");
}

// Returns sentences that warn that the licences of a voice forbid, or may forbid, commercial use; null if they allow
// it.
export function caution(voice, nameOf) {
  const said = Object.keys(WARNINGS).map((kind) => {
    const codes = sources(voice)
      .filter((source) => terms(source).commercial === kind)
      .flatMap((source) => source.codes);
    if (!WARNINGS[kind] || codes.length === 0) return null;
    const where = codes.length === voice.languages.length ? "" : `In ${lists.format(codes.map(nameOf))}: `;
    return `${where}${WARNINGS[kind]}.`;
  });
  const text = said.filter(Boolean).join(" ");
  return text === "" ? null : text.charAt(0).toUpperCase() + text.slice(1);
}

const MANY = 4;

// Returns a summary of the languages of a voice: "every language", "Hindi and Telugu", "7 languages".
export function range(voice, languages) {
  if (languages.every(({ code }) => speaks(voice, code))) return "every language";
  const names = languages.filter(({ code }) => speaks(voice, code)).map(({ name }) => name);
  return names.length > MANY ? `${names.length} languages` : lists.format(names);
}

// Returns the limits of a voice in words: its languages if it does not speak all of them, and a licence that forbids
// commercial use.
export function limitsOf(voice, languages) {
  const spoken = range(voice, languages);
  const barred = sources(voice).every((source) => terms(source).commercial === "no");
  return [spoken === "every language" ? null : spoken, barred ? WARNINGS.no : null].filter(Boolean);
}

// Returns the name of a voice with its limits, for a list.
export const choiceName = (voice, languages) => [voice.name, ...limitsOf(voice, languages)].join(" · ");
