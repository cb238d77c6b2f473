//! The keys of playgrounds, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, named_params};

use super::account_rows;
use super::key_rows::{self, record_event, select_keys};
use super::store::SqliteStore;
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::count::signed;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{KeyPurpose, KeyRecord, KeySpec, Scope};
use crate::playground::{PlaygroundSpec, PlaygroundStore};

const FIND_PLAYGROUND_KEY: &str =
    select_keys!("WHERE keys.purpose = 'playground' AND coalesce(keys.account, '') = coalesce(:account, '')");
const SET_LIMITS: &str = "UPDATE keys
    SET rate = :rate, burst = :burst, streams = :streams, monthly_cap = :monthly_cap, spent_month = NULL,
        revision = :revision
    WHERE prefix = :prefix";
const REOPEN_KEY: &str = "UPDATE keys SET revoked_ms = NULL, revision = :revision
    WHERE prefix = :prefix AND purpose = 'playground'";

/// The name that operators see.
const NAME: &str = "playground";

fn ensure(
    connection: &mut Connection,
    spec: &PlaygroundSpec,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let PlaygroundSpec { owner, limits, monthly_cap } = spec;
    let is_wanted = |key: &KeyRecord| key.limits == *limits && key.monthly_cap == *monthly_cap;
    // nearly always it is there, and nothing need be written
    if let Some(key) = find(connection, owner.as_ref())?.filter(is_wanted) {
        return Ok(Some(key));
    }
    let transaction = connection.transaction()?;
    let prefix = if let Some(key) = find(&transaction, owner.as_ref())? {
        transaction.execute(
            SET_LIMITS,
            named_params! {
                ":prefix": key.prefix.as_str(),
                ":rate": limits.rate,
                ":burst": limits.burst,
                ":streams": limits.streams,
                ":monthly_cap": monthly_cap.map(signed),
                ":revision": key_rows::next_revision(&transaction)?,
            },
        )?;
        key.prefix
    } else {
        if let Some(account) = owner
            && account_rows::find(&transaction, account)?.is_none()
        {
            return Ok(None);
        }
        let spec = KeySpec {
            scopes: vec![Scope::Tts],
            limits: *limits,
            monthly_cap: *monthly_cap,
            ..KeySpec::named(NAME)
        };
        // its secret ends here
        let purpose = KeyPurpose::Playground;
        let key = key_rows::insert(&transaction, &spec, owner.as_ref(), purpose, now_ms)?.record;
        let by = owner.clone().map_or(Actor::Operator, Actor::Account);
        record_event(&transaction, &by, Event::KeyCreated, &key, now_ms)?;
        key.prefix
    };
    let key = key_rows::find(&transaction, &prefix)?;
    transaction.commit()?;
    Ok(key)
}

fn find(connection: &Connection, account: Option<&AccountId>) -> Result<Option<KeyRecord>, StoreError> {
    let asked = named_params! {":account": account.map(AccountId::as_str)};
    key_rows::first(connection, FIND_PLAYGROUND_KEY, asked)
}

fn reopen(
    connection: &mut Connection,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction()?;
    let is_playground = |key: &KeyRecord| key.purpose == KeyPurpose::Playground;
    let Some(key) = key_rows::find(&transaction, prefix)?.filter(is_playground) else { return Ok(None) };
    if key.revoked_ms.is_none() {
        return Ok(Some(key));
    }
    let revision = key_rows::next_revision(&transaction)?;
    transaction.execute(REOPEN_KEY, named_params! {":prefix": prefix.as_str(), ":revision": revision})?;
    record_event(&transaction, &Actor::Operator, Event::KeyReopened, &key, now_ms)?;
    transaction.commit()?;
    Ok(Some(KeyRecord { revoked_ms: None, ..key }))
}

#[async_trait]
impl PlaygroundStore for SqliteStore {
    async fn ensure_playground_key(
        &self,
        spec: PlaygroundSpec,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| ensure(connection, &spec, now_ms)).await
    }

    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| reopen(connection, &key, now_ms)).await
    }
}
