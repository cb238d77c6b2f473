//! Single-use tokens, in SQL.

use async_trait::async_trait;

use super::client::{Client, Transaction};
use super::key_rows;
use super::rows::{self, Values, small};
use super::store::PostgresStore;
use crate::account::AccountId;
use crate::decisions::Decision;
use crate::decisions::tokens::{UnusedTokens, answers_for_tokens, decide_issuance};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::KeyRecord;
use crate::secret::SecretHash;
use crate::token::{Issuance, IssuedToken, SecretToken, TokenStore};

/// Tokens of one key are made one after the other, so that they can be counted.
const HOLD_KEY: &str = "SELECT 1 FROM keys WHERE prefix = $1 FOR NO KEY UPDATE";
const INSERT_TOKEN: &str = "INSERT INTO tokens (hash, prefix, expires_ms) VALUES ($1, $2, $3)";
const DROP_EXPIRED_TOKENS: &str = "DELETE FROM tokens WHERE hash IN (
        SELECT hash FROM tokens WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";
const DROP_TOKENS_OF_KEY: &str = "DELETE FROM tokens WHERE prefix = $1";
const DROP_TOKENS_OF_ACCOUNT: &str =
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)";
const COUNT_TOKENS: &str =
    "SELECT count(*) AS count, min(expires_ms) AS first_expires_ms FROM tokens WHERE prefix = $1";
const FIND_TOKEN: &str = "SELECT prefix FROM tokens WHERE hash = $1 AND expires_ms > $2";
const CONSUME_TOKEN: &str = "DELETE FROM tokens WHERE hash = $1 AND expires_ms > $2 RETURNING prefix";

async fn issue(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Issuance, StoreError> {
    rows::first(transaction, HOLD_KEY, &[&prefix.as_str()]).await?;
    let Some(key) = valid_key(transaction, prefix, now_ms).await? else {
        return Ok(Issuance::NoKey);
    };
    let prefix = key.prefix.as_str();
    drop_expired(transaction, now_ms).await?;
    let row = rows::one(transaction, COUNT_TOKENS, &[&prefix]).await?;
    let unused = UnusedTokens {
        count: small(row.try_get("count")?)?,
        first_expires_ms: row.try_get("first_expires_ms")?,
    };
    let expires_ms = match decide_issuance(&key, unused, now_ms) {
        Decision::Write(expires_ms) => expires_ms,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = SecretToken::generate()?;
    rows::execute(transaction, INSERT_TOKEN, &[&secret.hash().0.as_slice(), &prefix, &expires_ms]).await?;
    Ok(Issuance::Issued(IssuedToken { secret, expires_ms }))
}

/// Removes the tokens whose time is over.
pub(super) async fn drop_expired(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_EXPIRED_TOKENS, &[&now_ms]).await?;
    Ok(())
}

/// Ends all tokens of a key.
pub(super) async fn drop_all_of(transaction: &Transaction<'_>, key: &KeyPrefix) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_TOKENS_OF_KEY, &[&key.as_str()]).await?;
    Ok(())
}

/// Ends all tokens of an account's keys.
pub(super) async fn drop_all_of_account(
    transaction: &Transaction<'_>,
    account: &AccountId,
) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_TOKENS_OF_ACCOUNT, &[&account.as_str()]).await?;
    Ok(())
}

/// The valid key of the token that a statement finds.
async fn key_of(
    client: &impl Client,
    statement: &str,
    token: SecretHash,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let asked: Values<'_> = &[&token.0.as_slice(), &now_ms];
    match rows::first(client, statement, asked).await? {
        Some(row) => valid_key(client, &KeyPrefix(row.try_get("prefix")?), now_ms).await,
        None => Ok(None),
    }
}

async fn valid_key(
    client: &impl Client,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    Ok(key_rows::find(client, prefix).await?.filter(|key| answers_for_tokens(key, now_ms)))
}

#[async_trait]
impl TokenStore for PostgresStore {
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
        self.call(async |transaction| issue(transaction, &key, now_ms).await).await
    }

    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.read(async |client| key_of(client, FIND_TOKEN, token, now_ms).await).await
    }

    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call(async |transaction| key_of(transaction, CONSUME_TOKEN, token, now_ms).await).await
    }
}
