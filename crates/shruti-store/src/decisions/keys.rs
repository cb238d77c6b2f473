//! Decisions about the creation and change of keys.

use super::Decision;
use crate::audit::Actor;
use crate::key_record::{KeyPurpose, KeyRecord, KeySpec};
use crate::key_store::{KeyCreation, MAX_KEYS, MAX_KEYS_EVER, Revocation, Rotation};

/// Key counts of an account, without the keys of playgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyCounts {
    /// Keys that the account has ever created.
    pub(crate) ever: u32,
    /// Keys that are neither revoked nor expired.
    pub(crate) usable: u32,
}

impl KeyCounts {
    fn is_full(self) -> bool {
        self.usable >= MAX_KEYS || self.ever >= MAX_KEYS_EVER
    }
}

/// Account that requests a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// `true` if an operator locked the account.
    pub(crate) is_locked: bool,
    /// `true` for an operator, whose number of keys is unlimited.
    pub(crate) is_operator: bool,
    /// Key counts of the account.
    pub(crate) keys: KeyCounts,
}

impl Owner {
    /// Returns `true` if the account has the maximum number of keys.
    fn is_full(self) -> bool {
        !self.is_operator && self.keys.is_full()
    }
}

/// Decides whether an account gets a key. `None` means that the account does not exist.
pub(crate) fn decide_creation(owner: Option<Owner>) -> Decision<(), KeyCreation> {
    match owner {
        Some(owner) if owner.is_locked => Decision::Answer(KeyCreation::NoAccount),
        Some(owner) if owner.is_full() => Decision::Answer(KeyCreation::TooMany),
        Some(_) => Decision::Write(()),
        None => Decision::Answer(KeyCreation::NoAccount),
    }
}

/// Decides on the revocation of the key `found`. `Write` contains the key to revoke.
pub(crate) fn decide_revocation(by: &Actor, found: Option<KeyRecord>) -> Decision<KeyRecord, Revocation> {
    match found.filter(|key| may_see(by, key)) {
        None => Decision::Answer(Revocation::Unknown),
        Some(key) if key.revoked_ms.is_some() => Decision::Answer(Revocation::AlreadyRevoked(key)),
        Some(key) => Decision::Write(key),
    }
}

/// Returns `true` if an actor may rename a key.
pub(crate) fn may_rename(by: &Actor, key: &KeyRecord) -> bool {
    may_see(by, key) && key.purpose == KeyPurpose::Api
}

/// Changes to write for a rotation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RotationPlan {
    /// Old key before the rotation.
    pub(crate) old: KeyRecord,
    /// New expiry of the old key, in milliseconds since 1970.
    pub(crate) old_expires_ms: i64,
    /// Specification of the new key.
    pub(crate) successor: KeySpec,
}

/// Decides on the rotation of the key `found`. `owner` is the account of the key, if the key has one.
pub(crate) fn decide_rotation(
    by: &Actor,
    found: Option<KeyRecord>,
    owner: Option<Owner>,
    overlap_ms: u64,
    now_ms: i64,
) -> Decision<RotationPlan, Rotation> {
    let Some(old) = found.filter(|key| may_rename(by, key)) else {
        return Decision::Answer(Rotation::Unknown);
    };
    if !old.is_usable(now_ms) {
        return Decision::Answer(Rotation::Ended);
    }
    if owner.is_some_and(Owner::is_full) {
        return Decision::Answer(Rotation::TooMany);
    }
    let overlap_end = now_ms.saturating_add_unsigned(overlap_ms);
    let old_expires_ms = old.expires_ms.map_or(overlap_end, |end| end.min(overlap_end));
    let successor = KeySpec {
        name: old.name.clone(),
        scopes: old.scopes.clone(),
        limits: old.limits,
        origins: old.origins.clone(),
        expires_ms: old.expires_ms,
        monthly_cap: old.monthly_cap,
    };
    Decision::Write(RotationPlan { old, old_expires_ms, successor })
}

