//! Body of `POST /v1/tts`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use crate::fields::{self, Fields};
use crate::limits::MAX_TEXT_CHARS;
use crate::unknown_fields;
use crate::{ApiError, ErrorCode};

/// A request for one clip. [`SynthesisRequest::from_json`] checks that every field is within its limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthesisRequest {
    /// Text as it was sent, including leading and trailing white space.
    pub text: String,
    /// Voice; if absent, the server's default. This crate does not check that the voice exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<VoiceId>,
    /// Language; if absent, it is detected from the script of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Speaking rate, 0.5 to 2.0.
    pub speed: f64,
    /// Pitch shift in semitones, -6 to 6.
    pub pitch: f64,
    /// Listening condition that the audio is optimised for; if absent, [the default for the
    /// format](Clarity::default_for).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<Clarity>,
    /// Words and their replacement spellings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lexicon: BTreeMap<String, String>,
    /// Kind of synthesis for the built-in voices; if absent, the server's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<VoiceEngine>,
    /// Name of the output format, such as `mulaw_8000`. If absent, the `Accept` header determines the format. This
    /// crate does not check that the format exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<String>,
}

impl SynthesisRequest {
    /// Creates a request for a text, with defaults for every other field.
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

    /// Names of all fields.
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

    /// Parses and checks a body. Unknown fields are ignored unless `strict` is true; an optional field that is null
    /// counts as absent.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        Self::from_fields(&fields::object(body, "the body")?)
    }

    /// Reads and checks the fields of a parsed object, as [`from_json`](Self::from_json) does.
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

    /// Returns the length of the text as it is counted for the limit: the number of Unicode scalar values after
    /// trimming.
    pub fn chars(&self) -> usize {
        self.text.trim().chars().count()
    }
}

fn text(fields: &Fields) -> Result<String, ApiError> {
    let Some(value) = fields::field_value(fields, "text") else {
        let message = "text is required: the text to speak, as a string";
        return Err(unknown_fields::missing(fields, "text", message, SynthesisRequest::FIELDS));
    };
    let Value::String(text) = value else {
        return Err(fields::wrong_type("text", "a string", value));
    };
    if let Some(position) = text.chars().position(|c| c == '\0') {
        return Err(fields::invalid_field(
            "text",
            format!("text has a NUL (U+0000) at character {}; remove it", position + 1),
        ));
    }
    let chars = text.trim().chars().count();
    if chars == 0 {
        let message = format!("text is empty; send 1 to {MAX_TEXT_CHARS} characters");
        return Err(ApiError::new(ErrorCode::EmptyText, message).with_param("text"));
    }
    if chars > MAX_TEXT_CHARS {
        let message = format!("text has {chars} characters; the limit is {MAX_TEXT_CHARS}");
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
    }
    Ok(text.clone())
}

#[cfg(test)]
mod tests;
