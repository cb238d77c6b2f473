//! Messages of the server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use super::Timestamps;
use crate::ErrorDetail;

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ServerMessage {
    /// First message of every connection.
    #[serde(rename = "ready")]
    Ready {
        /// ID of the connection, as in the server's log.
        session_id: String,
        /// Protocol version: `tts.v1`.
        protocol: String,
        /// Format of binary frames with the default `output_format`.
        audio: AudioFormat,
        /// Current settings.
        config: Config,
        /// Limits of the connection.
        limits: Limits,
    },
    /// Settings after a change.
    #[serde(rename = "config")]
    Config(Config),
    /// Start of a turn's audio, sent before the first binary frame of the turn.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// ID of the turn.
        turn_id: String,
        /// Voice.
        voice: VoiceId,
        /// Language.
        language: Language,
        /// Kind of synthesis, as in `GET /v1/voices`; empty if the server does not report it.
        #[serde(default)]
        engine: String,
        /// Name of the audio format of the turn.
        output_format: String,
    },
    /// Word timestamps; they precede the audio of the words. Never empty.
    #[serde(rename = "words")]
    Words {
        /// ID of the turn.
        turn_id: String,
        /// Words in order.
        words: Vec<WordTime>,
    },
    /// Response to `flush`: the flushed audio has been sent.
    #[serde(rename = "flushed")]
    Flushed {
        /// ID of the turn.
        turn_id: Option<String>,
        /// `id` of the flush.
        id: Option<String>,
        /// Duration of the turn's audio that has been sent, in milliseconds.
        audio_ms: u32,
    },
    /// End of a turn that was sent completely.
    #[serde(rename = "turn.done")]
    TurnDone {
        /// ID of the turn.
        turn_id: String,
        /// Duration of the turn's audio, in milliseconds.
        audio_ms: u32,
        /// Characters charged: the characters of the text, plus the characters by which lexicon readings are longer
        /// than the words they replace.
        chars: u32,
        /// Time from the first speakable text to the first audible sample, in milliseconds.
        ttfa_ms: Option<f64>,
        /// Reason for the end.
        reason: DoneReason,
    },
    /// Response to `cancel`, or the end of a turn that was preempted by another turn.
    #[serde(rename = "turn.cancelled")]
    TurnCancelled {
        /// ID of the turn, if there was one.
        turn_id: Option<String>,
        /// `id` of the cancel.
        id: Option<String>,
        /// Result of the cancellation.
        state: CancelState,
        /// Duration of the turn's audio that had been sent, in milliseconds.
        sent_ms: u32,
        /// Part of the turn that the listener may have heard.
        heard: Heard,
        /// Text of the turn after the part that was heard.
        unheard_text: String,
    },
    /// Failure of a turn.
    #[serde(rename = "turn.failed")]
    TurnFailed {
        /// ID of the turn.
        turn_id: String,
        /// Cause.
        error: ErrorDetail,
        /// Duration of the turn's audio that had been sent, in milliseconds.
        sent_ms: u32,
    },
    /// Warning.
    #[serde(rename = "warning")]
    Warning {
        /// Code of the warning.
        code: WarningCode,
        /// Human-readable description.
        message: String,
        /// ID of the turn that the warning concerns.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<String>,
    },
    /// Rejection of a message, or the error that ends the session.
    #[serde(rename = "error")]
    Error {
        /// Scope of the error.
        scope: ErrorScope,
        /// ID of the turn of the rejected message; null if the message named no valid turn.
        turn_id: Option<String>,
        /// Cause.
        error: ErrorDetail,
    },
    /// Announcement that the server will close the connection.
    #[serde(rename = "closing")]
    Closing {
        /// Reason.
        reason: String,
        /// Close code that the server will use.
        code: u16,
        /// Delay until the connection is closed, in milliseconds.
        in_ms: u32,
    },
    /// Response to `ping`.
    #[serde(rename = "pong")]
    Pong {
        /// `id` of the ping.
        id: Option<String>,
    },
}

