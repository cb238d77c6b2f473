// Starts a server with a release binary for a Node program. The server is stopped when the program ends.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SERVE = fileURLToPath(new URL("serve.py", import.meta.url));

// Starts `shruti serve` with flags. Resolves to the report of serve.py (url, host, port, key, link, data, log, server)
// with an additional method `stop()`, which asks the server to shut down and resolves to the exit status of the server.
// `options`: `env`, and `folder` and `port` to restart a server with the same data and address.
export async function serve(binary, flags = [], { env = process.env, folder, port = 0 } = {}) {
  const where = [...(folder ? ["--folder", folder] : []), "--port", String(port)];
  const child = spawn("python3", [SERVE, "--json", ...where, binary, ...flags], { env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const stop = () => (child.kill("SIGTERM"), exited);
    return { ...JSON.parse(line), stop, exited };
  }
  throw new Error("the server did not start");
}
