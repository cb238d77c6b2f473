/**
 * Client for Shruti, a streaming text-to-speech service for eleven Indian languages. This entry point is for web pages.
 */

import { BaseClient, type ClientOptions } from "./client.js";
import { openBrowserSocket } from "./socket-browser.js";

export * from "./common.js";

/** Client for one server. Create it with `new Client({ token: () => fetchOneFromYourServer() })`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(options, {
      openSocket: openBrowserSocket,
      defaultUrl: () => globalThis.location?.origin ?? "http://127.0.0.1:8080",
      defaultKey: () => undefined,
    });
  }
}