/// Format of binary frames with the default `output_format`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioFormat {
    /// `pcm_s16le`: signed 16-bit samples, little-endian.
    pub encoding: String,
    /// Sample rate, in Hz.
    pub sample_rate: u32,
    /// Number of channels.
    pub channels: u8,
}

impl Default for AudioFormat {
    fn default() -> Self {
        Self { encoding: "pcm_s16le".to_owned(), sample_rate: shruti_lang::SAMPLE_RATE, channels: 1 }
    }
}

/// Current settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Voice.
    pub voice: VoiceId,
    /// Language; null if it is detected from the text of each turn.
    pub language: Option<Language>,
    /// Speaking rate.
    pub speed: f64,
    /// Pitch shift in semitones.
    pub pitch: f64,
    /// Listening condition that the audio is optimised for; if null, the format decides: `phone` at 8,000 Hz, otherwise
    /// `off`.
    pub clarity: Option<Clarity>,
    /// Words and their replacement spellings.
    pub lexicon: BTreeMap<String, String>,
    /// Kind of synthesis for the built-in voices. The value at the start of the first turn applies to the rest of the
    /// conversation.
    #[serde(default)]
    pub engine: VoiceEngine,
    /// Kind of timestamps that are sent.
    pub timestamps: Timestamps,
    /// Maximum lead of the sent audio over the playhead, in milliseconds; 0 disables pacing, so that audio is sent as
    /// fast as the client reads it.
    pub max_lead_ms: u32,
    /// Name of the format of binary frames, for turns whose audio starts after this message.
    pub output_format: String,
}

/// Limits of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum length of a message's text, in characters.
    pub max_message_chars: usize,
    /// Maximum size of a message, in bytes.
    pub max_message_bytes: usize,
    /// Maximum number of characters of a turn that the server buffers before they are spoken.
    pub max_held_back_chars: usize,
    /// Maximum number of characters in a turn.
    pub max_turn_chars: usize,
    /// Maximum number of queued turns.
    pub max_queued_turns: usize,
    /// Maximum number of pending flushes per turn.
    pub max_flushes: usize,
    /// Maximum number of ended turns whose results the server keeps.
    pub max_finished_turns: usize,
    /// Maximum length of a turn's name, in characters.
    pub max_turn_id_chars: usize,
    /// Maximum length of an `id`, in characters.
    pub max_id_chars: usize,
    /// Maximum number of entries in a lexicon.
    pub max_lexicon_entries: usize,
    /// Maximum value of `max_lead_ms`.
    pub max_lead_ms: u32,
    /// Time without new text after which the server speaks held-back text that ends at white space, in milliseconds.
    pub hold_back_ms: u32,
    /// Time without new text after which an open turn with nothing left to speak is ended, in seconds.
    pub open_turn_timeout_s: u32,
    /// Value that replaces `open_turn_timeout_s` while another turn is queued, in seconds.
    pub open_turn_timeout_waiting_s: u32,
    /// Maximum number of malformed messages per minute; one more closes the connection.
    pub max_malformed_per_minute: usize,
    /// Maximum number of consecutive turns rejected because of overload; one more closes the connection.
    pub max_overloaded_turns: usize,
    /// Maximum number of unread responses; at this number, the server stops reading messages from the client.
    pub max_unread_answers: usize,
    /// Interval between the pings of the server, in seconds.
    pub ping_interval_s: u32,
    /// Maximum number of consecutive unanswered pings; the next one closes the connection.
    pub max_missed_pings: u32,
    /// Time after which the connection of a client that reads nothing is closed, in seconds.
    pub stalled_reader_s: u32,
    /// Time without messages and audio after which the connection is closed, in seconds.
    pub idle_timeout_s: u32,
    /// Maximum duration of a connection, in seconds.
    pub max_session_s: u32,
    /// Maximum number of concurrent connections and clips of the key; `null` if the key has no separate limit.
    pub max_streams: Option<u32>,
}

