//! `GET sessions` and `DELETE sessions/{id}`: the sessions of an account.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::store_error;
use shruti_store::{ListedSession, SessionId};

use super::Answer;
use super::session::SignedIn;
use super::signing_in::EmptyObject;

/// Prefix of the paths that contain a session ID.
pub(super) const SESSIONS_AT: &str = "/studio/api/sessions/";

#[derive(Serialize)]
pub(super) struct Sessions {
    /// Sessions, most recently used first.
    sessions: Vec<SessionAnswer>,
}

/// Session, as presented to the owner of the account.
#[derive(Serialize)]
struct SessionAnswer {
    id: String,
    /// Whether this is the session of the request.
    own: bool,
    /// Name of the browser; `null` if it is unknown.
    browser: Option<String>,
    /// Whether the session began with a sign-in link instead of a password.
    came_by_link: bool,
    created_ms: i64,
    /// Time of the last use, accurate to a minute.
    used_ms: i64,
}

impl From<ListedSession> for SessionAnswer {
    fn from(listed: ListedSession) -> Self {
        Self {
            id: listed.id.to_string(),
            own: listed.is_own,
            browser: listed.browser,
            came_by_link: listed.came_by_link,
            created_ms: listed.created_ms,
            used_ms: listed.used_ms,
        }
    }
}

/// Path parameter with a session ID.
pub(super) struct SessionIdPath(SessionId);

impl<S: Sync> FromRequestParts<S> for SessionIdPath {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let named = parts.uri.path().strip_prefix(SESSIONS_AT).and_then(SessionId::parse);
        Ok(Self(named.ok_or_else(no_such_session)?))
    }
}

pub(super) async fn list(State(app): State<Arc<App>>, signed_in: SignedIn) -> Answer<Json<Sessions>> {
    let listed = app.store.list_sessions(signed_in.hash, app.clock.now().wall_ms).await;
    let sessions = listed.map_err(|error| store_error(&error))?.into_iter().map(Into::into).collect();
    Ok(Json(Sessions { sessions }))
}

pub(super) async fn end(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    SessionIdPath(id): SessionIdPath,
) -> Answer<Json<EmptyObject>> {
    let ended = app.store.end_listed_session(signed_in.hash, id, app.clock.now().wall_ms).await;
    if !ended.map_err(|error| store_error(&error))? {
        return Err(no_such_session().into());
    }
    Ok(Json(EmptyObject {}))
}

fn no_such_session() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "this account has no such session; it may have ended")
}
