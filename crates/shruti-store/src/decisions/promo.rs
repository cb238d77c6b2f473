//! Promo code redemption rules.

use crate::promo::{PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoRecord, StoredPromo};
use crate::secret::SecretHash;

/// Wrong codes that an account has tried within [`PROMO_TRIES_WINDOW_MS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongTries {
    /// Number of wrong codes.
    pub(crate) count: u32,
    /// Time of the first wrong code, in milliseconds since 1970.
    pub(crate) first_ms: Option<i64>,
}

impl WrongTries {
    /// Returns the time until the next code is accepted, in milliseconds, or `None` if it is accepted now.
    pub(crate) fn retry_in_ms(self, now_ms: i64) -> Option<u64> {
        let free_ms = self.first_ms.unwrap_or(now_ms).saturating_add(PROMO_TRIES_WINDOW_MS);
        (self.count >= PROMO_TRIES).then(|| free_ms.saturating_sub(now_ms).max(0).unsigned_abs())
    }
}

/// State on which the decision about a redemption depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PromoState {
    /// Wrong codes that the account has tried.
    pub(crate) wrong_tries: WrongTries,
    /// Code that was typed, if it exists.
    pub(crate) code: Option<StoredPromo>,
    /// `true` if the account has redeemed the code before.
    pub(crate) is_redeemed: bool,
}

/// Decision about a redemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedemptionDecision {
    /// Count the use, and give access and characters.
    Redeem {
        /// Hash of the code.
        code: SecretHash,
        /// Characters per month.
        chars: u64,
    },
    /// Change nothing: the account has redeemed the code before.
    AlreadyRedeemed,
    /// Change nothing: the code has expired or is disabled.
    Expired,
    /// Change nothing: the maximum number of accounts has redeemed the code.
    Exhausted,
    /// Count a wrong attempt.
    Unknown {
        /// Number of wrong codes that the account may still try within the hour.
        tries_left: u32,
    },
    /// Change nothing: too many wrong codes were tried.
    Wait {
        /// Time until the next attempt is accepted, in milliseconds.
        retry_in_ms: u64,
    },
}

/// Decides the outcome of a redemption.
pub(crate) fn decide_redemption(state: &PromoState, now_ms: i64) -> RedemptionDecision {
    if let Some(retry_in_ms) = state.wrong_tries.retry_in_ms(now_ms) {
        return RedemptionDecision::Wait { retry_in_ms };
    }
    let Some(code) = &state.code else {
        return RedemptionDecision::Unknown { tries_left: PROMO_TRIES - state.wrong_tries.count - 1 };
    };
    let PromoRecord { spec, used, disabled_ms, .. } = &code.record;
    if state.is_redeemed {
        RedemptionDecision::AlreadyRedeemed
    } else if disabled_ms.is_some() || spec.expires_ms.is_some_and(|end| end <= now_ms) {
        RedemptionDecision::Expired
    } else if *used >= spec.uses {
        RedemptionDecision::Exhausted
    } else {
        RedemptionDecision::Redeem { code: code.hash, chars: spec.chars }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promo::{PromoBeginning, PromoSpec};

    const NOW: i64 = 10 * PROMO_TRIES_WINDOW_MS;

    const HASH: SecretHash = SecretHash([7; 32]);
    const REDEEM: RedemptionDecision = RedemptionDecision::Redeem { code: HASH, chars: 500 };

    fn code() -> PromoRecord {
        PromoRecord {
            beginning: PromoBeginning("7K2M".to_owned()),
            spec: PromoSpec { chars: 500, uses: 2, expires_ms: Some(NOW + 1) },
            used: 1,
            created_ms: 1,
            disabled_ms: None,
        }
    }

    fn decide(count: u32, code: Option<PromoRecord>, is_redeemed: bool) -> RedemptionDecision {
        let wrong_tries = WrongTries { count, first_ms: Some(NOW - 100) };
        let code = code.map(|record| StoredPromo { hash: HASH, record });
        decide_redemption(&PromoState { wrong_tries, code, is_redeemed }, NOW)
    }

    #[test]
    fn a_code_grants_its_specification_until_it_ends() {
        let of = |spec| PromoRecord { spec, ..code() };
        for (code, is_redeemed, decision) in [
            (code(), false, REDEEM),
            (code(), true, RedemptionDecision::AlreadyRedeemed),
            (PromoRecord { used: 2, ..code() }, false, RedemptionDecision::Exhausted),
            (PromoRecord { used: 2, ..code() }, true, RedemptionDecision::AlreadyRedeemed),
            (PromoRecord { disabled_ms: Some(1), ..code() }, false, RedemptionDecision::Expired),
            (of(PromoSpec { expires_ms: Some(NOW), ..code().spec }), false, RedemptionDecision::Expired),
            (of(PromoSpec { expires_ms: None, ..code().spec }), false, REDEEM),
        ] {
            assert_eq!(decide(0, Some(code.clone()), is_redeemed), decision, "{code:?}");
        }
    }

    #[test]
    fn wrong_codes_are_counted_and_then_blocked() {
        assert_eq!(decide(0, None, false), RedemptionDecision::Unknown { tries_left: PROMO_TRIES - 1 });
        assert_eq!(decide(PROMO_TRIES - 1, None, false), RedemptionDecision::Unknown { tries_left: 0 });
        let retry_in_ms = PROMO_TRIES_WINDOW_MS.unsigned_abs() - 100;
        for code in [None, Some(code())] {
            assert_eq!(decide(PROMO_TRIES, code, false), RedemptionDecision::Wait { retry_in_ms });
        }
    }
}
