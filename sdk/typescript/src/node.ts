/** Client for Shruti, a streaming text-to-speech service for eleven Indian languages. This entry point is for Node. */

import { BaseClient, type ClientOptions } from "./client.js";
import { openNodeSocket } from "./socket-node.js";

export * from "./common.js";

/** Client for one server. `new Client()` reads the address and the key from `SHRUTI_SERVER` and `SHRUTI_API_KEY`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(options, {
      openSocket: openNodeSocket,
      defaultUrl: () => process.env["SHRUTI_SERVER"] ?? "http://127.0.0.1:8080",
      defaultKey: () => process.env["SHRUTI_API_KEY"],
    });
  }
}
