//! Extractors for request bodies: a JSON object whose fields are checked for type and range.

use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde_json::Value;
use shruti_protocol::fields::{Fields, field_value, invalid_field, object, wrong_type};
use shruti_protocol::limits::MAX_BODY_BYTES;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::internal;
use shruti_service::http::{RequestBody, require_json};

/// Body of a request. It is the last extractor of a handler, so that the body of a rejected request is not read.
pub(super) struct JsonFields(pub(super) Fields);

impl FromRequestParts<Arc<App>> for JsonFields {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        Self::read_at_most(MAX_BODY_BYTES, parts, app).await
    }
}

/// Body of a request that does not require a sign-in, with a small size limit.
pub(super) struct SmallJsonFields(pub(super) JsonFields);

impl SmallJsonFields {
    const MAX_BYTES: usize = 4 * 1024;
}

impl FromRequestParts<Arc<App>> for SmallJsonFields {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        Ok(Self(JsonFields::read_at_most(Self::MAX_BYTES, parts, app).await?))
    }
}

impl JsonFields {
    async fn read_at_most(most: usize, parts: &Parts, app: &App) -> Result<Self, ErrorResponse> {
        require_json(&parts.headers)?;
        let upload = parts.extensions.get::<Arc<RequestBody>>().ok_or_else(internal)?;
        let body = upload.read_at_most(most, app.config.timeouts.body).await?;
        Ok(Self::read(&body)?)
    }

    /// Parses a body.
    pub(super) fn read(body: &[u8]) -> Result<Self, ApiError> {
        Ok(Self(object(body, "the body")?))
    }

    /// Returns a string field. It may be empty.
    pub(super) fn text(&self, name: &str) -> Result<&str, ApiError> {
        match field_value(&self.0, name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(wrong_type(name, "a string", other)),
            None => Err(missing(name, "a string")),
        }
    }

    /// Returns a boolean field.
    pub(super) fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match field_value(&self.0, name) {
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong_type(name, "true or false", other)),
            None => Err(missing(name, "true or false")),
        }
    }

    /// Returns an integer field within a range, or `None` if it is absent.
    pub(super) fn number(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, ApiError> {
        let Some(value) = field_value(&self.0, name) else { return Ok(None) };
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        match value.as_u64() {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ if value.is_number() => {
                Err(invalid_field(name, format!("{name} must be {expected}, not {value}")))
            }
            _ => Err(wrong_type(name, &expected, value)),
        }
    }

    /// Returns a list field of at most `most` strings, or an empty list if it is absent.
    pub(super) fn texts(&self, name: &str, most: usize) -> Result<Vec<&str>, ApiError> {
        let Some(value) = field_value(&self.0, name) else { return Ok(Vec::new()) };
        let wrong = |found| wrong_type(name, "a list of strings", found);
        let items = value.as_array().ok_or_else(|| wrong(value))?;
        if items.len() > most {
            let message = format!("{name} has {} entries; the limit is {most}", items.len());
            return Err(invalid_field(name, message));
        }
        items.iter().map(|item| item.as_str().ok_or_else(|| wrong(item))).collect()
    }
}

/// Returns the error for a missing field.
pub(super) fn missing(name: &str, expected: &str) -> ApiError {
    ApiError::new(ErrorCode::MissingField, format!("{name} is required: {expected}")).with_param(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> JsonFields {
        JsonFields::read(body.as_bytes()).unwrap()
    }

    #[test]
    fn fields_have_one_type_and_errors_name_the_field() {
        let good = fields(r#"{"t": "", "f": false, "n": 7, "l": ["a"], "null": null}"#);
        assert_eq!((good.text("t"), good.flag("f")), (Ok(""), Ok(false)));
        assert_eq!((good.number("n", 7..=7), good.number("null", 1..=2)), (Ok(Some(7)), Ok(None)));
        assert_eq!((good.texts("l", 1), good.texts("none", 1)), (Ok(vec!["a"]), Ok(vec![])));
        for name in ["none", "null"] {
            assert_eq!(good.text(name).unwrap_err().code, ErrorCode::MissingField);
            assert_eq!(good.flag(name).unwrap_err().param.as_deref(), Some(name));
        }
        for value in ["7", "true", "[]", "{}"] {
            let wrong = fields(&format!(r#"{{"x": {value}}}"#));
            let error = wrong.text("x").unwrap_err();
            assert_eq!((error.code, error.param.as_deref()), (ErrorCode::InvalidField, Some("x")), "{value}");
        }
        for value in ["1", "\"true\"", "[true]"] {
            assert!(fields(&format!(r#"{{"x": {value}}}"#)).flag("x").is_err(), "{value}");
        }
        for value in ["0", "11", "-1", "1.5", "1e30", "\"5\"", "[5]", "true"] {
            let error = fields(&format!(r#"{{"x": {value}}}"#)).number("x", 1..=10).unwrap_err();
            assert!(error.message.contains("a whole number from 1 to 10"), "{value}: {}", error.message);
        }
        for value in ["\"a\"", "[1]", "[\"a\", null]", "{\"a\": 1}", "[\"a\", \"b\", \"c\"]"] {
            assert!(fields(&format!(r#"{{"x": {value}}}"#)).texts("x", 2).is_err(), "{value}");
        }
    }
}
