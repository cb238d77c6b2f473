//! Error codes, their HTTP statuses and the error body.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Category of an error: the `type` field of the error body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ErrorType {
    /// The request is not valid.
    #[serde(rename = "invalid_request_error")]
    InvalidRequest,
    /// The caller is not authenticated.
    #[serde(rename = "authentication_error")]
    Authentication,
    /// The allowance is used up, or a promo code cannot be redeemed.
    #[serde(rename = "billing_error")]
    Billing,
    /// The caller is authenticated but not permitted to do this.
    #[serde(rename = "permission_error")]
    Permission,
    /// The request did not arrive in time.
    #[serde(rename = "timeout_error")]
    Timeout,
    /// The caller exceeds a rate limit or a concurrency limit.
    #[serde(rename = "rate_limit_error")]
    RateLimit,
    /// The server failed or cannot accept the request now.
    #[serde(rename = "server_error")]
    Server,
}

impl ErrorType {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request_error",
            Self::Authentication => "authentication_error",
            Self::Billing => "billing_error",
            Self::Permission => "permission_error",
            Self::Timeout => "timeout_error",
            Self::RateLimit => "rate_limit_error",
            Self::Server => "server_error",
        }
    }
}

macro_rules! codes {
    ($(
        $variant:ident $wire:literal $status:literal $kind:ident $retryable:literal
        $meaning:literal
        $remedy:literal;
    )*) => {
        /// Error codes of the service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ErrorCode {
            $(#[doc = $meaning] #[serde(rename = $wire)] $variant,)*
        }

        impl ErrorCode {
            /// All codes, in the order of their statuses.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)* }
            }

            /// Returns the HTTP status of the code.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// Returns the category of the code.
            pub const fn error_type(self) -> ErrorType {
                match self { $(Self::$variant => ErrorType::$kind,)* }
            }

            /// Returns whether the same request can succeed later without a change.
            pub const fn retryable(self) -> bool {
                match self { $(Self::$variant => $retryable,)* }
            }

            /// Returns the meaning of the code, as a sentence for the documentation.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// Returns the action with which the caller can resolve the error, as a sentence for the documentation.
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$variant => $remedy,)* }
            }

            /// Returns the path of the code's documentation on the server.
            pub const fn doc_url(self) -> &'static str {
                match self { $(Self::$variant => concat!("/docs/errors#", $wire),)* }
            }
        }
    };
}

