//! The Wyoming protocol, by which Home Assistant and its satellites have texts spoken.
//!
//! An event of the protocol is a line of JSON, which may be followed by more JSON and by a payload. A client sends
//! `describe` and gets `info`; it sends `synthesize`, or `synthesize-start`, `synthesize-chunk` and `synthesize-stop`,
//! and gets `audio-start`, `audio-chunk` and `audio-stop`. The protocol has no sign-in: one key answers for all
//! connections.
//!
//! | module | what it is for |
//! | --- | --- |
//! | `decoder` | from bytes to events, with bounds on their lengths |
//! | `connection` | the events of a TCP connection as the messages of a conversation |
//! | `dialect` | what the events mean |
//! | `info` | the answer to `describe` |
//! | `server` | connections: accepted, admitted, served |
//!
//! This crate must not know HTTP APIs or pages: it depends on `shruti-service`, and on none of `shruti-api`,
//! `shruti-compat`, `shruti-site` and `shruti-server`.

mod connection;
mod decoder;
mod dialect;
mod info;
mod server;

pub use server::serve;
