//! Usage, in SQL.

use std::collections::HashSet;

use async_trait::async_trait;
use shruti_lang::UnknownLanguage;
use tokio_postgres::Row;

use super::allowance;
use super::client::{Client, Transaction};
use super::rows::{self, Values};
use super::store::PostgresStore;
use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::Day;
use crate::count::{signed, unsigned};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::usage::{
    DayUsage, KeyDayUsage, REPORT_LIFE_MS, ReportId, USAGE_DAYS, Usage, UsageEntry, UsageOf, UsageReport,
    UsageStore,
};

/// A whole statement that gives usage by day, from its condition on the key.
macro_rules! usage_by_day {
    ($whose:literal) => {
        concat!(
            "SELECT day, voice, language, api,
                sum(chars)::BIGINT AS chars, sum(requests)::BIGINT AS requests, sum(audio_ms)::BIGINT AS audio_ms
            FROM usage
            WHERE day BETWEEN $1 AND $2 ",
            $whose,
            " GROUP BY day, voice, language, api ORDER BY day, voice, language, api"
        )
    };
}

const ADD_USAGE: &str = "INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (prefix, day, voice, language, api) DO UPDATE
    SET chars = usage.chars + $6, requests = usage.requests + $7, audio_ms = usage.audio_ms + $8";
const HOLD_KEYS: &str = "SELECT prefix FROM keys WHERE prefix = ANY ($1) FOR KEY SHARE";
const NOTE_KEY_USE: &str = "INSERT INTO key_uses (prefix, last_used_ms) VALUES ($1, $2)
    ON CONFLICT (prefix) DO UPDATE SET last_used_ms = greatest(key_uses.last_used_ms, $2)";
const USAGE_OF_KEY: &str = usage_by_day!("AND prefix = $3");
const USAGE_OF_ACCOUNT: &str = usage_by_day!("AND prefix IN (SELECT prefix FROM keys WHERE account = $3)");
const USAGE_OF_ALL: &str = usage_by_day!("");
const USAGE_BY_DAY_AND_KEY: &str =
    "SELECT day, prefix, sum(chars)::BIGINT AS chars, sum(requests)::BIGINT AS requests,
        sum(audio_ms)::BIGINT AS audio_ms
    FROM usage
    WHERE prefix IN (SELECT prefix FROM keys WHERE account = $3) AND day BETWEEN $1 AND $2
    GROUP BY day, prefix ORDER BY day, prefix";
/// Changes nothing where this report, or one after it, was added before.
const NOTE_REPORT: &str = "INSERT INTO usage_reports (server, number, reported_ms) VALUES ($1, $2, $3)
    ON CONFLICT (server) DO UPDATE SET number = $2, reported_ms = $3 WHERE usage_reports.number < $2";
const DROP_OLD_REPORTS: &str = "DELETE FROM usage_reports WHERE reported_ms < $1";
const DROP_OLD_USAGE: &str = "DELETE FROM usage WHERE day < $1";

async fn record(
    transaction: &Transaction<'_>,
    report: &UsageReport,
    now_ms: i64,
) -> Result<Vec<LeaseId>, StoreError> {
    let ReportId { server, number } = report.id;
    let given: Values<'_> = &[&server.as_slice(), &number, &now_ms];
    let is_new = rows::execute(transaction, NOTE_REPORT, given).await? > 0;
    let mut ended = Vec::new();
    // rows of several keys, in one order for all servers, so that no two wait for each other
    let mut leases = report.leases.clone();
    leases.sort_unstable();
    for (lease, used) in leases {
        if !allowance::report(transaction, lease, used, now_ms).await? {
            ended.push(lease);
        }
    }
    if is_new {
        let there = hold_keys(transaction, report).await?;
        let overdrafts = report.overdrafts.iter().filter(|overdraft| there.contains(overdraft.key.as_str()));
        allowance::overdraw(transaction, overdrafts.collect()).await?;
        let entries = report.entries.iter().filter(|entry| there.contains(entry.key.as_str()));
        add(transaction, entries.collect(), now_ms).await?;
    }
    Ok(ended)
}

