//! Single-use tokens, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::key_rows;
use super::store::SqliteStore;
use crate::account::AccountId;
use crate::decisions::Decision;
use crate::decisions::tokens::{UnusedTokens, answers_for_tokens, decide_issuance};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::KeyRecord;
use crate::secret::SecretHash;
use crate::token::{Issuance, IssuedToken, SecretToken, TokenStore};

const INSERT_TOKEN: &str =
    "INSERT INTO tokens (hash, prefix, expires_ms) VALUES (:hash, :prefix, :expires_ms)";
const DROP_EXPIRED_TOKENS: &str = "DELETE FROM tokens WHERE expires_ms <= :now_ms";
const DROP_TOKENS_OF_KEY: &str = "DELETE FROM tokens WHERE prefix = :prefix";
const DROP_TOKENS_OF_ACCOUNT: &str =
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)";
const COUNT_TOKENS: &str =
    "SELECT count(*) AS count, min(expires_ms) AS first_expires_ms FROM tokens WHERE prefix = :prefix";
const FIND_TOKEN: &str = "SELECT prefix FROM tokens WHERE hash = :hash AND expires_ms > :now_ms";
const CONSUME_TOKEN: &str = "DELETE FROM tokens WHERE hash = :hash AND expires_ms > :now_ms RETURNING prefix";

fn issue(connection: &mut Connection, key: &KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
    let transaction = connection.transaction()?;
    let Some(key) = valid_key(&transaction, key, now_ms)? else {
        return Ok(Issuance::NoKey);
    };
    let prefix = key.prefix.as_str();
    drop_expired(&transaction, now_ms)?;
    let unused =
        transaction.prepare_cached(COUNT_TOKENS)?.query_row(named_params! {":prefix": prefix}, |row| {
            Ok(UnusedTokens { count: row.get("count")?, first_expires_ms: row.get("first_expires_ms")? })
        })?;
    let expires_ms = match decide_issuance(&key, unused, now_ms) {
        Decision::Write(expires_ms) => expires_ms,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = SecretToken::generate()?;
    transaction.prepare_cached(INSERT_TOKEN)?.execute(named_params! {
        ":hash": secret.hash().0.as_slice(),
        ":prefix": prefix,
        ":expires_ms": expires_ms,
    })?;
    transaction.commit()?;
    Ok(Issuance::Issued(IssuedToken { secret, expires_ms }))
}

fn find(
    connection: &mut Connection,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    // one snapshot for both queries
    let transaction = connection.transaction()?;
    key_of(&transaction, FIND_TOKEN, token, now_ms)
}

fn consume(
    connection: &mut Connection,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction()?;
    let key = key_of(&transaction, CONSUME_TOKEN, token, now_ms)?;
    transaction.commit()?;
    Ok(key)
}

/// Removes the tokens whose time is over.
pub(super) fn drop_expired(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    transaction.prepare_cached(DROP_EXPIRED_TOKENS)?.execute(named_params! {":now_ms": now_ms})?;
    Ok(())
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
    Ok(key_rows::find(transaction, prefix)?.filter(|key| answers_for_tokens(key, now_ms)))
}

#[async_trait]
impl TokenStore for SqliteStore {
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
        self.call_without_sync(move |connection| issue(connection, &key, now_ms)).await
    }

    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |connection| find(connection, token, now_ms)).await
    }

    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call_without_sync(move |connection| consume(connection, token, now_ms)).await
    }
}
