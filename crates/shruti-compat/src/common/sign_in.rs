//! Keys and tokens where clients of other services put them.

use http::request::Parts;
use shruti_protocol::ApiError;
use shruti_service::auth::Credentials;
use shruti_service::authorized::Access;
use shruti_store::Scope;

/// A key, or a token that pays for one clip or opens one connection.
pub(crate) struct ToSpeak;

impl Access for ToSpeak {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::of_other_clients(parts)
    }
}

/// A key, for what costs nothing.
pub(crate) struct ToLook;

impl Access for ToLook {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = false;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::of_other_clients(parts)
    }
}
