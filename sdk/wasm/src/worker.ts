/**
 * Script of the worker. It renders one block per request of the page, so that a cancel takes effect within one block.
 */

import type { Reply, Request } from "./messages.js";
import { VoiceModule } from "./module.js";

/** Number of samples in a block: 100 ms. The first block has 20 ms, so that the audio starts early. */
const BLOCK = 2_400;
const FIRST_BLOCK = 480;

/** The part of a worker's global object that is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(reply: Reply, transfer: Transferable[]): void;
}
const scope = globalThis as unknown as WorkerScope;

let voice: Promise<VoiceModule> | undefined;
let current = 0;
let isFirst = true;

async function answer(request: Request): Promise<void> {
  if (request.type === "load") {
    voice = VoiceModule.instantiate(request.module, request.data);
    await voice;
    scope.postMessage({ type: "loaded" }, []);
    return;
  }
  if (!voice) return;
  const loaded = await voice;
  if (request.type === "speak") {
    [current, isFirst] = [request.id, true];
    loaded.start(request.options);
    loaded.push(request.text);
    loaded.finish();
  } else if (request.id === current && request.type === "cancel") {
    loaded.cancel();
  } else if (request.id === current && request.type === "next") {
    const block = loaded.render(isFirst ? FIRST_BLOCK : BLOCK);
    isFirst = false;
    scope.postMessage({ type: "block", id: request.id, block }, [block.samples.buffer]);
  }
}

scope.onmessage = ({ data }) => {
  answer(data).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    scope.postMessage({ type: "failed", message, ...("id" in data ? { id: data.id } : {}) }, []);
  });
};
