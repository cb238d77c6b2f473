//! `/v1/tts/stream` over real sockets.

mod cancels;
mod doors;
mod endings;
mod mistakes;
mod slow;
mod speaking;
mod talker;
mod times;
mod turns;
