// A lexicon as TOML: `[words]` for every language, and a table a language; the form that the command line takes.

// What JSON escapes TOML's basic strings escape alike; JSON leaves U+007F as it is.
const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

// `entries`: [{language, word, reading}], with the code of a language or null for all.
export function lexiconToml(entries) {
  const tables = new Map([[null, []]]);
  for (const { language, word, reading } of entries) {
    if (!tables.has(language)) tables.set(language, []);
    tables.get(language).push(`${quoted(word)} = ${quoted(reading)}\n`);
  }
  const filled = [...tables].filter(([, lines]) => lines.length > 0);
  return filled.map(([language, lines]) => `[${language ?? "words"}]\n${lines.join("")}`).join("\n");
}

// Whether two entries are for the same word in the same texts, as far as a page can tell; the server knows better.
export const isSameEntry = (one, other) =>
  one.language === other.language && one.word.trim().toLowerCase() === other.word.trim().toLowerCase();