codes! {
    InvalidJson "invalid_json" 400 InvalidRequest false
        "The body is not a JSON object in UTF-8."
        "Send one JSON object; the message names the line and column where reading stopped. A `\\u` escape of half a \
         surrogate pair is not valid.";
    MissingField "missing_field" 400 InvalidRequest false
        "A required field is absent or null."
        "Add the field that `param` names.";
    InvalidField "invalid_field" 400 InvalidRequest false
        "A field has the wrong type or is outside its range."
        "Correct the field that `param` names; the message says what is accepted.";
    UnknownVoice "unknown_voice" 400 InvalidRequest false
        "No voice has this name."
        "Use a name that `GET /v1/voices` lists.";
    UnsupportedLanguage "unsupported_language" 400 InvalidRequest false
        "No language has this name."
        "Use a code or a name from `GET /v1/languages`, or omit `language`.";
    EmptyText "empty_text" 400 InvalidRequest false
        "The text contains nothing that can be spoken."
        "Send text with letters or digits; white space, emoji and markup alone are silent.";
    HttpsRequired "https_required" 400 InvalidRequest false
        "The port speaks HTTPS, but the request was plain HTTP."
        "Use `https://`, or `wss://` for a conversation.";
    MalformedRequest "malformed_request" 400 InvalidRequest false
        "The request is not valid HTTP/1.1 (RFC 9112), or its host is missing, ambiguous or not a host name of the \
         server."
        "Check the proxies between your program and the server; HTTP libraries send valid requests. The operator \
         configures the server's host names with `--public-url` or `--allow-hosts`.";
    MissingApiKey "missing_api_key" 401 Authentication false
        "The request has no API key."
        "Send `Authorization: Bearer <API_KEY>`. A key in a URL is not accepted.";
    InvalidApiKey "invalid_api_key" 401 Authentication false
        "The API key does not exist on this server."
        "Check the key; `shruti keys create` creates a new one.";
    ExpiredApiKey "expired_api_key" 401 Authentication false
        "The API key has expired."
        "Create a new key.";
    RevokedApiKey "revoked_api_key" 401 Authentication false
        "The API key was revoked."
        "Create a new key.";
    InvalidToken "invalid_token" 401 Authentication false
        "The single-use token is unknown, already used or older than 60 seconds."
        "Request a new token with your key for each connection.";
    InvalidSignature "invalid_signature" 401 Authentication false
        "The URL of a clip is not signed with the key that it names, or that key does not exist."
        "Sign the URL again with `shruti sign` or an SDK, and use it without changes.";
    ExpiredUrl "expired_url" 401 Authentication false
        "The URL of a clip has expired."
        "Sign a new URL.";
    NotSignedIn "not_signed_in" 401 Authentication false
        "The browser is not signed in to the Studio, or its session has expired."
        "Sign in. The Studio's own API requires a browser session and does not accept API keys.";
    WrongCredentials "wrong_credentials" 401 Authentication false
        "The e-mail address or the password is wrong."
        "Check both. The operator can reset a forgotten password: `shruti accounts reset-password`.";
    InvalidLink "invalid_link" 401 Authentication false
        "The link is unknown, already used or expired: a sign-in link is valid for an hour, a confirmation link for a \
         day."
        "Request another link on the page Forgotten password or on the page Account. If the server does not send \
         mails, ask the operator.";
    QuotaExhausted "quota_exhausted" 402 Billing false
        "The rest of the account's monthly allowance or of the key's monthly cap does not cover the text."
        "Wait for the next month, whose start the message names, or increase the allowance.";
    AccessLocked "access_locked" 403 Permission false
        "The account is locked: no promo code has been redeemed yet, or the operator locked it."
        "Redeem a promo code in the Studio; if you have already redeemed one, ask the operator.";
    EmailNotVerified "email_not_verified" 403 Permission false
        "The e-mail address of the account is not confirmed, which this server requires before keys can be created \
         and promo codes redeemed."
        "Open the link in the confirmation mail; the Studio's page Account can send another one.";
    InsufficientScope "insufficient_scope" 403 Permission false
        "The API key does not have the required scope."
        "Use a key with the scope that the message names.";
    OriginNotAllowed "origin_not_allowed" 403 Permission false
        "The key does not allow the web page's origin, or the Studio's own API was not called by its pages."
        "Create a key for the origin: `shruti keys create --origin ORIGIN`. If the server is behind a proxy, \
         configure it to forward `Host`.";
    NotFound "not_found" 404 InvalidRequest false
        "The path does not exist."
        "Check the path; the path for speech is `POST /v1/tts`.";
    MethodNotAllowed "method_not_allowed" 405 InvalidRequest false
        "The path does not support this method."
        "Use a method that the `Allow` header lists.";
    NotAcceptable "not_acceptable" 406 InvalidRequest false
        "The server supports none of the formats that the `Accept` header allows."
        "Accept `audio/L16`, `audio/pcm`, `audio/wav`, `audio/mpeg`, `audio/ogg`, `audio/basic` or \
         `audio/x-alaw-basic`, omit the header, or set `output_format`.";
    RequestTimeout "request_timeout" 408 Timeout true
        "The request did not arrive in time."
        "Send it again, without pauses: 10 seconds for the head, 30 for the body.";
    AlreadyRedeemed "already_redeemed" 409 Billing false
        "This account has already redeemed the promo code."
        "No action is needed; an account can redeem a code only once.";
    TooManyKeys "too_many_keys" 409 InvalidRequest false
        "The account has reached its maximum number of keys."
        "Revoke a key that is no longer used.";
    PromoExpired "promo_expired" 410 Billing false
        "The promo code has expired."
        "Ask for another code.";
    PromoExhausted "promo_exhausted" 410 Billing false
        "The promo code has reached its maximum number of redemptions."
        "Ask for another code.";
    LexiconChanged "lexicon_changed" 412 InvalidRequest false
        "The lexicon no longer has the version that `If-Match` names: it has been changed in the meantime."
        "Read the current lexicon, apply your change to it, and send the result.";
    TextTooLong "text_too_long" 413 InvalidRequest false
        "The text is longer than 5,000 characters."
        "Split the text at the end of a sentence and send the parts one after another.";
    BodyTooLarge "body_too_large" 413 InvalidRequest false
        "The body is larger than 64 KiB."
        "Send a smaller body.";
    UnsupportedMediaType "unsupported_media_type" 415 InvalidRequest false
        "The body is not declared as JSON in UTF-8."
        "Send `content-type: application/json`, without a content encoding.";
    RangeNotSatisfiable "range_not_satisfiable" 416 InvalidRequest false
        "The byte range begins after the end of the clip."
        "Request a range within the length that `Content-Range` names, or omit `Range`.";
    WebsocketRequired "websocket_required" 426 InvalidRequest false
        "The path supports only WebSocket."
        "Open it with a WebSocket client, or use `POST /v1/tts`.";
    RateLimited "rate_limited" 429 RateLimit true
        "The key, or the visitor of the Studio, exceeds its rate limit."
        "Wait for the time in `Retry-After`.";
    ConcurrencyLimited "concurrency_limited" 429 RateLimit true
        "The key has reached its maximum number of concurrent streams."
        "Wait until one of them ends.";
    QueueFull "queue_full" 429 RateLimit true
        "The conversation has reached its maximum number of queued turns."
        "Wait until one of them has ended, or cancel one.";
    HeadTooLarge "head_too_large" 431 InvalidRequest false
        "The request's head, that is, its path and headers, is larger than 16 KiB or has more than 100 headers."
        "Send fewer or shorter headers. Browsers also send cookies of other services on the same host.";
    Internal "internal" 500 Server true
        "An internal error occurred."
        "Try again; if the error persists, report the `request_id`.";
    Overloaded "overloaded" 503 Server true
        "The server is at capacity, or its database or the back end of the voice is unavailable at the moment."
        "Try again after the time in `Retry-After`.";
    Draining "draining" 503 Server true
        "The server is shutting down and does not accept new work."
        "Try again; another instance or the restarted server will respond.";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error that is not yet associated with a request. With a request ID, it becomes an [`ErrorBody`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ApiError {
    /// Code of the error.
    pub code: ErrorCode,
    /// Human-readable message that states what is wrong and what is valid. Never contains internal details, a key or a
    /// file name.
    pub message: String,
    /// Field that is missing or invalid: `lexicon.AIIMS` for an entry of the lexicon.
    pub param: Option<String>,
    /// Delay until a retry makes sense, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Base URL of the server that documents the code, such as `https://tts.example`. If it is `None`,
    /// [`ApiError::doc_url`] returns a path.
    pub docs_at: Option<String>,
}

impl ApiError {
    /// Creates an error without a field and without a retry delay.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), param: None, retry_after_ms: None, docs_at: None }
    }

    /// Sets the field that is missing or invalid.
    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Sets the delay until a retry makes sense, in milliseconds.
    #[must_use]
    pub fn with_retry_after_ms(mut self, milliseconds: u64) -> Self {
        self.retry_after_ms = Some(milliseconds);
        self
    }

    /// Sets the base URL of the server that documents the code.
    #[must_use]
    pub fn with_docs_at(mut self, server: Option<&str>) -> Self {
        self.docs_at = server.map(str::to_owned);
        self
    }

    /// Returns the address of the code's documentation: a URL, or a path on the server.
    pub fn doc_url(&self) -> String {
        format!("{}{}", self.docs_at.as_deref().unwrap_or_default(), self.code.doc_url())
    }

    /// Converts the error into a response body.
    pub fn into_body(self, request_id: impl Into<String>) -> ErrorBody {
        let doc_url = self.doc_url();
        ErrorBody {
            error: ErrorDetail {
                error_type: self.code.error_type(),
                code: self.code,
                message: self.message,
                param: self.param,
                retryable: self.code.retryable(),
                retry_after_ms: self.retry_after_ms,
                request_id: request_id.into(),
                doc_url,
            },
        }
    }
}

/// Body of every failed request, and the `error` of WebSocket messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorDetail,
}

