/** Server for tests, and a TCP proxy that can cut or stall connections. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BINARY =
  process.env["SHRUTI_BINARY"] ?? fileURLToPath(new URL("../../../target/release/shruti", import.meta.url));
const SERVE = fileURLToPath(new URL("../../../checks/harness/serve.py", import.meta.url));

/** Information that `serve.py` prints about a server. */
interface Facts {
  readonly url: string;
  readonly key: string;
  readonly data: string;
  readonly server: number;
}

/** A running `shruti serve` on a free port, with its own data folder. */
export class Server {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #facts: Facts;
  readonly key: string;
  readonly folder: string;

  private constructor(child: ChildProcess, facts: Facts, key: string, folder: string) {
    this.#process = child;
    this.#exited = child.exitCode === null ? once(child, "exit") : Promise.resolve();
    this.#facts = facts;
    this.key = key;
    this.folder = folder;
  }

  /** Starts a server in a folder. `key` is the API key that an earlier start in the same folder printed. */
  static async start(folder = mkdtempSync(join(tmpdir(), "shruti-")), port = 0, key?: string): Promise<Server> {
    const where = ["--folder", folder, "--port", String(port)];
    const child = spawn("python3", [SERVE, "--json", ...where, BINARY], { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      const facts = JSON.parse(line) as Facts;
      return new Server(child, facts, key ?? facts.key, folder);
    }
    throw new Error("the server did not start");
  }

  /** Starts the stopped server again, on the same port. */
  again(): Promise<Server> {
    return Server.start(this.folder, this.port, this.key);
  }

  get url(): string {
    return this.#facts.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Runs `shruti keys` and returns its output. */
  keys(...command: string[]): string {
    const all = ["keys", ...command, "--data-dir", this.#facts.data];
    return execFileSync(BINARY, all, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  /** Asks the server to shut down; the server finishes open turns first. Resolves when it has exited. */
  async drain(): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#exited;
  }

  /** Kills the server, so that it cannot shut down gracefully. */
  async kill(): Promise<void> {
    process.kill(this.#facts.server, "SIGKILL");
    await this.#exited;
  }

  async stop(): Promise<void> {
    await this.drain();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts two servers that accept the same key, as behind a load balancer. */
export async function startTwo(): Promise<[Server, Server]> {
  const first = await Server.start();
  await first.drain();
  const folder = mkdtempSync(join(tmpdir(), "shruti-"));
  cpSync(first.folder, folder, { recursive: true });
  return [await Server.start(first.folder, 0, first.key), await Server.start(folder, 0, first.key)];
}

/** A TCP proxy that can cut its connections or stop forwarding data. */
export class Relay implements AsyncDisposable {
  readonly #server: TcpServer;
  readonly #sockets = new Set<Socket>();
  #stalled = false;
  connections = 0;
  /** Port to which new connections are forwarded. Open connections keep theirs. */
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

/** Generator of reproducible pseudo-random numbers. */
export interface Chance {
  readonly below: (end: number) => number;
  readonly odds: (share: number) => boolean;
  readonly of: <T>(all: readonly T[]) => T;
}

/** Creates a 32-bit xorshift generator (Marsaglia, 2003). */
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
