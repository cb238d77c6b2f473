/** A server for tests, and a wire to it that can be cut or stall. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BINARY =
  process.env["SHRUTI_BINARY"] ?? fileURLToPath(new URL("../../../target/release/shruti", import.meta.url));

async function firstMatch(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const found = wanted.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`the server did not start: it never said ${String(wanted)}`);
}

/** A running `shruti serve` on a free port, with a data folder of its own. */
export class Server {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly url: string;
  readonly key: string;
  readonly folder: string;

  private constructor(child: ChildProcess, url: string, key: string, folder: string) {
    this.#process = child;
    this.#exited = child.exitCode === null ? once(child, "exit") : Promise.resolve();
    this.url = url;
    this.key = key;
    this.folder = folder;
  }

  static async start(folder = mkdtempSync(join(tmpdir(), "shruti-")), port = 0): Promise<Server> {
    const child = spawn(BINARY, ["serve", "--listen", `127.0.0.1:${port}`, "--data-dir", folder]);
    const file = join(folder, "first-key");
    let key: string;
    try {
      key = readFileSync(file, "utf8");
    } catch {
      key = await firstMatch(child.stdout, /^(sk_\w+)$/);
      writeFileSync(file, key);
    }
    const address = await firstMatch(child.stderr, /address=([0-9.:]+)/);
    // its log must not fill the pipe
    child.stdout.resume();
    child.stderr.resume();
    return new Server(child, `http://${address}`, key, folder);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Runs `shruti keys`; gives what it prints. */
  keys(...command: string[]): string {
    const all = ["keys", ...command, "--data-dir", this.folder];
    return execFileSync(BINARY, all, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  /** Has it shut down in order: what is being said is said. Resolves once it has ended. */
  async drain(): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#exited;
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }

  async stop(): Promise<void> {
    await this.drain();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Two servers that take the same key, as behind a load balancer. */
export async function startTwo(): Promise<[Server, Server]> {
  const first = await Server.start();
  await first.drain();
  const folder = mkdtempSync(join(tmpdir(), "shruti-"));
  cpSync(first.folder, folder, { recursive: true });
  return [await Server.start(first.folder), await Server.start(folder)];
}

/** Passes connections on until it is told to cut them, or to let nothing through any more. */
export class Relay implements AsyncDisposable {
  readonly #server: TcpServer;
  readonly #sockets = new Set<Socket>();
  #stalled = false;
  connections = 0;
  /** Where new connections go; those that there are stay where they are. */
  farPort: number;

  private constructor(port: number) {
    this.farPort = port;
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(this.farPort, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on("data", (data) => other.write(data));
        one.on("end", () => other.end());
        one.on("error", () => other.destroy());
        one.on("close", () => this.#sockets.delete(one));
        if (this.#stalled) one.pause();
      }
    });
  }

  static async to(port: number): Promise<Relay> {
    const relay = new Relay(port);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  stall(): void {
    this.#stalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  flow(): void {
    this.#stalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Numbers that look random and are the same each time. */
export interface Chance {
  readonly below: (end: number) => number;
  readonly odds: (share: number) => boolean;
  readonly of: <T>(all: readonly T[]) => T;
}

/** Xorshift of 32 bits (Marsaglia, 2003). */
export function chance(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { below, odds: (share) => next() < share, of: (all) => all[below(all.length)] as (typeof all)[number] };
}
