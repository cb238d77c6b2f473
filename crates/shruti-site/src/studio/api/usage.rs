//! `GET usage`: usage by day.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use serde::Serialize;
use shruti_lang::{Language, VoiceId};
use shruti_service::app::App;
use shruti_service::http::errors::store_error;
use shruti_service::metering::requested_days;
use shruti_store::{Actor, Day, DayUsage, KeyPrefix, Usage, UsageOf};

use super::Answer;
use super::session::SignedIn;

/// Label that replaces the prefix of the account's playground key.
const PLAYGROUND: &str = "playground";

/// Usage in the two groupings that the pages show.
#[derive(Serialize)]
pub(super) struct UsageAnswer {
    /// Usage by day, voice, language and API.
    days: Vec<DayEntry>,
    /// Usage by day and key.
    keys: Vec<KeyEntry>,
}

/// Usage on one day, in one voice, language and API.
#[derive(Serialize)]
pub(super) struct DayEntry {
    day: String,
    voice: VoiceId,
    language: Language,
    api: Cow<'static, str>,
    #[serde(flatten)]
    amount: Amount,
}

impl From<DayUsage> for DayEntry {
    fn from(DayUsage { day, voice, language, api, amount }: DayUsage) -> Self {
        Self { day: day.to_string(), voice, language, api, amount: amount.into() }
    }
}

#[derive(Serialize)]
struct KeyEntry {
    day: String,
    /// Prefix of the key, or `playground`.
    key: String,
    /// Name that the owner chose for the key.
    name: String,
    #[serde(flatten)]
    amount: Amount,
}

#[derive(Serialize)]
struct Amount {
    chars: u64,
    requests: u64,
    audio_ms: u64,
}

impl From<Usage> for Amount {
    fn from(Usage { chars, requests, audio_ms }: Usage) -> Self {
        Self { chars, requests, audio_ms }
    }
}

pub(super) async fn usage(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Answer<Json<UsageAnswer>> {
    let (first, last) = requested_days(uri.query().unwrap_or_default(), Day::of(app.clock.now().wall_ms))?;
    let account = signed_in.session.account.id;
    let by_day = app.metering.usage(UsageOf::Account(account.clone()), first, last).await;
    let by_day = by_day.map_err(|error| store_error(&error))?;
    let by_key = app.metering.usage_by_key(account.clone(), first, last).await;
    let by_key = by_key.map_err(|error| store_error(&error))?;
    let listed = app.store.list_keys(Actor::Account(account)).await.map_err(|error| store_error(&error))?;
    let names: HashMap<KeyPrefix, String> =
        listed.into_iter().map(|record| (record.prefix, record.name)).collect();

    let days = by_day.into_iter().map(Into::into);
    let keys = by_key.into_iter().map(|entry| {
        // the only unlisted key of an account is its playground key
        let (key, name) = match names.get(&entry.key) {
            Some(name) => (entry.key.to_string(), name.clone()),
            None => (PLAYGROUND.to_owned(), PLAYGROUND.to_owned()),
        };
        KeyEntry { day: entry.day.to_string(), key, name, amount: entry.amount.into() }
    });
    Ok(Json(UsageAnswer { days: days.collect(), keys: keys.collect() }))
}
