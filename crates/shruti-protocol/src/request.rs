//! The body of `POST /v1/tts`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::limits::{
    MAX_LEXICON_ENTRIES, MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, MAX_QUOTED_CHARS,
    MAX_TEXT_CHARS, PITCH, SPEED,
};
use crate::{ApiError, ErrorCode, Language, Voice};

/// A request for one clip, with every field within its limits once it was read by [`SynthesisRequest::from_json`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthesisRequest {
    /// The text as it was sent, white space at its ends included.
    pub text: String,
    /// The voice.
    pub voice: Voice,
    /// The language; found from the text's script when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Speaking rate, 0.5 to 2.0.
    pub speed: f64,
    /// Shift of the pitch in semitones, -6 to 6.
    pub pitch: f64,
    /// Words and the spellings to speak them by.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lexicon: BTreeMap<String, String>,
}

impl SynthesisRequest {
    /// A request for a text with every other field at its default.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            voice: Voice::default(),
            language: None,
            speed: 1.0,
            pitch: 0.0,
            lexicon: BTreeMap::new(),
        }
    }

    /// Reads and checks a body. Fields that are not known are ignored; an optional field that is null counts as
    /// absent.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        let fields = object(body)?;
        Ok(Self {
            text: text(&fields)?,
            voice: voice(&fields)?,
            language: language(&fields)?,
            speed: number(&fields, "speed", SPEED)?.unwrap_or(1.0),
            pitch: number(&fields, "pitch", PITCH)?.unwrap_or(0.0),
            lexicon: lexicon(&fields)?,
        })
    }

    /// The length of the text as limits and `x-tts-chars` count it: Unicode scalar values after trimming.
    pub fn chars(&self) -> usize {
        self.text.trim().chars().count()
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    let invalid = |message: String| ApiError::new(ErrorCode::InvalidJson, message);
    if body.is_empty() {
        return Err(invalid("the body is empty; send a JSON object such as {\"text\": \"नमस्ते\"}".to_owned()));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(invalid(format!("the body must be a JSON object, not {}", type_name(&other)))),
        Err(error) => Err(invalid(describe_syntax_error(&error))),
    }
}

fn describe_syntax_error(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    let half_a_pair = reason.contains("surrogate") || reason.contains("hex escape");
    if half_a_pair {
        return format!(
            "a \\u escape before line {line} column {column} is half of a surrogate pair; write the character \
             itself or both halves"
        );
    }
    let reason = match reason {
        "invalid unicode code point" => "the text is not UTF-8",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a control character inside a string must be escaped"
        }
        other => other,
    };
    format!("the body is not valid JSON: {reason}, at line {line} column {column}")
}

/// A field that is there and not null.
fn given<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

fn text(fields: &Map<String, Value>) -> Result<String, ApiError> {
    let Some(value) = given(fields, "text") else {
        return Err(ApiError::new(
            ErrorCode::MissingField,
            "text is required: the text to speak, as a string",
        )
        .with_param("text"));
    };
    let Value::String(text) = value else {
        return Err(wrong_type("text", "a string", value));
    };
    if let Some(position) = text.chars().position(|c| c == '\0') {
        return Err(invalid_field(
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

fn voice(fields: &Map<String, Value>) -> Result<Voice, ApiError> {
    let Some(value) = given(fields, "voice") else { return Ok(Voice::default()) };
    let Value::String(name) = value else {
        return Err(wrong_type("voice", "a string, the name of a voice", value));
    };
    quoted(name)
        .parse()
        .map_err(|error: crate::UnknownVoice| ApiError::new(ErrorCode::UnknownVoice, error.to_string()))
        .map_err(|error| error.with_param("voice"))
}

fn language(fields: &Map<String, Value>) -> Result<Option<Language>, ApiError> {
    let Some(value) = given(fields, "language") else { return Ok(None) };
    let Value::String(code) = value else {
        return Err(wrong_type("language", "a string, the code of a language", value));
    };
    quoted(code)
        .parse()
        .map(Some)
        .map_err(|error: crate::UnknownLanguage| {
            ApiError::new(ErrorCode::UnsupportedLanguage, error.to_string())
        })
        .map_err(|error| error.with_param("language"))
}

fn number(
    fields: &Map<String, Value>,
    name: &'static str,
    range: RangeInclusive<f64>,
) -> Result<Option<f64>, ApiError> {
    let Some(value) = given(fields, name) else { return Ok(None) };
    let (lowest, highest) = (range.start(), range.end());
    let expected = format!("a number from {lowest:?} to {highest:?}");
    let Some(number) = value.as_f64() else {
        return Err(wrong_type(name, &expected, value));
    };
    // a NaN is in no range
    if !range.contains(&number) {
        return Err(invalid_field(name, format!("{name} must be {expected}, not {number}")));
    }
    Ok(Some(number))
}

fn lexicon(fields: &Map<String, Value>) -> Result<BTreeMap<String, String>, ApiError> {
    let Some(value) = given(fields, "lexicon") else { return Ok(BTreeMap::new()) };
    let Value::Object(entries) = value else {
        return Err(wrong_type("lexicon", "an object of words and spellings", value));
    };
    if entries.len() > MAX_LEXICON_ENTRIES {
        let message = format!("lexicon has {} entries; the limit is {MAX_LEXICON_ENTRIES}", entries.len());
        return Err(invalid_field("lexicon", message));
    }
    entries.iter().map(|(word, spelling)| lexicon_entry(word, spelling)).collect()
}

fn lexicon_entry(word: &str, spelling: &Value) -> Result<(String, String), ApiError> {
    let param = format!("lexicon.{}", quoted(word));
    let Value::String(spelling) = spelling else {
        return Err(wrong_type(&param, "a string, the spelling to speak the word by", spelling));
    };
    for (what, part, limit) in [
        ("the word", word, MAX_LEXICON_WORD_CHARS),
        ("the spelling", spelling.as_str(), MAX_LEXICON_SPELLING_CHARS),
    ] {
        let chars = part.trim().chars().count();
        if chars == 0 || chars > limit {
            let message = format!("{what} has {chars} characters; 1 to {limit} are accepted");
            return Err(invalid_field(param, message));
        }
        if part.chars().any(char::is_control) {
            return Err(invalid_field(param, format!("{what} has a control character; leave it out")));
        }
    }
    Ok((word.trim().to_owned(), spelling.trim().to_owned()))
}

fn invalid_field(param: impl Into<String>, message: String) -> ApiError {
    ApiError::new(ErrorCode::InvalidField, message).with_param(param)
}

fn wrong_type(param: &str, expected: &str, found: &Value) -> ApiError {
    invalid_field(param, format!("{param} must be {expected}, not {}", type_name(found)))
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What an error may repeat of a value that came from outside: short, and without control characters.
fn quoted(value: &str) -> String {
    let mut safe = value.chars().filter(|c| !c.is_control());
    let mut short: String = safe.by_ref().take(MAX_QUOTED_CHARS).collect();
    if safe.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
