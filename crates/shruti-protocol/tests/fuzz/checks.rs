//! Invariants of every parsed value and of every error.

use std::collections::BTreeMap;

use serde_json::Value;
use shruti_protocol::limits::{
    MAX_LEXICON_ENTRIES, MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, MAX_TEXT_CHARS, PITCH, SPEED,
};
use shruti_protocol::stream::{
    ClientMessage, ConfigPatch, MAX_ID_CHARS, MAX_LEAD_MS, MAX_MESSAGE_CHARS, MAX_TURN_ID_CHARS,
};
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};

use super::shown;

/// Fields that an error may name. For a lexicon entry, the error names `lexicon`, a dot and the word.
const PARAMS: [&str; 19] = [
    "type",
    "text",
    "turn_id",
    "id",
    "final",
    "preempt",
    "voice",
    "language",
    "speed",
    "pitch",
    "clarity",
    "lexicon",
    "engine",
    "timestamps",
    "output_format",
    "strict",
    "max_lead_ms",
    "all",
    "played_ms",
];

/// Maximum length of an error message, in bytes.
const LONGEST_MESSAGE: usize = 400;

pub(super) fn message(message: &ClientMessage, input: &[u8]) {
    let sound = match message {
        ClientMessage::Config(patch) => config(patch),
        ClientMessage::Text(text) => {
            text.text.chars().count() <= MAX_MESSAGE_CHARS
                && !text.text.contains('\0')
                && name(text.turn_id.as_ref(), MAX_TURN_ID_CHARS)
                && config(&text.config)
        }
        ClientMessage::Flush(flush) => {
            name(flush.turn_id.as_ref(), MAX_TURN_ID_CHARS) && name(flush.id.as_ref(), MAX_ID_CHARS)
        }
        ClientMessage::End { turn_id } => name(turn_id.as_ref(), MAX_TURN_ID_CHARS),
        ClientMessage::Cancel(cancel) => {
            name(cancel.turn_id.as_ref(), MAX_TURN_ID_CHARS) && name(cancel.id.as_ref(), MAX_ID_CHARS)
        }
        ClientMessage::Played(played) => name(Some(&played.turn_id), MAX_TURN_ID_CHARS),
        ClientMessage::Ping { id } => name(id.as_ref(), MAX_ID_CHARS),
        ClientMessage::Close => true,
    };
    assert!(sound, "beyond its limits: {message:?} from {}", shown(input));
    let written = serde_json::to_vec(message).unwrap();
    let again = ClientMessage::from_json(&written);
    assert_eq!(again.as_ref(), Ok(message), "read again it differs: {}", shown(input));
}

pub(super) fn request(request: &SynthesisRequest, input: &[u8]) {
    let chars = request.text.trim().chars().count();
    let sound = (1..=MAX_TEXT_CHARS).contains(&chars)
        && chars == request.chars()
        && !request.text.contains('\0')
        && SPEED.contains(&request.speed)
        && PITCH.contains(&request.pitch)
        && lexicon(&request.lexicon);
    assert!(sound, "beyond its limits: {request:?} from {}", shown(input));
    let written = serde_json::to_vec(request).unwrap();
    let again = SynthesisRequest::from_json(&written);
    assert_eq!(again.as_ref(), Ok(request), "read again it differs: {}", shown(input));
}

fn config(patch: &ConfigPatch) -> bool {
    patch.speed.is_none_or(|speed| SPEED.contains(&speed))
        && patch.pitch.is_none_or(|pitch| PITCH.contains(&pitch))
        && patch.max_lead_ms.is_none_or(|lead| lead <= MAX_LEAD_MS)
        && patch.lexicon.as_ref().is_none_or(lexicon)
}

fn name(name: Option<&String>, most: usize) -> bool {
    name.is_none_or(|name| (1..=most).contains(&name.chars().count()) && !name.chars().any(char::is_control))
}

fn lexicon(entries: &BTreeMap<String, String>) -> bool {
    let part = |part: &String, most: usize| {
        part == part.trim()
            && (1..=most).contains(&part.chars().count())
            && !part.chars().any(char::is_control)
    };
    entries.len() <= MAX_LEXICON_ENTRIES
        && entries.iter().all(|(word, spelling)| {
            part(word, MAX_LEXICON_WORD_CHARS) && part(spelling, MAX_LEXICON_SPELLING_CHARS)
        })
}

/// Checks that the message of an error is short and free of control characters, and that the error names an existing
/// field. The field must be present in the input, unless the error says that it is missing.
pub(super) fn error(error: &ApiError, input: &[u8]) {
    let short = error.message.len() <= LONGEST_MESSAGE && !error.message.is_empty();
    let safe = !error.message.chars().any(char::is_control);
    assert!(short && safe, "{error} from {}", shown(input));
    let object = serde_json::from_slice(input).ok().and_then(|value| match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    let Some(param) = &error.param else {
        assert_eq!(error.code, ErrorCode::InvalidJson, "{error} names no field: {}", shown(input));
        assert!(object.is_none(), "{error}, but it is an object: {}", shown(input));
        return;
    };
    let fields = object.unwrap_or_default();
    if fields.get("strict") == Some(&Value::Bool(true)) && error.message.starts_with("unknown field") {
        // a strict request may contain any unknown field, even a field that is null
        assert_eq!(error.code, ErrorCode::InvalidField, "{error} from {}", shown(input));
        return;
    }
    let field = param.split_once('.').map_or(param.as_str(), |(field, _)| field);
    assert!(PARAMS.contains(&field), "{param} is not a field: {}", shown(input));
    assert!(field == param || field == "lexicon", "{param} has no entries: {}", shown(input));
    let is_present = fields.get(field).is_some_and(|value| !value.is_null());
    assert_eq!(is_present, error.code != ErrorCode::MissingField, "{error} from {}", shown(input));
    let what = match error.code {
        ErrorCode::UnknownVoice => field == "voice",
        ErrorCode::UnsupportedLanguage => field == "language",
        ErrorCode::EmptyText | ErrorCode::TextTooLong => field == "text",
        code => matches!(code, ErrorCode::MissingField | ErrorCode::InvalidField),
    };
    assert!(what, "{error} does not go with {param}");
}