/// Timestamps of a white-space-separated token of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WordTime {
    /// Token as it was written.
    pub text: String,
    /// Start of the token's audio in the turn or clip, in milliseconds.
    pub start_ms: u32,
    /// End of the token's audio in the turn or clip, in milliseconds.
    pub end_ms: u32,
    /// Start of the token in the original text, in Unicode scalar values.
    pub char_start: u32,
    /// End of the token in the original text, in Unicode scalar values.
    pub char_end: u32,
    /// Spoken form, if it differs from the written form.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spoken: Option<String>,
}

/// Reason for the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// All text was spoken.
    Complete,
    /// The text contained nothing that can be spoken.
    NothingToSay,
}

/// Result of a cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelState {
    /// The turn was cancelled.
    Cancelled,
    /// The turn had already ended.
    AlreadyDone,
    /// No turn has this name.
    Unknown,
}

/// Part of a turn that the listener may have heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Duration of the audio that was heard, in milliseconds.
    pub ms: u32,
    /// Text up to the end of the last word, or clause, that was heard completely.
    pub text: String,
    /// End of the heard part in the turn's text, in Unicode scalar values.
    pub char_end: u32,
    /// Source of the listener's playback position.
    pub basis: Basis,
    /// Unit at which `text` ends.
    #[serde(skip_serializing_if = "CutAt::is_word", default)]
    pub cut_at: CutAt,
}

/// Unit at which the heard text of a cancelled turn ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutAt {
    /// The last word that was heard completely; not serialised.
    #[default]
    Word,
    /// The last clause that was heard completely, for voices without word timestamps.
    Clause,
}

impl CutAt {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_word(&self) -> bool {
        *self == Self::Word
    }
}

/// Source of the listener's playback position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The client reported the position in `played_ms` of the cancel.
    PlayedMs,
    /// The server estimated the position from the audio that it had sent and the time since then.
    Playhead,
}

/// Code of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// Text arrived for a turn that had already ended. The text was dropped.
    LateText,
    /// An open turn received no text for too long and was ended.
    TurnAbandoned,
}

/// Scope of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorScope {
    /// One message. The server did not process it.
    Message,
    /// The connection. The server will close it.
    Session,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_match_the_contract() {
        let cancelled = ServerMessage::TurnCancelled {
            turn_id: Some("t1".to_owned()),
            id: None,
            state: CancelState::AlreadyDone,
            sent_ms: 1200,
            heard: Heard {
                ms: 480,
                text: "नमस्ते".to_owned(),
                char_end: 6,
                basis: Basis::PlayedMs,
                cut_at: CutAt::Word,
            },
            unheard_text: " जी".to_owned(),
        };
        let word = WordTime {
            text: "जी".to_owned(),
            start_ms: 1,
            end_ms: 2,
            char_start: 3,
            char_end: 5,
            spoken: None,
        };
        let cases = [
            (ServerMessage::Pong { id: None }, r#"{"type":"pong","id":null}"#),
            (
                ServerMessage::TurnStarted {
                    turn_id: "t1".to_owned(),
                    voice: "Arjun".into(),
                    language: Language::Tamil,
                    engine: "learned".to_owned(),
                    output_format: "pcm_24000".to_owned(),
                },
                r#"{"type":"turn.started","turn_id":"t1","voice":"Arjun","language":"ta","engine":"learned","output_format":"pcm_24000"}"#,
            ),
            (
                ServerMessage::Words { turn_id: "t1".to_owned(), words: vec![word] },
                r#"{"type":"words","turn_id":"t1","words":[{"text":"जी","start_ms":1,"end_ms":2,"char_start":3,"char_end":5}]}"#,
            ),
            (
                cancelled,
                r#"{"type":"turn.cancelled","turn_id":"t1","id":null,"state":"already_done","sent_ms":1200,"heard":{"ms":480,"text":"नमस्ते","char_end":6,"basis":"played_ms"},"unheard_text":" जी"}"#,
            ),
        ];
        for (message, json) in cases {
            assert_eq!(serde_json::to_string(&message).unwrap(), json);
            assert_eq!(serde_json::from_str::<ServerMessage>(json).unwrap(), message);
        }
    }
}
