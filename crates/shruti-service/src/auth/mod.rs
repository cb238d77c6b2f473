//! Authentication of callers by API keys and by single-use tokens. Each token belongs to a key.

mod credentials;
mod tokens;

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use shruti_clock::Clock;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{
    AccessLock, KeyCache, KeyCheck, KeyPrefix, KeyRecord, Origin, Scope, SecretHash, SecretToken, Store,
    StoreError,
};

use crate::http::RequestOrigin;
use crate::http::errors::store_error;
use crate::traces::TraceOrigin;
pub use credentials::{Credentials, OTHER_TOKEN_PROTOCOL, bearer, offers_protocol, offers_token_protocol};
pub use tokens::issue_token;

/// Interval at which the key of a stream in progress is checked again. Changes by other processes are visible after at
/// most half a second, so a stream ends within two seconds of its key's revocation.
pub(crate) const REAUTHORIZE_EVERY: Duration = Duration::from_secs(1);

/// An authenticated caller.
#[derive(Debug)]
pub struct Caller {
    /// Key whose limits apply to the request and to which its usage is charged.
    pub key: Arc<KeyRecord>,
    /// Trace context of the request.
    pub(crate) origin: TraceOrigin,
    /// Hash of the single-use token of the request; `None` if the caller was authenticated in another way.
    token: Option<SecretHash>,
}

/// Authenticator for keys and tokens. Keys are cached in memory; tokens are read from the store.
pub struct Authenticator {
    keys: KeyCache,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl Authenticator {
    /// Creates an authenticator. `servers` is the number of servers that share the limits of each key.
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, servers: NonZero<u32>) -> Self {
        Self { keys: KeyCache::new(Arc::clone(&store)).of_servers(servers), store, clock }
    }

    /// Updates the cached keys from the store.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.keys.refresh(|| self.clock.now()).await
    }

    /// Returns whether recently used keys remain valid although the store is unavailable.
    pub fn is_trusted(&self) -> bool {
        self.keys.is_trusted(self.clock.now())
    }

    /// Updates the cached keys immediately. Called after this server has changed a key or its account.
    pub async fn take_over(&self) {
        self.keys.take_over(|| self.clock.now()).await;
    }

    /// Returns the caller of a request after checking the credentials, the scope of the key, and the origin of the page
    /// that sent the request.
    pub async fn authenticate(
        &self,
        parts: &Parts,
        credentials: Credentials<'_>,
        scope: Scope,
    ) -> Result<Caller, ApiError> {
        // if tracing is enabled, the router sets a trace context on every request
        let origin = parts.extensions.get::<TraceOrigin>().cloned().unwrap_or_default();
        let caller = match credentials {
            Credentials::Key(key) => Caller { key: self.valid_key(key).await?, origin, token: None },
            Credentials::Token(token) => {
                let token = SecretToken::parse(&token).ok_or_else(invalid_token)?.hash();
                let found = self.store.find_token(token, self.clock.now().wall_ms).await;
                let key = found.map_err(|error| store_error(&error))?.ok_or_else(invalid_token)?;
                Caller { key: Arc::new(key), origin, token: Some(token) }
            }
        };
        permit(parts, caller, scope)
    }

    /// Returns the caller of a signed request after checking the key that the request names: first whether `is_signed`
    /// accepts the key's hash, then everything that [`authenticate`](Self::authenticate) checks. An unknown key and a
    /// wrong signature return the same error.
    pub async fn authenticate_signed(
        &self,
        parts: &Parts,
        key: &KeyPrefix,
        is_signed: impl Fn(&SecretHash) -> bool,
        scope: Scope,
    ) -> Result<Caller, ApiError> {
        let origin = parts.extensions.get::<TraceOrigin>().cloned().unwrap_or_default();
        let check = self.keys.check_signed(key, is_signed, self.clock.now()).await;
        let key = match check.map_err(|error| store_error(&error))? {
            KeyCheck::Unknown => return Err(invalid_signature()),
            check => verdict(check)?,
        };
        permit(parts, Caller { key, origin, token: None }, scope)
    }

    /// Returns the caller for a key that the operator has configured for clients that cannot authenticate.
    pub async fn trusted(&self, key: &KeyPrefix, scope: Scope) -> Result<Caller, ApiError> {
        let check = self.keys.check_again(key, self.clock.now()).await;
        let key = verdict(check.map_err(|error| store_error(&error))?)?;
        require(&key, scope)?;
        Ok(Caller { key, origin: TraceOrigin::default(), token: None })
    }

    async fn valid_key(&self, key: &str) -> Result<Arc<KeyRecord>, ApiError> {
        let check = self.keys.check(key, self.clock.now()).await.map_err(|error| store_error(&error))?;
        verdict(check)
    }

    /// Consumes the caller's single-use token, if there is one.
    ///
    /// Call this last, when nothing else can refuse the request: a token whose request was refused before this call can
    /// be used again. Of several concurrent requests with the same token, only one succeeds.
    pub async fn spend_token(&self, caller: &Caller) -> Result<(), ApiError> {
        let Some(token) = caller.token else { return Ok(()) };
        let spent = self.store.consume_token(token, self.clock.now().wall_ms).await;
        spent.map_err(|error| store_error(&error))?.map(drop).ok_or_else(invalid_token)
    }

    /// Returns the current record of a stream's key if the key is still valid. If the store does not respond, returns
    /// `key`, because it was valid at the last check.
    pub(crate) async fn still_valid(&self, key: Arc<KeyRecord>) -> Result<Arc<KeyRecord>, ApiError> {
        match self.keys.check_again(&key.prefix, self.clock.now()).await {
            Ok(check) => verdict(check),
            Err(error) => {
                tracing::warn!(%error, "a key could not be rechecked");
                Ok(key)
            }
        }
    }

    /// Returns whether any valid key allows pages of an origin.
    pub async fn is_origin_allowed(&self, origin: &Origin) -> Result<bool, ApiError> {
        let allowed = self.keys.is_origin_allowed(origin, self.clock.now()).await;
        allowed.map_err(|error| store_error(&error))
    }
}

