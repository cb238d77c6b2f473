//! Keys and tokens in the headers, query parameters and subprotocols that clients of other services use.

use http::request::Parts;
use shruti_protocol::ApiError;
use shruti_service::auth::Credentials;
use shruti_service::authorized::Access;
use shruti_store::Scope;

/// Access with a key, or with a token that is valid for one clip or one connection.
pub(crate) struct ToSpeak;

impl Access for ToSpeak {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::of_other_clients(parts)
    }
}

/// Access with a key, for requests that are not charged.
pub(crate) struct ToLook;

impl Access for ToLook {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = false;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::of_other_clients(parts)
    }
}
