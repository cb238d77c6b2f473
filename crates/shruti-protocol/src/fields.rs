//! Readers for the fields of JSON objects. Their errors name the field and state which values are valid.
//!
//! The readers are written by hand instead of derived with `serde_path_to_error`. A derived deserialiser names the
//! field, but in this API an error also states the rule ("a number from 0.5 to 2.0, not a string"), missing and invalid
//! fields have different error codes, and null counts as absent. Each field would need a custom deserialiser for these
//! rules.
//!
//! A field that is null counts as absent, except that a null `language` or `clarity` in a `config` or `text` message
//! resets that setting. Nesting is limited to the 128 levels that `serde_json` accepts.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use shruti_lang::suggestion::did_you_mean;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use crate::limits::{
    MAX_LEXICON_ENTRIES, MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, MAX_QUOTED_CHARS, PITCH, SPEED,
};
use crate::{ApiError, ErrorCode};

/// Fields of an object, by name.
pub type Fields = Map<String, Value>;

/// Byte order mark, U+FEFF, which editors and some libraries write before JSON. A parser may ignore it (RFC 8259,
/// section 8.1).
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Parses a JSON object, after an optional byte order mark. `what` names the input in an error (`invalid_json`).
pub fn object(body: &[u8], what: &str) -> Result<Fields, ApiError> {
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let invalid = |message: String| ApiError::new(ErrorCode::InvalidJson, message);
    if body.is_empty() {
        return Err(invalid(format!("{what} is empty; send a JSON object such as {{\"text\": \"नमस्ते\"}}")));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(invalid(format!("{what} must be a JSON object, not {}", type_name(&other)))),
        Err(error) => Err(invalid(describe_syntax_error(&error, what))),
    }
}

fn describe_syntax_error(error: &serde_json::Error, what: &str) -> String {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    let half_a_pair = reason.contains("surrogate") || reason.contains("hex escape");
    if half_a_pair {
        return format!(
            "the \\u escape before line {line} column {column} is half of a surrogate pair; send the character itself \
             or both halves"
        );
    }
    let reason = match reason {
        "invalid unicode code point" => "the text is not UTF-8",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a control character inside a string must be escaped"
        }
        other => other,
    };
    format!("{what} is not valid JSON: {reason}, at line {line} column {column}")
}

/// Returns the value of a field, or `None` if the field is absent or null.
pub fn field_value<'a>(fields: &'a Fields, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// Reads the name of the voice, shortened as in [`quoted`]. The engine's catalogue checks whether the voice exists.
pub(crate) fn voice(fields: &Fields) -> Result<Option<VoiceId>, ApiError> {
    let Some(value) = field_value(fields, "voice") else { return Ok(None) };
    let Value::String(name) = value else {
        return Err(wrong_type("voice", "a string, the name of a voice", value));
    };
    Ok(Some(quoted(name).into()))
}

pub(crate) fn language(fields: &Fields) -> Result<Option<Language>, ApiError> {
    let Some(value) = field_value(fields, "language") else { return Ok(None) };
    let Value::String(code) = value else {
        return Err(wrong_type("language", "a string, the code or the name of a language", value));
    };
    quoted(code)
        .parse()
        .map(Some)
        .map_err(|error: shruti_lang::UnknownLanguage| {
            ApiError::new(ErrorCode::UnsupportedLanguage, error.to_string())
        })
        .map_err(|error| error.with_param("language"))
}

pub(crate) fn speed(fields: &Fields) -> Result<Option<f64>, ApiError> {
    number(fields, "speed", SPEED)
}

/// Reads the pitch shift in semitones and checks its range.
pub fn pitch(fields: &Fields) -> Result<Option<f64>, ApiError> {
    number(fields, "pitch", PITCH)
}

/// Reads the listening condition that the audio is optimised for.
pub fn clarity(fields: &Fields) -> Result<Option<Clarity>, ApiError> {
    let Some(value) = field_value(fields, "clarity") else { return Ok(None) };
    match value {
        Value::String(name) => named_clarity(name).map(Some),
        other => Err(wrong_type("clarity", "\"off\", \"phone\" or \"room\"", other)),
    }
}

/// Parses a value of the field `clarity`.
pub fn named_clarity(name: &str) -> Result<Clarity, ApiError> {
    name.parse().map_err(|shruti_lang::UnknownClarity| {
        let meant = did_you_mean(name, Clarity::ALL.map(Clarity::as_str));
        let message =
            format!("clarity must be \"off\", \"phone\" or \"room\", not \"{}\"{meant}", quoted(name));
        invalid_field("clarity", message)
    })
}

