//! What is decided about API keys.

use async_trait::async_trait;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{CreatedKey, KeyRecord, KeySpec};
use crate::origin::Origin;

/// The outcome of a revocation.
#[derive(Clone, Debug, PartialEq)]
pub enum Revocation {
    /// The key is revoked from now on.
    Revoked(KeyRecord),
    /// It had been revoked before.
    AlreadyRevoked(KeyRecord),
    /// There is no such key.
    Unknown,
}

/// The most keys of an account, other than an operator's, that are neither revoked nor over.
pub const MAX_KEYS: u32 = 100;
/// The most keys that an account, other than an operator's, ever makes.
pub const MAX_KEYS_EVER: u32 = 2_000;

/// The outcome of the creation of a key.
#[derive(Clone, Debug)]
pub enum KeyCreation {
    /// Here it is.
    Created(Box<CreatedKey>),
    /// The account has [`MAX_KEYS`] that can be used, or has made [`MAX_KEYS_EVER`].
    TooMany,
    /// There is no such account, or the operator locked it.
    NoAccount,
}

/// The outcome of a rotation.
#[derive(Clone, Debug)]
pub enum Rotation {
    /// The new key works at once; the old one stops at its new expiry.
    Rotated {
        /// The new key, with all that the old one was made with.
        new: Box<CreatedKey>,
        /// The old one as it is now.
        old: Box<KeyRecord>,
    },
    /// It was revoked or is over; there is nothing to continue.
    Ended,
    /// There are too many keys, as in [`KeyCreation::TooMany`].
    TooMany,
    /// Who asked has no such key, or it is a playground's.
    Unknown,
}

/// Keys that were made or changed since a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyChanges {
    /// The revision these changes lead to.
    pub revision: i64,
    /// The keys as they are now.
    pub keys: Vec<KeyRecord>,
    /// Whether keys were removed with their accounts meanwhile, which are not told one by one: nothing that is
    /// remembered of any key holds.
    pub any_removed: bool,
}

impl KeyCreation {
    /// The key, if it was made.
    pub fn created(self) -> Option<CreatedKey> {
        match self {
            Self::Created(key) => Some(*key),
            Self::TooMany | Self::NoAccount => None,
        }
    }
}

/// API keys.
///
/// Whoever acts for an account passes it as [`Actor::Account`], and gets [`Revocation::Unknown`] for a key of
/// another's as for one that does not exist. A visitor has no keys.
#[async_trait]
pub trait KeyStore {
    /// Makes the first key if none was ever made (those of playgrounds aside), for the
    /// [operator's account](crate::AccountStore::ensure_operator); of several callers at once only one gets it. It has
    /// no limit, and its account no allowance.
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError>;

    /// Makes a key: of an account, which need not have redeemed a promo code yet, or of no account where the operator
    /// asks, who always gets one.
    async fn create_key(&self, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError>;

    /// Makes a key of the [operator's account](crate::AccountStore::ensure_operator), which is made if there is none, for
    /// whoever has the command line.
    async fn create_operator_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError>;

    /// The keys that an account has made, or for the operator all keys, those of playgrounds included; oldest first,
    /// revoked ones too.
    async fn list_keys(&self, by: Actor) -> Result<Vec<KeyRecord>, StoreError>;

    /// Gives a key another name. `None` if who asks has no such key, or it is a playground's.
    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Makes a key with all that an old one was made with, and lets the old one stop after `overlap_ms` (0: now) if it
    /// does not stop sooner. What the old one has spent of a monthly cap counts for the new one.
    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError>;

    /// Ends a key for good, and its unused tokens with it.
    async fn revoke_key(&self, by: Actor, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError>;

    /// The key of a prefix. The caller compares the hash.
    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError>;

    /// The keys that were made or changed after `revision`; 0 is before the first. A key changes too when its account
    /// is locked, unlocked or given access, and when an allowance or a cap is found spent or is so no longer. Whether
    /// any were removed is told too.
    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError>;

    /// The newest revision.
    async fn key_revision(&self) -> Result<i64, StoreError>;

    /// Waits until another process may have changed a key. It may return for nothing, and may miss a change: who waits
    /// asks for changes now and then all the same. A store that hears of nothing never returns.
    async fn wait_for_key_change(&self);

    /// Whether some key that can be used now names this origin.
    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError>;
}
