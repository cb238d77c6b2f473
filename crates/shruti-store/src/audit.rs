//! Who did what, when, and with which outcome.

use std::fmt;

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;

/// How long entries are kept, in milliseconds: 180 days.
pub const AUDIT_LIFE_MS: i64 = 180 * 86_400_000;
/// The most entries that are kept; the oldest go first.
pub const MAX_AUDIT_ENTRIES: u32 = 200_000;

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Whoever has the command line and the data folder. An operator in the Studio is an account.
    Operator,
    /// Somebody who is not signed in.
    Visitor,
    /// The holder of an account.
    Account(AccountId),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Visitor => f.write_str("visitor"),
            Self::Account(id) => id.fmt(f),
        }
    }
}

/// What the store writes down, as part of the decision that it is about: both happen, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    AccountCreated,
    AccountLocked,
    AccountUnlocked,
    AccountDeleted,
    OperatorAdded,
    OperatorRemoved,
    SignIn,
    SignOut,
    SignOutEverywhere,
    PasswordChange,
    PasswordReset,
    LinkCreated,
    LinkUsed,
    VerificationRequested,
    AddressVerified,
    KeyCreated,
    KeyRenamed,
    KeyRotated,
    KeyRevoked,
    KeyReopened,
    PromoCreated,
    PromoDisabled,
    PromoRedemption,
    Pack(PackEvent),
}

/// What an operator did with a pack of voices. The packs are files beside the database; so the command that changes
/// them writes it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackEvent {
    /// Its licence was accepted.
    LicenceAccepted,
    /// It was installed from a catalogue, an archive or a folder.
    Pulled,
    /// It was made of a voice in another format.
    Imported,
    /// It was removed.
    Removed,
}

impl Event {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::AccountCreated => "account_created",
            Self::AccountLocked => "account_locked",
            Self::AccountUnlocked => "account_unlocked",
            Self::AccountDeleted => "account_deleted",
            Self::OperatorAdded => "operator_added",
            Self::OperatorRemoved => "operator_removed",
            Self::SignIn => "sign_in",
            Self::SignOut => "sign_out",
            Self::SignOutEverywhere => "sign_out_everywhere",
            Self::PasswordChange => "password_change",
            Self::PasswordReset => "password_reset",
            Self::LinkCreated => "link_created",
            Self::LinkUsed => "link_used",
            Self::VerificationRequested => "verification_requested",
            Self::AddressVerified => "address_verified",
            Self::KeyCreated => "key_created",
            Self::KeyRenamed => "key_renamed",
            Self::KeyRotated => "key_rotated",
            Self::KeyRevoked => "key_revoked",
            Self::KeyReopened => "key_reopened",
            Self::PromoCreated => "promo_created",
            Self::PromoDisabled => "promo_disabled",
            Self::PromoRedemption => "promo_redemption",
            Self::Pack(PackEvent::LicenceAccepted) => "pack_licence_accepted",
            Self::Pack(PackEvent::Pulled) => "pack_pulled",
            Self::Pack(PackEvent::Imported) => "pack_imported",
            Self::Pack(PackEvent::Removed) => "pack_removed",
        }
    }
}

/// The outcome of what was done.
pub(crate) const OK: &str = "ok";

/// An entry to be made.
pub(crate) struct NewEntry<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) event: Event,
    pub(crate) account: Option<&'a AccountId>,
    pub(crate) subject: Option<&'a str>,
    pub(crate) outcome: &'static str,
}

/// One entry. It holds no password, no key beyond its prefix, no session, no whole promo code and no e-mail address.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// Its number; later entries have higher ones.
    pub id: i64,
    /// When, in milliseconds since 1970; of entries that share a row, the first.
    pub at_ms: i64,
    /// Who: `operator`, `visitor` or the id of an account.
    pub actor: String,
    /// What, such as `sign_in` or `key_revoked`.
    pub event: String,
    /// The account it concerns; none for tries on addresses that no account has.
    pub account: Option<AccountId>,
    /// The key's prefix, the beginning of the promo code, or the pack with its licence.
    pub subject: Option<String>,
    /// `ok`, or why not, such as `wrong_password`.
    pub outcome: String,
    /// How often; more than once only for refusals of one kind on one day, which share an entry so that who guesses
    /// cannot push out what matters.
    pub times: u64,
}

/// The log of what people and operators did. Decisions write it themselves; from outside only what concerns packs can be
/// added, which are no rows of the database.
#[async_trait]
pub trait AuditStore {
    /// At most `limit` entries before the one with the number `before` (the newest without it), newest first; of one
    /// account, or of all.
    async fn audit_log(
        &self,
        account: Option<AccountId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// Writes down what the operator did with a pack: its id, and its licence where that matters.
    async fn record_pack(&self, event: PackEvent, pack: String, now_ms: i64) -> Result<(), StoreError>;
}
