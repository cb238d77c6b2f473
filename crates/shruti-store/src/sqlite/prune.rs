//! Removes what is over, in SQL.

use rusqlite::{Connection, TransactionBehavior, named_params};

use super::{allowance, sessions};
use crate::account::FAILURES_FORGOTTEN_MS;
use crate::audit::AUDIT_LIFE_MS;
use crate::calendar::{Day, Month};
use crate::promo::PROMO_TRIES_WINDOW_MS;
use crate::store::StoreError;
use crate::usage::USAGE_DAYS;

const DROP_EXPIRED_TOKENS: &str = include_str!("sql/drop_expired_tokens.sql");
const DROP_OLD_LINKS: &str = include_str!("sql/drop_old_links.sql");
const DROP_OLD_FAILURES: &str = include_str!("sql/drop_old_failures.sql");
const DROP_OLD_PROMO_TRIES: &str = include_str!("sql/drop_old_promo_tries.sql");
const DROP_OLD_AUDIT: &str = include_str!("sql/drop_old_audit.sql");
const DROP_OLD_USAGE: &str = include_str!("sql/drop_old_usage.sql");
const DROP_OLD_ALLOWANCE: &str = include_str!("sql/drop_old_allowance.sql");
const DROP_OLD_CAPS: &str = include_str!("sql/drop_old_caps.sql");

/// Months for which it is kept what was drawn.
const MONTHS: i64 = 13;

pub(super) fn prune(connection: &mut Connection, now_ms: i64) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    sessions::drop_old(&transaction, now_ms)?;
    allowance::take_back_ended(&transaction, now_ms)?;
    for statement in [DROP_EXPIRED_TOKENS, DROP_OLD_LINKS] {
        transaction.execute(statement, named_params! {":now_ms": now_ms})?;
    }
    let before = |life_ms| now_ms.saturating_sub(life_ms);
    transaction.execute(DROP_OLD_FAILURES, named_params! {":forgotten_ms": before(FAILURES_FORGOTTEN_MS)})?;
    transaction.execute(DROP_OLD_PROMO_TRIES, named_params! {":since_ms": before(PROMO_TRIES_WINDOW_MS)})?;
    transaction.execute(DROP_OLD_AUDIT, named_params! {":before_ms": before(AUDIT_LIFE_MS)})?;
    transaction.execute(DROP_OLD_USAGE, named_params! {":first": Day::of(now_ms).plus(1 - USAGE_DAYS).0})?;
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        transaction.execute(statement, named_params! {":month": Month::of(now_ms).0 - MONTHS})?;
    }
    transaction.commit()?;
    Ok(())
}
