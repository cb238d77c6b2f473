//! Unknown fields of a request. They are ignored and reported as warnings, or rejected if the request has
//! `"strict": true`.

use serde_json::Value;
use shruti_lang::suggestion::closest;

use crate::fields::{Fields, flag, invalid_field, quoted};
use crate::{ApiError, ErrorCode};

/// Maximum number of unknown fields that an error or a warning names.
const MAX_NAMED: usize = 5;

/// Field names of other services and their equivalents in this API.
const FOREIGN_FIELD_NAMES: [(&str, &str); 22] = [
    ("input", "text"),
    ("transcript", "text"),
    ("ssml", "text"),
    ("content", "text"),
    ("lang", "language"),
    ("locale", "language"),
    ("language_code", "language"),
    ("target_language_code", "language"),
    ("voice_id", "voice"),
    ("speaker", "voice"),
    ("format", "output_format"),
    ("response_format", "output_format"),
    ("audio_format", "output_format"),
    ("codec", "output_format"),
    ("encoding", "output_format"),
    ("container", "output_format"),
    ("sample_rate", "output_format"),
    ("bit_rate", "output_format"),
    ("rate", "speed"),
    ("pace", "speed"),
    ("pronunciations", "lexicon"),
    ("dictionary", "lexicon"),
];

/// Returns a warning for each of the first `MAX_NAMED` fields that are not in `known`. If there are more unknown
/// fields, the last warning states the number of the others.
pub fn warnings(fields: &Fields, known: &[&str]) -> Vec<String> {
    let unknown: Vec<&String> = fields.keys().filter(|name| !known.contains(&name.as_str())).collect();
    let mut warnings: Vec<String> = unknown
        .iter()
        .take(MAX_NAMED)
        .map(|name| format!("{} was ignored", described(name, known)))
        .collect();
    if let Some(more) = unknown.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        warnings.push(format!("{more} more unknown fields were ignored"));
    }
    warnings
}

/// Fails if a request has `"strict": true` and contains an unknown field.
pub(crate) fn refuse_if_strict(fields: &Fields, known: &[&str]) -> Result<(), ApiError> {
    if !flag(fields, "strict")? {
        return Ok(());
    }
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let message = format!("{}; the fields are {}", described(name, known), known.join(", "));
            Err(invalid_field(quoted(name), message))
        }
        None => Ok(()),
    }
}

/// Returns the error for a missing required field. If the request contains an unknown string field that was probably
/// meant, the error message names that field.
pub(crate) fn missing(fields: &Fields, name: &str, message: &str, known: &[&str]) -> ApiError {
    let strings = fields.iter().filter(|(_, value)| matches!(value, Value::String(_)));
    let meant = strings
        .map(|(field, _)| field)
        .find(|field| !known.contains(&field.as_str()) && suggestion(field, known) == Some(name));
    let message = match meant {
        Some(meant) => format!("{message}; use it instead of '{}'", quoted(meant)),
        None => message.to_owned(),
    };
    ApiError::new(ErrorCode::MissingField, message).with_param(name)
}

fn described(name: &str, known: &[&str]) -> String {
    match suggestion(name, known) {
        Some(meant) => format!("unknown field '{}' (did you mean '{meant}'?)", quoted(name)),
        None => format!("unknown field '{}'", quoted(name)),
    }
}

fn suggestion<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let elsewhere =
        FOREIGN_FIELD_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, own)| *own);
    match elsewhere {
        Some(own) => known.iter().find(|known| **known == own).copied(),
        None => closest(name, known.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KNOWN: &[&str] = &["text", "voice", "language", "output_format", "strict"];

    fn fields(value: Value) -> Fields {
        match value {
            Value::Object(fields) => fields,
            other => panic!("{other} is not an object"),
        }
    }

    #[test]
    fn unknown_fields_get_suggestions() {
        let parsed = fields(json!({"text": "a", "langauge": "hi", "sample_rate": 8000, "seed": 1}));
        assert_eq!(
            warnings(&parsed, KNOWN),
            [
                "unknown field 'langauge' (did you mean 'language'?) was ignored",
                "unknown field 'sample_rate' (did you mean 'output_format'?) was ignored",
                "unknown field 'seed' was ignored",
            ]
        );
        let many: Fields = (0..9).map(|i| (format!("x{i}"), Value::Null)).collect();
        let warned = warnings(&many, KNOWN);
        assert_eq!((warned.len(), warned[5].as_str()), (6, "4 more unknown fields were ignored"));
        assert_eq!(warnings(&fields(json!({"text": "a"})), KNOWN), [""; 0]);
    }

    #[test]
    fn strict_request_rejects_unknown_fields() {
        let lenient = fields(json!({"text": "a", "langauge": "hi"}));
        assert_eq!(refuse_if_strict(&lenient, KNOWN), Ok(()));
        let strict = fields(json!({"text": "a", "langauge": "hi", "strict": true}));
        let error = refuse_if_strict(&strict, KNOWN).unwrap_err();
        assert_eq!((error.code, error.param.as_deref()), (ErrorCode::InvalidField, Some("langauge")));
        let expected =
            "unknown field 'langauge' (did you mean 'language'?); the fields are text, voice, language";
        assert!(error.message.starts_with(expected), "{}", error.message);
        assert_eq!(refuse_if_strict(&fields(json!({"text": "a", "strict": true})), KNOWN), Ok(()));
        let wrong = refuse_if_strict(&fields(json!({"strict": "yes"})), KNOWN).unwrap_err();
        assert_eq!(wrong.param.as_deref(), Some("strict"));
    }

    #[test]
    fn missing_field_suggests_other_names() {
        let error = missing(&fields(json!({"input": "नमस्ते"})), "text", "text is required", KNOWN);
        assert_eq!(error.message, "text is required; use it instead of 'input'");
        let error = missing(&fields(json!({"seed": "7"})), "text", "text is required", KNOWN);
        assert_eq!((error.message.as_str(), error.param.as_deref()), ("text is required", Some("text")));
    }
}
