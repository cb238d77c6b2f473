//! What the server remembers, in SQLite: accounts and their sessions, API keys and the single-use tokens made with them,
//! promo codes, allowances, usage, and an audit log.
//!
//! [`Store`] is the trait that the server knows, made of one trait for each subject. Its operations are whole decisions,
//! never a read that the caller follows with a write, so that several servers can share one database. [`SqliteStore`] keeps
//! everything in one file, on a thread of its own. [`KeyCache`] stands between the store and the requests: a key that was seen
//! before costs no database round trip, and a revocation or a lock is seen within [`KeyCache::STALENESS`].
//!
//! Times come from the caller, as milliseconds since 1970 or as a [`Moment`]. Days and months are those of UTC.
//!
//! What a thief of the file finds: e-mail addresses, names of keys, usage and promo codes. What it does not hold: passwords
//! (Argon2id), keys, tokens, sessions and links (SHA-256 of random letters).

mod account;
mod allowance;
mod audit;
mod cache;
mod calendar;
mod data_folder;
mod disk;
mod email;
mod hashing;
mod key;
mod model;
mod origin;
mod password;
mod playground;
mod promo;
mod recent;
mod secret;
mod session;
mod sqlite;
mod store;
mod token;
mod usage;

pub use account::{
    AccessLock, Account, AccountChange, AccountCreation, AccountId, AccountStore, FAILURES_FORGOTTEN_MS,
    FREE_FAILURES, Invitation, LOCK_OUT_FAILURES, LOCK_OUT_MS, PasswordChange, SignIn,
};
pub use allowance::{Allowance, AllowanceStore, Draw, LEASE_LIFE_MS, Lease, LeaseId};
pub use audit::{AUDIT_LIFE_MS, Actor, AuditEntry, AuditStore, MAX_AUDIT_ENTRIES};
pub use cache::{KeyCache, KeyCheck, Moment};
pub use calendar::{Day, Month};
pub use data_folder::{make_private, secret_files};
pub use disk::DiskTrouble;
pub use email::{EmailAddress, InvalidEmail};
pub use key::{KeyPrefix, SecretKey};
pub use model::{
    CreatedKey, Issuance, IssuedToken, KeyChanges, KeyCreation, KeyLimits, KeyPurpose, KeyRecord, KeySpec,
    MAX_KEYS, MAX_KEYS_EVER, Revocation, Rotation, Scope, UnknownScope,
};
pub use origin::{InvalidOrigin, Origin};
pub use password::{NewPassword, Password, WeakPassword};
pub use playground::{PlaygroundOf, PlaygroundStore};
pub use promo::{
    CreatedPromo, NamedPromo, PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoBeginning, PromoCode, PromoDisabling,
    PromoRecord, PromoSpec, PromoStore, Redemption,
};
pub use recent::Recent;
pub use secret::SecretHash;
pub use session::{
    LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, MAX_SESSIONS, NewLink, NewSession,
    SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionSecret, SessionStore,
};
pub use sqlite::{Inspection, SqliteStore};
pub use store::{Store, StoreError};
pub use token::{MAX_UNUSED_TOKENS, SecretToken, TOKEN_LIFE};
pub use usage::{DayUsage, KeyDayUsage, USAGE_DAYS, Usage, UsageEntry, UsageOf, UsageReport, UsageStore};
