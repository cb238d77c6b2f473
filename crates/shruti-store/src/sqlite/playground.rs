//! Decisions about the keys of playgrounds, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params};

use super::{SqliteStore, accounts, keys, signed};
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::key::KeyPrefix;
use crate::model::{KeyLimits, KeyPurpose, KeyRecord, KeySpec, Scope};
use crate::playground::{PlaygroundOf, PlaygroundStore};
use crate::store::StoreError;

const FIND_PLAYGROUND_KEY: &str =
    concat!(include_str!("sql/select_key.sql"), include_str!("sql/find_playground_key.sql"));
const SET_LIMITS: &str = include_str!("sql/set_limits.sql");
const REOPEN_KEY: &str = include_str!("sql/reopen_key.sql");

/// What operators see it called.
const NAME: &str = "playground";

fn ensure(
    connection: &mut Connection,
    of: &PlaygroundOf,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let (account, limits, monthly_cap) = match of {
        PlaygroundOf::Account(account) => (Some(account), KeyLimits::OF_ACCOUNTS, None),
        PlaygroundOf::Everyone { limits, monthly_cap } => (None, *limits, Some(*monthly_cap)),
    };
    let is_wanted = |key: &KeyRecord| key.limits == limits && key.monthly_cap == monthly_cap;
    // nearly always it is there, and nothing need be written
    if let Some(key) = find(connection, account)?.filter(is_wanted) {
        return Ok(Some(key));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let prefix = if let Some(key) = find(&transaction, account)? {
        transaction.execute(
            SET_LIMITS,
            named_params! {
                ":prefix": key.prefix.as_str(),
                ":rate": limits.rate,
                ":burst": limits.burst,
                ":streams": limits.streams,
                ":monthly_cap": monthly_cap.map(signed),
                ":revision": keys::next_revision(&transaction)?,
            },
        )?;
        key.prefix
    } else {
        if let Some(account) = account
            && accounts::find(&transaction, account)?.is_none()
        {
            return Ok(None);
        }
        let spec = KeySpec { scopes: vec![Scope::Tts], limits, monthly_cap, ..KeySpec::named(NAME) };
        // its secret ends here
        let key = keys::insert(&transaction, &spec, account, KeyPurpose::Playground, now_ms)?.record;
        let by = account.cloned().map_or(Actor::Operator, Actor::Account);
        keys::made(&transaction, &by, Event::KeyCreated, &key, now_ms)?;
        key.prefix
    };
    let key = keys::find(&transaction, &prefix)?;
    transaction.commit()?;
    Ok(key)
}

fn find(connection: &Connection, account: Option<&AccountId>) -> Result<Option<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_PLAYGROUND_KEY)?;
    let asked = named_params! {":account": account.map(AccountId::as_str)};
    statement.query_row(asked, |row| Ok(keys::read(row))).optional()?.transpose()
}

fn reopen(
    connection: &mut Connection,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let is_playground = |key: &KeyRecord| key.purpose == KeyPurpose::Playground;
    let Some(key) = keys::find(&transaction, prefix)?.filter(is_playground) else { return Ok(None) };
    if key.revoked_ms.is_none() {
        return Ok(Some(key));
    }
    let revision = keys::next_revision(&transaction)?;
    transaction.execute(REOPEN_KEY, named_params! {":prefix": prefix.as_str(), ":revision": revision})?;
    keys::made(&transaction, &Actor::Operator, Event::KeyReopened, &key, now_ms)?;
    transaction.commit()?;
    Ok(Some(KeyRecord { revoked_ms: None, ..key }))
}

#[async_trait]
impl PlaygroundStore for SqliteStore {
    async fn ensure_playground_key(
        &self,
        of: PlaygroundOf,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| ensure(connection, &of, now_ms)).await
    }

    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| reopen(connection, &key, now_ms)).await
    }
}
