#!/usr/bin/env bash
# Checks the TypeScript client against a release binary. First tests the sources: style, types, the bundled Studio, the
# conformance vectors and conversations. Then tests the package, installed from its tarball in empty folders: the
# README's examples in Node, and a page in Chromium. Needs Node 20 or later and Chromium; installs the packages of
# package-lock.json in this folder.
# usage: sdk/typescript/check.sh target/release/shruti
set -euo pipefail
SHRUTI_BINARY=$(realpath "${1:?usage: sdk/typescript/check.sh path/to/shruti}")
export SHRUTI_BINARY
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
npm run --silent lint
npm run --silent build
# the server embeds the committed bundle of the Studio, which contains this client
node ../../studio/build.mjs "$folder/studio"
diff -rq "$folder/studio" ../../studio/dist || { echo "studio/dist is not current: npm run studio in sdk/typescript"; exit 1; }
# the documentation embeds a bundle of `<shruti-read-aloud>`, which must be current
docs=../../crates/shruti-site/src/docs/read-aloud.js
cp "$docs" "$folder/read-aloud.js"
npm run --silent docs
cmp "$docs" "$folder/read-aloud.js" || { echo "the documentation has another read-aloud.js: npm run docs"; exit 1; }
npm test --silent

npm pack --silent --pack-destination "$folder" >/dev/null
mkdir "$folder/installed"
echo '{ "type": "module", "private": true }' >"$folder/installed/package.json"
npm install --prefix "$folder/installed" --no-audit --no-fund --loglevel=error "$folder"/shruti-client-*.tgz >/dev/null
[ "$(ls "$folder/installed/node_modules")" = "" ] || [ "$(ls "$folder/installed/node_modules")" = "@shruti" ] ||
  { echo "the package brings others with it"; exit 1; }

# the types must compile for a user with strict TypeScript and without the types of Node
cp tests/installed/user.ts "$folder/installed/"
cat >"$folder/installed/tsconfig.json" <<'END'
{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "module": "nodenext", "types": [],
    "lib": ["es2023", "dom", "esnext.disposable"] }, "include": ["user.ts"] }
END
npx tsc -p "$folder/installed"

INSTALLED=$folder/installed npx vitest run
echo "typescript: all held"