/// Details of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorDetail {
    /// Category of the error.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Code of the error.
    pub code: ErrorCode,
    /// Human-readable message that states what is wrong and what is valid.
    pub message: String,
    /// Field that is missing or invalid.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub param: Option<String>,
    /// Whether the same request can succeed later without a change.
    pub retryable: bool,
    /// Delay until a retry makes sense, in milliseconds.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub retry_after_ms: Option<u64>,
    /// ID of the request, as in the `x-request-id` header.
    pub request_id: String,
    /// Address of the code's documentation: a URL, or a path on the server if the request named no host.
    pub doc_url: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The API contract. Each row contains HTTP statuses, a category and error codes. The statuses belong to the codes
    /// in order; any remaining codes have the first status of the row.
    const CONTRACT: &[(&[u16], &str, &[&str])] = &[
        (
            &[400],
            "invalid_request_error",
            &[
                "invalid_json",
                "missing_field",
                "invalid_field",
                "unknown_voice",
                "unsupported_language",
                "empty_text",
                "https_required",
                "malformed_request",
            ],
        ),
        (
            &[401],
            "authentication_error",
            &[
                "missing_api_key",
                "invalid_api_key",
                "expired_api_key",
                "revoked_api_key",
                "invalid_token",
                "not_signed_in",
                "wrong_credentials",
                "invalid_link",
                "invalid_signature",
                "expired_url",
            ],
        ),
        (&[402], "billing_error", &["quota_exhausted"]),
        (
            &[403],
            "permission_error",
            &["access_locked", "email_not_verified", "insufficient_scope", "origin_not_allowed"],
        ),
        (
            &[404, 405, 406, 415, 426],
            "invalid_request_error",
            &[
                "not_found",
                "method_not_allowed",
                "not_acceptable",
                "unsupported_media_type",
                "websocket_required",
            ],
        ),
        (&[408], "timeout_error", &["request_timeout"]),
        (&[409], "invalid_request_error", &["too_many_keys"]),
        (&[409, 410, 410], "billing_error", &["already_redeemed", "promo_expired", "promo_exhausted"]),
        (&[412], "invalid_request_error", &["lexicon_changed"]),
        (&[413], "invalid_request_error", &["text_too_long", "body_too_large"]),
        (&[416], "invalid_request_error", &["range_not_satisfiable"]),
        (&[429], "rate_limit_error", &["rate_limited", "concurrency_limited", "queue_full"]),
        (&[431], "invalid_request_error", &["head_too_large"]),
        (&[500, 503, 503], "server_error", &["internal", "overloaded", "draining"]),
    ];

    #[test]
    fn codes_match_the_contract() {
        let mut count = 0;
        for (statuses, error_type, codes) in CONTRACT {
            for (i, wire) in codes.iter().enumerate() {
                let code: ErrorCode = serde_json::from_str(&format!("\"{wire}\"")).unwrap();
                let status = statuses.get(i).or(statuses.first()).copied().unwrap();
                assert_eq!(code.status(), status, "{wire}");
                assert_eq!(code.error_type().as_str(), *error_type, "{wire}");
                assert_eq!(code.as_str(), *wire);
                assert_eq!(code.doc_url(), format!("/docs/errors#{wire}"));
                count += 1;
            }
        }
        assert_eq!(count, ErrorCode::ALL.len());
    }

    #[test]
    fn only_temporary_errors_are_retryable() {
        for code in ErrorCode::ALL {
            assert_eq!(code.retryable(), matches!(code.status(), 408 | 429 | 500 | 503), "{code}");
        }
    }

    #[test]
    fn body_matches_the_contract() {
        let error = ApiError::new(ErrorCode::TextTooLong, "text has 6120 characters; the limit is 5000")
            .with_param("text");
        let json = serde_json::to_string(&error.into_body("req_1")).unwrap();
        assert_eq!(
            json,
            "{\"error\":{\"type\":\"invalid_request_error\",\"code\":\"text_too_long\",\
             \"message\":\"text has 6120 characters; the limit is 5000\",\"param\":\"text\",\
             \"retryable\":false,\"retry_after_ms\":null,\"request_id\":\"req_1\",\
             \"doc_url\":\"/docs/errors#text_too_long\"}}"
        );
        let read: ErrorBody = serde_json::from_str(&json).unwrap();
        assert_eq!(read.error.code, ErrorCode::TextTooLong);
        let elsewhere = ApiError::new(ErrorCode::EmptyText, "a").with_docs_at(Some("https://tts.example"));
        assert_eq!(elsewhere.into_body("req_1").error.doc_url, "https://tts.example/docs/errors#empty_text");
    }

    #[test]
    fn retry_after_round_trips() {
        let error = ApiError::new(ErrorCode::Overloaded, "busy").with_retry_after_ms(1_000);
        let body = error.into_body("req_2");
        assert!(body.error.retryable);
        assert_eq!(serde_json::to_value(&body).unwrap()["error"]["retry_after_ms"], 1_000);
    }
}