/// Returns `true` if an actor may see and revoke a key. The operator may see all keys. An account may see the API keys
/// that belong to it.
fn may_see(by: &Actor, key: &KeyRecord) -> bool {
    match by {
        Actor::Operator => true,
        Actor::Account(account) => key.account.as_ref() == Some(account) && key.purpose == KeyPurpose::Api,
        Actor::Visitor => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountId;
    use crate::key::SecretKey;
    use crate::key_record::{KeyLimits, Scope};

    fn account() -> AccountId {
        AccountId::generate().unwrap()
    }

    fn key(account: Option<AccountId>, purpose: KeyPurpose) -> KeyRecord {
        let secret = SecretKey::generate().unwrap();
        KeyRecord {
            prefix: secret.prefix(),
            hash: secret.hash(),
            name: "a".to_owned(),
            purpose,
            scopes: vec![Scope::Tts],
            limits: KeyLimits::default(),
            origins: Vec::new(),
            created_ms: 1,
            expires_ms: None,
            revoked_ms: None,
            account,
            lock: None,
            monthly_cap: Some(9),
            is_metered: true,
            spent: None,
            lexicon: None,
            last_used_ms: None,
        }
    }

    #[test]
    fn an_unlocked_account_gets_keys_up_to_the_limit() {
        let owner = |is_locked, ever, usable| {
            Some(Owner { is_locked, is_operator: false, keys: KeyCounts { ever, usable } })
        };
        let is_allowed = |owner| matches!(decide_creation(owner), Decision::Write(()));
        assert!(is_allowed(owner(false, MAX_KEYS_EVER - 1, MAX_KEYS - 1)));
        for full in [owner(false, MAX_KEYS_EVER, 0), owner(false, MAX_KEYS, MAX_KEYS)] {
            assert!(matches!(decide_creation(full), Decision::Answer(KeyCreation::TooMany)));
        }
        let full = KeyCounts { ever: MAX_KEYS_EVER, usable: MAX_KEYS };
        assert!(is_allowed(Some(Owner { is_locked: false, is_operator: true, keys: full })));
        for none in [None, owner(true, 0, 0)] {
            assert!(matches!(decide_creation(none), Decision::Answer(KeyCreation::NoAccount)));
        }
    }

    #[test]
    fn a_key_can_be_changed_only_by_its_account_and_the_operator() {
        let (asha, ravi) = (account(), account());
        let own = key(Some(asha.clone()), KeyPurpose::Api);
        let playground = key(Some(asha.clone()), KeyPurpose::Playground);
        let [asha, ravi] = [asha, ravi].map(Actor::Account);
        for (by, key, sees, renames) in [
            (&Actor::Operator, &own, true, true),
            (&Actor::Operator, &playground, true, false),
            (&asha, &own, true, true),
            (&asha, &playground, false, false),
            (&ravi, &own, false, false),
            (&Actor::Visitor, &own, false, false),
        ] {
            let revokes = matches!(decide_revocation(by, Some(key.clone())), Decision::Write(_));
            assert_eq!((revokes, may_rename(by, key)), (sees, renames), "{by:?} {:?}", key.purpose);
        }
        let revoked = KeyRecord { revoked_ms: Some(2), ..own };
        let again = decide_revocation(&asha, Some(revoked.clone()));
        assert_eq!(again, Decision::Answer(Revocation::AlreadyRevoked(revoked)));
        assert_eq!(decide_revocation(&asha, None), Decision::Answer(Revocation::Unknown));
    }

    #[test]
    fn a_rotation_does_not_extend_the_old_key() {
        let rotate = |key: &KeyRecord, owner, overlap_ms| {
            decide_rotation(&Actor::Operator, Some(key.clone()), owner, overlap_ms, 100)
        };
        let open = key(None, KeyPurpose::Api);
        let ending = KeyRecord { expires_ms: Some(150), ..open.clone() };
        for (key, overlap_ms, end) in [
            (&open, 0, 100),
            (&open, 70, 170),
            (&open, u64::MAX, i64::MAX),
            (&ending, 70, 150),
            (&ending, 20, 120),
        ] {
            let Decision::Write(plan) = rotate(key, None, overlap_ms) else { panic!("{overlap_ms}") };
            assert_eq!(plan.old_expires_ms, end);
            assert_eq!((plan.successor.expires_ms, plan.successor.monthly_cap), (key.expires_ms, Some(9)));
        }
        let over = KeyRecord { expires_ms: Some(100), ..open.clone() };
        assert!(matches!(rotate(&over, None, 0), Decision::Answer(Rotation::Ended)));
        let full = |is_operator| {
            let keys = KeyCounts { ever: MAX_KEYS_EVER, usable: 1 };
            Some(Owner { is_locked: false, is_operator, keys })
        };
        assert!(matches!(rotate(&open, full(false), 0), Decision::Answer(Rotation::TooMany)));
        assert!(matches!(rotate(&open, full(true), 0), Decision::Write(_)), "operators have no limit");
    }
}
