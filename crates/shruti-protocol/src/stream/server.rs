//! What the server says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use super::Timestamps;
use crate::ErrorDetail;

/// One message of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ServerMessage {
    /// The first message of every connection.
    #[serde(rename = "ready")]
    Ready {
        /// The connection's id, as in the server's log.
        session_id: String,
        /// The version spoken: `tts.v1`.
        protocol: String,
        /// The format of all binary frames.
        audio: AudioFormat,
        /// The settings in force.
        config: Config,
        /// Every limit in force.
        limits: Limits,
    },
    /// The settings now in force.
    #[serde(rename = "config")]
    Config(Config),
    /// A turn begins to sound; before its first binary frame.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The turn.
        turn_id: String,
        /// The voice.
        voice: VoiceId,
        /// The language.
        language: Language,
        /// The kind of synthesis that speaks, as `GET /v1/voices` names it; empty from servers that do not tell.
        #[serde(default)]
        engine: String,
        /// The name of the format of its sound.
        output_format: String,
    },
    /// When words are spoken; before their sound. Never empty.
    #[serde(rename = "words")]
    Words {
        /// The turn.
        turn_id: String,
        /// The words in order.
        words: Vec<WordTime>,
    },
    /// The answer to `flush`: its sound has been sent.
    #[serde(rename = "flushed")]
    Flushed {
        /// The turn.
        turn_id: Option<String>,
        /// The `id` of the flush.
        id: Option<String>,
        /// How much sound of the turn has been sent, in milliseconds.
        audio_ms: u32,
    },
    /// A turn was sent whole.
    #[serde(rename = "turn.done")]
    TurnDone {
        /// The turn.
        turn_id: String,
        /// How much sound it has, in milliseconds.
        audio_ms: u32,
        /// Characters charged: of the text, and those by which readings are longer than what they replace.
        chars: u32,
        /// From the first text that could be spoken to the first audible sample, in milliseconds.
        ttfa_ms: Option<f64>,
        /// Why it is over.
        reason: DoneReason,
    },
    /// The answer to `cancel`; also the end of a turn that another one preempted.
    #[serde(rename = "turn.cancelled")]
    TurnCancelled {
        /// The turn, if there was one.
        turn_id: Option<String>,
        /// The `id` of the cancel.
        id: Option<String>,
        /// What the cancel met.
        state: CancelState,
        /// How much sound of the turn had been sent, in milliseconds.
        sent_ms: u32,
        /// What the listener can have heard.
        heard: Heard,
        /// The rest of the turn's text.
        unheard_text: String,
    },
    /// A turn broke off.
    #[serde(rename = "turn.failed")]
    TurnFailed {
        /// The turn.
        turn_id: String,
        /// Why.
        error: ErrorDetail,
        /// How much sound of the turn had been sent, in milliseconds.
        sent_ms: u32,
    },
    /// Something the client should know.
    #[serde(rename = "warning")]
    Warning {
        /// What.
        code: WarningCode,
        /// The same for people.
        message: String,
        /// The turn it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<String>,
    },
    /// A message was not carried out, or the session ends.
    #[serde(rename = "error")]
    Error {
        /// What it concerns.
        scope: ErrorScope,
        /// The turn that the refused message was for; null where it named none that can be a name.
        turn_id: Option<String>,
        /// Why.
        error: ErrorDetail,
    },
    /// The server will close the connection.
    #[serde(rename = "closing")]
    Closing {
        /// Why.
        reason: String,
        /// The close code that will come.
        code: u16,
        /// When, in milliseconds.
        in_ms: u32,
    },
    /// The answer to `ping`.
    #[serde(rename = "pong")]
    Pong {
        /// The `id` of the ping.
        id: Option<String>,
    },
}

/// The format of binary frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioFormat {
    /// `pcm_s16le`: signed 16-bit samples, little-endian.
    pub encoding: String,
    /// Samples a second.
    pub sample_rate: u32,
    /// Channels.
    pub channels: u8,
}

impl Default for AudioFormat {
    fn default() -> Self {
        Self { encoding: "pcm_s16le".to_owned(), sample_rate: shruti_lang::SAMPLE_RATE, channels: 1 }
    }
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The voice.
    pub voice: VoiceId,
    /// The language; null where it is found from each turn's text.
    pub language: Option<Language>,
    /// Speaking rate.
    pub speed: f64,
    /// Shift of the pitch in semitones.
    pub pitch: f64,
    /// For whom the sound is shaped; null where that follows from the format: `phone` at 8,000 Hz, else `off`.
    pub clarity: Option<Clarity>,
    /// Words and the spellings to speak them by.
    pub lexicon: BTreeMap<String, String>,
    /// Which synthesis speaks for the built-in voices. What holds when the first turn begins holds for the whole conversation.
    #[serde(default)]
    pub engine: VoiceEngine,
    /// Which marks are sent.
    pub timestamps: Timestamps,
    /// How far sound is sent ahead of the playhead, in milliseconds; 0 for as fast as it is read.
    pub max_lead_ms: u32,
    /// The name of the format of binary frames.
    pub output_format: String,
}

