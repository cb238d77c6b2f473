/** Player for conversations in a page. */

import type { Session } from "../session.js";
import { BasePlayer, type Sink } from "./player.js";
import { WorkletSink } from "./worklet-sink.js";

export { PlayerError, type Sink } from "./player.js";
export { AudioThread } from "./audio-thread.js";
export { WorkletSink, type WorkletOptions } from "./worklet-sink.js";

/**
 * Plays the turns of a session one after another on the browser's audio thread, and reports the playback position to
 * the server. Create it in the handler of a click or a key press; otherwise the browser may block the audio.
 */
export class Player extends BasePlayer {
  constructor(session: Session, sink: Sink = new WorkletSink()) {
    super(session, sink);
  }
}
