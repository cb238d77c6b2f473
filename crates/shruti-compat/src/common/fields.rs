//! Texts, languages and speeds in requests from clients of other services.

use serde_json::Value;
use shruti_lang::Language;
use shruti_protocol::fields::{self, Fields, field_value, invalid_field, quoted, wrong_type};
use shruti_protocol::limits::{MAX_TEXT_CHARS, SPEED};
use shruti_protocol::{ApiError, ErrorCode};

/// Parses a body or a message as a JSON object.
pub(crate) fn object(bytes: &[u8], what: &str) -> Result<Fields, ApiError> {
    fields::object(bytes, what)
}

/// Returns the text of a field. The text may be blank. It must not contain a NUL or more than 5,000
/// characters, not counting leading and trailing white space.
pub(crate) fn text(fields: &Fields, name: &str) -> Result<String, ApiError> {
    let text = match fields.get(name) {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => {
            let message = format!("{name} is required: the text to speak, as a string");
            return Err(ApiError::new(ErrorCode::MissingField, message).with_param(name));
        }
        Some(other) => return Err(wrong_type(name, "a string", other)),
    };
    let chars = text.trim().chars().count();
    if chars > MAX_TEXT_CHARS {
        let message = format!("{name} has {chars} characters; the limit is {MAX_TEXT_CHARS}");
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param(name));
    }
    if let Some(position) = text.chars().position(|c| c == '\0') {
        let message = format!("{name} has a NUL (U+0000) at character {}; remove it", position + 1);
        return Err(invalid_field(name, message));
    }
    Ok(text.clone())
}

/// Returns the `type` of a message. `kinds` is the list of valid types in the error message: `flush or ping`.
pub(crate) fn kind<'a>(fields: &'a Fields, kinds: &str) -> Result<&'a str, ApiError> {
    match field_value(fields, "type") {
        Some(Value::String(kind)) => Ok(kind),
        None => {
            let message = format!("type is required: {kinds}");
            Err(ApiError::new(ErrorCode::MissingField, message).with_param("type"))
        }
        Some(other) => Err(wrong_type("type", "a string", other)),
    }
}

/// Creates the error for a message whose [`kind`] is not among `kinds`.
pub(crate) fn unknown_kind(kind: &str, kinds: &str) -> ApiError {
    invalid_field("type", format!("type must be {kinds}, not '{}'", quoted(kind)))
}

/// Returns a string, if it is present and not empty.
pub(crate) fn string<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a str>, ApiError> {
    match field_value(fields, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(other) => Err(wrong_type(name, "a string", other)),
    }
}

/// Returns a boolean; `false` if it is absent.
pub(crate) fn flag(fields: &Fields, name: &str) -> Result<bool, ApiError> {
    match field_value(fields, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong_type(name, "a boolean", other)),
    }
}

/// Returns a number, if it is present.
pub(crate) fn number(fields: &Fields, name: &str) -> Result<Option<f64>, ApiError> {
    match field_value(fields, name) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| wrong_type(name, "a number", value)),
    }
}

/// Returns an object, if it is present.
pub(crate) fn part<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a Fields>, ApiError> {
    match field_value(fields, name) {
        None => Ok(None),
        Some(Value::Object(part)) => Ok(Some(part)),
        Some(other) => Err(wrong_type(name, "an object", other)),
    }
}

/// Returns the language of a field, or `None` if it must be detected from the text.
pub(crate) fn language(fields: &Fields, name: &str) -> Result<Option<Language>, ApiError> {
    string(fields, name)?.map(|tag| language_of_tag(tag, name)).transpose()
}

/// Returns the language named by the base (the part before the first hyphen or underscore) of a BCP 47 tag.
pub(crate) fn language_of_tag(tag: &str, param: &str) -> Result<Language, ApiError> {
    let base = tag.split(['-', '_']).next().unwrap_or_default();
    Language::from_code(base).ok_or_else(|| {
        let codes = Language::ALL.map(Language::code).join(", ");
        let message = format!("language '{}' is not supported; supported languages are {codes}", quoted(tag));
        ApiError::new(ErrorCode::UnsupportedLanguage, message).with_param(param)
    })
}

/// Clamps a speed to the supported range, since the APIs of other services allow a wider range.
pub(crate) fn clamped_speed(speed: f64) -> f64 {
    if speed.is_nan() { 1.0 } else { speed.clamp(*SPEED.start(), *SPEED.end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_any_tag_with_a_supported_base_language() {
        use Language::{English, Hindi, Konkani, Odia, Tamil, Urdu};
        let cases = [
            ("hi", Some(Hindi)),
            ("hi-IN", Some(Hindi)),
            ("HI_in", Some(Hindi)),
            ("ta-Taml-LK", Some(Tamil)),
            ("en-US", Some(English)),
            ("od", Some(Odia)),
            ("od-IN", Some(Odia)),
            ("or", Some(Odia)),
            ("kok", Some(Konkani)),
            ("kok-Deva-IN", Some(Konkani)),
            ("gom_IN", Some(Konkani)),
            ("ur-PK", Some(Urdu)),
            ("fr", None),
            ("hin", None),
            ("-IN", None),
        ];
        for (tag, language) in cases {
            assert_eq!(language_of_tag(tag, "language").ok(), language, "{tag}");
        }
        let read = |json: &str| language(&object(json.as_bytes(), "it").unwrap(), "language");
        for absent in ["{}", r#"{"language":null}"#, r#"{"language":""}"#] {
            assert_eq!(read(absent), Ok(None), "{absent}");
        }
        assert_eq!(read(r#"{"language":"fr-FR"}"#).unwrap_err().code, ErrorCode::UnsupportedLanguage);
        assert_eq!(read(r#"{"language":5}"#).unwrap_err().code, ErrorCode::InvalidField);
    }

    #[test]
    fn texts_are_checked() {
        let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(5_001));
        let cases = [
            (r#"{"text":" नमस्ते "}"#, None),
            (r#"{"text":" "}"#, None),
            (r#"{"text":"<speaker> says"}"#, None),
            ("{}", Some(ErrorCode::MissingField)),
            (r#"{"text":null}"#, Some(ErrorCode::MissingField)),
            (r#"{"text":["a"]}"#, Some(ErrorCode::InvalidField)),
            (r#"{"text":"a\u0000"}"#, Some(ErrorCode::InvalidField)),
            (r#"{"text":" <speak>a</speak>"}"#, None),
            (long.as_str(), Some(ErrorCode::TextTooLong)),
        ];
        for (json, code) in cases {
            let read = text(&object(json.as_bytes(), "it").unwrap(), "text");
            assert_eq!(read.map_err(|error| error.code).err(), code, "{json:.60}");
        }
    }

    #[test]
    fn speeds_are_clamped_to_the_supported_range() {
        for (given, taken) in [(0.25, 0.5), (1.3, 1.3), (4.0, 2.0), (f64::NAN, 1.0)] {
            assert_eq!(clamped_speed(given), taken);
        }
    }
}
