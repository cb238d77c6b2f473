// Converts a pronunciation dictionary to TOML in the format that the command line reads: a table `[words]` for all
// languages, and one table per language.

// basic strings of TOML use the escapes of JSON, but JSON does not escape U+007F, which TOML requires
const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

// `entries`: [{language, word, reading}]. The language is a code, or null for all languages.
export function lexiconToml(entries) {
  const tables = new Map([[null, []]]);
  for (const { language, word, reading } of entries) {
    if (!tables.has(language)) tables.set(language, []);
    tables.get(language).push(`${quoted(word)} = ${quoted(reading)}\n`);
  }
  const filled = [...tables].filter(([, lines]) => lines.length > 0);
  return filled.map(([language, lines]) => `[${language ?? "words"}]\n${lines.join("")}`).join("\n");
}

// Returns whether two entries are for the same word and language. The server compares words more precisely.
export const isSameEntry = (one, other) =>
  one.language === other.language && one.word.trim().toLowerCase() === other.word.trim().toLowerCase();
