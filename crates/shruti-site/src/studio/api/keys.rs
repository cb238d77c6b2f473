//! `keys`: create, list, rename, rotate, revoke.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::Serialize;
use shruti_protocol::fields::{invalid_field, quoted};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::store_error;
use shruti_store::{
    Account, Actor, CreatedKey, Day, InvalidOrigin, KeyCreation, KeyLimits, KeyPrefix, KeyRecord, KeySpec,
    MAX_KEYS, Month, Origin, Revocation, Rotation, Scope, UnknownScope,
};

use super::json_fields::{JsonFields, missing};
use super::session::{SignedIn, not_signed_in};
use super::{Answer, verification};

/// Limits of keys that accounts create: 10 requests per second with a burst of 20, and 20 streams.
pub(super) const ACCOUNT_KEY_LIMITS: KeyLimits =
    KeyLimits { rate: Some(10.0), burst: Some(20), streams: Some(20) };
const MAX_NAME_CHARS: usize = 64;
/// Maximum number of origins per key.
const MAX_ORIGINS: usize = 20;
const MAX_DAYS: u64 = 3_650;
const MAX_CAP: u64 = 1_000_000_000_000;
const MAX_OVERLAP_HOURS: u64 = 30 * 24;
const MS_PER_HOUR: u64 = 3_600_000;
const MS_PER_DAY: u64 = 24 * MS_PER_HOUR;

/// API key, as presented to its owner.
#[derive(Serialize)]
pub(super) struct KeyAnswer {
    prefix: String,
    name: String,
    scopes: Vec<&'static str>,
    origins: Vec<String>,
    created_ms: i64,
    expires_ms: Option<i64>,
    revoked_ms: Option<i64>,
    last_used_ms: Option<i64>,
    /// Number of characters in this month whose audio was sent.
    chars_this_month: u64,
    monthly_cap: Option<u64>,
    /// The key itself, only in the response to the request that creates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl KeyAnswer {
    fn of(record: KeyRecord, chars_this_month: u64) -> Self {
        Self {
            prefix: record.prefix.to_string(),
            name: record.name,
            scopes: record.scopes.into_iter().map(Scope::as_str).collect(),
            origins: record.origins.iter().map(Origin::to_string).collect(),
            created_ms: record.created_ms,
            expires_ms: record.expires_ms,
            revoked_ms: record.revoked_ms,
            last_used_ms: record.last_used_ms,
            chars_this_month,
            monthly_cap: record.monthly_cap,
            secret: None,
        }
    }

    fn new(created: CreatedKey) -> Self {
        Self { secret: Some(created.secret.reveal().to_owned()), ..Self::of(created.record, 0) }
    }
}

#[derive(Serialize)]
pub(super) struct Keys {
    /// Keys, newest first, including revoked ones.
    keys: Vec<KeyAnswer>,
}

/// Path parameter with a key prefix.
pub(super) struct KeyPrefixPath(KeyPrefix);

impl<S: Sync> FromRequestParts<S> for KeyPrefixPath {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let behind = parts.uri.path().strip_prefix(super::KEYS_AT).unwrap_or_default();
        let name = behind.split('/').next().unwrap_or_default();
        // a complete key must not be sent in a URL
        let prefix = KeyPrefix::parse(name).filter(|prefix| prefix.as_str() == name);
        Ok(Self(prefix.ok_or_else(no_such_key)?))
    }
}

pub(super) async fn list(State(app): State<Arc<App>>, signed_in: SignedIn) -> Answer<Json<Keys>> {
    let account = signed_in.session.account;
    let listed =
        app.store.list_keys(Actor::Account(account.id.clone())).await.map_err(|error| store_error(&error))?;
    let mut chars = chars_this_month(&app, &account).await?;
    let newest_first = listed.into_iter().rev();
    let keys = newest_first.map(|record| {
        let chars = chars.remove(&record.prefix).unwrap_or_default();
        KeyAnswer::of(record, chars)
    });
    Ok(Json(Keys { keys: keys.collect() }))
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    fields: JsonFields,
) -> Answer<Json<KeyAnswer>> {
    let now_ms = app.clock.now().wall_ms;
    let spec = key_spec(&fields, now_ms)?;
    verification::require(&app, &signed_in.session.account)?;
    let created = app.store.create_key(Actor::Account(signed_in.session.account.id), spec, now_ms).await;
    match created.map_err(|error| store_error(&error))? {
        KeyCreation::Created(created) => Ok(Json(KeyAnswer::new(*created))),
        KeyCreation::TooMany => Err(too_many_keys().into()),
        KeyCreation::NoAccount => Err(not_signed_in().into()),
    }
}

pub(super) async fn rename(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    KeyPrefixPath(prefix): KeyPrefixPath,
    fields: JsonFields,
) -> Answer<Json<KeyAnswer>> {
    let account = signed_in.session.account;
    let name = name(&fields)?;
    let by = Actor::Account(account.id.clone());
    let renamed = app.store.rename_key(by, prefix, name, app.clock.now().wall_ms).await;
    let record = renamed.map_err(|error| store_error(&error))?.ok_or_else(no_such_key)?;
    key_answer(&app, &account, record).await
}

pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    KeyPrefixPath(prefix): KeyPrefixPath,
    fields: JsonFields,
) -> Answer<Json<KeyAnswer>> {
    let hours = fields.number("overlap_hours", 0..=MAX_OVERLAP_HOURS)?;
    let hours = hours
        .ok_or_else(|| missing("overlap_hours", "how long the old key remains valid, 0 for not at all"))?;
    let by = Actor::Account(signed_in.session.account.id);
    let rotated = app.store.rotate_key(by, prefix, hours * MS_PER_HOUR, app.clock.now().wall_ms).await;
    // the cached keys are updated before the response, because the old key may have expired
    app.auth.take_over().await;
    match rotated.map_err(|error| store_error(&error))? {
        Rotation::Rotated { new, .. } => Ok(Json(KeyAnswer::new(*new))),
        Rotation::TooMany => Err(too_many_keys().into()),
        Rotation::Ended => {
            let message = "the key was revoked or has expired; create a new one";
            Err(ApiError::new(ErrorCode::NotFound, message).into())
        }
        Rotation::Unknown => Err(no_such_key().into()),
    }
}

pub(super) async fn revoke(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    KeyPrefixPath(prefix): KeyPrefixPath,
) -> Answer<Json<KeyAnswer>> {
    let account = signed_in.session.account;
    let revoked =
        app.store.revoke_key(Actor::Account(account.id.clone()), prefix, app.clock.now().wall_ms).await;
    // the cached keys are updated before the response, because the caller expects the key to be revoked
    app.auth.take_over().await;
    match revoked.map_err(|error| store_error(&error))? {
        Revocation::Revoked(record) | Revocation::AlreadyRevoked(record) => {
            key_answer(&app, &account, record).await
        }
        Revocation::Unknown => Err(no_such_key().into()),
    }
}

async fn key_answer(app: &App, account: &Account, record: KeyRecord) -> Answer<Json<KeyAnswer>> {
    let chars = chars_this_month(app, account).await?.remove(&record.prefix).unwrap_or_default();
    Ok(Json(KeyAnswer::of(record, chars)))
}

async fn chars_this_month(app: &App, account: &Account) -> Result<HashMap<KeyPrefix, u64>, ApiError> {
    let now_ms = app.clock.now().wall_ms;
    let (first, last) = (Day::of(Month::of(now_ms).start_ms()), Day::of(now_ms));
    let by_key = app.metering.usage_by_key(account.id.clone(), first, last).await;
    let mut chars = HashMap::new();
    for row in by_key.map_err(|error| store_error(&error))? {
        *chars.entry(row.key).or_default() += row.amount.chars;
    }
    Ok(chars)
}

/// Returns the specification of a key from the fields of a request.
pub(super) fn key_spec(fields: &JsonFields, now_ms: i64) -> Result<KeySpec, ApiError> {
    let days = fields.number("expires_in_days", 1..=MAX_DAYS)?;
    Ok(KeySpec {
        name: name(fields)?,
        scopes: scopes(fields)?,
        limits: ACCOUNT_KEY_LIMITS,
        origins: origins(fields)?,
        expires_ms: days.map(|days| now_ms.saturating_add_unsigned(days * MS_PER_DAY)),
        monthly_cap: fields.number("monthly_cap", 1..=MAX_CAP)?,
    })
}

fn name(fields: &JsonFields) -> Result<String, ApiError> {
    let name = fields.text("name")?.trim();
    let chars = name.chars().take(MAX_NAME_CHARS + 1).count();
    if chars == 0 || chars > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        let message = format!("name must have 1 to {MAX_NAME_CHARS} characters and no control characters");
        return Err(invalid_field("name", message));
    }
    Ok(name.to_owned())
}

fn scopes(fields: &JsonFields) -> Result<Vec<Scope>, ApiError> {
    let requested = fields.texts("scopes", Scope::ALL.len())?;
    let wrong = |unknown: UnknownScope| {
        let (requested, known) = (quoted(&unknown.given), Scope::ALL.map(Scope::as_str).join(" and "));
        invalid_field("scopes", format!("scope '{requested}' does not exist; scopes are {known}"))
    };
    let requested: Vec<Scope> =
        requested.into_iter().map(|name| name.parse().map_err(wrong)).collect::<Result<_, _>>()?;
    if requested.is_empty() {
        return Err(missing("scopes", "a list of what the key may do, such as [\"tts\"]"));
    }
    Ok(Scope::ALL.into_iter().filter(|scope| requested.contains(scope)).collect())
}

fn origins(fields: &JsonFields) -> Result<Vec<Origin>, ApiError> {
    let read = |given: &str| {
        let wrong = |wrong: InvalidOrigin| {
            invalid_field("origins", format!("the origin '{}' {wrong}", quoted(given)))
        };
        given.parse().map_err(wrong)
    };
    fields.texts("origins", MAX_ORIGINS)?.into_iter().map(read).collect()
}

fn no_such_key() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "this account has no key with this prefix")
}

fn too_many_keys() -> ApiError {
    let message = format!("an account has at most {MAX_KEYS} usable keys; revoke one");
    ApiError::new(ErrorCode::TooManyKeys, message)
}
