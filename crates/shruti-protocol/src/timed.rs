//! The answer of `POST /v1/tts/timed`: a clip with its word timestamps.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceId};

use crate::ErrorDetail;
use crate::stream::WordTime;

/// One object of the answer. The first is `start`; then come `audio` objects; the last is `done`, or `error` where the clip
/// broke off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TimedMessage {
    /// The clip begins.
    Start {
        /// The voice, in its canonical spelling.
        voice: VoiceId,
        /// The language.
        language: Language,
        /// The kind of synthesis that speaks, as `GET /v1/voices` names it.
        engine: String,
        /// The name of the format of the sound.
        output_format: String,
        /// The content type of the sound.
        content_type: String,
        /// Samples a second of the sound.
        sample_rate: u32,
    },
    /// A piece of the sound.
    Audio {
        /// The bytes in base64. All pieces joined are the clip as `POST /v1/tts` sends it.
        audio: String,
        /// The words that begin in this piece; words may also come with an earlier piece.
        words: Vec<WordTime>,
    },
    /// The clip is whole.
    Done {
        /// The duration of the speech, in milliseconds.
        audio_ms: u32,
        /// Characters charged: of the text, and those by which readings are longer than what they replace.
        chars: u32,
    },
    /// The clip broke off.
    Error {
        /// Why.
        error: ErrorDetail,
    },
}

impl TimedMessage {
    /// The value of `type`, which is also the name of the Server-Sent Event.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Audio { .. } => "audio",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApiError, ErrorCode};

    #[test]
    fn objects_are_written_as_documented() {
        let word = WordTime {
            text: "जी".to_owned(),
            start_ms: 1,
            end_ms: 2,
            char_start: 3,
            char_end: 5,
            spoken: None,
        };
        let error = ApiError::new(ErrorCode::Internal, "no").into_body("req_1").error;
        let cases = [
            (
                TimedMessage::Start {
                    voice: "Arjun".into(),
                    language: Language::Tamil,
                    engine: "learned".to_owned(),
                    output_format: "mp3_24000_64".to_owned(),
                    content_type: "audio/mpeg".to_owned(),
                    sample_rate: 24_000,
                },
                r#"{"type":"start","voice":"Arjun","language":"ta","engine":"learned","output_format":"mp3_24000_64","content_type":"audio/mpeg","sample_rate":24000}"#,
            ),
            (
                TimedMessage::Audio { audio: "AAA=".to_owned(), words: vec![word] },
                r#"{"type":"audio","audio":"AAA=","words":[{"text":"जी","start_ms":1,"end_ms":2,"char_start":3,"char_end":5}]}"#,
            ),
            (TimedMessage::Done { audio_ms: 7, chars: 5 }, r#"{"type":"done","audio_ms":7,"chars":5}"#),
            (
                TimedMessage::Error { error },
                r#"{"type":"error","error":{"type":"server_error","code":"internal","message":"no","param":null,"retryable":true,"retry_after_ms":null,"request_id":"req_1","doc_url":"/docs/errors#internal"}}"#,
            ),
        ];
        for (message, json) in cases {
            assert_eq!(serde_json::to_string(&message).unwrap(), json);
            assert_eq!(serde_json::from_str::<TimedMessage>(json).unwrap(), message);
            assert!(json.starts_with(&format!(r#"{{"type":"{}""#, message.type_name())), "{json}");
        }
    }
}
