//! Tests of `/v1/tts/stream` over real sockets.

mod admission;
mod cancels;
mod closes;
mod endings;
mod formats;
mod mistakes;
mod paying;
mod repeats;
mod sign_in;
mod slow;
mod speaking;
mod times;
mod turns;
pub(crate) mod ws_client;
