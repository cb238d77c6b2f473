//! Usage of speech, by key, voice, language, API and day.

use std::borrow::Cow;

use async_trait::async_trait;
use shruti_lang::{Language, VoiceId};

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::{Day, Month};
use crate::error::StoreError;
use crate::key::KeyPrefix;

/// Number of days for which usage is kept, and the longest range of a query.
pub const USAGE_DAYS: i64 = 400;

/// Time for which the name of a server's last report is kept, in milliseconds: much longer than a server retries it.
pub(crate) const REPORT_LIFE_MS: i64 = 7 * 24 * 3_600_000;

/// Amounts of speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Characters whose audio was sent.
    pub chars: u64,
    /// Requests: clips, and turns of conversations, each counted when its first audio is sent.
    pub requests: u64,
    /// Duration of the audio that was sent, in milliseconds.
    pub audio_ms: u64,
}

/// Amount to be added.
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
    /// API of the requests, by its name in metrics.
    pub api: Cow<'static, str>,
    /// Amount.
    pub amount: Usage,
}

/// Name of a report. A report that is sent twice, because the first one got no answer, is counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportId {
    pub(crate) server: [u8; 16],
    pub(crate) number: i64,
}

impl ReportId {
    /// Returns the name of the first report of a server that has just started. It is unique.
    ///
    /// # Errors
    ///
    /// [`StoreError::Random`] without a source of random numbers.
    pub fn first() -> Result<Self, StoreError> {
        let mut server = [0; 16];
        getrandom::fill(&mut server)?;
        Ok(Self { server, number: 1 })
    }

    /// Returns the name of the next report.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }
}

/// Characters that were spoken without a lease, because the store did not answer in time or a lease had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdraft {
    /// Key of the requests.
    pub key: KeyPrefix,
    /// Month of the allowance.
    pub month: Month,
    /// Number of characters.
    pub chars: u64,
}

/// Counts of a server since its last report.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// Name. The reports of one server arrive in the order of their names; one that was added before changes nothing.
    pub id: ReportId,
    /// Amounts to be added. Several may have the same key, day, voice, language and API.
    pub entries: Vec<UsageEntry>,
    /// Total use of each lease, not the use since the last report. A lease in use without a change of its total is
    /// included, which keeps it alive.
    pub leases: Vec<(LeaseId, u64)>,
    /// Characters that were spoken without a lease since the last report. They are drawn even if fewer are left.
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

/// Usage of speech.
#[async_trait]
pub trait UsageStore {
    /// Adds a report completely or not at all. Servers report every second and when they end, so that a crash loses at
    /// most one second. After an error it is unknown whether the report was added: the server sends the same report
    /// again before the next one. Usage of keys that were deleted meanwhile with their accounts is not kept.
    ///
    /// Returns the leases that have expired meanwhile. The server has to report their unreported use as an
    /// [`Overdraft`], and draws new ones.
    async fn record_usage(&self, report: UsageReport, now_ms: i64) -> Result<Vec<LeaseId>, StoreError>;

    /// Returns the usage by day, voice, language and API, sorted by these, of the days from `first` to `last`
    /// inclusive, but of the last [`USAGE_DAYS`] of them at most.
    async fn usage_by_day(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError>;

    /// Returns the usage of an account by day and key, sorted by these, of the same days.
    async fn usage_by_day_and_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError>;
}
