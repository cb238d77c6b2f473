/** Hearing a conversation from Node. */

import type { Session } from "../session.js";
import { BasePlayer, type Sink } from "./player.js";
import { ProgramSink } from "./program-sink.js";

export { PlayerError, type Sink } from "./player.js";
export { ProgramSink } from "./program-sink.js";

/** Plays the turns of a session, one after the other, with a program that is installed, or into a sink of your own. */
export class Player extends BasePlayer {
  constructor(session: Session, sink: Sink = new ProgramSink()) {
    super(session, sink);
  }
}
