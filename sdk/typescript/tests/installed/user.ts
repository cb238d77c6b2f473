/** A user's program, compiled in strict mode against the installed package. */

import { APIError, Client, type Cancelled, type Event } from "@shruti/client";
import { Player } from "@shruti/client/player";

export async function talk(pieces: AsyncIterable<string>): Promise<Cancelled> {
  await using session = await new Client({ token: () => "tok_" }).connect({ voice: "Ananya", maxLeadMs: 500 });
  await using player = new Player(session);
  player.say(pieces, { lexicon: { AIIMS: "एम्स" }, signal: AbortSignal.timeout(1000) });
  return player.interrupt();
}

export function told(event: Event): string | number {
  switch (event.type) {
    case "audio":
      return event.data.length;
    case "words":
      return event.words.map((word) => word.text).join(" ");
    case "failed":
      return event.error instanceof APIError ? event.error.code : "";
    case "lost":
      return event.receivedMs ?? 0;
    default:
      return event.type;
  }
}
