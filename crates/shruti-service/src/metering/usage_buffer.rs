//! Buffer of usage that has not been reported to the store.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shruti_store::{AccountId, Day, DayUsage, KeyDayUsage, KeyPrefix, KeyRecord, Usage, UsageEntry, UsageOf};

/// Unreported usage by key, day, voice, language and API.
#[derive(Debug, Default)]
pub(super) struct UsageBuffer(Mutex<Counts>);

/// Counts of usage. Their size is bounded, because there is at most one row per key, day, voice, language and API.
#[derive(Debug, Default)]
pub(super) struct Counts(HashMap<KeyPrefix, OfKey>);

#[derive(Debug)]
struct OfKey {
    account: Option<AccountId>,
    /// Rows, searched linearly: there are few, because a key usually has one or two languages, APIs and days.
    rows: Vec<DayUsage>,
}

impl UsageBuffer {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds usage of a key.
    pub(super) fn add(&self, key: &KeyRecord, row: DayUsage) {
        let mut counts = self.counts();
        if let Some(of_key) = counts.0.get_mut(&key.prefix) {
            of_key.add(row);
        } else {
            let of_key = OfKey { account: key.account.clone(), rows: vec![row] };
            counts.0.insert(key.prefix.clone(), of_key);
        }
    }

    /// Removes and returns all usage.
    pub(super) fn take(&self) -> Counts {
        std::mem::take(&mut *self.counts())
    }

    /// Adds the buffered usage of a key, an account or all keys, on the days from `first` to `last`, to the store's
    /// rows, and sorts the rows.
    pub(super) fn add_to(&self, reported: &mut Vec<DayUsage>, of: &UsageOf, first: Day, last: Day) {
        let counts = self.counts();
        let theirs = counts.0.iter().filter(|(key, of_key)| match of {
            UsageOf::Key(prefix) => *key == prefix,
            UsageOf::Account(account) => of_key.account.as_ref() == Some(account),
            UsageOf::All => true,
        });
        let rows = theirs.flat_map(|(_, of_key)| &of_key.rows);
        for row in rows.filter(|row| (first..=last).contains(&row.day)) {
            merge(reported, row.clone());
        }
        reported.sort_by_cached_key(|row| (row.day, row.voice.clone(), row.language.code(), row.api.clone()));
    }

    /// Adds the buffered usage of an account, on the days from `first` to `last`, to the store's rows by day and key,
    /// and sorts the rows.
    pub(super) fn add_to_keys(
        &self,
        reported: &mut Vec<KeyDayUsage>,
        account: &AccountId,
        first: Day,
        last: Day,
    ) {
        let counts = self.counts();
        let theirs = counts.0.iter().filter(|(_, of_key)| of_key.account.as_ref() == Some(account));
        for (key, row) in theirs.flat_map(|(key, of_key)| of_key.rows.iter().map(move |row| (key, row))) {
            if !(first..=last).contains(&row.day) {
                continue;
            }
            match reported.iter_mut().find(|known| (known.day, &known.key) == (row.day, key)) {
                Some(known) => add(&mut known.amount, row.amount),
                None => reported.push(KeyDayUsage { day: row.day, key: key.clone(), amount: row.amount }),
            }
        }
        reported.sort_by(|one, other| (one.day, &one.key).cmp(&(other.day, &other.key)));
    }
}

impl Counts {
    /// Converts the rows to the store's type.
    pub(super) fn entries(&self) -> Vec<UsageEntry> {
        let entries = self.0.iter().flat_map(|(key, of_key)| {
            of_key.rows.iter().cloned().map(|DayUsage { day, voice, language, api, amount }| UsageEntry {
                key: key.clone(),
                day,
                voice,
                language,
                api,
                amount,
            })
        });
        entries.collect()
    }
}

impl OfKey {
    fn add(&mut self, row: DayUsage) {
        merge(&mut self.rows, row);
    }
}

/// Adds the amount of a row to the row with the same day, voice, language and API. If there is no such row, adds `row`
/// itself.
fn merge(rows: &mut Vec<DayUsage>, row: DayUsage) {
    let is_alike = |other: &&mut DayUsage| {
        (other.day, &other.voice, other.language, &other.api) == (row.day, &row.voice, row.language, &row.api)
    };
    match rows.iter_mut().find(is_alike) {
        Some(known) => add(&mut known.amount, row.amount),
        None => rows.push(row),
    }
}

fn add(amount: &mut Usage, more: Usage) {
    amount.chars += more.chars;
    amount.requests += more.requests;
    amount.audio_ms += more.audio_ms;
}
