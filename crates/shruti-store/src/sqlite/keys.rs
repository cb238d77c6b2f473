//! Decisions about keys, in SQL.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, named_params};

use super::{accounts, allowance, audit, signed, tokens, unsigned};
use crate::account::{AccessLock, AccountId};
use crate::audit::{Actor, Event};
use crate::calendar::Month;
use crate::key::{KeyPrefix, SecretKey};
use crate::model::{
    CreatedKey, KeyChanges, KeyCreation, KeyLimits, KeyPurpose, KeyRecord, KeySpec, MAX_KEYS, MAX_KEYS_EVER,
    Revocation, Rotation, Scope,
};
use crate::origin::Origin;
use crate::secret::SecretHash;
use crate::store::StoreError;

const NEXT_REVISION: &str = include_str!("sql/next_revision.sql");
const INSERT_KEY: &str = include_str!("sql/insert_key.sql");
const LIST_KEYS: &str = concat!(include_str!("sql/select_key.sql"), include_str!("sql/list_keys.sql"));
const LIST_KEYS_OF: &str = concat!(include_str!("sql/select_key.sql"), include_str!("sql/list_keys_of.sql"));
const IS_ANY_KEY: &str = "SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = 'api')";
const FIND_KEY: &str = concat!(include_str!("sql/select_key.sql"), include_str!("sql/find_key.sql"));
const KEYS_SINCE: &str = concat!(include_str!("sql/select_key.sql"), include_str!("sql/keys_since.sql"));
const COUNT_KEYS_OF: &str = include_str!("sql/count_keys_of.sql");
const RENAME_KEY: &str = include_str!("sql/rename_key.sql");
const EXPIRE_KEY: &str = include_str!("sql/expire_key.sql");
const TOUCH_KEY: &str = include_str!("sql/touch_key.sql");
const TOUCH_KEYS_OF: &str = include_str!("sql/touch_keys_of.sql");
const REVOKE_KEY: &str = include_str!("sql/revoke_key.sql");
const INSERT_ORIGIN: &str = include_str!("sql/insert_origin.sql");
const ORIGIN_IS_ALLOWED: &str = include_str!("sql/origin_is_allowed.sql");

