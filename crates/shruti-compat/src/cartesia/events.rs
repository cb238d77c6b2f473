//! Server messages in Cartesia's format, on the WebSocket and as server-sent events.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use shruti_engine::WordMark;
use shruti_protocol::ApiError;
use shruti_service::http::RequestId;

use super::errors::ErrorFields;
use crate::common::{status, words};

/// Server message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// Word timestamps of the audio that follows.
    Timestamps {
        context_id: Option<&'a str>,
        status_code: u16,
        done: bool,
        word_timestamps: WordTimestamps<'a>,
    },
    /// Piece of audio.
    Chunk {
        context_id: Option<&'a str>,
        status_code: u16,
        done: bool,
        /// Audio in base64.
        data: String,
        /// Time since the previous chunk, in milliseconds.
        step_time: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        flush_id: Option<u64>,
    },
    /// All text sent before a flush has been spoken.
    FlushDone { context_id: Option<&'a str>, status_code: u16, done: bool, flush_done: bool, flush_id: u64 },
    /// End of the context or clip.
    Done { context_id: Option<&'a str>, status_code: u16, done: bool },
    /// End of the context or clip because of an error.
    Error {
        context_id: Option<&'a str>,
        status_code: u16,
        done: bool,
        #[serde(flatten)]
        error: ErrorFields,
    },
}

/// Words of a piece of audio, with their times in seconds from the start of the context.
#[derive(Debug, Default, Serialize)]
pub(super) struct WordTimestamps<'a> {
    words: Vec<&'a str>,
    start: Vec<f64>,
    end: Vec<f64>,
}

impl<'a> Event<'a> {
    pub(super) fn timestamps(context_id: Option<&'a str>, marks: &'a [WordMark]) -> Self {
        let mut word_timestamps = WordTimestamps::default();
        for token in marks.iter().flat_map(words::tokens) {
            word_timestamps.words.push(token.text);
            word_timestamps.start.push(token.start_ms / 1_000.0);
            word_timestamps.end.push(token.end_ms / 1_000.0);
        }
        Self::Timestamps { context_id, status_code: 206, done: false, word_timestamps }
    }

    pub(super) fn chunk(context_id: Option<&'a str>, sound: &[u8], steps: &mut Steps) -> Self {
        let (data, step_time) = (STANDARD.encode(sound), steps.next());
        Self::Chunk { context_id, status_code: 206, done: false, data, step_time, flush_id: None }
    }

    pub(super) fn flush_done(context_id: Option<&'a str>, flush_id: u64) -> Self {
        Self::FlushDone { context_id, status_code: 206, done: false, flush_done: true, flush_id }
    }

    pub(super) fn done(context_id: Option<&'a str>) -> Self {
        Self::Done { context_id, status_code: 200, done: true }
    }

    pub(super) fn error(context_id: Option<&'a str>, error: ApiError, id: RequestId) -> Self {
        let status_code = status(error.code);
        Self::Error { context_id, status_code, done: true, error: ErrorFields::new(error, id) }
    }

    /// Returns the type name of the message.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Timestamps { .. } => "timestamps",
            Self::Chunk { .. } => "chunk",
            Self::FlushDone { .. } => "flush_done",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }

    pub(super) fn json(&self) -> String {
        // serialising plain data cannot fail
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Timer that measures the time between chunks.
pub(super) struct Steps(Instant);

impl Steps {
    pub(super) fn begin() -> Self {
        Self(Instant::now())
    }

    fn next(&mut self) -> f64 {
        let now = Instant::now();
        let took = now.saturating_duration_since(std::mem::replace(&mut self.0, now));
        (took.as_secs_f64() * 1e6).round() / 1e3
    }
}
