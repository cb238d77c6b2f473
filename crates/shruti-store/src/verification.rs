//! Verification of the addresses of accounts.

use async_trait::async_trait;

use crate::account::Account;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::VerificationSecret;

/// Lifetime of a link that verifies an address, in milliseconds: 1 day.
pub const VERIFICATION_LIFE_MS: i64 = 86_400_000;

/// Link that was just created, to be sent to the address that it verifies. Its secret cannot be retrieved later.
#[derive(Clone, Debug)]
pub struct NewVerification {
    /// Address to which the link is sent.
    pub email: EmailAddress,
    /// Secret, to be sent once.
    pub secret: VerificationSecret,
    /// Expiry, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Outcome of a request for a link that verifies an address.
#[derive(Clone, Debug)]
pub enum VerificationRequest {
    /// The link was created and replaces an earlier one.
    Made(NewVerification),
    /// The address is already verified, so no email is needed.
    Verified,
    /// A link was created within the last [`LINK_AGAIN_MS`](crate::LINK_AGAIN_MS).
    Wait {
        /// Time until the next link can be created, in milliseconds.
        retry_in_ms: u64,
    },
    /// No account has the address, an operator locked the account, or the account is that of the first start, whose
    /// address receives no email.
    Unreachable,
}

/// Outcome of an attempt to verify an address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressVerification {
    /// The address is verified, and the link is consumed.
    Verified(Account),
    /// The session has ended, or it belongs to another account than the link. The link stays valid.
    OtherSession,
    /// The link is unknown, used or expired.
    InvalidLink,
}

/// Verification of addresses with links.
///
/// Two proofs are accepted. Both show that the person who reads the email also controls the account:
///
/// - a verification link together with a session of the account. The link alone is not enough: anybody can sign up with
///   another person's address, and that person would then confirm a stranger's account;
/// - a link for a forgotten password that was [sent by email](crate::AccountStore::request_link). If it is the first
///   proof, the existing password, sessions and keys become invalid
///   ([`use_sign_in_link`](crate::SessionStore::use_sign_in_link)).
///
/// A link that an operator creates is handed over in person, so its use does not verify the address. A verified address
/// stays verified, because the address of an account never changes.
#[async_trait]
pub trait VerificationStore {
    /// Creates the link that verifies the address of an account. The return value discloses whether an account has the
    /// address. The call is therefore meant for callers who have just signed up or are signed in.
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError>;

    /// Consumes a link and records that the address of its account is verified, if `session` belongs to that account.
    /// The call does not begin a session. A `GET` request must not call it, as for
    /// [`use_sign_in_link`](crate::SessionStore::use_sign_in_link).
    async fn verify_address(
        &self,
        link: SecretHash,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<AddressVerification, StoreError>;
}
