//! Rows of keys.

use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::database::{Param, Row, Tx, params};
use crate::error::StoreError;
use crate::flows::audit;
use crate::key::{KeyPrefix, SecretKey};
use crate::key_record::{CreatedKey, KeyLimits, KeyPurpose, KeyRecord, KeySpec, StoredKey, StoredOwner};
use crate::sql::{Sql, keys as sql};

/// Returns the keys that a query finds.
pub(crate) async fn list(
    tx: &mut impl Tx,
    query: &Sql,
    params: &[Param<'_>],
) -> Result<Vec<KeyRecord>, StoreError> {
    tx.all(query, params, read).await
}

/// Returns the key that a query finds, if there is one.
pub(crate) async fn first(
    tx: &mut impl Tx,
    query: &Sql,
    params: &[Param<'_>],
) -> Result<Option<KeyRecord>, StoreError> {
    tx.first(query, params, read).await
}

pub(crate) async fn find(tx: &mut impl Tx, prefix: &KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
    first(tx, &sql::FIND, params![prefix]).await
}

/// Returns a key that is to be changed, and locks its account and the revision until the end of the transaction.
pub(crate) async fn hold(tx: &mut impl Tx, prefix: &KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
    tx.execute(&sql::LOCK_OWNER, params![prefix]).await?;
    tx.execute(&sql::LOCK_REVISION, params![]).await?;
    find(tx, prefix).await
}

pub(crate) async fn insert(
    tx: &mut impl Tx,
    spec: &KeySpec,
    account: Option<&AccountId>,
    purpose: KeyPurpose,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let secret = unused_key(tx).await?;
    let scopes: Vec<&str> = spec.scopes.iter().map(|scope| scope.as_str()).collect();
    let (prefix, hash, scopes) = (secret.prefix(), secret.hash(), scopes.join(" "));
    let KeySpec { name, limits, expires_ms, monthly_cap, .. } = spec;
    let revision = next_revision(tx).await?;
    let row = params![
        &prefix,
        &hash,
        name,
        &scopes,
        now_ms,
        *expires_ms,
        limits.rate,
        limits.burst,
        limits.streams,
        revision,
        account,
        *monthly_cap,
        purpose.as_str(),
    ];
    tx.execute(&sql::INSERT, row).await?;
    let mut origins = spec.origins.clone();
    origins.sort();
    origins.dedup();
    for origin in &origins {
        tx.execute(&sql::INSERT_ORIGIN, params![&prefix, origin.as_str()]).await?;
    }
    let record = find(tx, &prefix).await?;
    let record = record.ok_or_else(|| StoreError::Unreadable("a key that was just created".to_owned()))?;
    Ok(CreatedKey { secret, record })
}

/// Returns a new key whose prefix is not in use. If a million keys exist, one attempt in 200 million fails.
async fn unused_key(tx: &mut impl Tx) -> Result<SecretKey, StoreError> {
    loop {
        let secret = SecretKey::generate()?;
        if find(tx, &secret.prefix()).await?.is_none() {
            return Ok(secret);
        }
    }
}

/// Returns a new revision, and locks it: no other transaction changes a key until this transaction ends.
pub(crate) async fn next_revision(tx: &mut impl Tx) -> Result<i64, StoreError> {
    tx.one(&sql::NEXT_REVISION, params![], |row| row.get("value")).await
}

/// Gives a key a new revision, so that servers receive its current state.
pub(crate) async fn touch(tx: &mut impl Tx, prefix: &KeyPrefix) -> Result<(), StoreError> {
    let revision = next_revision(tx).await?;
    tx.execute(&sql::TOUCH, params![prefix, revision]).await?;
    Ok(())
}

/// Gives the keys of an account a new revision, so that servers receive their current state. Revoked keys are skipped.
pub(crate) async fn touch_all_of(tx: &mut impl Tx, account: &AccountId) -> Result<(), StoreError> {
    let revision = next_revision(tx).await?;
    tx.execute(&sql::TOUCH_ALL_OF, params![account, revision]).await?;
    Ok(())
}

/// Records an event that concerns a key in the audit log.
pub(crate) async fn record_event(
    tx: &mut impl Tx,
    by: &Actor,
    event: Event,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    audit::done(tx, now_ms, by, event, key.account.as_ref(), Some(key.prefix.as_str())).await
}

fn read(row: &dyn Row) -> Result<KeyRecord, StoreError> {
    let account = match row.optional("account")? {
        Some(id) => Some(StoredOwner {
            id,
            is_operator: row.get("is_operator")?,
            access_ms: row.optional("access_ms")?,
            locked_ms: row.optional("locked_ms")?,
            spent_month: row.optional("allowance_spent_month")?,
        }),
        None => None,
    };
    let stored = StoredKey {
        prefix: row.get("prefix")?,
        hash: row.get("hash")?,
        name: row.get("name")?,
        purpose: row.get("purpose")?,
        scopes: row.get("scopes")?,
        origins: row.optional("origins")?,
        limits: KeyLimits {
            rate: row.optional("rate")?,
            burst: row.optional("burst")?,
            streams: row.optional("streams")?,
        },
        created_ms: row.get("created_ms")?,
        expires_ms: row.optional("expires_ms")?,
        revoked_ms: row.optional("revoked_ms")?,
        last_used_ms: row.optional("last_used_ms")?,
        monthly_cap: row.optional("monthly_cap")?,
        cap_spent_month: row.optional("cap_spent_month")?,
        lexicon: row.optional("lexicon")?,
        account,
    };
    stored.try_into()
}
