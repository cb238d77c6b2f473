// A server of its own for a program that starts one itself; it ends with the program.

import { spawn } from "node:child_process";

// Starts `shruti serve` with flags; gives its process, its address, and what it has printed so far.
export function serve(shruti, flags, env = process.env) {
  const server = spawn(shruti, ["serve", ...flags], { env, stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => server.kill("SIGKILL"));
  let [printed, log] = ["", ""];
  server.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
  return new Promise((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text) => {
      log += text;
      const address = /address=([\d.:]+)/.exec(log.replace(/\x1b\[[\d;]*m/g, ""));
      if (address) resolve({ server, address: address[1], printed: () => printed });
    });
    server.once("exit", () => reject(new Error(`the server ended: ${log}`)));
  });
}
