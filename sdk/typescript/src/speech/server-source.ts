/** Speech source that uses a server: it requests one clip with word timestamps per text. */

import { serverUrl } from "../options.js";
import { Requests } from "../requests.js";
import { TimedClipStream } from "../timed.js";
import type { SpeechPiece, SpeechSettings, SpeechSource } from "./source.js";

export interface ServerSourceOptions {
  /** Address of the server. */
  readonly baseUrl: string;
  /** Function that fetches a single-use token for each clip. */
  readonly token: () => string | Promise<string>;
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export class ServerSource implements SpeechSource {
  readonly #requests: Requests;

  constructor({ baseUrl, token, fetch }: ServerSourceOptions) {
    this.#requests = new Requests(serverUrl(baseUrl), token, fetch);
  }

  async *speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    const wanted = { ...settings, outputFormat: "pcm_24000" };
    const { response, watch } = await this.#requests.clip("/v1/tts/timed", text, wanted, signal);
    for await (const { data, words } of new TimedClipStream(text, response, watch)) {
      yield { samples: new Int16Array(data.buffer), words };
    }
  }
}
