//! Usage, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Row, TransactionBehavior, named_params};
use shruti_protocol::UnknownLanguage;

use super::{SqliteStore, allowance, signed, unsigned};
use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::Day;
use crate::key::KeyPrefix;
use crate::store::StoreError;
use crate::usage::{DayUsage, KeyDayUsage, USAGE_DAYS, Usage, UsageOf, UsageReport, UsageStore};

const ADD_USAGE: &str = include_str!("sql/add_usage.sql");
const NOTE_KEY_USE: &str = include_str!("sql/note_key_use.sql");
const USAGE_OF_KEY: &str = concat!(
    include_str!("sql/usage_by_day.sql"),
    include_str!("sql/usage_of_key.sql"),
    include_str!("sql/group_by_day.sql")
);
const USAGE_OF_ACCOUNT: &str = concat!(
    include_str!("sql/usage_by_day.sql"),
    include_str!("sql/usage_of_account.sql"),
    include_str!("sql/group_by_day.sql")
);
const USAGE_OF_ALL: &str = concat!(
    include_str!("sql/usage_by_day.sql"),
    include_str!("sql/usage_of_all.sql"),
    include_str!("sql/group_by_day.sql")
);
const USAGE_BY_KEY: &str = include_str!("sql/usage_by_key.sql");
const USAGE_BY_DAY_AND_KEY: &str = include_str!("sql/usage_by_day_and_key.sql");

fn record(
    connection: &mut Connection,
    report: &UsageReport,
    now_ms: i64,
) -> Result<Vec<LeaseId>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for entry in &report.entries {
        transaction.prepare_cached(ADD_USAGE)?.execute(named_params! {
            ":prefix": entry.key.as_str(),
            ":day": entry.day.0,
            ":voice": entry.voice.as_str(),
            ":language": entry.language.code(),
            ":chars": signed(entry.amount.chars),
            ":requests": signed(entry.amount.requests),
            ":audio_ms": signed(entry.amount.audio_ms),
        })?;
        transaction
            .prepare_cached(NOTE_KEY_USE)?
            .execute(named_params! {":prefix": entry.key.as_str(), ":now_ms": now_ms})?;
    }
    let mut ended = Vec::new();
    for &(lease, used) in &report.leases {
        if !allowance::report(&transaction, lease, used, now_ms)? {
            ended.push(lease);
        }
    }
    transaction.commit()?;
    Ok(ended)
}

/// The first of the days that are asked for and told.
fn first_told(first: Day, last: Day) -> Day {
    first.max(last.plus(1 - USAGE_DAYS))
}

fn by_day(connection: &Connection, of: &UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
    let (statement, whose) = match of {
        UsageOf::Key(prefix) => (USAGE_OF_KEY, Some(prefix.as_str())),
        UsageOf::Account(account) => (USAGE_OF_ACCOUNT, Some(account.as_str())),
        UsageOf::All => (USAGE_OF_ALL, None),
    };
    let mut statement = connection.prepare_cached(statement)?;
    let asked = named_params! {":first": first_told(first, last).0, ":last": last.0, ":whose": whose};
    let rows = statement.query_map(asked, |row| {
        let (voice, language): (String, String) = (row.get("voice")?, row.get("language")?);
        Ok((Day(row.get("day")?), voice, language, amount(row)?))
    })?;
    rows.map(|row| {
        let (day, voice, language, amount) = row?;
        let unreadable = |error: UnknownLanguage| StoreError::Unreadable(error.to_string());
        Ok(DayUsage { day, voice: voice.into(), language: language.parse().map_err(unreadable)?, amount })
    })
    .collect()
}

fn by_key(
    connection: &Connection,
    account: &AccountId,
    first: Day,
    last: Day,
) -> Result<Vec<(KeyPrefix, Usage)>, StoreError> {
    let mut statement = connection.prepare_cached(USAGE_BY_KEY)?;
    let asked = named_params! {
        ":account": account.as_str(),
        ":first": first_told(first, last).0,
        ":last": last.0,
    };
    let rows = statement.query_map(asked, |row| Ok((KeyPrefix(row.get("prefix")?), amount(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn by_day_and_key(
    connection: &Connection,
    account: &AccountId,
    first: Day,
    last: Day,
) -> Result<Vec<KeyDayUsage>, StoreError> {
    let mut statement = connection.prepare_cached(USAGE_BY_DAY_AND_KEY)?;
    let asked = named_params! {
        ":account": account.as_str(),
        ":first": first_told(first, last).0,
        ":last": last.0,
    };
    let rows = statement.query_map(asked, |row| {
        let (day, key) = (Day(row.get("day")?), KeyPrefix(row.get("prefix")?));
        Ok(KeyDayUsage { day, key, amount: amount(row)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn amount(row: &Row<'_>) -> rusqlite::Result<Usage> {
    Ok(Usage {
        chars: unsigned(row.get("chars")?),
        requests: unsigned(row.get("requests")?),
        audio_ms: unsigned(row.get("audio_ms")?),
    })
}

#[async_trait]
impl UsageStore for SqliteStore {
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError> {
        self.call(move |connection| record(connection, &report, now_ms)).await
    }

    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
        self.read(move |connection| by_day(connection, &of, first, last)).await
    }

    async fn usage_by_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<(KeyPrefix, Usage)>, StoreError> {
        self.read(move |connection| by_key(connection, &account, first, last)).await
    }

    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError> {
        self.read(move |connection| by_day_and_key(connection, &account, first, last)).await
    }
}
