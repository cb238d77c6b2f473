//! Single-use tokens.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::database::{Database, Tx, params};
use crate::decisions::Decision;
use crate::decisions::tokens::{UnusedTokens, answers_for_tokens, decide_issuance};
use crate::error::StoreError;
use crate::flows::key_rows;
use crate::key::KeyPrefix;
use crate::key_record::KeyRecord;
use crate::secret::SecretHash;
use crate::sql::{Sql, keys, tokens as sql};
use crate::token::{Issuance, IssuedToken, SecretToken, TokenStore};

async fn issue(tx: &mut impl Tx, prefix: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
    // serialises the creation of tokens for one key, so that their maximum number is not exceeded
    tx.execute(&keys::LOCK, params![&prefix]).await?;
    let Some(key) = valid_key(tx, &prefix, now_ms).await? else { return Ok(Issuance::NoKey) };
    delete_expired(tx, now_ms).await?;
    let unused = tx
        .one(&sql::COUNT, params![&prefix], |row| {
            let first_expires_ms = row.optional("first_expires_ms")?;
            Ok(UnusedTokens { count: row.get("count")?, first_expires_ms })
        })
        .await?;
    let expires_ms = match decide_issuance(&key, unused, now_ms) {
        Decision::Write(expires_ms) => expires_ms,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = SecretToken::generate()?;
    tx.execute(&sql::INSERT, params![&secret.hash(), &prefix, expires_ms]).await?;
    Ok(Issuance::Issued(IssuedToken { secret, expires_ms }))
}

pub(crate) async fn delete_expired(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_EXPIRED, params![now_ms]).await?;
    Ok(())
}

/// Deletes all tokens of a key.
pub(crate) async fn delete_all_of(tx: &mut impl Tx, key: &KeyPrefix) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_OF_KEY, params![key]).await?;
    Ok(())
}

/// Deletes all tokens of the keys of an account.
pub(crate) async fn delete_all_of_account(tx: &mut impl Tx, account: &AccountId) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_OF_ACCOUNT, params![account]).await?;
    Ok(())
}

/// Returns the key of the token that a statement finds, if the key is valid.
async fn key_of(
    tx: &mut impl Tx,
    statement: &Sql,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    match tx.first(statement, params![&token, now_ms], |row| row.get("prefix")).await? {
        Some(prefix) => valid_key(tx, &prefix, now_ms).await,
        None => Ok(None),
    }
}

async fn valid_key(
    tx: &mut impl Tx,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    Ok(key_rows::find(tx, prefix).await?.filter(|key| answers_for_tokens(key, now_ms)))
}

#[async_trait]
impl<D: Database> TokenStore for D {
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
        self.write_unsynced(move |tx| issue(tx, key, now_ms).boxed()).await
    }

    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |tx| key_of(tx, &sql::FIND, token, now_ms).boxed()).await
    }

    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.write_unsynced(move |tx| key_of(tx, &sql::CONSUME, token, now_ms).boxed()).await
    }
}
