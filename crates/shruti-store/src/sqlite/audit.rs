//! The audit log, in SQL.

use rusqlite::{Transaction, named_params};

use crate::account::AccountId;
use crate::audit::{AUDIT_LIFE_MS, Actor, Event, MAX_AUDIT_ENTRIES, NewEntry, OK};
use crate::calendar::Day;
use crate::error::StoreError;

const INSERT_AUDIT: &str = "INSERT INTO audit (at_ms, actor, event, account, subject, outcome, times)
    VALUES (:at_ms, :actor, :event, :account, :subject, :outcome, 1)";
const REPEAT_AUDIT: &str = "UPDATE audit SET times = times + 1 WHERE id = (
        SELECT id FROM audit
        WHERE account IS :account AND event = :event AND at_ms >= :day_ms AND actor = :actor AND outcome = :outcome
        ORDER BY at_ms DESC LIMIT 1
    )";
const DROP_OLD_AUDIT: &str = "DELETE FROM audit WHERE at_ms <= :before_ms";
const DROP_SURPLUS_AUDIT: &str = "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - :kept";

/// Writes an entry as part of the decision that it is about.
pub(super) fn record(
    transaction: &Transaction<'_>,
    now_ms: i64,
    entry: &NewEntry<'_>,
) -> Result<(), StoreError> {
    let actor = entry.actor.to_string();
    let account = entry.account.map(AccountId::as_str);
    let event = entry.event.as_str();
    if entry.outcome != OK {
        let repeated = transaction.prepare_cached(REPEAT_AUDIT)?.execute(named_params! {
            ":account": account,
            ":event": event,
            ":day_ms": Day::of(now_ms).start_ms(),
            ":actor": actor,
            ":outcome": entry.outcome,
        })?;
        if repeated > 0 {
            return Ok(());
        }
    }
    transaction.prepare_cached(INSERT_AUDIT)?.execute(named_params! {
        ":at_ms": now_ms,
        ":actor": actor,
        ":event": event,
        ":account": account,
        ":subject": entry.subject,
        ":outcome": entry.outcome,
    })?;
    // both find their few rows by an index
    drop_old(transaction, now_ms)?;
    transaction.prepare_cached(DROP_SURPLUS_AUDIT)?.execute(named_params! {":kept": MAX_AUDIT_ENTRIES})?;
    Ok(())
}

/// Removes the entries that are too old.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let before_ms = now_ms.saturating_sub(AUDIT_LIFE_MS);
    transaction.prepare_cached(DROP_OLD_AUDIT)?.execute(named_params! {":before_ms": before_ms})?;
    Ok(())
}

/// Writes an entry about something that was done.
pub(super) fn done(
    transaction: &Transaction<'_>,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    subject: Option<&str>,
) -> Result<(), StoreError> {
    record(transaction, now_ms, &NewEntry { actor, event, account, subject, outcome: OK })
}
