//! The keys of playgrounds, in SQL.

use async_trait::async_trait;

use super::account_rows;
use super::client::{Client, Transaction};
use super::key_rows::{self, record_event, select_keys};
use super::rows::{self, Values};
use super::store::PostgresStore;
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::count::signed;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{KeyPurpose, KeyRecord, KeySpec, Scope};
use crate::playground::{PlaygroundSpec, PlaygroundStore};

const FIND_PLAYGROUND_KEY: &str =
    select_keys!("WHERE keys.purpose = 'playground' AND coalesce(keys.account, '') = $1");
const SET_LIMITS: &str = "UPDATE keys
    SET rate = $2, burst = $3, streams = $4, monthly_cap = $5, spent_month = NULL, revision = $6
    WHERE prefix = $1";
const REOPEN_KEY: &str =
    "UPDATE keys SET revoked_ms = NULL, revision = $2 WHERE prefix = $1 AND purpose = 'playground'";

/// The name that operators see.
const NAME: &str = "playground";

async fn ensure(
    transaction: &Transaction<'_>,
    spec: &PlaygroundSpec,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let PlaygroundSpec { owner, limits, monthly_cap } = spec;
    if let Some(account) = owner
        && account_rows::hold(transaction, account).await?.is_none()
    {
        return Ok(None);
    }
    // it also keeps others from making the one that everybody uses
    let revision = key_rows::next_revision(transaction).await?;
    let prefix = if let Some(key) = find(transaction, owner.as_ref()).await? {
        let given: Values<'_> = &[
            &key.prefix.as_str(),
            &limits.rate,
            &limits.burst.map(i64::from),
            &limits.streams.map(i64::from),
            &monthly_cap.map(signed),
            &revision,
        ];
        rows::execute(transaction, SET_LIMITS, given).await?;
        key.prefix
    } else {
        let spec = KeySpec {
            scopes: vec![Scope::Tts],
            limits: *limits,
            monthly_cap: *monthly_cap,
            ..KeySpec::named(NAME)
        };
        // its secret ends here
        let purpose = KeyPurpose::Playground;
        let key = key_rows::insert(transaction, &spec, owner.as_ref(), purpose, now_ms).await?.record;
        let by = owner.clone().map_or(Actor::Operator, Actor::Account);
        record_event(transaction, &by, Event::KeyCreated, &key, now_ms).await?;
        key.prefix
    };
    key_rows::find(transaction, &prefix).await
}

async fn find(client: &impl Client, account: Option<&AccountId>) -> Result<Option<KeyRecord>, StoreError> {
    key_rows::first(client, FIND_PLAYGROUND_KEY, &[&account.map_or("", AccountId::as_str)]).await
}

async fn reopen(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let is_playground = |key: &KeyRecord| key.purpose == KeyPurpose::Playground;
    let found = key_rows::hold(transaction, prefix).await?.filter(is_playground);
    let Some(key) = found else { return Ok(None) };
    if key.revoked_ms.is_none() {
        return Ok(Some(key));
    }
    let revision = key_rows::next_revision(transaction).await?;
    rows::execute(transaction, REOPEN_KEY, &[&prefix.as_str(), &revision]).await?;
    record_event(transaction, &Actor::Operator, Event::KeyReopened, &key, now_ms).await?;
    Ok(Some(KeyRecord { revoked_ms: None, ..key }))
}

#[async_trait]
impl PlaygroundStore for PostgresStore {
    async fn ensure_playground_key(
        &self,
        spec: PlaygroundSpec,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let is_wanted = |key: &KeyRecord| key.limits == spec.limits && key.monthly_cap == spec.monthly_cap;
        // nearly always it is there, and nothing need be written
        let found = self.read(async |client| find(client, spec.owner.as_ref()).await).await?;
        if let Some(key) = found.filter(is_wanted) {
            return Ok(Some(key));
        }
        self.call(async |transaction| ensure(transaction, &spec, now_ms).await).await
    }

    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call(async |transaction| reopen(transaction, &key, now_ms).await).await
    }
}
