//! Decisions about links that verify an address.

use crate::account::{Account, AccountId};
use crate::email::EmailAddress;
use crate::session::{LINK_AGAIN_MS, Session};
use crate::verification::{AddressVerification, VERIFICATION_LIFE_MS, VerificationRequest};

use super::Decision;

/// Decides whether a link is created for an account whose last link expires at `last_end_ms`. `Write` contains the
/// account.
pub(crate) fn decide_request(
    account: Option<Account>,
    last_end_ms: Option<i64>,
    now_ms: i64,
) -> Decision<Account, VerificationRequest> {
    let reachable =
        account.filter(|account| account.locked_ms.is_none() && account.email != EmailAddress::operator());
    let Some(account) = reachable else { return Decision::Answer(VerificationRequest::Unreachable) };
    if account.verified_ms.is_some() {
        return Decision::Answer(VerificationRequest::Verified);
    }
    let again_ms =
        last_end_ms.map(|end| end.saturating_sub(VERIFICATION_LIFE_MS).saturating_add(LINK_AGAIN_MS));
    match again_ms {
        Some(again) if again > now_ms => {
            let retry_in_ms = again.saturating_sub(now_ms).unsigned_abs();
            Decision::Answer(VerificationRequest::Wait { retry_in_ms })
        }
        _ => Decision::Write(account),
    }
}

/// Decides whether a link of the account `of` verifies the address: the caller must have a valid session of that
/// account. `Write` contains the account.
pub(crate) fn decide_verification(
    of: &AccountId,
    session: Option<Session>,
) -> Decision<Account, AddressVerification> {
    match session {
        Some(session) if session.account.id == *of => Decision::Write(session.account),
        _ => Decision::Answer(AddressVerification::OtherSession),
    }
}
