//! Server of the Wyoming protocol, which Home Assistant and its satellites use for speech.
//!
//! An event of the protocol is a line of JSON, which may be followed by more JSON and by a payload. A client sends
//! `describe` and receives `info`. For speech, it sends `synthesize`, or `synthesize-start`, `synthesize-chunk` and
//! `synthesize-stop`, and receives `audio-start`, `audio-chunk` and `audio-stop`. The protocol has no authentication:
//! all connections are charged to one API key.
//!
//! | module | purpose |
//! | --- | --- |
//! | `decoder` | decodes bytes to events and limits their lengths |
//! | `connection` | converts the events of a TCP connection to messages of a conversation |
//! | `dialect` | maps events to turns |
//! | `info` | creates the response to `describe` |
//! | `server` | accepts, admits and serves connections |
//!
//! This crate must not know about the HTTP APIs or the web pages: it depends on `shruti-service`, and on none of
//! `shruti-api`, `shruti-compat`, `shruti-site` and `shruti-server`.

mod connection;
mod decoder;
mod dialect;
mod info;
mod server;

pub use server::serve;
