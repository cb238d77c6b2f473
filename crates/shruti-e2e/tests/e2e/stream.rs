//! `/v1/tts/stream` over real sockets.

mod cancels;
mod closes;
mod doors;
mod endings;
mod mistakes;
mod paying;
mod sign_in;
mod slow;
mod speaking;
pub(crate) mod talker;
mod times;
mod turns;