/// Returns the caller if its key has the scope and allows the origin of the request.
fn permit(parts: &Parts, caller: Caller, scope: Scope) -> Result<Caller, ApiError> {
    require(&caller.key, scope)?;
    let page = RequestOrigin::of(parts);
    if !page.may_use(&caller.key) {
        return Err(page.refused("the API key does not"));
    }
    Ok(caller)
}

/// Returns an error if a key lacks a scope.
fn require(key: &KeyRecord, scope: Scope) -> Result<(), ApiError> {
    if key.scopes.contains(&scope) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::InsufficientScope, format!("the API key lacks the scope '{scope}'")))
}

/// Returns the error for a wrong signature or an unknown key.
fn invalid_signature() -> ApiError {
    let message =
        "the URL is not signed with the key that it names; sign it again, and do not change it afterwards";
    ApiError::new(ErrorCode::InvalidSignature, message)
}

fn verdict(check: KeyCheck) -> Result<Arc<KeyRecord>, ApiError> {
    match check {
        KeyCheck::Valid(record) => Ok(record),
        KeyCheck::Unknown => {
            Err(ApiError::new(ErrorCode::InvalidApiKey, "the API key does not exist on this server"))
        }
        KeyCheck::Expired => Err(ApiError::new(ErrorCode::ExpiredApiKey, "the API key has expired")),
        KeyCheck::Revoked => Err(revoked_key()),
        KeyCheck::Locked(lock) => Err(access_locked(lock)),
    }
}

/// Returns the error for a key whose account is locked.
pub fn access_locked(lock: AccessLock) -> ApiError {
    let message = match lock {
        AccessLock::NoPromoCode => "the account has no access yet; redeem a promo code in the Studio",
        AccessLock::ByOperator => "the operator of this server locked the account",
    };
    ApiError::new(ErrorCode::AccessLocked, message)
}

/// Returns the error for a revoked key.
pub fn revoked_key() -> ApiError {
    ApiError::new(ErrorCode::RevokedApiKey, "the API key was revoked")
}

fn invalid_token() -> ApiError {
    ApiError::new(ErrorCode::InvalidToken, "the token is unknown, already used or expired; request a new one")
}
