//! The body of `POST /v1/tts`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use crate::fields::{self, Fields};
use crate::limits::MAX_TEXT_CHARS;
use crate::unknown_fields;
use crate::{ApiError, ErrorCode};

/// A request for one clip, with every field within its limits once it was read by [`SynthesisRequest::from_json`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthesisRequest {
    /// The text as it was sent, white space at its ends included.
    pub text: String,
    /// The voice; the server's default when absent. Whether there is such a voice is not checked here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<VoiceId>,
    /// The language; found from the text's script when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Speaking rate, 0.5 to 2.0.
    pub speed: f64,
    /// Shift of the pitch in semitones, -6 to 6.
    pub pitch: f64,
    /// For whom the sound is shaped; [as is usual](Clarity::usual) for the format when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<Clarity>,
    /// Words and the spellings to speak them by.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lexicon: BTreeMap<String, String>,
    /// Which synthesis speaks for the built-in voices; as the server is set up when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<VoiceEngine>,
    /// The name of the format of the answer, such as `mulaw_8000`; by `Accept` when absent. Whether there is such a format
    /// is not checked here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<String>,
}

impl SynthesisRequest {
    /// A request for a text with every other field at its default.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            voice: None,
            language: None,
            speed: 1.0,
            pitch: 0.0,
            clarity: None,
            lexicon: BTreeMap::new(),
            engine: None,
            output_format: None,
        }
    }

    /// The names of all fields.
    pub const FIELDS: &[&str] = &[
        "text",
        "voice",
        "language",
        "speed",
        "pitch",
        "clarity",
        "lexicon",
        "engine",
        "output_format",
        "strict",
    ];

    /// Reads and checks a body. Fields that are not known are ignored unless `strict` is true; an optional field that is
    /// null counts as absent.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        Self::from_fields(&fields::object(body, "the body")?)
    }

    /// The same from an object that was read.
    pub fn from_fields(fields: &Fields) -> Result<Self, ApiError> {
        unknown_fields::refuse_if_strict(fields, Self::FIELDS)?;
        Ok(Self {
            text: text(fields)?,
            voice: fields::voice(fields)?,
            language: fields::language(fields)?,
            speed: fields::speed(fields)?.unwrap_or(1.0),
            pitch: fields::pitch(fields)?.unwrap_or(0.0),
            clarity: fields::clarity(fields)?,
            lexicon: fields::lexicon(fields)?.unwrap_or_default(),
            engine: fields::engine(fields)?,
            output_format: fields::output_format(fields)?,
        })
    }

    /// The length of the text as limits count it: Unicode scalar values after trimming.
    pub fn chars(&self) -> usize {
        self.text.trim().chars().count()
    }
}

fn text(fields: &Fields) -> Result<String, ApiError> {
    let Some(value) = fields::given(fields, "text") else {
        let message = "text is required: the text to speak, as a string";
        return Err(unknown_fields::missing(fields, "text", message, SynthesisRequest::FIELDS));
    };
    let Value::String(text) = value else {
        return Err(fields::wrong_type("text", "a string", value));
    };
    if let Some(position) = text.chars().position(|c| c == '\0') {
        return Err(fields::invalid_field(
            "text",
            format!("text has a NUL (U+0000) at character {}; leave it out", position + 1),
        ));
    }
    let chars = text.trim().chars().count();
    if chars == 0 {
        return Err(ApiError::new(ErrorCode::EmptyText, "text is empty; send 1 to 5000 characters")
            .with_param("text"));
    }
    if chars > MAX_TEXT_CHARS {
        let message = format!("text has {chars} characters; the limit is {MAX_TEXT_CHARS}");
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
    }
    Ok(text.clone())
}

#[cfg(test)]
mod tests;
