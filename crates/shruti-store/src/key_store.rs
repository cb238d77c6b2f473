//! Store operations on API keys.

use async_trait::async_trait;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{CreatedKey, KeyRecord, KeySpec};
use crate::origin::Origin;

/// Outcome of a revocation.
#[derive(Clone, Debug, PartialEq)]
pub enum Revocation {
    /// The key was revoked.
    Revoked(KeyRecord),
    /// The key had already been revoked.
    AlreadyRevoked(KeyRecord),
    /// The key does not exist.
    Unknown,
}

/// Maximum number of keys of an account that are neither revoked nor expired. It does not apply to operators.
pub const MAX_KEYS: u32 = 100;
/// Maximum number of keys that an account may ever create. It does not apply to operators.
pub const MAX_KEYS_EVER: u32 = 2_000;

/// Outcome of the creation of a key.
#[derive(Clone, Debug)]
pub enum KeyCreation {
    /// The key was created.
    Created(Box<CreatedKey>),
    /// The account has [`MAX_KEYS`] usable keys, or has created [`MAX_KEYS_EVER`].
    TooMany,
    /// The account does not exist, or an operator locked it.
    NoAccount,
}

/// Outcome of a rotation.
#[derive(Clone, Debug)]
pub enum Rotation {
    /// The new key works immediately. The old key works until its new expiry.
    Rotated {
        /// New key, with the specification of the old one.
        new: Box<CreatedKey>,
        /// Old key after the rotation.
        old: Box<KeyRecord>,
    },
    /// The old key was revoked or has expired.
    Ended,
    /// The account has too many keys, as in [`KeyCreation::TooMany`].
    TooMany,
    /// The actor has no such key, or the key belongs to a playground.
    Unknown,
}

/// Keys that were created or changed since a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyChanges {
    /// Revision after these changes.
    pub revision: i64,
    /// Current state of the keys.
    pub keys: Vec<KeyRecord>,
    /// `true` if keys were deleted with their accounts since the given revision. Deleted keys are not listed, so a
    /// cache has to drop all its keys.
    pub any_removed: bool,
}

impl KeyCreation {
    /// Returns the key, if it was created.
    pub fn created(self) -> Option<CreatedKey> {
        match self {
            Self::Created(key) => Some(*key),
            Self::TooMany | Self::NoAccount => None,
        }
    }
}

/// API keys.
///
/// A caller that acts for an account passes the account as [`Actor::Account`]. For such a caller a key of another
/// account does not exist: the outcome is the same as for a missing key, such as [`Revocation::Unknown`]. A visitor has
/// no keys.
#[async_trait]
pub trait KeyStore {
    /// Creates the first key, for the [operator's account](crate::AccountStore::ensure_operator), if there is no key
    /// except those of playgrounds. Of several concurrent callers only one gets the key. The key has no limits, and its
    /// account needs no allowance.
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError>;

    /// Creates a key for the account that acts, even if the account has not redeemed a promo code yet. If the actor is
    /// [`Actor::Operator`], the key has no account, and the number of keys is not limited.
    async fn create_key(&self, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError>;

    /// Creates a key for the [operator's account](crate::AccountStore::ensure_operator), and creates the account if it
    /// is missing. For the command line.
    async fn create_operator_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError>;

    /// Returns the API keys of an account, or, for the operator, all keys including those of playgrounds. The oldest
    /// come first, and revoked keys are included.
    async fn list_keys(&self, by: Actor) -> Result<Vec<KeyRecord>, StoreError>;

    /// Renames a key. Returns `None` if the actor has no such key, or the key belongs to a playground.
    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError>;

    /// Creates a key with the specification of an old one. The old key expires after `overlap_ms` (0: immediately) if
    /// it does not expire earlier. The use of a monthly cap is carried over to the new key.
    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError>;

    /// Revokes a key permanently and deletes its unused tokens.
    async fn revoke_key(&self, by: Actor, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError>;

    /// Returns the key with the given prefix. The caller has to compare the hash.
    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError>;

    /// Returns the keys that were created or changed after `revision`; 0 precedes the first revision. A key also
    /// changes when its account is locked, unlocked or given access, and when an allowance or a cap becomes spent or is
    /// no longer spent. The result also reports whether keys were deleted.
    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError>;

    /// Returns the newest revision.
    async fn key_revision(&self) -> Result<i64, StoreError>;

    /// Waits until another process may have changed a key. The call may return without a change and may miss a change,
    /// so callers poll for changes as well. In a store without notifications the call never returns.
    async fn wait_for_key_change(&self);

    /// Returns `true` if a usable key lists this origin.
    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError>;
}
