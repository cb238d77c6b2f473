/** Sink that pipes samples to a program. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { sleep } from "../timers.js";
import { BYTES_PER_MS, PlayerError, SAMPLE_RATE, type Sink } from "./player.js";

/** Maximum length of audio, in milliseconds, that is written to the program before it is heard. */
const LEAD_MS = 100;
const CLOSE_TIMEOUT_MS = 2_000;
const RATE = String(SAMPLE_RATE);
/** Programs that play raw samples, in order of preference. */
const PROGRAMS = [
  ["pw-play", "--raw", "--format=s16", `--rate=${RATE}`, "--channels=1", "-"],
  ["paplay", "--raw", "--format=s16le", `--rate=${RATE}`, "--channels=1"],
  ["aplay", "-q", "-t", "raw", "-f", "S16_LE", "-r", RATE, "-c", "1", "-"],
  ["play", "-q", "-t", "raw", "-e", "signed", "-b", "16", "-L", "-r", RATE, "-c", "1", "-"],
  ["ffplay", "-loglevel", "error", "-nodisp", "-f", "s16le", "-ar", RATE, "-ch_layout", "mono", "-"],
] as const;

function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the first installed program of `PROGRAMS`, with its arguments. */
function installed(): readonly string[] {
  const found = PROGRAMS.find(([name]) => isInstalled(name));
  if (found) return found;
  const names = PROGRAMS.map(([name]) => name).join(", ");
  throw new PlayerError(`no player is installed: install one of ${names}, or pass a custom sink`);
}

export class ProgramSink implements Sink {
  readonly #command: readonly string[];
  #process: ChildProcess | undefined;
  #broken: PlayerError | undefined;
  #writtenMs = 0;
  /** Time at which all written samples will have been heard, on the clock of `performance`. */
  #heardAllAt = 0;
  #cleared = new AbortController();

  /** `command` is a program that plays samples from standard input, with its arguments. */
  constructor(command: readonly string[] = installed()) {
    this.#command = command;
  }

  get heardMs(): number {
    return Math.max(0, this.#writtenMs - Math.max(0, this.#heardAllAt - performance.now()));
  }

  async write(samples: Uint8Array<ArrayBuffer>): Promise<void> {
    const cleared = this.#cleared.signal;
    await sleep(this.#heardAllAt - LEAD_MS - performance.now(), cleared);
    if (cleared.aborted) return;
    const { stdin } = (this.#process ??= this.#start());
    if (this.#broken) throw this.#broken;
    const ms = samples.length / BYTES_PER_MS;
    this.#writtenMs += ms;
    this.#heardAllAt = Math.max(this.#heardAllAt, performance.now()) + ms;
    if (stdin && !stdin.write(samples)) {
      await Promise.race([once(stdin, "drain", { signal: cleared }), once(stdin, "close")]).catch(() => undefined);
    }
  }

  finish(): void {
    // nothing to do: the program plays all of its input
  }

  drained(): Promise<void> {
    return sleep(this.#heardAllAt - performance.now(), this.#cleared.signal);
  }

  async clear(): Promise<void> {
    this.#cleared.abort();
    this.#cleared = new AbortController();
    this.#writtenMs = this.#heardAllAt = 0;
    // samples in the program's buffers can be discarded only by ending the program
    const process = this.#process;
    this.#process = undefined;
    if (process && process.exitCode === null && process.signalCode === null) {
      process.kill("SIGKILL");
      await once(process, "exit");
    }
  }

  async close(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    // some programs play silence forever instead of exiting
    const timer = setTimeout(() => process.kill("SIGKILL"), CLOSE_TIMEOUT_MS);
    process.stdin?.end();
    await once(process, "exit");
    clearTimeout(timer);
  }

  #start(): ChildProcess {
    const [name = "", ...given] = this.#command;
    const process = spawn(name, given, { stdio: ["pipe", "ignore", "inherit"] });
    const broke = (why: string) => {
      if (process === this.#process) this.#broken = new PlayerError(`${name} ${why}`);
    };
    process.on("error", (error) => broke(`cannot be started: ${error.message}`));
    process.on("exit", () => broke("has ended"));
    process.stdin.on("error", () => broke("has ended"));
    this.#broken = undefined;
    return process;
  }
}
