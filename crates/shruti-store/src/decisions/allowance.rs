//! Decisions about draws and returns of characters.

use crate::account::{AccessLock, AccountId};
use crate::allowance::Allowance;
use crate::key_record::KeyRecord;

/// State on which the decision about a draw depends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawState {
    /// The key, if it exists.
    pub(crate) key: Option<KeyRecord>,
    /// Allowance of the key's account in this month, if the key has an account.
    pub(crate) allowance: Option<Allowance>,
    /// Characters drawn against the cap of the key in this month.
    pub(crate) cap_drawn: u64,
}

/// Decision about a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DrawDecision {
    /// Lend characters.
    Lend {
        /// Account whose allowance is reduced. If it is `None`, only the cap of the key applies.
        account: Option<AccountId>,
        /// Number of characters.
        chars: u64,
    },
    /// Lend nothing, and mark the account or the key as spent if nothing at all is left.
    Spent {
        /// Characters left.
        left: u64,
        /// The account, if its allowance is spent.
        account: Option<AccountId>,
        /// `true` if the cap of the key is reached.
        is_key_spent: bool,
    },
    /// The key needs no lease.
    Unmetered,
    /// The account may not synthesise speech.
    Locked(AccessLock),
    /// The key is unknown, revoked or expired.
    NoKey,
}

/// Decides the outcome of a draw of `at_least` (0 is treated as 1) to `up_to` characters.
pub(crate) fn decide_draw(state: DrawState, at_least: u64, up_to: u64, now_ms: i64) -> DrawDecision {
    let Some(key) = state.key.filter(|key| key.is_usable(now_ms)) else { return DrawDecision::NoKey };
    if let Some(lock) = key.lock {
        return DrawDecision::Locked(lock);
    }
    if !key.is_metered {
        return DrawDecision::Unmetered;
    }
    // an account without an allowance belongs to an operator; only the caps of its keys apply
    let allowance = state.allowance.and_then(|allowance| Some((allowance, allowance.chars?)));
    let left_to_account =
        allowance.map_or(u64::MAX, |(now, chars)| chars.saturating_sub(now.used.saturating_add(now.lent)));
    let account = key.account.filter(|_| allowance.is_some());
    let left_to_key = key.monthly_cap.map_or(u64::MAX, |cap| cap.saturating_sub(state.cap_drawn));
    let left = left_to_account.min(left_to_key);
    let at_least = at_least.max(1);
    if left < at_least {
        let account = account.filter(|_| left_to_account == 0);
        return DrawDecision::Spent { left, account, is_key_spent: left_to_key == 0 };
    }
    DrawDecision::Lend { account, chars: left.min(up_to.max(at_least)) }
}

/// Lease that is about to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndingLease {
    /// Characters that were lent.
    pub(crate) chars: i64,
    /// Characters that were reported as used.
    pub(crate) reported: i64,
}

impl EndingLease {
    /// Returns the number of unused characters, which is negative if more were used than lent. `used` is the total that
    /// the server reports when it ends the lease, or `None` if the lease has expired. A value below an earlier report
    /// is ignored.
    pub(crate) fn unused(self, used: Option<i64>) -> i64 {
        self.chars.saturating_sub(used.map_or(self.reported, |used| used.max(self.reported)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Month;
    use crate::key::SecretKey;
    use crate::key_record::{KeyLimits, KeyPurpose, Scope};

    fn key(account: Option<&AccountId>, monthly_cap: Option<u64>) -> KeyRecord {
        let secret = SecretKey::generate().unwrap();
        KeyRecord {
            prefix: secret.prefix(),
            hash: secret.hash(),
            name: "a".to_owned(),
            purpose: KeyPurpose::Api,
            scopes: vec![Scope::Tts],
            limits: KeyLimits::default(),
            origins: Vec::new(),
            created_ms: 1,
            expires_ms: Some(1_000),
            revoked_ms: None,
            account: account.cloned(),
            lock: None,
            monthly_cap,
            is_metered: true,
            spent: None,
            lexicon: None,
            last_used_ms: None,
        }
    }

    fn allowance(chars: Option<u64>, used: u64, lent: u64) -> Allowance {
        let month = Month::of(0);
        Allowance { month, chars, used, lent, renews_ms: month.next().start_ms() }
    }

    #[test]
    fn leases_stay_within_allowance_and_cap() {
        let account = AccountId::generate().unwrap();
        let lend =
            |account: Option<&AccountId>, chars| DrawDecision::Lend { account: account.cloned(), chars };
        let spent = |left, account: Option<&AccountId>, is_key_spent| DrawDecision::Spent {
            left,
            account: account.cloned(),
            is_key_spent,
        };
        let own = Some(&account);
        for (cap, allowance, cap_drawn, at_least, up_to, decision) in [
            (None, allowance(Some(100), 40, 10), 0, 1, 500, lend(own, 50)),
            (None, allowance(Some(100), 40, 10), 0, 50, 20, lend(own, 50)),
            (None, allowance(Some(100), 40, 10), 0, 51, 500, spent(50, None, false)),
            (None, allowance(Some(100), 90, 10), 0, 0, 500, spent(0, own, false)),
            (Some(30), allowance(Some(100), 0, 0), 20, 1, 500, lend(own, 10)),
            (Some(30), allowance(Some(100), 0, 0), 30, 1, 500, spent(0, None, true)),
            (Some(30), allowance(Some(100), 200, 0), 31, 1, 500, spent(0, own, true)),
            (Some(30), allowance(None, 7, 7), 20, 1, 500, lend(None, 10)),
        ] {
            let state = DrawState { key: Some(key(own, cap)), allowance: Some(allowance), cap_drawn };
            let decided = decide_draw(state, at_least, up_to, 999);
            assert_eq!(decided, decision, "{cap:?} {cap_drawn} {at_least}..{up_to}");
        }
    }

    #[test]
    fn missing_invalid_and_unmetered_keys_draw_nothing() {
        let draw = |key, now_ms| decide_draw(DrawState { key, allowance: None, cap_drawn: 0 }, 1, 5, now_ms);
        assert_eq!(draw(None, 0), DrawDecision::NoKey);
        assert_eq!(draw(Some(key(None, None)), 1_000), DrawDecision::NoKey, "it is over");
        let revoked = KeyRecord { revoked_ms: Some(1), ..key(None, None) };
        assert_eq!(draw(Some(revoked), 0), DrawDecision::NoKey);
        let locked = KeyRecord { lock: Some(AccessLock::ByOperator), ..key(None, None) };
        assert_eq!(draw(Some(locked), 0), DrawDecision::Locked(AccessLock::ByOperator));
        let free = KeyRecord { is_metered: false, ..key(None, None) };
        assert_eq!(draw(Some(free), 0), DrawDecision::Unmetered);
    }

    #[test]
    fn a_lease_returns_unused_characters() {
        let lease = EndingLease { chars: 100, reported: 30 };
        for (used, unused) in [(None, 70), (Some(10), 70), (Some(40), 60), (Some(130), -30)] {
            assert_eq!(lease.unused(used), unused, "{used:?}");
        }
        let extreme = EndingLease { chars: i64::MIN, reported: i64::MAX };
        assert_eq!(extreme.unused(None), i64::MIN);
    }
}
