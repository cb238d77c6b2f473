//! Single-use tokens, in SQL.

use rusqlite::{Transaction, named_params};

use crate::account::AccountId;
use crate::error::StoreError;

const DROP_EXPIRED_TOKENS: &str = "DELETE FROM tokens WHERE expires_ms <= :now_ms";
const DROP_TOKENS_OF_ACCOUNT: &str =
    "DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)";

/// Removes the tokens whose time is over.
pub(super) fn drop_expired(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    transaction.prepare_cached(DROP_EXPIRED_TOKENS)?.execute(named_params! {":now_ms": now_ms})?;
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
