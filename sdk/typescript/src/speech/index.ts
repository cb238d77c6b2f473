/** Speech playback in a page, for custom players. The audio comes from a server or from a voice in the page. */

export { ServerSource, type ServerSourceOptions } from "./server-source.js";
export { SpeechPlayer, type HeardWord, type Passage, type PlayerState, type SpeechPlayerEvents } from "./player.js";
export { Places } from "../text.js";
export type { SpeechPiece, SpeechSettings, SpeechSource } from "./source.js";
