#!/usr/bin/env node
// Starts the binary of the package for this platform with the same arguments, streams, signals and exit code.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const platform = `${process.platform}-${process.arch}`;
let binary;
try {
  binary = createRequire(import.meta.url).resolve(`@shruti/${platform}/shruti`);
} catch {
  console.error(`shruti: there is no package @shruti/${platform} beside this one: either nobody builds for ${platform}, or optional dependencies were left out (npm install --include=optional)`);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`shruti: ${binary} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
