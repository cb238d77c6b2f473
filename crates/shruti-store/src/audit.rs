//! Audit log: actors, events, times and outcomes.

use std::fmt;

use async_trait::async_trait;

use crate::account::AccountId;
use crate::error::StoreError;

/// Retention time of entries, in milliseconds: 180 days.
pub const AUDIT_LIFE_MS: i64 = 180 * 86_400_000;
/// Maximum number of entries. The oldest are deleted first.
pub const MAX_AUDIT_ENTRIES: u32 = 200_000;

/// Actor of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Person with access to the command line and the data folder. An operator who acts in the Studio is recorded as an
    /// account.
    Operator,
    /// Person who is not signed in.
    Visitor,
    /// Holder of an account.
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

/// Event of the audit log. The store records an event in the transaction of the action, so that either both are
/// committed or neither; actions on packs have no such transaction.
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

/// Action of an operator on a voice pack. Packs are files outside the database, so the command that changes them
/// records the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackEvent {
    /// The licence was accepted.
    LicenceAccepted,
    /// The pack was installed from a catalogue, an archive or a folder.
    Pulled,
    /// The pack was converted from a voice in another format.
    Imported,
    /// The pack was removed.
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

/// Outcome of an action that succeeded.
pub(crate) const OK: &str = "ok";

/// Audit log entry to be written.
pub(crate) struct NewEntry<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) event: Event,
    pub(crate) account: Option<&'a AccountId>,
    pub(crate) subject: Option<&'a str>,
    pub(crate) outcome: &'static str,
}

/// Entry of the log. It identifies a key by its prefix and a promo code by its beginning. It never contains a password,
/// a session or an e-mail address.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// Entry number; later entries have higher numbers.
    pub id: i64,
    /// Time, in milliseconds since 1970; if several events share the entry, the time of the first event.
    pub at_ms: i64,
    /// Actor: `operator`, `visitor` or the identifier of an account.
    pub actor: String,
    /// Event, such as `sign_in` or `key_revoked`.
    pub event: String,
    /// Account that the event concerns, if there is one; `None`, for example, for attempts to sign in with an address
    /// that no account has.
    pub account: Option<AccountId>,
    /// Prefix of the key, beginning of the promo code, or pack with its licence; `None` if the event concerns none of
    /// these.
    pub subject: Option<String>,
    /// `ok`, or the reason for a refusal, such as `wrong_password`.
    pub outcome: String,
    /// Number of events. Refusals of one kind on one day share an entry, so that guessing cannot displace important
    /// entries; every other entry records one event.
    pub times: u64,
}

/// Log of the actions of users and operators. The store writes each entry in the transaction of the action. Callers can
/// add only events about packs, because packs are not in the database.
#[async_trait]
pub trait AuditStore {
    /// Returns at most `limit` entries, newest first. If `account` is given, only entries about this account are
    /// returned; if `before` is given, only entries with lower numbers.
    async fn audit_log(
        &self,
        account: Option<AccountId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// Records an operator's action on a pack. `pack` is the identifier of the pack, followed by its licence if the
    /// licence is relevant.
    async fn record_pack(&self, event: PackEvent, pack: String, now_ms: i64) -> Result<(), StoreError>;
}
