//! Request and response of `POST /v1/tokens`.

use serde::{Deserialize, Serialize};

use crate::{ApiError, fields};

/// Body of `POST /v1/tokens`. It has no fields yet and may be omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TokenRequest {}

impl TokenRequest {
    /// Parses a body: nothing, or a JSON object. The fields of the object are ignored, because none are defined.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        if !body.is_empty() {
            fields::object(body, "the body")?;
        }
        Ok(Self::default())
    }
}

/// Response of `POST /v1/tokens`: a single-use token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenAnswer {
    /// Token: `tok_` followed by 40 letters and digits. It is returned only in this response.
    pub token: String,
    /// Remaining lifetime, in milliseconds.
    pub expires_in_ms: u64,
    /// Expiry, in milliseconds since 1970.
    pub expires_at_ms: i64,
    /// Paths that the token grants access to; it is valid for a single request to one of these paths.
    pub opens: Vec<String>,
    /// Origins of web pages that may use the token, in addition to those of the server itself: `scheme://host[:port]`.
    pub origins: Vec<String>,
}

impl TokenAnswer {
    /// Paths that a token grants access to.
    pub const OPENS: [&str; 3] = ["/v1/tts/stream", "/v1/tts", "/v1/tts/timed"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn body_is_optional() {
        for body in ["", "{}", r#"{"later": 1}"#] {
            assert_eq!(TokenRequest::from_json(body.as_bytes()), Ok(TokenRequest {}), "{body}");
        }
        for body in ["{", "[]", "7"] {
            let error = TokenRequest::from_json(body.as_bytes()).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidJson, "{body}");
        }
    }

    #[test]
    fn answer_matches_the_documentation() {
        let answer = TokenAnswer {
            token: "tok_a".to_owned(),
            expires_in_ms: 60_000,
            expires_at_ms: 1_700_000_060_000,
            opens: TokenAnswer::OPENS.map(str::to_owned).to_vec(),
            origins: vec!["https://a.example".to_owned()],
        };
        let json = serde_json::to_value(&answer).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"token": "tok_a", "expires_in_ms": 60_000, "expires_at_ms": 1_700_000_060_000_i64,
                "opens": ["/v1/tts/stream", "/v1/tts", "/v1/tts/timed"], "origins": ["https://a.example"]})
        );
        assert_eq!(serde_json::from_value::<TokenAnswer>(json).unwrap(), answer);
    }
}
