//! Decisions about attempts to sign in: rate limit, and the outcome of a correct or wrong password.

use crate::account::Account;

/// Number of consecutive wrong passwords after which the next attempt, and every later one, has to wait.
pub const FREE_FAILURES: u32 = 5;
/// Number of consecutive wrong passwords after which the wait is a lock-out of [`LOCK_OUT_MS`].
pub const LOCK_OUT_FAILURES: u32 = 10;
/// Duration of a lock-out, in milliseconds: 15 minutes.
pub const LOCK_OUT_MS: i64 = 15 * 60_000;
/// Time after the last wrong password until the count is reset, in milliseconds: 1 day.
pub const FAILURES_FORGOTTEN_MS: i64 = 24 * 3_600_000;

/// Returns the wait after a number of consecutive wrong passwords, in milliseconds: 0 after up to four, 1, 2, 4, 8 and
/// 16 seconds after five to nine, and [`LOCK_OUT_MS`] after ten or more.
pub(crate) fn wait_after(failures: u32) -> i64 {
    match failures {
        0..FREE_FAILURES => 0,
        FREE_FAILURES..LOCK_OUT_FAILURES => 1_000 << (failures - FREE_FAILURES),
        LOCK_OUT_FAILURES.. => LOCK_OUT_MS,
    }
}

/// Failed attempts of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempts {
    /// Number of consecutive failures.
    pub(crate) failures: u32,
    /// End of the wait, in milliseconds since 1970.
    pub(crate) blocked_until_ms: i64,
}

impl Attempts {
    /// State of an address without failures.
    pub(crate) const NONE: Self = Self { failures: 0, blocked_until_ms: i64::MIN };
}

/// Decision about the start of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptDecision {
    /// Write this state, then verify the password. The attempt counts as failed until the password turns out to be
    /// correct.
    Verify(Attempts),
    /// Do not verify the password.
    Wait {
        /// Time until the next attempt is verified, in milliseconds.
        retry_in_ms: u64,
    },
}

/// Decides whether an attempt is allowed, and counts it if so.
pub(crate) fn decide_attempt(before: Attempts, now_ms: i64) -> AttemptDecision {
    if before.blocked_until_ms > now_ms {
        let retry_in_ms = before.blocked_until_ms.saturating_sub(now_ms).unsigned_abs();
        return AttemptDecision::Wait { retry_in_ms };
    }
    let failures = before.failures.saturating_add(1);
    let blocked_until_ms = now_ms.saturating_add(wait_after(failures));
    AttemptDecision::Verify(Attempts { failures, blocked_until_ms })
}

/// Decision after the verification of a password.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SignInDecision {
    /// Delete the failures and begin a session.
    SignIn(Account),
    /// Delete the failures and report the lock.
    LockedByOperator(Account),
    /// Refuse, with this outcome in the audit log.
    Refuse(&'static str),
}

/// Decides the outcome after the verification of a password. `holder` is the current account, if the password was
/// correct and is still the stored one. `had_account` is `true` if the address had an account when the attempt began.
pub(crate) fn decide_sign_in(holder: Option<Account>, had_account: bool) -> SignInDecision {
    match holder {
        Some(account) if account.locked_ms.is_some() => SignInDecision::LockedByOperator(account),
        Some(account) => SignInDecision::SignIn(account),
        None if had_account => SignInDecision::Refuse("wrong_password"),
        None => SignInDecision::Refuse("unknown_account"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountId;

    #[test]
    fn the_wait_grows_as_documented() {
        let seconds: Vec<i64> = (0..13).map(|failures| wait_after(failures) / 1_000).collect();
        assert_eq!(seconds, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 900, 900, 900]);
        assert_eq!(wait_after(u32::MAX), LOCK_OUT_MS);
    }

    #[test]
    fn an_attempt_counts_before_it_is_verified() {
        let mut attempts = Attempts::NONE;
        for failures in 1..FREE_FAILURES {
            let AttemptDecision::Verify(counted) = decide_attempt(attempts, 100) else {
                panic!("{failures}")
            };
            assert_eq!(counted, Attempts { failures, blocked_until_ms: 100 });
            attempts = counted;
        }
        let AttemptDecision::Verify(fifth) = decide_attempt(attempts, 100) else { panic!() };
        assert_eq!(fifth, Attempts { failures: FREE_FAILURES, blocked_until_ms: 1_100 });
        assert_eq!(decide_attempt(fifth, 1_099), AttemptDecision::Wait { retry_in_ms: 1 });
        let AttemptDecision::Verify(sixth) = decide_attempt(fifth, 1_100) else { panic!("the wait is over") };
        assert_eq!(sixth.blocked_until_ms, 3_100);
        let far = Attempts { failures: u32::MAX, blocked_until_ms: i64::MAX };
        assert_eq!(
            decide_attempt(far, i64::MIN),
            AttemptDecision::Wait { retry_in_ms: i64::MAX.unsigned_abs() }
        );
    }

    #[test]
    fn a_lock_is_revealed_only_with_the_correct_password() {
        let account = |locked_ms| Account {
            id: AccountId::generate().unwrap(),
            email: "asha@example.org".parse().unwrap(),
            created_ms: 1,
            is_operator: false,
            has_password: true,
            access_ms: None,
            locked_ms,
            monthly_chars: 0,
            verified_ms: None,
        };
        let (open, locked) = (account(None), account(Some(2)));
        assert_eq!(decide_sign_in(Some(open.clone()), true), SignInDecision::SignIn(open));
        assert_eq!(decide_sign_in(Some(locked.clone()), true), SignInDecision::LockedByOperator(locked));
        assert_eq!(decide_sign_in(None, true), SignInDecision::Refuse("wrong_password"));
        assert_eq!(decide_sign_in(None, false), SignInDecision::Refuse("unknown_account"));
    }
}
