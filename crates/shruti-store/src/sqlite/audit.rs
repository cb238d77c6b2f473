//! The audit log, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Transaction, named_params};

use super::{SqliteStore, unsigned};
use crate::account::AccountId;
use crate::audit::{AUDIT_LIFE_MS, Actor, AuditEntry, AuditStore, Event, MAX_AUDIT_ENTRIES};
use crate::calendar::Day;
use crate::store::StoreError;

const INSERT_AUDIT: &str = include_str!("sql/insert_audit.sql");
const REPEAT_AUDIT: &str = include_str!("sql/repeat_audit.sql");
const DROP_OLD_AUDIT: &str = include_str!("sql/drop_old_audit.sql");
const DROP_SURPLUS_AUDIT: &str = include_str!("sql/drop_surplus_audit.sql");
const AUDIT_LOG: &str = include_str!("sql/audit_log.sql");

/// The outcome of what was done.
pub(super) const OK: &str = "ok";

/// An entry to be made.
pub(super) struct Entry<'a> {
    pub(super) actor: &'a Actor,
    pub(super) event: Event,
    pub(super) account: Option<&'a AccountId>,
    pub(super) subject: Option<&'a str>,
    pub(super) outcome: &'static str,
}

/// Writes an entry down as part of the decision that it is about.
pub(super) fn record(
    transaction: &Transaction<'_>,
    now_ms: i64,
    entry: &Entry<'_>,
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
    transaction
        .prepare_cached(DROP_OLD_AUDIT)?
        .execute(named_params! {":before_ms": now_ms.saturating_sub(AUDIT_LIFE_MS)})?;
    transaction.prepare_cached(DROP_SURPLUS_AUDIT)?.execute(named_params! {":kept": MAX_AUDIT_ENTRIES})?;
    Ok(())
}

/// Writes down that somebody did something.
pub(super) fn done(
    transaction: &Transaction<'_>,
    now_ms: i64,
    actor: &Actor,
    event: Event,
    account: Option<&AccountId>,
    subject: Option<&str>,
) -> Result<(), StoreError> {
    record(transaction, now_ms, &Entry { actor, event, account, subject, outcome: OK })
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
}
