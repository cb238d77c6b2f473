/** Player for conversations in a page. */

import type { Session } from "../session.js";
import { BasePlayer, type Sink } from "./player.js";
import { WorkletSink } from "./worklet-sink.js";

export { PlayerError, type Sink } from "./player.js";
export { AudioThread } from "./audio-thread.js";
export { WorkletSink, type WorkletOptions } from "./worklet-sink.js";

/**
 * Plays the turns of a session one after the other on the browser's audio thread, and reports its position to the
 * server. Create it inside a click or a key press, otherwise the browser may keep it silent.
 */
export class Player extends BasePlayer {
  constructor(session: Session, sink: Sink = new WorkletSink()) {
    super(session, sink);
  }
}
