#!/usr/bin/env node
// Packs the data of each language into one file, in the format that `crates/shruti-lang/src/external.rs` reads. Each
// entry consists of the length of the file's name (2 bytes), the name, the length of the file (4 bytes), and the file.
// usage: node packs.mjs FOLDER

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CRATES = fileURLToPath(new URL("../../crates/", import.meta.url));
const TEXT = join(CRATES, "shruti-text/data");
const ROMANISED = join(CRATES, "shruti-translit/data");
/** Files that the front end reads; the others are notices. */
const DATA = /\.(toml|tsv|txt|bin)$/;

function entry(name, file) {
  const title = Buffer.from(name);
  const head = Buffer.alloc(2);
  const length = Buffer.alloc(4);
  head.writeUInt16LE(title.length);
  length.writeUInt32LE(file.length);
  return Buffer.concat([head, title, length, file]);
}

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const codes = readdirSync(TEXT, { withFileTypes: true }).filter((each) => each.isDirectory());
for (const { name: code } of codes) {
  const names = readdirSync(join(TEXT, code)).filter((name) => DATA.test(name));
  const files = names.sort().map((name) => entry(`text/${code}/${name}`, readFileSync(join(TEXT, code, name))));
  const table = join(ROMANISED, `${code}.stl`);
  if (existsSync(table)) files.push(entry(`translit/${code}.stl`, readFileSync(table)));
  // add the data that distinguishes English words from the romanised words of every other language
  if (code === "en") files.push(entry("translit/languages.stw", readFileSync(join(ROMANISED, "languages.stw"))));
  writeFileSync(join(folder, `${code}.bin`), Buffer.concat(files));
}
