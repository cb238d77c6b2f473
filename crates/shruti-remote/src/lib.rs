//! Back end for voices whose sound comes from another server.
//!
//! [`RemoteBackend`] sends a `POST /v1/audio/speech` request to a server for each utterance. `OpenAI`,
//! Kokoro-FastAPI, vLLM-Omni, speaches, `LocalAI` and others implement this API. A
//! [`RemoteManifest`](shruti_packs::RemoteManifest) contains the address of the server.
//!
//! # Requests
//!
//! Preparing an utterance starts a task that sends the request, checks the response, and sends sound to a channel
//! with a capacity of two seconds. While the channel is full, the task reads no more. Rendering takes the received
//! samples and does not block a thread while there are none. Dropping the render state ends the task and its
//! request.
//!
//! # Errors
//!
//! There is a time limit for the first sound and for each further piece. The total waiting time of a request also
//! has a limit that depends on the length of the text. A request that could not be sent, or that was answered with
//! a 5xx status (other than 503 with `Retry-After`), is retried once, if there are not more retries than a tenth of
//! the requests plus one per second. After five requests in a row have failed within ten seconds, no requests are
//! sent for five seconds; then a single probe is sent. A response that is not sound, is too long, or is entirely
//! silent is an error. Errors never contain text, sound or the key.

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
