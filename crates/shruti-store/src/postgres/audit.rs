//! The audit log, in SQL.

use super::client::Transaction;
use super::rows;
use crate::account::AccountId;
use crate::audit::{AUDIT_LIFE_MS, Actor, Event, MAX_AUDIT_ENTRIES, NewEntry, OK};
use crate::calendar::Day;
use crate::error::StoreError;

const INSERT_AUDIT: &str = "INSERT INTO audit (at_ms, actor, event, account, subject, outcome, times)
    VALUES ($1, $2, $3, $4, $5, $6, 1)";
/// Refusals of one kind are written one after the other, so that they find each other's row.
const HOLD_KIND: &str =
    "SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::TEXT, $2::TEXT, $3::TEXT), 0))";
const REPEAT_AUDIT: &str = "UPDATE audit SET times = times + 1 WHERE id = (
        SELECT id FROM audit
        WHERE account IS NOT DISTINCT FROM $1 AND event = $2 AND at_ms >= $3 AND actor = $4 AND outcome = $5
        ORDER BY at_ms DESC LIMIT 1
    )";
const DROP_OLD_AUDIT: &str = "DELETE FROM audit WHERE id IN (
        SELECT id FROM audit WHERE at_ms <= $1 OR id <= (SELECT max(id) FROM audit) - $2 FOR UPDATE SKIP LOCKED
    )";

/// Writes an entry as part of the decision that it is about.
pub(super) async fn record(
    transaction: &Transaction<'_>,
    now_ms: i64,
    entry: &NewEntry<'_>,
) -> Result<(), StoreError> {
    let actor = entry.actor.to_string();
    let account = entry.account.map(AccountId::as_str);
    let event = entry.event.as_str();
    if entry.outcome != OK {
        rows::execute(transaction, HOLD_KIND, &[&account, &event, &entry.outcome]).await?;
        let day_ms = Day::of(now_ms).start_ms();
        let asked: rows::Values<'_> = &[&account, &event, &day_ms, &actor, &entry.outcome];
        if rows::execute(transaction, REPEAT_AUDIT, asked).await? > 0 {
            return Ok(());
        }
    }
    let given: rows::Values<'_> = &[&now_ms, &actor, &event, &account, &entry.subject, &entry.outcome];
    rows::execute(transaction, INSERT_AUDIT, given).await?;
    drop_old(transaction, now_ms).await
}

/// Removes the entries that are too old or too many.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let before_ms = now_ms.saturating_sub(AUDIT_LIFE_MS);
    rows::execute(transaction, DROP_OLD_AUDIT, &[&before_ms, &i64::from(MAX_AUDIT_ENTRIES)]).await?;
    Ok(())
}

/// Writes an entry about something that was done.
pub(super) async fn done(
    transaction: &Transaction<'_>,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    subject: Option<&str>,
) -> Result<(), StoreError> {
    record(transaction, now_ms, &NewEntry { actor, event, account, subject, outcome: OK }).await
}
