//! Response of `POST /v1/tts/timed`: a clip with word timestamps.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceId};

use crate::ErrorDetail;
use crate::stream::WordTime;

/// An object of the response. The first is `start`, followed by `audio` objects. The last is `done`, or `error` if the
/// clip could not be completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TimedMessage {
    /// Start of the clip.
    Start {
        /// Voice, in its canonical spelling.
        voice: VoiceId,
        /// Language.
        language: Language,
        /// Kind of synthesis, as in `GET /v1/voices`.
        engine: String,
        /// Name of the audio format.
        output_format: String,
        /// Content type of the audio.
        content_type: String,
        /// Sample rate of the audio, in Hz.
        sample_rate: u32,
    },
    /// A piece of the audio.
    Audio {
        /// Audio bytes in base64. The concatenation of all pieces is the clip that `POST /v1/tts` returns.
        audio: String,
        /// Timestamps of the words that begin in this piece. A word may also be sent early, with one of the preceding
        /// pieces.
        words: Vec<WordTime>,
    },
    /// End of a complete clip.
    Done {
        /// Duration of the audio, in milliseconds.
        audio_ms: u32,
        /// Characters charged: the characters of the text, plus the characters by which lexicon readings are longer
        /// than the words they replace.
        chars: u32,
    },
    /// Failure of the clip.
    Error {
        /// Cause.
        error: ErrorDetail,
    },
}

impl TimedMessage {
    /// Returns the value of `type`, which is also the name of the Server-Sent Event.
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
    fn objects_match_the_documentation() {
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
