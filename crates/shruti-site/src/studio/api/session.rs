//! Session cookie and the extractors that read it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::response::{IntoResponse, IntoResponseParts, ResponseParts};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::store_error;
use shruti_store::{NewSession, SecretHash, Session, SessionSecret};

/// Name of the cookie. Browsers accept the prefix `__Host-` (RFC 6265bis, §4.1.3) only over HTTPS or from localhost,
/// and only for this host and all its paths. Therefore neither plain HTTP nor a sibling host (`evil.example.org` next
/// to `tts.example.org`) can set a session cookie.
const NAME: &str = "__Host-shruti_studio";

/// Hash of the session secret in a request; `None` if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionCookie(pub(super) Option<SecretHash>);

impl SessionCookie {
    fn of(headers: &HeaderMap) -> Self {
        // HTTP/2 may split cookies into several header fields
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut found = pairs.filter(|(name, _)| *name == NAME).map(|(_, value)| value);
        // a browser sends one cookie; with two, it is unknown which one belongs to the visitor
        let only = found.next().filter(|_| found.next().is_none());
        Self(only.and_then(SessionSecret::parse).map(|secret| secret.hash()))
    }
}

impl<S: Sync> FromRequestParts<S> for SessionCookie {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

/// A signed-in request. Any other request is rejected with `not_signed_in`.
pub(super) struct SignedIn {
    /// The session, with the current state of its account.
    pub(super) session: Session,
    /// Hash that identifies the session in the store.
    pub(super) hash: SecretHash,
}

impl SignedIn {
    async fn find(app: &App, parts: &Parts) -> Result<Option<Self>, ApiError> {
        let Some(hash) = SessionCookie::of(&parts.headers).0 else { return Ok(None) };
        let found = app.store.find_session(hash, app.clock.now().wall_ms).await;
        Ok(found.map_err(|error| store_error(&error))?.map(|session| Self { session, hash }))
    }
}

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        Ok(Self::find(app, parts).await?.ok_or_else(not_signed_in)?)
    }
}

impl OptionalFromRequestParts<Arc<App>> for SignedIn {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Option<Self>, ErrorResponse> {
        Ok(Self::find(app, parts).await?)
    }
}

pub(super) fn not_signed_in() -> ApiError {
    ApiError::new(ErrorCode::NotSignedIn, "not signed in, or the session has expired; sign in")
}

/// Change to the session cookie in a response.
pub(super) enum Cookie {
    /// Sets the cookie to the secret of a new session, for the maximum lifetime of a session.
    Set(Box<NewSession>),
    /// Removes the cookie.
    Clear,
}

impl Cookie {
    fn text(&self) -> String {
        let (secret, seconds) = match self {
            Self::Set(new) => {
                let life_ms = new.session.ends_ms.saturating_sub(new.session.created_ms);
                (new.secret.reveal(), life_ms / 1_000)
            }
            Self::Clear => ("", 0),
        };
        format!("{NAME}={secret}; Path=/; Max-Age={seconds}; HttpOnly; Secure; SameSite=Lax")
    }
}

impl IntoResponseParts for Cookie {
    type Error = Infallible;

    fn into_response_parts(self, mut response: ResponseParts) -> Result<ResponseParts, Infallible> {
        // this cannot fail, because the text consists only of letters, digits and punctuation that are valid in a
        // header
        if let Ok(mut value) = HeaderValue::from_str(&self.text()) {
            value.set_sensitive(true);
            response.headers_mut().append(header::SET_COOKIE, value);
        }
        Ok(response)
    }
}

impl IntoResponse for Cookie {
    fn into_response(self) -> axum::response::Response {
        (self, ()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_session_cookie_is_accepted() {
        let (one, other) = (SessionSecret::generate().unwrap(), SessionSecret::generate().unwrap());
        let (one, other) = (one.reveal(), other.reveal());
        let presented = |lines: &[&str]| {
            let lines = lines.iter().map(|line| (header::COOKIE, line.parse().unwrap()));
            SessionCookie::of(&lines.collect()).0
        };
        let hash = SessionSecret::parse(one).map(|secret| secret.hash());
        for lines in [
            vec![format!("{NAME}={one}")],
            vec![format!("a=b; {NAME}={one}; c=d=e")],
            vec!["a=b".to_owned(), format!("{NAME}={one}")],
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(presented(&lines), hash, "{lines:?}");
        }
        for lines in [
            vec![],
            vec![String::new()],
            vec![format!("{NAME}=")],
            vec![format!("{NAME}={one}x")],
            vec![format!("{NAME}=\"{one}\"")],
            vec![format!("x{NAME}={one}")],
            vec![format!("shruti_studio={one}")],
            vec![format!("{NAME}={one}; {NAME}={one}")],
            vec![format!("{NAME}={one}; {NAME}={other}")],
            vec![format!("{NAME}={other}"), format!("{NAME}={one}")],
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(presented(&lines), None, "{lines:?}");
        }
    }
}