/// Every limit in force on a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Characters of one message's text.
    pub max_message_chars: usize,
    /// Bytes of one message.
    pub max_message_bytes: usize,
    /// Characters of a turn that may wait to be spoken.
    pub max_held_back_chars: usize,
    /// Characters of a turn in all.
    pub max_turn_chars: usize,
    /// Turns that may wait.
    pub max_queued_turns: usize,
    /// Flushes of a turn that may wait to be answered.
    pub max_flushes: usize,
    /// Turns that have ended and are remembered.
    pub max_finished_turns: usize,
    /// Characters of a turn's name.
    pub max_turn_id_chars: usize,
    /// Characters of an `id`.
    pub max_id_chars: usize,
    /// Entries of a lexicon.
    pub max_lexicon_entries: usize,
    /// The largest `max_lead_ms`.
    pub max_lead_ms: u32,
    /// Milliseconds without text after which what ends at white space is spoken.
    pub hold_back_ms: u32,
    /// Seconds without text after which an open turn with nothing left to speak is ended …
    pub open_turn_timeout_s: u32,
    /// … and after which it is while another waits.
    pub open_turn_timeout_waiting_s: u32,
    /// Malformed messages a minute; one more closes the connection.
    pub max_malformed_per_minute: usize,
    /// Turns in a row that may be refused as too much; one more closes the connection.
    pub max_overloaded_turns: usize,
    /// Answers that may wait to be read; while so many do, nothing is read from the client.
    pub max_unread_answers: usize,
    /// Seconds between two pings of the server.
    pub ping_interval_s: u32,
    /// Pings in a row that may go unanswered; with the next the connection is closed.
    pub max_missed_pings: u32,
    /// Seconds after which a reader that takes nothing loses its connection.
    pub stalled_reader_s: u32,
    /// Seconds without a message or sound after which the connection is closed.
    pub idle_timeout_s: u32,
    /// Seconds after which a connection is closed in any case.
    pub max_session_s: u32,
    /// Connections and clips at once that the key may have; `null` for no limit of its own.
    pub max_streams: Option<u32>,
}

/// When a white-space token of the text is spoken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WordTime {
    /// The token as it was written.
    pub text: String,
    /// Where its sound begins, in milliseconds of the turn or clip.
    pub start_ms: u32,
    /// Where its sound ends.
    pub end_ms: u32,
    /// Where it begins in the text as it was sent, in Unicode scalar values.
    pub char_start: u32,
    /// Where it ends.
    pub char_end: u32,
    /// What was spoken for it, where that is not what was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spoken: Option<String>,
}

/// Why a turn is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// All its text was spoken.
    Complete,
    /// It held nothing that can be spoken.
    NothingToSay,
}

/// What a cancel met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelState {
    /// The turn, which it has ended.
    Cancelled,
    /// A turn that had ended before.
    AlreadyDone,
    /// Nothing of this name.
    Unknown,
}

/// What the listener can have heard of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// How much of its sound, in milliseconds.
    pub ms: u32,
    /// Its text up to the last word, or clause, that was heard whole.
    pub text: String,
    /// Where that ends in the turn's text, in Unicode scalar values.
    pub char_end: u32,
    /// How it is known.
    pub basis: Basis,
    /// What `text` is cut at.
    #[serde(skip_serializing_if = "CutAt::is_word", default)]
    pub cut_at: CutAt,
}

/// What the text of a turn is cut at where it was cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutAt {
    /// The last word that was heard whole; not written.
    #[default]
    Word,
    /// The last clause: the voice does not know when words are spoken.
    Clause,
}

impl CutAt {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_word(&self) -> bool {
        *self == Self::Word
    }
}

/// How the listener's position is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The client said it: `played_ms` of the cancel.
    PlayedMs,
    /// From what was sent when.
    Playhead,
}

/// What a client should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// Text came for a turn that had ended; it was dropped.
    LateText,
    /// An open turn got no text for long and was ended.
    TurnAbandoned,
}

/// What an error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorScope {
    /// One message, which was not carried out.
    Message,
    /// The connection, which will be closed.
    Session,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_written_as_the_contract_has_them() {
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
