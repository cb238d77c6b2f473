//! Decision about the lexicon of an account.

use super::Decision;
use crate::lexicon::{AccountLexicon, LexiconReplacement, MAX_LEXICON_BYTES};

/// Decides on the replacement of the lexicon `found`. If `found` is `None`, the account does not exist.
pub(crate) fn decide_replacement(
    found: Option<AccountLexicon>,
    toml: String,
    replaced: Option<i64>,
    now_ms: i64,
) -> Decision<AccountLexicon, LexiconReplacement> {
    let Some(found) = found else { return Decision::Answer(LexiconReplacement::NoAccount) };
    if replaced.is_some_and(|version| version != found.version) {
        return Decision::Answer(LexiconReplacement::OtherVersion(found));
    }
    if toml.len() > MAX_LEXICON_BYTES {
        return Decision::Answer(LexiconReplacement::TooLong);
    }
    if toml == found.toml {
        return Decision::Answer(LexiconReplacement::Replaced(found));
    }
    Decision::Write(AccountLexicon { version: found.version.saturating_add(1), changed_ms: now_ms, toml })
}
