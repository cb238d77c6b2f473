//! Who is calling: a key, or a single-use token that a key answers for.

mod origin;
mod presented;

use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{AccessLock, KeyCheck, KeyRecord, Scope, SecretHash, SecretToken, StoreError};

use crate::app::App;
use crate::failure::internal;
pub(crate) use origin::Page;
pub(crate) use presented::{Presented, bearer, offers_protocol};

/// How often the key of a speech in progress is judged. What another process has changed is seen half a second later at
/// the latest, so a speech ends within two seconds of its key.
pub(crate) const JUDGE_EVERY: Duration = Duration::from_secs(1);

/// Who is calling.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The key that answers for the request: its limits hold, its usage grows.
    pub(crate) key: Arc<KeyRecord>,
    /// The token that will be used up.
    token: Option<SecretHash>,
}

impl Caller {
    /// Uses up the token of a caller that came with one.
    ///
    /// This comes last, when nothing else can refuse the request: a token that was refused for another reason can be
    /// used again. Of several requests with one token only one gets past here.
    pub(crate) async fn spend_token(&self, app: &App) -> Result<(), ApiError> {
        let Some(token) = self.token else { return Ok(()) };
        let spent = app.store.consume_token(token, app.clock.now().wall_ms).await;
        spent.map_err(|error| not_checked(&error))?.map(drop).ok_or_else(invalid_token)
    }
}

/// Judges what a request presents: whether it is valid, holds the scope, and may be used by the page it comes from.
pub(crate) async fn sign_in(
    app: &App,
    parts: &Parts,
    presented: Presented<'_>,
    scope: Scope,
) -> Result<Caller, ApiError> {
    let caller = match presented {
        Presented::Key(key) => Caller { key: valid_key(app, key).await?, token: None },
        Presented::Token(token) => {
            let token = SecretToken::parse(&token).ok_or_else(invalid_token)?.hash();
            let found = app.store.find_token(token, app.clock.now().wall_ms).await;
            let key = found.map_err(|error| not_checked(&error))?.ok_or_else(invalid_token)?;
            Caller { key: Arc::new(key), token: Some(token) }
        }
    };
    if !caller.key.scopes.contains(&scope) {
        let message = format!("the API key lacks the scope '{scope}'");
        return Err(ApiError::new(ErrorCode::InsufficientScope, message));
    }
    if !Page::of(parts).may_use(&caller.key) {
        let message = "the page's origin is not among those that the key allows";
        return Err(ApiError::new(ErrorCode::OriginNotAllowed, message));
    }
    Ok(caller)
}

async fn valid_key(app: &App, presented: &str) -> Result<Arc<KeyRecord>, ApiError> {
    let check = app.keys.check(presented, app.clock.now()).await.map_err(|error| not_checked(&error))?;
    verdict(check)
}

/// The key of a speech in progress as it is now, if it is still good for more. A store that does not answer has vouched
/// for it before: it stays as it was.
pub(crate) async fn still_valid(app: &App, key: Arc<KeyRecord>) -> Result<Arc<KeyRecord>, ApiError> {
    match app.keys.check_again(&key.prefix, app.clock.now()).await {
        Ok(check) => verdict(check),
        Err(error) => {
            tracing::warn!(%error, "a key could not be checked again");
            Ok(key)
        }
    }
}

fn verdict(check: KeyCheck) -> Result<Arc<KeyRecord>, ApiError> {
    match check {
        KeyCheck::Valid(record) => Ok(record),
        KeyCheck::Unknown => {
            Err(ApiError::new(ErrorCode::InvalidApiKey, "the API key is not one of this server's"))
        }
        KeyCheck::Expired => Err(ApiError::new(ErrorCode::ExpiredApiKey, "the API key has expired")),
        KeyCheck::Revoked => Err(revoked_key()),
        KeyCheck::Locked(lock) => Err(access_locked(lock)),
    }
}

pub(crate) fn access_locked(lock: AccessLock) -> ApiError {
    let message = match lock {
        AccessLock::NoPromoCode => "the account has no access yet; redeem a promo code in the Studio",
        AccessLock::ByOperator => "the account was locked by the operator of this server",
    };
    ApiError::new(ErrorCode::AccessLocked, message)
}

pub(crate) fn revoked_key() -> ApiError {
    ApiError::new(ErrorCode::RevokedApiKey, "the API key was revoked")
}

fn invalid_token() -> ApiError {
    ApiError::new(ErrorCode::InvalidToken, "the token is unknown, used or too old; fetch a new one")
}

/// The error for a store that did not answer.
pub(crate) fn not_checked(error: &StoreError) -> ApiError {
    let (code, message) = match error {
        StoreError::Busy => (ErrorCode::Overloaded, "the server is busy; try again"),
        StoreError::Locked => {
            tracing::warn!(%error, "a request was refused");
            (ErrorCode::Overloaded, "the server's database is held by another program; try again")
        }
        StoreError::PasswordsWait => {
            (ErrorCode::RateLimited, "too many passwords are being checked; nothing was tried")
        }
        StoreError::Disk { .. } => {
            tracing::warn!(%error, "a request was refused");
            (
                ErrorCode::Overloaded,
                "the server's database cannot be used at the moment; its operator sees why",
            )
        }
        other => {
            tracing::error!(error = %other, "the store did not answer");
            return internal();
        }
    };
    ApiError::new(code, message).with_retry_after_ms(1_000)
}