/// The keys of a report that are still there, held so that they stay. Of one that was deleted meanwhile nothing is left
/// to count for.
async fn hold_keys(
    transaction: &Transaction<'_>,
    report: &UsageReport,
) -> Result<HashSet<String>, StoreError> {
    let entries = report.entries.iter().map(|entry| entry.key.as_str());
    let keys: Vec<&str> =
        entries.chain(report.overdrafts.iter().map(|overdraft| overdraft.key.as_str())).collect();
    let found = rows::all(transaction, HOLD_KEYS, &[&keys]).await?;
    found.iter().map(|row| Ok(row.try_get("prefix")?)).collect()
}

/// Adds amounts.
async fn add(
    transaction: &Transaction<'_>,
    mut entries: Vec<&UsageEntry>,
    now_ms: i64,
) -> Result<(), StoreError> {
    entries.sort_by_cached_key(|entry| {
        (entry.key.clone(), entry.day, entry.voice.clone(), entry.language.code(), entry.api.clone())
    });
    for entry in &entries {
        let UsageEntry { key, day, voice, language, api, amount } = entry;
        let given: Values<'_> = &[
            &key.as_str(),
            &day.0,
            &voice.as_str(),
            &language.code(),
            &api.as_ref(),
            &signed(amount.chars),
            &signed(amount.requests),
            &signed(amount.audio_ms),
        ];
        rows::execute(transaction, ADD_USAGE, given).await?;
    }
    entries.dedup_by_key(|entry| &entry.key);
    for entry in entries {
        rows::execute(transaction, NOTE_KEY_USE, &[&entry.key.as_str(), &now_ms]).await?;
    }
    Ok(())
}

/// Removes the usage of days that are no longer kept.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let first = Day::of(now_ms).plus(1 - USAGE_DAYS);
    rows::execute(transaction, DROP_OLD_USAGE, &[&first.0]).await?;
    rows::execute(transaction, DROP_OLD_REPORTS, &[&now_ms.saturating_sub(REPORT_LIFE_MS)]).await?;
    Ok(())
}

/// The first of the days that are asked for and kept.
fn first_kept(first: Day, last: Day) -> Day {
    first.max(last.plus(1 - USAGE_DAYS))
}

async fn by_day(
    client: &impl Client,
    of: &UsageOf,
    first: Day,
    last: Day,
) -> Result<Vec<DayUsage>, StoreError> {
    let first = first_kept(first, last);
    let found = match of {
        UsageOf::Key(prefix) => {
            rows::all(client, USAGE_OF_KEY, &[&first.0, &last.0, &prefix.as_str()]).await?
        }
        UsageOf::Account(account) => {
            rows::all(client, USAGE_OF_ACCOUNT, &[&first.0, &last.0, &account.as_str()]).await?
        }
        UsageOf::All => rows::all(client, USAGE_OF_ALL, &[&first.0, &last.0]).await?,
    };
    let days = found.iter().map(|row| {
        let (voice, language): (String, &str) = (row.try_get("voice")?, row.try_get("language")?);
        let unreadable = |error: UnknownLanguage| StoreError::Unreadable(error.to_string());
        let language = language.parse().map_err(unreadable)?;
        let api: String = row.try_get("api")?;
        let day = Day(row.try_get("day")?);
        Ok(DayUsage { day, voice: voice.into(), language, api: api.into(), amount: amount(row)? })
    });
    days.collect()
}

async fn by_day_and_key(
    client: &impl Client,
    account: &AccountId,
    first: Day,
    last: Day,
) -> Result<Vec<KeyDayUsage>, StoreError> {
    let asked: Values<'_> = &[&first_kept(first, last).0, &last.0, &account.as_str()];
    let found = rows::all(client, USAGE_BY_DAY_AND_KEY, asked).await?;
    let days = found.iter().map(|row| {
        let (day, key) = (Day(row.try_get("day")?), KeyPrefix(row.try_get("prefix")?));
        Ok(KeyDayUsage { day, key, amount: amount(row)? })
    });
    days.collect()
}

fn amount(row: &Row) -> Result<Usage, StoreError> {
    Ok(Usage {
        chars: unsigned(row.try_get("chars")?),
        requests: unsigned(row.try_get("requests")?),
        audio_ms: unsigned(row.try_get("audio_ms")?),
    })
}

#[async_trait]
impl UsageStore for PostgresStore {
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError> {
        self.call(async |transaction| record(transaction, &report, now_ms).await).await
    }

    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
        self.read(async |client| by_day(client, &of, first, last).await).await
    }

    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError> {
        self.read(async |client| by_day_and_key(client, &account, first, last).await).await
    }
}
