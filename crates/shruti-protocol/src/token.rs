//! `POST /v1/tokens`: what is sent and what is answered.

use serde::{Deserialize, Serialize};

use crate::{ApiError, fields};

/// The body of `POST /v1/tokens`. There is nothing to choose yet: it may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TokenRequest {}

impl TokenRequest {
    /// Reads a body: nothing at all, or a JSON object whose fields are not known and so ignored.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        if !body.is_empty() {
            fields::object(body, "the body")?;
        }
        Ok(Self::default())
    }
}

/// The answer of `POST /v1/tokens`: a token that is good once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenAnswer {
    /// The token: `tok_` and 40 letters and digits. It is shown only here.
    pub token: String,
    /// How long it can be used, in milliseconds from now.
    pub expires_in_ms: u64,
    /// When it stops, in milliseconds since 1970.
    pub expires_at_ms: i64,
    /// The paths it is good for: one request to one of them.
    pub opens: Vec<String>,
    /// The web pages that may use it, beside those of the server itself: `scheme://host[:port]`.
    pub origins: Vec<String>,
}

impl TokenAnswer {
    /// The paths that a token is good for.
    pub const OPENS: [&str; 3] = ["/v1/tts/stream", "/v1/tts", "/v1/tts/timed"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn the_body_may_be_left_out() {
        for body in ["", "{}", r#"{"later": 1}"#] {
            assert_eq!(TokenRequest::from_json(body.as_bytes()), Ok(TokenRequest {}), "{body}");
        }
        for body in ["{", "[]", "7"] {
            let error = TokenRequest::from_json(body.as_bytes()).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidJson, "{body}");
        }
    }

    #[test]
    fn the_answer_is_the_documented_one() {
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
