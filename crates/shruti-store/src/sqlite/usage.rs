//! Usage, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Row, Transaction, named_params};
use shruti_lang::UnknownLanguage;

use super::allowance;
use super::store::SqliteStore;
use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::Day;
use crate::count::{signed, unsigned};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::usage::{
    DayUsage, KeyDayUsage, REPORT_LIFE_MS, ReportId, USAGE_DAYS, Usage, UsageOf, UsageReport, UsageStore,
};

/// A whole statement that gives usage by day, from its condition on the key.
macro_rules! usage_by_day {
    ($whose:literal) => {
        concat!(
            "SELECT day, voice, language, api,
                sum(chars) AS chars, sum(requests) AS requests, sum(audio_ms) AS audio_ms
            FROM usage
            WHERE day BETWEEN :first AND :last ",
            $whose,
            " GROUP BY day, voice, language, api ORDER BY day, voice, language, api"
        )
    };
}

const ADD_USAGE: &str = "INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)
    VALUES (:prefix, :day, :voice, :language, :api, :chars, :requests, :audio_ms)
    ON CONFLICT (prefix, day, voice, language, api) DO UPDATE
    SET chars = chars + :chars, requests = requests + :requests, audio_ms = audio_ms + :audio_ms";
const FIND_KEY: &str = "SELECT 1 FROM keys WHERE prefix = :prefix";
const NOTE_KEY_USE: &str = "UPDATE keys SET last_used_ms = :now_ms
    WHERE prefix = :prefix AND (last_used_ms IS NULL OR last_used_ms < :now_ms)";
const USAGE_OF_KEY: &str = usage_by_day!("AND prefix = :whose");
const USAGE_OF_ACCOUNT: &str =
    usage_by_day!("AND prefix IN (SELECT prefix FROM keys WHERE account = :whose)");
const USAGE_OF_ALL: &str = usage_by_day!("AND :whose IS NULL");
const USAGE_BY_DAY_AND_KEY: &str =
    "SELECT day, prefix, sum(chars) AS chars, sum(requests) AS requests, sum(audio_ms) AS audio_ms
    FROM usage
    WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account) AND day BETWEEN :first AND :last
    GROUP BY day, prefix ORDER BY day, prefix";
/// Changes nothing where this report, or one after it, was added before.
const NOTE_REPORT: &str =
    "INSERT INTO usage_reports (server, number, reported_ms) VALUES (:server, :number, :now_ms)
    ON CONFLICT (server) DO UPDATE SET number = :number, reported_ms = :now_ms WHERE number < :number";
const DROP_OLD_REPORTS: &str = "DELETE FROM usage_reports WHERE reported_ms < :before_ms";
const DROP_OLD_USAGE: &str = "DELETE FROM usage WHERE day < :first";

fn record(
    connection: &mut Connection,
    report: &UsageReport,
    now_ms: i64,
) -> Result<Vec<LeaseId>, StoreError> {
    let transaction = connection.transaction()?;
    let ReportId { server, number } = report.id;
    let given = named_params! {":server": server, ":number": number, ":now_ms": now_ms};
    if transaction.prepare_cached(NOTE_REPORT)?.execute(given)? > 0 {
        add(&transaction, report, now_ms)?;
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

/// Adds what must not be added twice.
fn add(transaction: &Transaction<'_>, report: &UsageReport, now_ms: i64) -> Result<(), StoreError> {
    // of a key that was deleted meanwhile nothing is left to count for
    let is_there = |key: &KeyPrefix| {
        transaction.prepare_cached(FIND_KEY)?.exists(named_params! {":prefix": key.as_str()})
    };
    for overdraft in &report.overdrafts {
        if !is_there(&overdraft.key)? {
            continue;
        }
        allowance::overdraw(transaction, overdraft)?;
    }
    for entry in &report.entries {
        if !is_there(&entry.key)? {
            continue;
        }
        transaction.prepare_cached(ADD_USAGE)?.execute(named_params! {
            ":prefix": entry.key.as_str(),
            ":day": entry.day.0,
            ":voice": entry.voice.as_str(),
            ":language": entry.language.code(),
            ":api": entry.api,
            ":chars": signed(entry.amount.chars),
            ":requests": signed(entry.amount.requests),
            ":audio_ms": signed(entry.amount.audio_ms),
        })?;
        transaction
            .prepare_cached(NOTE_KEY_USE)?
            .execute(named_params! {":prefix": entry.key.as_str(), ":now_ms": now_ms})?;
    }
    Ok(())
}

/// Removes the usage of days that are no longer kept.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let first = Day::of(now_ms).plus(1 - USAGE_DAYS);
    transaction.execute(DROP_OLD_USAGE, named_params! {":first": first.0})?;
    let before_ms = now_ms.saturating_sub(REPORT_LIFE_MS);
    transaction.execute(DROP_OLD_REPORTS, named_params! {":before_ms": before_ms})?;
    Ok(())
}

/// The first of the days that are asked for and kept.
fn first_kept(first: Day, last: Day) -> Day {
    first.max(last.plus(1 - USAGE_DAYS))
}

fn by_day(connection: &Connection, of: &UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
    let (statement, whose) = match of {
        UsageOf::Key(prefix) => (USAGE_OF_KEY, Some(prefix.as_str())),
        UsageOf::Account(account) => (USAGE_OF_ACCOUNT, Some(account.as_str())),
        UsageOf::All => (USAGE_OF_ALL, None),
    };
    let mut statement = connection.prepare_cached(statement)?;
    let asked = named_params! {":first": first_kept(first, last).0, ":last": last.0, ":whose": whose};
    let rows = statement.query_map(asked, |row| {
        let (voice, language): (String, String) = (row.get("voice")?, row.get("language")?);
        let api: String = row.get("api")?;
        Ok((Day(row.get("day")?), voice, language, api, amount(row)?))
    })?;
    rows.map(|row| {
        let (day, voice, language, api, amount) = row?;
        let unreadable = |error: UnknownLanguage| StoreError::Unreadable(error.to_string());
        let language = language.parse().map_err(unreadable)?;
        Ok(DayUsage { day, voice: voice.into(), language, api: api.into(), amount })
    })
    .collect()
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
        ":first": first_kept(first, last).0,
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

    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError> {
        self.read(move |connection| by_day_and_key(connection, &account, first, last)).await
    }
}
