/** Client of Shruti, a streaming text-to-speech service for eleven languages of India, for web pages. */

import { BaseClient, type ClientOptions } from "./client.js";
import { openBrowserSocket } from "./socket-browser.js";

export * from "./common.js";

/** Client of one server: `new Client({ token: () => fetchOneFromYourServer() })`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(options, {
      openSocket: openBrowserSocket,
      defaultUrl: () => globalThis.location?.origin ?? "http://127.0.0.1:8080",
      defaultKey: () => undefined,
    });
  }
}
