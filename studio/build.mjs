#!/usr/bin/env node
// Bundles the Studio into `dist/`, which the server embeds. It runs as `npm run studio` in sdk/typescript, because it
// uses esbuild from there. `dist/` is committed so that building the server does not require Node; a check verifies
// that it matches a fresh build.
// usage: node studio/build.mjs [FOLDER]

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const STUDIO = fileURLToPath(new URL(".", import.meta.url));
const CLIENT = fileURLToPath(new URL("../sdk/typescript/", import.meta.url));
const out = resolve(process.argv[2] ?? join(STUDIO, "dist"));
const esbuild = createRequire(join(CLIENT, "package.json"))("esbuild");

// The module that starts the pages. It is loaded first, with all modules that it imports.
const ENTRY = "app.js";
// Modules that few visits need, with the names of their output files. The script imports them dynamically.
const PARTS = {
  "operator/pages.js": "operator",
  "long-text.js": "long-text",
  "pages/account.js": "account",
  "pages/keys.js": "keys",
  "pages/pronunciation.js": "pronunciation",
  "pages/quickstart.js": "quickstart",
};
// Style sheets in the order of their precedence.
const STYLES = ["studio.css", "tokens.css", "playground.css", "long-text.css", "account.css", "voices.css", "pronunciation.css"];
// Files that are copied unchanged.
const UNCHANGED = ["icon.svg", "theme.js"];

const options = {
  absWorkingDir: STUDIO,
  bundle: true,
  charset: "utf8",
  format: "esm",
  legalComments: "none",
  logLevel: "warning",
  minify: true,
  outdir: out,
  target: "esnext",
  write: false,
};

// Makes each part import the entry module, although the part needs only some of its modules. esbuild combines modules
// that are imported by the same entry points in one file. Without this import, a first visit would wait for a dozen
// files.
const parts = {
  name: "parts",
  setup(build) {
    build.onResolve({ filter: /\.js$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return null;
      const module = resolve(resolveDir, path).slice(STUDIO.length);
      if (!PARTS[module]) return { errors: [{ text: `${module} is imported dynamically, and is not among the PARTS of build.mjs` }] };
      return { path: PARTS[module], namespace: "part", pluginData: module };
    });
    build.onLoad({ filter: /.*/, namespace: "part" }, ({ pluginData: module }) => ({
      contents: `import "./${ENTRY}"; export * from "./${module}";`,
      resolveDir: STUDIO,
    }));
  },
};

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
const only = (found, what) => {
  if (found.length !== 1) throw new Error(`${found.length} files are ${what}`);
  return found[0];
};

// Returns the name of the main script, and the files of the main script, of its parts, and of the code that the parts
// share.
async function scripts() {
  const { outputFiles, metafile } = await esbuild.build({
    ...options,
    alias: { "@shruti/client": join(CLIENT, "src/browser.ts"), "@shruti/client/player": join(CLIENT, "src/player/browser.ts") },
    chunkNames: "[name]-[hash]",
    entryPoints: [ENTRY],
    metafile: true,
    plugins: [parts],
    splitting: true,
  });
  // the output named after the entry only imports the output that contains the entry
  const has = (output, module) => module in output.inputs && output.inputs[module].bytesInOutput > 0;
  const [main] = only(Object.entries(metafile.outputs).filter(([, output]) => has(output, ENTRY)), `of ${ENTRY}`);
  const renamed = (name) => name.replace(/^chunk-/, name === basename(main) ? "studio-" : "shared-");
  const names = outputFiles.map(({ path }) => basename(path)).filter((name) => name !== ENTRY);
  const files = outputFiles.filter(({ path }) => basename(path) !== ENTRY).map(({ path, text }) => {
    const content = names.reduce((code, name) => code.replaceAll(`"./${name}"`, `"./${renamed(name)}"`), text);
    return [renamed(basename(path)), content];
  });
  return { script: renamed(basename(main)), files };
}

async function style() {
  const contents = STYLES.map((name) => `@import "./${name}";`).join("\n");
  const { outputFiles } = await esbuild.build({ ...options, stdin: { contents, loader: "css", resolveDir: STUDIO } });
  const { text } = only(outputFiles, "the style");
  return [`studio-${hash(text)}.css`, text];
}

// Builds the script of the player's audio thread. The client expects it in the folder of the script, under this name.
async function worklet() {
  const { outputFiles } = await esbuild.build({ ...options, entryPoints: [join(CLIENT, "src/player/worklet.ts")] });
  return ["worklet.js", only(outputFiles, "the worklet").text];
}

const { script, files } = await scripts();
const [styleName, styleText] = await style();
const named = Object.fromEntries([...files, [styleName, styleText]].sort(([left], [right]) => (left < right ? -1 : 1)));
const page = readFileSync(join(STUDIO, "index.html"), "utf8").replace(ENTRY, script).replace(STYLES[0], styleName);
const [workletName, workletText] = await worklet();

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, content] of [...Object.entries(named), ["index.html", page], [workletName, workletText]]) writeFileSync(join(out, name), content);
for (const name of UNCHANGED) cpSync(join(STUDIO, name), join(out, name));

// entry for `include!` in crates/shruti-site/src/studio/pages.rs: name, whether the name changes with the content, and
// content
const asset = (isNamed) => (name) => `    ("${name}", ${isNamed}, include_bytes!("${name}")),\n`;
writeFileSync(
  join(out, "assets.rs"),
  `// Written by studio/build.mjs.\n[\n${Object.keys(named).map(asset(true)).join("")}${[...UNCHANGED, workletName].map(asset(false)).join("")}]\n`,
);
