// Code shared by the JavaScript clients: the command line, functions that start programs, and the table of results.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function commandLine(usage) {
  const [url, key, logs] = process.argv.slice(2);
  if (!key) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  return { url, key, logs };
}

export const texts = JSON.parse(readFileSync(new URL("texts.json", import.meta.url)));

// Returns the samples of a clip from POST /v1/tts.
export async function post(url, key, body) {
  const response = await fetch(`${url}/v1/tts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

function pipe(command, samples) {
  return new Promise((resolve, reject) => {
    const [program, ...args] = command.split(" ");
    const child = spawn(program, args);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(said) : reject(new Error(`${program}: ${said}`))));
    child.stdin.end(samples);
  });
}

// Returns the length of a clip according to each player, in seconds.
export async function players(samples) {
  const ffmpeg = await pipe("ffmpeg -nostats -v error -f s16le -ar 24000 -ac 1 -i - -progress pipe:1 -f null -", samples);
  const sox = await pipe("sox -t raw -r 24000 -e signed -b 16 -c 1 - -n stat", samples);
  return {
    ffmpeg: Number(/.*out_time_us=(\d+)/s.exec(ffmpeg)[1]) / 1e6,
    sox: Number(/Length \(seconds\): *([\d.]+)/.exec(sox)[1]),
  };
}

// Prints the table of results, writes the logs, and sets the exit code to 1 if a scenario failed.
export function report(client, results, logs) {
  const failed = results.filter(({ failure }) => failure);
  for (const { name, failure, ms } of results) {
    console.log(`${client.padEnd(10)} ${name.padEnd(38)} ${failure ? `FAILED: ${failure}` : "held"}  (${ms} ms)`);
  }
  for (const { name, log } of failed) {
    for (const line of log.flatMap((one) => one.slice(-12))) console.log(`  ${name}: ${JSON.stringify(line).slice(0, 200)}`);
  }
  if (logs) {
    mkdirSync(logs, { recursive: true });
    const lines = results.flatMap(({ name, log }) => log.flatMap((one, n) => one.map((line) => JSON.stringify([name, n, ...line]))));
    writeFileSync(join(logs, `${client}.jsonl`), `${lines.join("\n")}\n`);
  }
  console.log(`${client}: ${results.length - failed.length} held, ${failed.length} failed`);
  process.exit(failed.length ? 1 : 0);
}
