//! Who is calling: a key, or a single-use token that a key answers for.

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
pub(crate) use credentials::KEY_HEADERS;
pub use credentials::{Credentials, OTHER_TOKEN_PROTOCOL, bearer, offers_protocol, offers_token_protocol};
pub use tokens::issue_token;

/// How often the key of a speech in progress is checked again. What another process has changed is seen half a second
/// later at
/// the latest, so a speech ends within two seconds of its key.
pub(crate) const REAUTHORIZE_EVERY: Duration = Duration::from_secs(1);

/// Who is calling.
#[derive(Debug)]
pub struct Caller {
    /// The key that answers for the request: its limits hold, its usage grows.
    pub key: Arc<KeyRecord>,
    /// What the request has to do with traces.
    pub(crate) origin: TraceOrigin,
    /// The token that will be used up.
    token: Option<SecretHash>,
}

/// Authenticates callers: by keys that are kept in memory, and tokens of the store.
pub struct Authenticator {
    keys: KeyCache,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl Authenticator {
    /// `servers`: how many share the limits of each key.
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, servers: NonZero<u32>) -> Self {
        Self { keys: KeyCache::new(Arc::clone(&store)).of_servers(servers), store, clock }
    }

    /// Brings the keys in memory up to what the store has.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.keys.refresh(|| self.clock.now()).await
    }

    /// Whether keys that were used lately go on although the store is away.
    pub fn is_trusted(&self) -> bool {
        self.keys.is_trusted(self.clock.now())
    }

    /// Brings them up to date at once, after a change of this server's own.
    pub async fn take_over(&self) {
        self.keys.take_over(|| self.clock.now()).await;
    }

    /// Checks what a request presents: whether it is valid, holds the scope, and may be used by the page it comes from.
    pub async fn authenticate(
        &self,
        parts: &Parts,
        credentials: Credentials<'_>,
        scope: Scope,
    ) -> Result<Caller, ApiError> {
        // the router gives one to every request where anything is traced
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

    /// Checks the key that a signed request names: whether `is_signed` finds the request signed with its hash, and then
    /// all that [`authenticate`](Self::authenticate) checks. An unknown key and a wrong signature are one error.
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

    /// The caller of a key that the operator has named to answer for clients that cannot sign in.
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

    /// Uses up the token of a caller that came with one.
    ///
    /// This comes last, when nothing else can refuse the request: a token that was refused for another reason can be
    /// used again. Of several requests with one token only one gets past here.
    pub async fn spend_token(&self, caller: &Caller) -> Result<(), ApiError> {
        let Some(token) = caller.token else { return Ok(()) };
        let spent = self.store.consume_token(token, self.clock.now().wall_ms).await;
        spent.map_err(|error| store_error(&error))?.map(drop).ok_or_else(invalid_token)
    }

    /// The key of a speech in progress as it is now, if it is still good for more. A store that does not answer has
    /// vouched for it before: it stays as it was.
    pub(crate) async fn still_valid(&self, key: Arc<KeyRecord>) -> Result<Arc<KeyRecord>, ApiError> {
        match self.keys.check_again(&key.prefix, self.clock.now()).await {
            Ok(check) => verdict(check),
            Err(error) => {
                tracing::warn!(%error, "a key could not be checked again");
                Ok(key)
            }
        }
    }

    /// Whether any valid key allows pages of an origin.
    pub async fn is_origin_allowed(&self, origin: &Origin) -> Result<bool, ApiError> {
        let allowed = self.keys.is_origin_allowed(origin, self.clock.now()).await;
        allowed.map_err(|error| store_error(&error))
    }
}

/// The caller, if its key holds the scope and may be used by the page that the request comes from.
fn permit(parts: &Parts, caller: Caller, scope: Scope) -> Result<Caller, ApiError> {
    require(&caller.key, scope)?;
    let page = RequestOrigin::of(parts);
    if !page.may_use(&caller.key) {
        return Err(page.refused("the API key does not"));
    }
    Ok(caller)
}

/// Fails unless a key holds a scope.
fn require(key: &KeyRecord, scope: Scope) -> Result<(), ApiError> {
    if key.scopes.contains(&scope) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::InsufficientScope, format!("the API key lacks the scope '{scope}'")))
}

/// A signature that is not that of the key, or a key that does not exist.
fn invalid_signature() -> ApiError {
    let message =
        "the URL is not signed with the key that it names; sign it anew, and change nothing afterwards";
    ApiError::new(ErrorCode::InvalidSignature, message)
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

/// The account of the key may not make speech.
pub fn access_locked(lock: AccessLock) -> ApiError {
    let message = match lock {
        AccessLock::NoPromoCode => "the account has no access yet; redeem a promo code in the Studio",
        AccessLock::ByOperator => "the account was locked by the operator of this server",
    };
    ApiError::new(ErrorCode::AccessLocked, message)
}

/// The key was revoked.
pub fn revoked_key() -> ApiError {
    ApiError::new(ErrorCode::RevokedApiKey, "the API key was revoked")
}

fn invalid_token() -> ApiError {
    ApiError::new(ErrorCode::InvalidToken, "the token is unknown, used or too old; fetch a new one")
}
