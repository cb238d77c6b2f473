//! Decision about the creation of single-use tokens.

use super::Decision;
use crate::key_record::KeyRecord;
use crate::token::{Issuance, MAX_UNUSED_TOKENS, TOKEN_LIFE};

/// Tokens of a key that are neither used nor expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnusedTokens {
    /// Number of tokens.
    pub(crate) count: u32,
    /// Earliest expiry of these tokens, in milliseconds since 1970.
    pub(crate) first_expires_ms: Option<i64>,
}

/// Returns `true` if a key may have valid tokens: the key is neither revoked nor expired, and its account may
/// synthesise speech.
pub(crate) fn answers_for_tokens(key: &KeyRecord, now_ms: i64) -> bool {
    key.is_usable(now_ms) && key.lock.is_none()
}

/// Decides on a new token for a key whose tokens are valid. `Write` contains the expiry, in milliseconds since 1970.
pub(crate) fn decide_issuance(key: &KeyRecord, unused: UnusedTokens, now_ms: i64) -> Decision<i64, Issuance> {
    if unused.count >= MAX_UNUSED_TOKENS {
        let first_ms = unused.first_expires_ms.unwrap_or(now_ms);
        let free_in_ms = first_ms.saturating_sub(now_ms).max(0).unsigned_abs();
        return Decision::Answer(Issuance::TooMany { free_in_ms });
    }
    let own_end = now_ms.saturating_add(TOKEN_LIFE.as_millis() as i64);
    Decision::Write(key.expires_ms.map_or(own_end, |end_of_key| end_of_key.min(own_end)))
}
