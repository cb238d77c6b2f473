//! Speech synthesis usage, by key, voice, language, API and day.

use std::borrow::Cow;

use async_trait::async_trait;
use shruti_lang::{Language, VoiceId};

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::{Day, Month};
use crate::error::StoreError;
use crate::key::KeyPrefix;

/// Number of days for which usage is kept, and maximum number of days in the result of a query.
pub const USAGE_DAYS: i64 = 400;

/// Retention time of the identifier of a server's last report, in milliseconds: 7 days. A server retries a report for a
/// much shorter time.
pub(crate) const REPORT_LIFE_MS: i64 = 7 * 24 * 3_600_000;

/// Amount of synthesised speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Characters whose audio was sent.
    pub chars: u64,
    /// Number of requests: clips, and turns of conversations, each counted when its first audio is sent.
    pub requests: u64,
    /// Duration of the audio that was sent, in milliseconds.
    pub audio_ms: u64,
}

/// Usage to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageEntry {
    /// Key of the requests.
    pub key: KeyPrefix,
    /// Day of the requests.
    pub day: Day,
    /// Voice.
    pub voice: VoiceId,
    /// Language.
    pub language: Language,
    /// Name of the API of the requests, as in the metrics.
    pub api: Cow<'static, str>,
    /// Amount.
    pub amount: Usage,
}

/// Identifier of a report. If a report is sent again because the first attempt got no response, it is counted only
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportId {
    pub(crate) server: [u8; 16],
    pub(crate) number: i64,
}

impl ReportId {
    /// Returns the unique identifier of the first report of a server that has just started.
    ///
    /// # Errors
    ///
    /// [`StoreError::Random`] if the operating system provides no random numbers.
    pub fn first() -> Result<Self, StoreError> {
        let mut server = [0; 16];
        getrandom::fill(&mut server)?;
        Ok(Self { server, number: 1 })
    }

    /// Returns the identifier of the next report.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }
}

/// Characters that were synthesised without a lease, because the store did not respond in time or a lease had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdraft {
    /// Key of the requests.
    pub key: KeyPrefix,
    /// Month of the allowance.
    pub month: Month,
    /// Number of characters.
    pub chars: u64,
}

/// Usage on a server since its last report, and the total use of its leases.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// Identifier. A server sends its reports in the order of their identifiers. A report that has already been added
    /// has no further effect.
    pub id: ReportId,
    /// Amounts to be added. Several may have the same key, day, voice, language and API.
    pub entries: Vec<UsageEntry>,
    /// Total use of each lease, not the use since the last report. A lease that is in use is included even if its total
    /// has not changed, which keeps the lease alive.
    pub leases: Vec<(LeaseId, u64)>,
    /// Characters that were synthesised without a lease since the last report. They are deducted even if fewer
    /// characters are left.
    pub overdrafts: Vec<Overdraft>,
}

impl UsageReport {
    /// Creates an empty report.
    pub const fn new(id: ReportId) -> Self {
        Self { id, entries: Vec::new(), leases: Vec::new(), overdrafts: Vec::new() }
    }
}

/// Keys whose usage is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageOf {
    /// One key.
    Key(KeyPrefix),
    /// All keys of an account, including revoked ones.
    Account(AccountId),
    /// All keys. For operators.
    All,
}

/// Usage of one day with one voice, language and API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayUsage {
    /// Day.
    pub day: Day,
    /// Voice.
    pub voice: VoiceId,
    /// Language.
    pub language: Language,
    /// API; `unknown` if it was not recorded.
    pub api: Cow<'static, str>,
    /// Amount.
    pub amount: Usage,
}

/// Usage of one day with one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDayUsage {
    /// Day.
    pub day: Day,
    /// Key.
    pub key: KeyPrefix,
    /// Amount.
    pub amount: Usage,
}

/// Speech synthesis usage.
#[async_trait]
pub trait UsageStore {
    /// Adds a report completely or not at all. Servers report every half second and when they shut down, so that a
    /// crash loses at most one second. After an error it is unknown whether the report was added, so the server sends
    /// the same report again before the next one. The usage of keys that have since been deleted with their accounts is
    /// not kept.
    ///
    /// Returns the leases in the report that have ended. The server has to report their unreported use as an
    /// [`Overdraft`], and to draw new leases.
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError>;

    /// Returns the usage from `first` to `last` inclusive, grouped and sorted by day, voice, language and API. If the
    /// range is longer than [`USAGE_DAYS`], only its last [`USAGE_DAYS`] days are returned.
    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError>;

    /// Returns the usage of an account from `first` to `last` inclusive, grouped and sorted by day and key. The range
    /// is limited as in [`usage_by_day`](Self::usage_by_day).
    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError>;
}
