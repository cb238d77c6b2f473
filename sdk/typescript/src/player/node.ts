/** Player for conversations in Node. */

import type { Session } from "../session.js";
import { BasePlayer, type Sink } from "./player.js";
import { ProgramSink } from "./program-sink.js";

export { PlayerError, type Sink } from "./player.js";
export { ProgramSink } from "./program-sink.js";

/** Plays the turns of a session one after another, with an installed program or through your own sink. */
export class Player extends BasePlayer {
  constructor(session: Session, sink: Sink = new ProgramSink()) {
    super(session, sink);
  }
}