/// Reads the kind of synthesis to use for the built-in voices.
pub fn engine(fields: &Fields) -> Result<Option<VoiceEngine>, ApiError> {
    let Some(value) = field_value(fields, "engine") else { return Ok(None) };
    match value {
        Value::String(name) => named_engine(name).map(Some),
        other => Err(wrong_type("engine", "\"auto\", \"learned\" or \"rules\"", other)),
    }
}

/// Parses a value of the field `engine`.
pub fn named_engine(name: &str) -> Result<VoiceEngine, ApiError> {
    name.parse().map_err(|shruti_lang::UnknownVoiceEngine| {
        let meant = did_you_mean(name, VoiceEngine::ALL.map(VoiceEngine::as_str));
        let message =
            format!("engine must be \"auto\", \"learned\" or \"rules\", not \"{}\"{meant}", quoted(name));
        invalid_field("engine", message)
    })
}

fn number(fields: &Fields, name: &'static str, range: RangeInclusive<f64>) -> Result<Option<f64>, ApiError> {
    let Some(value) = field_value(fields, name) else { return Ok(None) };
    let (lowest, highest) = (range.start(), range.end());
    let expected = format!("a number from {lowest:?} to {highest:?}");
    let Some(number) = value.as_f64() else {
        return Err(wrong_type(name, &expected, value));
    };
    // this also rejects NaN, because no range contains it
    if !range.contains(&number) {
        return Err(invalid_field(name, format!("{name} must be {expected}, not {number}")));
    }
    Ok(Some(number))
}

/// Reads the name of the output format, shortened as in [`quoted`]. The encoders check whether the format exists.
pub(crate) fn output_format(fields: &Fields) -> Result<Option<String>, ApiError> {
    let Some(value) = field_value(fields, "output_format") else { return Ok(None) };
    let Value::String(name) = value else {
        return Err(wrong_type("output_format", "a string, the name of a format", value));
    };
    Ok(Some(quoted(name)))
}

/// Reads a boolean field. An absent field counts as `false`.
pub(crate) fn flag(fields: &Fields, name: &str) -> Result<bool, ApiError> {
    match field_value(fields, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong_type(name, "true or false", other)),
    }
}

/// Reads the entries of a lexicon and checks their limits.
pub fn lexicon(fields: &Fields) -> Result<Option<BTreeMap<String, String>>, ApiError> {
    let Some(value) = field_value(fields, "lexicon") else { return Ok(None) };
    let Value::Object(entries) = value else {
        return Err(wrong_type("lexicon", "an object of words and their spellings", value));
    };
    if entries.len() > MAX_LEXICON_ENTRIES {
        let message = format!("lexicon has {} entries; the limit is {MAX_LEXICON_ENTRIES}", entries.len());
        return Err(invalid_field("lexicon", message));
    }
    entries.iter().map(|(word, spelling)| lexicon_entry(word, spelling)).collect::<Result<_, _>>().map(Some)
}

fn lexicon_entry(word: &str, spelling: &Value) -> Result<(String, String), ApiError> {
    let param = format!("lexicon.{}", quoted(word));
    let Value::String(spelling) = spelling else {
        return Err(wrong_type(&param, "a string, the spelling that replaces the word", spelling));
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
            return Err(invalid_field(param, format!("{what} has a control character; remove it")));
        }
    }
    Ok((word.trim().to_owned(), spelling.trim().to_owned()))
}

/// Returns the error for a field whose value is not accepted.
pub fn invalid_field(param: impl Into<String>, message: String) -> ApiError {
    ApiError::new(ErrorCode::InvalidField, message).with_param(param)
}

/// Returns the error for a field whose type is not the expected one. `expected` is a phrase such as "a string".
pub fn wrong_type(param: &str, expected: &str, found: &Value) -> ApiError {
    invalid_field(param, format!("{param} must be {expected}, not {}", type_name(found)))
}

pub(crate) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns the part of an untrusted value that an error message may repeat: its first [`MAX_QUOTED_CHARS`] characters
/// without control characters, followed by `…` if the value is longer.
pub fn quoted(value: &str) -> String {
    let mut safe = value.chars().filter(|c| !c.is_control());
    let mut short: String = safe.by_ref().take(MAX_QUOTED_CHARS).collect();
    if safe.next().is_some() {
        short.push('…');
    }
    short
}
