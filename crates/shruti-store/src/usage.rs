//! Usage: what was spoken, by key, voice, language, API and day.

use std::borrow::Cow;

use async_trait::async_trait;
use shruti_lang::{Language, VoiceId};

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::{Day, Month};
use crate::error::StoreError;
use crate::key::KeyPrefix;

/// How many days usage is kept, and the longest range of one question.
pub const USAGE_DAYS: i64 = 400;

/// How long the name of a server's last report is kept: much longer than a server sends one again, in milliseconds.
pub(crate) const REPORT_LIFE_MS: i64 = 7 * 24 * 3_600_000;

/// Amounts of speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Characters whose audio was sent.
    pub chars: u64,
    /// Requests: clips, and turns of conversations, each counted with its first sound.
    pub requests: u64,
    /// Milliseconds of audio that were sent.
    pub audio_ms: u64,
}

/// An amount to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageEntry {
    /// The key that answers for it.
    pub key: KeyPrefix,
    /// The day it was on.
    pub day: Day,
    /// The voice that spoke.
    pub voice: VoiceId,
    /// The language it spoke.
    pub language: Language,
    /// The API that asked for it, by its name in metrics.
    pub api: Cow<'static, str>,
    /// How much.
    pub amount: Usage,
}

/// The name of a report: so that one that was sent twice, because no answer came to the first, counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportId {
    pub(crate) server: [u8; 16],
    pub(crate) number: i64,
}

impl ReportId {
    /// The name of the first report of a server that has just started: no other server has the like.
    ///
    /// # Errors
    ///
    /// [`StoreError::Random`] without a source of random numbers.
    pub fn first() -> Result<Self, StoreError> {
        let mut server = [0; 16];
        getrandom::fill(&mut server)?;
        Ok(Self { server, number: 1 })
    }

    /// The name of the report after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }
}

/// Characters that were spoken without a lease: the store did not answer in time, or a lease had ended meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdraft {
    /// The key.
    pub key: KeyPrefix,
    /// The month whose allowance they are of.
    pub month: Month,
    /// How many.
    pub chars: u64,
}

/// What a server has counted since its last report.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// Its name. Reports of one server come in the order of their names; one that came before changes nothing.
    pub id: ReportId,
    /// Amounts to be added; of one key, day, voice, language and API there may be several.
    pub entries: Vec<UsageEntry>,
    /// How much was used of each lease in all, not since the last report. A lease that is in use without having
    /// been used more is named too, which keeps it alive.
    pub leases: Vec<(LeaseId, u64)>,
    /// What was spoken without a lease since the last report: drawn now, whether or not so much is left.
    pub overdrafts: Vec<Overdraft>,
}

impl UsageReport {
    /// A report of nothing.
    pub const fn new(id: ReportId) -> Self {
        Self { id, entries: Vec::new(), leases: Vec::new(), overdrafts: Vec::new() }
    }
}

/// Whose usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageOf {
    /// Of one key.
    Key(KeyPrefix),
    /// Of all keys of an account, revoked ones included.
    Account(AccountId),
    /// Of all keys. For operators.
    All,
}

/// The usage of one day in one voice and language by one API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayUsage {
    /// The day.
    pub day: Day,
    /// The voice.
    pub voice: VoiceId,
    /// The language.
    pub language: Language,
    /// The API; `unknown` where it was not noted.
    pub api: Cow<'static, str>,
    /// How much.
    pub amount: Usage,
}

/// The usage of one day with one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDayUsage {
    /// The day.
    pub day: Day,
    /// The key.
    pub key: KeyPrefix,
    /// How much.
    pub amount: Usage,
}

/// What was spoken.
#[async_trait]
pub trait UsageStore {
    /// Adds a report, all of it or nothing. Servers report every second and at their end, so that a crash loses one
    /// second at most. After an error nobody knows whether it was added: the server sends the same report again before
    /// it makes another. What was spoken with keys that were
    /// removed meanwhile with their accounts is not kept.
    ///
    /// Returns the leases that have ended meanwhile, because nothing was heard of them for too long: what was used of
    /// them and not reported is the server's to report as an [`Overdraft`]. It draws anew.
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError>;

    /// The usage by day, voice, language and API, in this order, of the days from `first` to `last`, both included; at
    /// most the last [`USAGE_DAYS`] of them.
    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError>;

    /// The usage of an account by day and key, in this order, of the same days.
    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError>;
}
