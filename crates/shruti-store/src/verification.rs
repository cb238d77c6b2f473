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

/// Addresses and the links that verify them.
///
/// A link that signs in verifies the address too, if it was [asked for by mail](crate::AccountStore::request_link); one that
/// an operator makes is handed over by hand and proves nothing. What is verified stays so: the address of an account
/// never changes.
#[async_trait]
pub trait VerificationStore {
    /// Makes the link that verifies the address of an account. What this returns tells whether an account has the address:
    /// it is for who has signed up just now, or is signed in.
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError>;

    /// Uses a link up and notes that the address of its account is verified; the account as it is then, `None` if the link
    /// is unknown, used or over. Nobody is signed in by it. Not by `GET`, as for
    /// [`use_sign_in_link`](crate::SessionStore::use_sign_in_link).
    async fn verify_address(&self, link: SecretHash, now_ms: i64) -> Result<Option<Account>, StoreError>;
}
