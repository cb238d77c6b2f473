/** Runs every Node example of the README with the installed package. Each example must end by itself. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Server } from "../server.js";

const INSTALLED = process.env["INSTALLED"] ?? "";
const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const BLOCKS = [...README.matchAll(/(<!--.*-->\n)?^```js\n(.*?)^```$/gms)]
  .filter(([, mark]) => !mark)
  .map(([, , block]) => block ?? "");
const AGENT = BLOCKS.find((block) => block.includes("new Player")) ?? "";

let server: Server;
let folder: string;
beforeAll(async () => {
  server = await Server.start();
  // the folder of the examples is inside the one of the package, so that Node finds the package
  folder = mkdtempSync(join(INSTALLED, "examples-"));
  const program = join(folder, "pw-play");
  writeFileSync(program, '#!/bin/sh\nexec cat >>"$PLAYED"\n');
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "played.raw"), "");
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function run(block: string): ChildProcess & { said: string } {
  const file = join(folder, "example.mjs");
  writeFileSync(file, block.replace("http://127.0.0.1:8080", server.url).replace("sk_...", server.key));
  const environment = {
    ...process.env,
    PATH: `${folder}:${process.env["PATH"]}`,
    PLAYED: join(folder, "played.raw"),
    SHRUTI_SERVER: server.url,
    SHRUTI_API_KEY: server.key,
  };
  const child = spawn(process.execPath, [file], { cwd: folder, env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const running = Object.assign(child, { said: "" });
  child.stdout.setEncoding("utf8").on("data", (text: string) => (running.said += text));
  return running;
}

const played = () => statSync(join(folder, "played.raw")).size;

/** Waits until the replacement of the audio player has received a number of bytes. */
async function untilPlayed(bytes: number): Promise<void> {
  const watcher = watch(join(folder, "played.raw"));
  while (played() < bytes) await once(watcher, "change");
  watcher.close();
}

test("the agent has ten lines, without imports and cleanup", () => {
  const lines = AGENT.split("\n").filter((line) => line.trim() && !/^(import|await)/.test(line));
  expect(lines.length).toBeLessThanOrEqual(10);
});

test("the agent is interrupted", async () => {
  const agent = run(AGENT);
  agent.stdin?.write(`${"एक दो तीन चार पाँच छह सात आठ नौ दस ".repeat(20)}\n`);
  await untilPlayed(48_000);
  agent.stdin?.end("बस\n");
  const [code] = (await once(agent, "close")) as [number];
  expect(code).toBe(0);
  const [, second] = agent.said.trim().split("\n");
  const [, heard, unheard] = /^heard: (.*) \| not heard: (.*)$/.exec(second ?? "") ?? [];
  expect(heard).toMatch(/^आपने/);
  expect(unheard).toMatch(/दस/);
  // the player received the second response, and only a small part of the first one
  expect(played()).toBeGreaterThan(72_000);
  expect(played()).toBeLessThan(480_000);
});

test.each(BLOCKS.filter((block) => block !== AGENT).map((block, place) => [place + 1, block]))(
  "example %i",
  async (_, block) => {
    const example = run(block);
    const [code] = (await once(example, "close")) as [number];
    expect(code).toBe(0);
    const written = /writeFile\("(.*?)"/.exec(block)?.[1];
    if (written) {
      expect(existsSync(join(folder, written)) && statSync(join(folder, written)).size).toBeGreaterThan(4_800);
    } else {
      expect(example.said).toContain("एम्स");
      expect(example.said).toContain('"done"'.replaceAll('"', "'"));
    }
  },
);
