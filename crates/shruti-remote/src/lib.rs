//! Back end for voices whose audio comes from another server.
//!
//! [`RemoteBackend`] sends a `POST /v1/audio/speech` request to a server for each utterance. `OpenAI`,
//! Kokoro-FastAPI, vLLM-Omni, speaches, `LocalAI` and others implement this API. A
//! [`RemoteManifest`](shruti_packs::RemoteManifest) contains the address of the server.
//!
//! # Requests
//!
//! Preparing an utterance starts a task that sends the request, checks the response, and sends audio to a channel with
//! a capacity of two seconds. While the channel is full, the task reads no more data. Rendering takes the received
//! samples and does not block a thread while there are none. Dropping the render state ends the task and its request.
//!
//! # Errors
//!
//! There is a time limit for the first audio and for each further piece. The total waiting time of a request also has a
//! limit that depends on the length of the text. A request is retried once if it could not be sent, if the connection
//! ended before the first audio, or if the server responded with a 5xx status (other than 503 with `Retry-After`). The
//! number of retries is limited to a tenth of the requests plus one per second. After five requests in a row have
//! failed within ten seconds, no requests are sent for five seconds; then a single probe is sent. A response that is
//! not audio, is too long, or is entirely silent is an error. Errors never contain text, audio or the key.

mod backend;
mod breaker;
mod channel;
mod decode;
mod error;
mod exchange;
mod spoken_text;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod transport;

pub use backend::{RemoteBackend, RemoteRenderState};
pub use error::RemoteLoadError;
