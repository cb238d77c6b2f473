//! Messages of `/v1/tts/stream`.
//!
//! Each text frame contains one JSON message. Binary frames contain the audio of the turn that
//! [started](ServerMessage::TurnStarted) last, in the output format of that turn. The client sends [`ClientMessage`]s;
//! the server sends [`ServerMessage`]s.

mod client;
mod close;
mod server;

pub use client::{Cancel, ClientMessage, ConfigPatch, Flush, Played, Text, Timestamps};
pub use close::CloseCode;
pub use server::{
    AudioFormat, Basis, CancelState, Config, CutAt, DoneReason, ErrorScope, Heard, Limits, ServerMessage,
    WarningCode, WordTime,
};

/// Protocol version that the server announces.
pub const PROTOCOL: &str = "tts.v1";

/// Maximum length of a message's text, in Unicode scalar values.
pub const MAX_MESSAGE_CHARS: usize = 5_000;
/// Maximum size of a message, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// Maximum length of a turn's name, in Unicode scalar values.
pub const MAX_TURN_ID_CHARS: usize = 64;
/// Maximum length of a message's `id`, in Unicode scalar values.
pub const MAX_ID_CHARS: usize = 64;
/// Default lead of the sent audio over the playhead, in milliseconds.
pub const DEFAULT_LEAD_MS: u32 = 3_000;
/// Maximum lead that a client can set, in milliseconds. A lead of 0 disables pacing.
pub const MAX_LEAD_MS: u32 = 60_000;
