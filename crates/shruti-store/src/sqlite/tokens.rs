//! Decisions about single-use tokens, in SQL.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params};

use super::keys;
use crate::account::AccountId;
use crate::key::KeyPrefix;
use crate::model::{Issuance, IssuedToken, KeyRecord};
use crate::secret::SecretHash;
use crate::store::StoreError;
use crate::token::{MAX_UNUSED_TOKENS, SecretToken, TOKEN_LIFE};

const INSERT_TOKEN: &str = include_str!("sql/insert_token.sql");
const DROP_EXPIRED_TOKENS: &str = include_str!("sql/drop_expired_tokens.sql");
const DROP_TOKENS_OF_KEY: &str = include_str!("sql/drop_tokens_of_key.sql");
const DROP_TOKENS_OF_ACCOUNT: &str = include_str!("sql/drop_tokens_of_account.sql");
const COUNT_TOKENS: &str = include_str!("sql/count_tokens.sql");
const FIND_TOKEN: &str = include_str!("sql/find_token.sql");
const CONSUME_TOKEN: &str = include_str!("sql/consume_token.sql");

pub(super) fn issue(
    connection: &mut Connection,
    key: &KeyPrefix,
    now_ms: i64,
) -> Result<Issuance, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(key) = valid_key(&transaction, key, now_ms)? else {
        return Ok(Issuance::NoKey);
    };
    let prefix = key.prefix.as_str();
    transaction.prepare_cached(DROP_EXPIRED_TOKENS)?.execute(named_params! {":now_ms": now_ms})?;
    let (unused, first_expiry): (u32, Option<i64>) = transaction
        .prepare_cached(COUNT_TOKENS)?
        .query_row(named_params! {":prefix": prefix}, |row| Ok((row.get(0)?, row.get(1)?)))?;
    if unused >= MAX_UNUSED_TOKENS {
        let free_in_ms = first_expiry.unwrap_or(now_ms).saturating_sub(now_ms).max(0).unsigned_abs();
        return Ok(Issuance::TooMany { free_in_ms });
    }
    let secret = SecretToken::generate()?;
    let own_end = now_ms.saturating_add(TOKEN_LIFE.as_millis() as i64);
    let expires_ms = key.expires_ms.map_or(own_end, |end_of_key| end_of_key.min(own_end));
    transaction.prepare_cached(INSERT_TOKEN)?.execute(named_params! {
        ":hash": secret.hash().0.as_slice(),
        ":prefix": prefix,
        ":expires_ms": expires_ms,
    })?;
    transaction.commit()?;
    Ok(Issuance::Issued(IssuedToken { secret, expires_ms }))
}

pub(super) fn find(
    connection: &mut Connection,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    // one snapshot for both queries
    let transaction = connection.transaction()?;
    key_of(&transaction, FIND_TOKEN, token, now_ms)
}

pub(super) fn consume(
    connection: &mut Connection,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let key = key_of(&transaction, CONSUME_TOKEN, token, now_ms)?;
    transaction.commit()?;
    Ok(key)
}

/// Ends all tokens of a key.
pub(super) fn drop_all_of(transaction: &Transaction<'_>, key: &KeyPrefix) -> Result<(), StoreError> {
    transaction.execute(DROP_TOKENS_OF_KEY, named_params! {":prefix": key.as_str()})?;
    Ok(())
}

/// Ends all tokens of an account's keys.
pub(super) fn drop_all_of_account(
    transaction: &Transaction<'_>,
    account: &AccountId,
) -> Result<(), StoreError> {
    transaction.execute(DROP_TOKENS_OF_ACCOUNT, named_params! {":account": account.as_str()})?;
    Ok(())
}

/// The valid key of the token that a statement finds.
fn key_of(
    transaction: &Transaction<'_>,
    statement: &str,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let asked = named_params! {":hash": token.0.as_slice(), ":now_ms": now_ms};
    let found = transaction.prepare_cached(statement)?.query_row(asked, |row| row.get("prefix"));
    match found.optional()? {
        Some(prefix) => valid_key(transaction, &KeyPrefix(prefix), now_ms),
        None => Ok(None),
    }
}

fn valid_key(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let key = keys::find(transaction, prefix)?;
    let is_valid = |key: &KeyRecord| {
        key.revoked_ms.is_none() && key.expires_ms.is_none_or(|end| end > now_ms) && key.lock.is_none()
    };
    Ok(key.filter(is_valid))
}
