//! Who gets a single-use token.

use super::Decision;
use crate::key_record::KeyRecord;
use crate::token::{Issuance, MAX_UNUSED_TOKENS, TOKEN_LIFE};

/// The tokens of a key that are neither used nor over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnusedTokens {
    /// How many.
    pub(crate) count: u32,
    /// When the first of them stops, in milliseconds since 1970.
    pub(crate) first_expires_ms: Option<i64>,
}

/// Whether a key answers for tokens.
pub(crate) fn answers_for_tokens(key: &KeyRecord, now_ms: i64) -> bool {
    key.is_usable(now_ms) && key.lock.is_none()
}

/// Decides about a token of a key that answers for tokens: `Write` is when it stops, in milliseconds since 1970.
pub(crate) fn decide_issuance(key: &KeyRecord, unused: UnusedTokens, now_ms: i64) -> Decision<i64, Issuance> {
    if unused.count >= MAX_UNUSED_TOKENS {
        let first_ms = unused.first_expires_ms.unwrap_or(now_ms);
        let free_in_ms = first_ms.saturating_sub(now_ms).max(0).unsigned_abs();
        return Decision::Answer(Issuance::TooMany { free_in_ms });
    }
    let own_end = now_ms.saturating_add(TOKEN_LIFE.as_millis() as i64);
    Decision::Write(key.expires_ms.map_or(own_end, |end_of_key| end_of_key.min(own_end)))
}
