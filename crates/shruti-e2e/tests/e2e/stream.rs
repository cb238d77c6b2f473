//! `/v1/tts/stream` over real sockets.

mod cancels;
mod doors;
mod endings;
mod mistakes;
mod speaking;
mod talker;
mod turns;
