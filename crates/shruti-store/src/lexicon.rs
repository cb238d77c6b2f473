//! The readings of words that the holder of an account gives.

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;

/// The longest lexicon that is stored, in bytes of TOML: 64 KiB.
pub const MAX_LEXICON_BYTES: usize = 64 * 1024;

/// The lexicon of an account. What its text means is not the store's business: it keeps what was checked elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountLexicon {
    /// Counts its changes, from 1; 0 while there has been none. It never goes back, so that one version has one text.
    pub version: i64,
    /// When it was changed, in milliseconds since 1970; 0 while it never was.
    pub changed_ms: i64,
    /// Its entries, as the TOML that the command line reads; empty without entries.
    pub toml: String,
}

/// What came of the replacement of a lexicon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexiconReplacement {
    /// This is what holds now. Where the text was the same before, nothing has changed, the version included.
    Replaced(AccountLexicon),
    /// Somebody else was faster: this is what holds, and it is not the version that was to be replaced.
    OtherVersion(AccountLexicon),
    /// There is no such account.
    NoAccount,
    /// The text is longer than [`MAX_LEXICON_BYTES`].
    TooLong,
}

/// One lexicon an account, replaced as a whole.
///
/// A change is a change of every key of the account: [`KeyRecord::lexicon`](crate::KeyRecord::lexicon) has the new
/// version, and [`KeyChanges`](crate::KeyChanges) tell of it. So who caches keys knows which lexicon holds.
#[async_trait]
pub trait LexiconStore {
    /// The lexicon of an account; `None` if there is no such account.
    async fn find_lexicon(&self, account: AccountId) -> Result<Option<AccountLexicon>, StoreError>;

    /// Replaces the lexicon of an account, or only its version `replaced` where that is given.
    async fn replace_lexicon(
        &self,
        account: AccountId,
        toml: String,
        replaced: Option<i64>,
        now_ms: i64,
    ) -> Result<LexiconReplacement, StoreError>;
}
