/** Client of Shruti, streaming text-to-speech for eleven languages of India, for Node. */

import { BaseClient, type ClientOptions } from "./client.js";
import { openNodeSocket } from "./socket-node.js";

export * from "./common.js";

/** A client of one server: `new Client()` takes the address and the key of `SHRUTI_SERVER` and `SHRUTI_API_KEY`. */
export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(options, {
      openSocket: openNodeSocket,
      defaultUrl: () => process.env["SHRUTI_SERVER"] ?? "http://127.0.0.1:8080",
      defaultKey: () => process.env["SHRUTI_API_KEY"],
    });
  }
}
