//! Decisions about keys, in SQL.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, named_params};

use super::tokens;
use crate::key::{KeyPrefix, SecretKey};
use crate::model::{CreatedKey, KeyChanges, KeyLimits, KeyRecord, KeySpec, Revocation, Scope};
use crate::origin::Origin;
use crate::secret::SecretHash;
use crate::store::StoreError;

const NEXT_REVISION: &str = include_str!("sql/next_revision.sql");
const INSERT_KEY: &str = include_str!("sql/insert_key.sql");
const LIST_KEYS: &str = include_str!("sql/list_keys.sql");
const FIND_KEY: &str = include_str!("sql/find_key.sql");
const KEYS_SINCE: &str = include_str!("sql/keys_since.sql");
const REVOKE_KEY: &str = include_str!("sql/revoke_key.sql");
const INSERT_ORIGIN: &str = include_str!("sql/insert_origin.sql");
const ORIGIN_IS_ALLOWED: &str = include_str!("sql/origin_is_allowed.sql");

pub(super) fn ensure_first(
    connection: &mut Connection,
    now_ms: i64,
) -> Result<Option<CreatedKey>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let any: bool = transaction.query_row("SELECT EXISTS (SELECT 1 FROM keys)", [], |row| row.get(0))?;
    if any {
        return Ok(None);
    }
    let created = insert(&transaction, &KeySpec::named("first key"), now_ms)?;
    transaction.commit()?;
    Ok(Some(created))
}

pub(super) fn create(
    connection: &mut Connection,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let created = insert(&transaction, spec, now_ms)?;
    transaction.commit()?;
    Ok(created)
}

fn insert(transaction: &Transaction<'_>, spec: &KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
    let secret = free_key(transaction)?;
    let scopes: Vec<&str> = spec.scopes.iter().map(|scope| scope.as_str()).collect();
    transaction.execute(
        INSERT_KEY,
        named_params! {
            ":prefix": secret.prefix().as_str(),
            ":hash": secret.hash().0.as_slice(),
            ":name": spec.name,
            ":scopes": scopes.join(" "),
            ":created_ms": now_ms,
            ":expires_ms": spec.expires_ms,
            ":rate": spec.limits.rate,
            ":burst": spec.limits.burst,
            ":streams": spec.limits.streams,
            ":revision": next_revision(transaction)?,
        },
    )?;
    let mut origins = spec.origins.clone();
    origins.sort();
    origins.dedup();
    for origin in &origins {
        transaction.execute(
            INSERT_ORIGIN,
            named_params! {":prefix": secret.prefix().as_str(), ":origin": origin.as_str()},
        )?;
    }
    let record = KeyRecord {
        prefix: secret.prefix(),
        hash: secret.hash(),
        name: spec.name.clone(),
        scopes: spec.scopes.clone(),
        limits: spec.limits,
        origins,
        created_ms: now_ms,
        expires_ms: spec.expires_ms,
        revoked_ms: None,
    };
    Ok(CreatedKey { secret, record })
}

/// A new key whose prefix no other has; among a million keys the first try fails once in 200 million times.
fn free_key(transaction: &Transaction<'_>) -> Result<SecretKey, StoreError> {
    loop {
        let secret = SecretKey::generate()?;
        if find(transaction, &secret.prefix())?.is_none() {
            return Ok(secret);
        }
    }
}

fn next_revision(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    Ok(transaction.query_row(NEXT_REVISION, [], |row| row.get(0))?)
}

pub(super) fn list(connection: &Connection) -> Result<Vec<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_KEYS)?;
    let rows = statement.query_map([], |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

pub(super) fn find(connection: &Connection, prefix: &KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_KEY)?;
    let found = statement.query_row(named_params! {":prefix": prefix.as_str()}, |row| Ok(read(row)));
    found.optional()?.transpose()
}

pub(super) fn revision(connection: &Connection) -> Result<i64, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value FROM key_revision")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

pub(super) fn changes_since(connection: &mut Connection, since: i64) -> Result<KeyChanges, StoreError> {
    // one snapshot for both queries
    let transaction = connection.transaction()?;
    let revision = revision(&transaction)?;
    if revision == since {
        return Ok(KeyChanges { revision, keys: Vec::new() });
    }
    let mut statement = transaction.prepare_cached(KEYS_SINCE)?;
    let rows = statement.query_map(named_params! {":revision": since}, |row| Ok(read(row)))?;
    let keys = rows.map(|row| row?).collect::<Result<_, StoreError>>()?;
    Ok(KeyChanges { revision, keys })
}

pub(super) fn revoke(
    connection: &mut Connection,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Revocation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(mut record) = find(&transaction, prefix)? else {
        return Ok(Revocation::Unknown);
    };
    if record.revoked_ms.is_some() {
        return Ok(Revocation::AlreadyRevoked(record));
    }
    let revision = next_revision(&transaction)?;
    transaction.execute(
        REVOKE_KEY,
        named_params! {":now_ms": now_ms, ":revision": revision, ":prefix": prefix.as_str()},
    )?;
    tokens::drop_all_of(&transaction, prefix)?;
    transaction.commit()?;
    record.revoked_ms = Some(now_ms);
    Ok(Revocation::Revoked(record))
}

pub(super) fn is_origin_allowed(
    connection: &Connection,
    origin: &Origin,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(ORIGIN_IS_ALLOWED)?;
    let asked = named_params! {":origin": origin.as_str(), ":now_ms": now_ms};
    Ok(statement.query_row(asked, |row| row.get(0))?)
}

fn read(row: &Row<'_>) -> Result<KeyRecord, StoreError> {
    let scopes: String = row.get("scopes")?;
    let scopes: Result<Vec<Scope>, _> = scopes.split_whitespace().map(str::parse).collect();
    let origins: Option<String> = row.get("origins")?;
    let origins: Result<Vec<Origin>, _> =
        origins.iter().flat_map(|all| all.split_whitespace()).map(str::parse).collect();
    let mut origins = origins.map_err(|error| StoreError::Unreadable(format!("an origin {error}")))?;
    origins.sort();
    Ok(KeyRecord {
        prefix: KeyPrefix(row.get("prefix")?),
        hash: SecretHash(row.get("hash")?),
        name: row.get("name")?,
        scopes: scopes.map_err(|error| StoreError::Unreadable(error.to_string()))?,
        limits: KeyLimits { rate: row.get("rate")?, burst: row.get("burst")?, streams: row.get("streams")? },
        origins,
        created_ms: row.get("created_ms")?,
        expires_ms: row.get("expires_ms")?,
        revoked_ms: row.get("revoked_ms")?,
    })
}
