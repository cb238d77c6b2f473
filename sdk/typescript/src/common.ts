/** Exports for both Node and browsers. */

export type { ClientOptions, ConnectOptions, Token, WithSignal } from "./client.js";
export type { ClipUrlSettings } from "./clip-url.js";
export { ClipStream, type Clip, type ClipInfo } from "./clip.js";
export { Cues, subRip, webVtt, type Cue } from "./cues.js";
export {
  APIError,
  AuthenticationError,
  ConnectionFailedError,
  ConnectionLostError,
  ConversationClosedError,
  ConversationEndedError,
  InvalidRequestError,
  PermissionDeniedError,
  ProtocolError,
  QuotaError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  ShrutiError,
  type ErrorDetail,
} from "./errors.js";
export type * from "./events.js";
export type { ClipSettings, ConversationSettings, Credential, TurnSettings, VoiceSettings } from "./options.js";
export { TimedClipStream, type TimedAudio, type TimedClip } from "./timed.js";
export { Session, Turn, type Text, type TurnOptions } from "./session.js";
export { splitIntoTurns, type TurnText } from "./turn-cutter.js";
