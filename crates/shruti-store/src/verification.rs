//! Proof that mail to the address of an account reaches its holder.

use async_trait::async_trait;

use crate::account::Account;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::VerificationSecret;

/// How long a link that verifies an address can be used after it was made, in milliseconds: a day.
pub const VERIFICATION_LIFE_MS: i64 = 86_400_000;

/// A link that was just made, to be sent to the address that it verifies: the only moment its secret is known.
#[derive(Clone, Debug)]
pub struct NewVerification {
    /// Where it is sent.
    pub email: EmailAddress,
    /// The secret, to be sent once.
    pub secret: VerificationSecret,
    /// When it stops, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// The outcome of a request for a link that verifies an address.
#[derive(Clone, Debug)]
pub enum VerificationRequest {
    /// Here it is; it replaces an earlier one.
    Made(NewVerification),
    /// The address is verified; nothing is to be sent.
    Verified,
    /// One was made within the last [`LINK_AGAIN_MS`](crate::LINK_AGAIN_MS).
    Wait {
        /// When the next is made, in milliseconds from now.
        retry_in_ms: u64,
    },
    /// No account has the address, or the operator locked it, or it is that of an operator's first account, which no mail
    /// reaches.
    Unreachable,
}

/// The outcome of an attempt to verify an address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressVerification {
    /// The address is verified; the link is used up.
    Verified(Account),
    /// The session is over, or it belongs to another account than the link. The link can still be used.
    OtherSession,
    /// The link is unknown, used or expired.
    InvalidLink,
}

/// Addresses and the links that verify them.
///
/// Two proofs count. Both show that the person who reads the mail also controls the account:
///
/// - a verification link together with a session of the account. The link alone is not enough: anybody can sign up with
///   the address of somebody else, who would then confirm a stranger's account;
/// - a link for a forgotten password that was [sent by mail](crate::AccountStore::request_link). As the first proof, it ends
///   the password, the sessions and the keys that are older ([`use_sign_in_link`](crate::SessionStore::use_sign_in_link)).
///
/// A link that an operator makes is handed over by hand and proves nothing. A verified address stays verified: the address
/// of an account never changes.
#[async_trait]
pub trait VerificationStore {
    /// Makes the link that verifies the address of an account. What this returns tells whether an account has the address:
    /// it is for who has signed up just now, or is signed in.
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError>;

    /// Uses a link up and notes that the address of its account is verified, if `session` belongs to that account. Signs
    /// nobody in. Not by `GET`, as for [`use_sign_in_link`](crate::SessionStore::use_sign_in_link).
    async fn verify_address(
        &self,
        link: SecretHash,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<AddressVerification, StoreError>;
}
