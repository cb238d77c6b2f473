//! Pronunciation dictionaries (lexicons) of accounts.

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;

/// Maximum size of a stored lexicon, in bytes of TOML: 64 KiB.
pub const MAX_LEXICON_BYTES: usize = 64 * 1024;

/// Lexicon of an account. The store does not interpret its text; the caller has validated it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountLexicon {
    /// Number of changes so far. It never decreases, so a version identifies one text.
    pub version: i64,
    /// Time of the last change, in milliseconds since 1970; 0 if there was none.
    pub changed_ms: i64,
    /// Entries, in the TOML format that the command line reads; empty if there are none.
    pub toml: String,
}

/// Outcome of the replacement of a lexicon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexiconReplacement {
    /// The lexicon was replaced. Contains the current lexicon. If the text is the same as before, the version does not
    /// change.
    Replaced(AccountLexicon),
    /// The lexicon was not replaced, because its version is not the given one: another caller has changed it. Contains
    /// the current lexicon.
    OtherVersion(AccountLexicon),
    /// The account does not exist.
    NoAccount,
    /// The text is longer than [`MAX_LEXICON_BYTES`].
    TooLong,
}

/// Lexicons, one per account, each replaced as a whole.
///
/// A change of the lexicon changes every key of the account: [`KeyRecord::lexicon`](crate::KeyRecord::lexicon) has the
/// new version, and [`KeyChanges`](crate::KeyChanges) report the keys. A cache of keys therefore knows the current
/// version.
#[async_trait]
pub trait LexiconStore {
    /// Returns the lexicon of an account, or `None` if the account does not exist.
    async fn find_lexicon(&self, account: AccountId) -> Result<Option<AccountLexicon>, StoreError>;

    /// Replaces the lexicon of an account. If `replaced` is given, only that version is replaced.
    async fn replace_lexicon(
        &self,
        account: AccountId,
        toml: String,
        replaced: Option<i64>,
        now_ms: i64,
    ) -> Result<LexiconReplacement, StoreError>;
}
