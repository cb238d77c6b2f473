//! The audit log, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Transaction, named_params};

use super::store::SqliteStore;
use crate::account::AccountId;
use crate::audit::{
    AUDIT_LIFE_MS, Actor, AuditEntry, AuditStore, Event, MAX_AUDIT_ENTRIES, NewEntry, OK, PackEvent,
};
use crate::calendar::Day;
use crate::count::unsigned;
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
const AUDIT_LOG: &str = "SELECT id, at_ms, actor, event, account, subject, outcome, times FROM audit
    WHERE id < :before AND (:account IS NULL OR account = :account) ORDER BY id DESC LIMIT :limit";

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

fn log(
    connection: &Connection,
    account: Option<&AccountId>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    let mut statement = connection.prepare_cached(AUDIT_LOG)?;
    let asked = named_params! {
        ":before": before.unwrap_or(i64::MAX),
        ":account": account.map(AccountId::as_str),
        ":limit": limit,
    };
    let rows = statement.query_map(asked, |row| {
        Ok(AuditEntry {
            id: row.get("id")?,
            at_ms: row.get("at_ms")?,
            actor: row.get("actor")?,
            event: row.get("event")?,
            account: row.get::<_, Option<String>>("account")?.map(AccountId),
            subject: row.get("subject")?,
            outcome: row.get("outcome")?,
            times: unsigned(row.get("times")?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[async_trait]
impl AuditStore for SqliteStore {
    async fn audit_log(
        &self,
        account: Option<AccountId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read(move |connection| log(connection, account.as_ref(), before, limit)).await
    }

    async fn record_pack(&self, event: PackEvent, pack: String, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |connection| {
            let transaction = connection.transaction()?;
            done(&transaction, now_ms, &Actor::Operator, Event::Pack(event), None, Some(&pack))?;
            Ok(transaction.commit()?)
        })
        .await
    }
}
