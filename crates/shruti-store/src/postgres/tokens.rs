//! Single-use tokens, in SQL.

use super::client::Transaction;
use super::rows;
use crate::account::AccountId;
use crate::error::StoreError;

const DROP_EXPIRED_TOKENS: &str = "DELETE FROM tokens WHERE hash IN (
        SELECT hash FROM tokens WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";
const DROP_TOKENS_OF_ACCOUNT: &str =
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)";

/// Removes the tokens whose time is over.
pub(super) async fn drop_expired(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_EXPIRED_TOKENS, &[&now_ms]).await?;
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
