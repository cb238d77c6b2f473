//! Voices whose sound another server makes, as a back end of the engine.
//!
//! [`RemoteBackend`] asks a server for each utterance by `POST /v1/audio/speech`, as `OpenAI` has it and Kokoro-FastAPI,
//! vLLM-Omni, speaches, `LocalAI` and others do. A [`RemoteManifest`](shruti_packs::RemoteManifest) says where it is.
//!
//! # A request
//!
//! Preparing an utterance starts a task, which sends the request, checks the answer, and puts sound into a
//! channel that holds two seconds: when it is full, no more is read. Rendering takes what has come and holds no
//! thread while there is nothing. Dropping the render state ends the task, and with it the request.
//!
//! # What goes wrong
//!
//! The first sound and each further piece have a time limit, and all of a request's waiting together one that follows from the
//! length of the text. A request that could not be sent, or was answered with a 5xx status, is sent again once,
//! if retries stay under a tenth of the requests. After five requests in a row have failed within ten seconds, none is sent for
//! five; then one tries. What is no sound, too much of it, or all silence is an error. Errors never
//! hold text, sound or the key.

mod backend;
mod breaker;
mod channel;
mod decode;
mod error;
mod exchange;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod transport;
mod written;

pub use backend::{RemoteBackend, RemoteRenderState};
pub use error::RemoteLoadError;
