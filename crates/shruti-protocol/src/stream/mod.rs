//! The messages of `/v1/tts/stream`.
//!
//! Text frames carry one JSON message each; binary frames carry bare samples of the turn that was last
//! [started](ServerMessage::TurnStarted). What a client may send is a [`ClientMessage`], what it gets a
//! [`ServerMessage`].

mod client;
mod close;
mod server;

pub use client::{Cancel, ClientMessage, ConfigPatch, Flush, Played, Text, Timestamps};
pub use close::CloseCode;
pub use server::{
    AudioFormat, Basis, CancelState, Config, CutAt, DoneReason, ErrorScope, Heard, Limits, ServerMessage,
    WarningCode, WordTime,
};

/// The version that a server announces.
pub const PROTOCOL: &str = "tts.v1";

/// The longest text of one message, in Unicode scalar values.
pub const MAX_MESSAGE_CHARS: usize = 5_000;
/// The largest message, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// The longest name of a turn, in Unicode scalar values.
pub const MAX_TURN_ID_CHARS: usize = 64;
/// The longest `id` of a message, in Unicode scalar values.
pub const MAX_ID_CHARS: usize = 64;
/// How far sound is sent ahead of the playhead unless the client says otherwise, in milliseconds.
pub const DEFAULT_LEAD_MS: u32 = 3_000;
/// The largest lead that can be asked for, in milliseconds; 0 asks for none at all to be kept.
pub const MAX_LEAD_MS: u32 = 60_000;
