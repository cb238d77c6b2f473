/** A clip with word timestamps, whole or as a stream. */

import { ClipStream, joined, lost, type Clip, type ClipInfo, type RequestWatch } from "./clip.js";
import { apiError, ProtocolError } from "./errors.js";
import type { Word } from "./events.js";
import { Places } from "./text.js";
import { object, parse, text, words, type Message } from "./wire.js";

/** A piece of audio, with the words that begin during it. The positions of the words refer to the text of the clip. */
export interface TimedAudio {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly words: readonly Word[];
}

/** A whole clip with word timestamps. */
export interface TimedClip extends Clip {
  readonly words: readonly Word[];
}

/**
 * A clip with word timestamps that can be read during synthesis: `for await (const piece of stream)`. Leaving the loop
 * cancels the request.
 */
export class TimedClipStream implements AsyncIterable<TimedAudio>, AsyncDisposable {
  readonly #stream: ClipStream;
  readonly #text: string;
  readonly #places = new Places();
  #info: ClipInfo;

  /** @internal */
  constructor(text: string, response: Response, watch: RequestWatch) {
    this.#text = text;
    this.#stream = new ClipStream(response, watch);
    this.#info = this.#stream.info;
  }

  /** Information about the clip. From the first piece on, the content type is that of the audio. */
  get info(): ClipInfo {
    return this.#info;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TimedAudio, void, undefined> {
    let isDone = false;
    for await (const message of this.#messages()) {
      switch (message["type"]) {
        case "start":
          this.#info = { ...this.#info, contentType: text(message, "content_type") };
          break;
        case "audio":
          yield { data: this.#sound(message), words: words(message, (chars) => this.#places.units(this.#text, chars)) };
          break;
        case "done":
          isDone = true;
          break;
        case "error":
          throw apiError(object(message, "error"));
      }
    }
    if (!isDone) throw lost(new Error("the response ended before its last line"));
  }

  /** Returns the rest of the clip. */
  async read(): Promise<TimedClip> {
    const pieces: TimedAudio[] = [];
    for await (const piece of this) pieces.push(piece);
    const audio = joined(pieces.map((piece) => piece.data));
    return { audio, info: this.#info, words: pieces.flatMap((piece) => piece.words) };
  }

  /** Cancels the request. */
  close(): Promise<void> {
    return this.#stream.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Yields the JSON objects of the response, one per line. */
  async *#messages(): AsyncGenerator<Message, void, undefined> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parse(line);
    }
    if (rest !== "") throw lost(new Error("the response ended inside a line"));
  }

  #sound(message: Message): Uint8Array<ArrayBuffer> {
    try {
      return Uint8Array.from(atob(text(message, "audio")), (byte) => byte.charCodeAt(0));
    } catch (error) {
      throw new ProtocolError("a piece of audio is not in base64", { cause: error });
    }
  }
}