pub(super) fn ensure_first(
    connection: &mut Connection,
    now_ms: i64,
) -> Result<Option<CreatedKey>, StoreError> {
    let is_any = |connection: &Connection| connection.query_row(IS_ANY_KEY, [], |row| row.get::<_, bool>(0));
    // a look before the lock: a start with a key waits for no writer
    if is_any(connection)? {
        return Ok(None);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let is_any = is_any(&transaction)?;
    if is_any {
        return Ok(None);
    }
    let operator = accounts::ensure_operator_in(&transaction, now_ms)?;
    let spec = KeySpec::named("first key");
    let created = insert(&transaction, &spec, Some(&operator.id), KeyPurpose::Api, now_ms)?;
    made(&transaction, &Actor::Operator, Event::KeyCreated, &created.record, now_ms)?;
    transaction.commit()?;
    Ok(Some(created))
}

pub(super) fn create(
    connection: &mut Connection,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let created = insert(&transaction, spec, None, KeyPurpose::Api, now_ms)?;
    made(&transaction, &Actor::Operator, Event::KeyCreated, &created.record, now_ms)?;
    transaction.commit()?;
    Ok(created)
}

pub(super) fn create_of(
    connection: &mut Connection,
    account: &AccountId,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<KeyCreation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if accounts::find(&transaction, account)?.is_none_or(|account| account.locked_ms.is_some()) {
        return Ok(KeyCreation::NoAccount);
    }
    if has_too_many(&transaction, account, now_ms)? {
        return Ok(KeyCreation::TooMany);
    }
    let created = insert(&transaction, spec, Some(account), KeyPurpose::Api, now_ms)?;
    made(&transaction, &Actor::Account(account.clone()), Event::KeyCreated, &created.record, now_ms)?;
    transaction.commit()?;
    Ok(KeyCreation::Created(Box::new(created)))
}

fn has_too_many(transaction: &Transaction<'_>, account: &AccountId, now_ms: i64) -> Result<bool, StoreError> {
    let asked = named_params! {":account": account.as_str(), ":now_ms": now_ms};
    let (ever, usable): (u32, u32) =
        transaction.query_row(COUNT_KEYS_OF, asked, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(usable >= MAX_KEYS || ever >= MAX_KEYS_EVER)
}

/// Writes down what was done to a key.
pub(super) fn made(
    transaction: &Transaction<'_>,
    by: &Actor,
    event: Event,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    audit::done(transaction, now_ms, by, event, key.account.as_ref(), Some(key.prefix.as_str()))
}

pub(super) fn insert(
    transaction: &Transaction<'_>,
    spec: &KeySpec,
    account: Option<&AccountId>,
    purpose: KeyPurpose,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
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
            ":account": account.map(AccountId::as_str),
            ":monthly_cap": spec.monthly_cap.map(signed),
            ":purpose": purpose.as_str(),
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
    let record = find(transaction, &secret.prefix())?
        .ok_or_else(|| StoreError::Unreadable("a key that was just made".to_owned()))?;
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

pub(super) fn next_revision(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    Ok(transaction.query_row(NEXT_REVISION, [], |row| row.get(0))?)
}

pub(super) fn list(connection: &Connection) -> Result<Vec<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_KEYS)?;
    let rows = statement.query_map([], |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

pub(super) fn list_of(connection: &Connection, account: &AccountId) -> Result<Vec<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_KEYS_OF)?;
    let rows = statement.query_map(named_params! {":account": account.as_str()}, |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

/// Lets servers look again at a key.
pub(super) fn touch(transaction: &Transaction<'_>, prefix: &KeyPrefix) -> Result<(), StoreError> {
    let revision = next_revision(transaction)?;
    let given = named_params! {":prefix": prefix.as_str(), ":revision": revision};
    transaction.prepare_cached(TOUCH_KEY)?.execute(given)?;
    Ok(())
}

/// Lets servers look again at the keys of an account.
pub(super) fn touch_all_of(transaction: &Transaction<'_>, account: &AccountId) -> Result<(), StoreError> {
    let revision = next_revision(transaction)?;
    let given = named_params! {":account": account.as_str(), ":revision": revision};
    transaction.prepare_cached(TOUCH_KEYS_OF)?.execute(given)?;
    Ok(())
}

/// Those of playgrounds are nobody's to keep.
fn is_for_programs(key: &KeyRecord) -> bool {
    key.purpose == KeyPurpose::Api
}

/// The key of a prefix, if it is one that somebody may change.
fn find_for(
    connection: &Connection,
    by: &Actor,
    prefix: &KeyPrefix,
) -> Result<Option<KeyRecord>, StoreError> {
    let is_theirs = |key: &KeyRecord| match by {
        Actor::Operator => true,
        Actor::Account(account) => key.account.as_ref() == Some(account) && is_for_programs(key),
        Actor::Visitor => false,
    };
    Ok(find(connection, prefix)?.filter(is_theirs))
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
    by: &Actor,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Revocation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(mut record) = find_for(&transaction, by, prefix)? else {
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
    made(&transaction, by, Event::KeyRevoked, &record, now_ms)?;
    transaction.commit()?;
    record.revoked_ms = Some(now_ms);
    Ok(Revocation::Revoked(record))
}

pub(super) fn rename(
    connection: &mut Connection,
    by: &Actor,
    prefix: &KeyPrefix,
    name: &str,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(record) = find_for(&transaction, by, prefix)?.filter(is_for_programs) else { return Ok(None) };
    let revision = next_revision(&transaction)?;
    transaction.execute(
        RENAME_KEY,
        named_params! {":name": name, ":revision": revision, ":prefix": prefix.as_str()},
    )?;
    made(&transaction, by, Event::KeyRenamed, &record, now_ms)?;
    transaction.commit()?;
    Ok(Some(KeyRecord { name: name.to_owned(), ..record }))
}

pub(super) fn rotate(
    connection: &mut Connection,
    by: &Actor,
    prefix: &KeyPrefix,
    overlap_ms: u64,
    now_ms: i64,
) -> Result<Rotation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(mut old) = find_for(&transaction, by, prefix)?.filter(is_for_programs) else {
        return Ok(Rotation::Unknown);
    };
    if old.revoked_ms.is_some() || old.expires_ms.is_some_and(|end| end <= now_ms) {
        return Ok(Rotation::Ended);
    }
    if let Some(account) = &old.account
        && has_too_many(&transaction, account, now_ms)?
    {
        return Ok(Rotation::TooMany);
    }
    let spec = KeySpec {
        name: old.name.clone(),
        scopes: old.scopes.clone(),
        limits: old.limits,
        origins: old.origins.clone(),
        expires_ms: old.expires_ms,
        monthly_cap: old.monthly_cap,
    };
    let new = insert(&transaction, &spec, old.account.as_ref(), KeyPurpose::Api, now_ms)?;
    allowance::inherit_cap(&transaction, prefix, &new.record.prefix, now_ms)?;
    let overlap_end = now_ms.saturating_add(signed(overlap_ms));
    let end = old.expires_ms.map_or(overlap_end, |end| end.min(overlap_end));
    transaction.execute(
        EXPIRE_KEY,
        named_params! {
            ":expires_ms": end,
            ":revision": next_revision(&transaction)?,
            ":prefix": prefix.as_str(),
        },
    )?;
    old.expires_ms = Some(end);
    made(&transaction, by, Event::KeyRotated, &old, now_ms)?;
    made(&transaction, by, Event::KeyCreated, &new.record, now_ms)?;
    transaction.commit()?;
    Ok(Rotation::Rotated { new: Box::new(new), old: Box::new(old) })
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

pub(super) fn read(row: &Row<'_>) -> Result<KeyRecord, StoreError> {
    let scopes: String = row.get("scopes")?;
    let scopes: Result<Vec<Scope>, _> = scopes.split_whitespace().map(str::parse).collect();
    let origins: Option<String> = row.get("origins")?;
    let origins: Result<Vec<Origin>, _> =
        origins.iter().flat_map(|all| all.split_whitespace()).map(str::parse).collect();
    let mut origins = origins.map_err(|error| StoreError::Unreadable(format!("an origin {error}")))?;
    origins.sort();
    let account: Option<String> = row.get("account")?;
    let is_operator = row.get::<_, Option<bool>>("is_operator")?.unwrap_or(false);
    let lock = account
        .as_ref()
        .map(|_| {
            Ok::<_, rusqlite::Error>(AccessLock::of(
                is_operator,
                row.get("access_ms")?,
                row.get("locked_ms")?,
            ))
        })
        .transpose()?
        .flatten();
    let purpose = match row.get::<_, String>("purpose")?.as_str() {
        "api" => KeyPurpose::Api,
        "playground" => KeyPurpose::Playground,
        other => return Err(StoreError::Unreadable(format!("a key for '{other}'"))),
    };
    let monthly_cap: Option<i64> = row.get("monthly_cap")?;
    let cap_spent: Option<i64> = row.get("cap_spent_month")?;
    let allowance_spent: Option<i64> = row.get("allowance_spent_month")?;
    Ok(KeyRecord {
        prefix: KeyPrefix(row.get("prefix")?),
        hash: SecretHash(row.get("hash")?),
        name: row.get("name")?,
        purpose,
        scopes: scopes.map_err(|error| StoreError::Unreadable(error.to_string()))?,
        limits: KeyLimits { rate: row.get("rate")?, burst: row.get("burst")?, streams: row.get("streams")? },
        origins,
        created_ms: row.get("created_ms")?,
        expires_ms: row.get("expires_ms")?,
        revoked_ms: row.get("revoked_ms")?,
        is_metered: monthly_cap.is_some() || (account.is_some() && !is_operator),
        account: account.map(AccountId),
        lock,
        monthly_cap: monthly_cap.map(unsigned),
        spent: cap_spent.max(allowance_spent).map(Month),
        last_used_ms: row.get("last_used_ms")?,
    })
}
