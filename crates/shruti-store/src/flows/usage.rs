//! Usage.

use std::collections::HashSet;

use async_trait::async_trait;
use futures_util::FutureExt;
use shruti_lang::UnknownLanguage;

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::Day;
use crate::database::{Database, Row, Tx, params};
use crate::error::StoreError;
use crate::flows::allowance;
use crate::key::KeyPrefix;
use crate::sql::usage as sql;
use crate::usage::{
    DayUsage, KeyDayUsage, REPORT_LIFE_MS, ReportId, USAGE_DAYS, Usage, UsageEntry, UsageOf, UsageReport,
    UsageStore,
};

async fn record(tx: &mut impl Tx, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError> {
    let ReportId { server, number } = report.id;
    let is_new = tx.execute(&sql::NOTE_REPORT, params![&server, number, now_ms]).await? > 0;
    let mut ended = Vec::new();
    // all servers lock rows in the same order, which prevents deadlocks
    let mut leases = report.leases.clone();
    leases.sort_unstable();
    for (lease, used) in leases {
        if !allowance::report(tx, lease, used, now_ms).await? {
            ended.push(lease);
        }
    }
    if is_new {
        let keys = hold_keys(tx, &report).await?;
        let overdrafts = report.overdrafts.iter().filter(|overdraft| keys.contains(&overdraft.key));
        allowance::overdraw(tx, overdrafts.collect()).await?;
        let entries = report.entries.iter().filter(|entry| keys.contains(&entry.key));
        add(tx, entries.collect(), now_ms).await?;
    }
    Ok(ended)
}

/// Returns the keys in a report that still exist, and locks them against deletion. The usage of deleted keys is not
/// counted.
async fn hold_keys(tx: &mut impl Tx, report: &UsageReport) -> Result<HashSet<KeyPrefix>, StoreError> {
    let of_entries = report.entries.iter().map(|entry| entry.key.as_str());
    let of_overdrafts = report.overdrafts.iter().map(|overdraft| overdraft.key.as_str());
    let keys: Vec<&str> = of_entries.chain(of_overdrafts).collect();
    let found = tx.all(&sql::HOLD_KEYS, params![keys.as_slice()], |row| row.get("prefix")).await?;
    Ok(found.into_iter().collect())
}

async fn add(tx: &mut impl Tx, mut entries: Vec<&UsageEntry>, now_ms: i64) -> Result<(), StoreError> {
    entries.sort_by_cached_key(|entry| {
        (entry.key.clone(), entry.day, entry.voice.clone(), entry.language.code(), entry.api.clone())
    });
    for UsageEntry { key, day, voice, language, api, amount } in &entries {
        let Usage { chars, requests, audio_ms } = *amount;
        let row =
            params![key, *day, voice.as_str(), language.code(), api.as_ref(), chars, requests, audio_ms];
        tx.execute(&sql::ADD, row).await?;
    }
    entries.dedup_by_key(|entry| &entry.key);
    for entry in entries {
        tx.execute(&sql::NOTE_KEY_USE, params![&entry.key, now_ms]).await?;
    }
    Ok(())
}

/// Deletes the usage of days that are no longer kept, and the identifiers of old reports.
pub(crate) async fn delete_old(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    let first = Day::of(now_ms).plus(1 - USAGE_DAYS);
    tx.execute(&sql::DELETE_BEFORE, params![first]).await?;
    tx.execute(&sql::DELETE_REPORTS_BEFORE, params![now_ms.saturating_sub(REPORT_LIFE_MS)]).await?;
    Ok(())
}

/// Returns the first day of a query, moved if necessary so that the query covers at most [`USAGE_DAYS`] days.
fn first_kept(first: Day, last: Day) -> Day {
    first.max(last.plus(1 - USAGE_DAYS))
}

async fn by_day(tx: &mut impl Tx, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
    let first = first_kept(first, last);
    match &of {
        UsageOf::Key(prefix) => tx.all(&sql::OF_KEY, params![first, last, prefix], read_day).await,
        UsageOf::Account(account) => tx.all(&sql::OF_ACCOUNT, params![first, last, account], read_day).await,
        UsageOf::All => tx.all(&sql::OF_ALL, params![first, last], read_day).await,
    }
}

fn read_day(row: &dyn Row) -> Result<DayUsage, StoreError> {
    let language: String = row.get("language")?;
    let unreadable = |error: UnknownLanguage| StoreError::Unreadable(error.to_string());
    Ok(DayUsage {
        day: row.get("day")?,
        voice: row.get::<String>("voice")?.into(),
        language: language.parse().map_err(unreadable)?,
        api: row.get::<String>("api")?.into(),
        amount: read_amount(row)?,
    })
}

async fn by_day_and_key(
    tx: &mut impl Tx,
    account: AccountId,
    first: Day,
    last: Day,
) -> Result<Vec<KeyDayUsage>, StoreError> {
    tx.all(&sql::BY_DAY_AND_KEY, params![first_kept(first, last), last, &account], |row| {
        Ok(KeyDayUsage { day: row.get("day")?, key: row.get("prefix")?, amount: read_amount(row)? })
    })
    .await
}

fn read_amount(row: &dyn Row) -> Result<Usage, StoreError> {
    Ok(Usage { chars: row.get("chars")?, requests: row.get("requests")?, audio_ms: row.get("audio_ms")? })
}

#[async_trait]
impl<D: Database> UsageStore for D {
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError> {
        self.write(move |tx| record(tx, report, now_ms).boxed()).await
    }

    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
        self.read(move |tx| by_day(tx, of, first, last).boxed()).await
    }

    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError> {
        self.read(move |tx| by_day_and_key(tx, account, first, last).boxed()).await
    }
}
