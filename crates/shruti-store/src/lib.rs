//! Accounts and their sessions, API keys and their single-use tokens, promo codes, allowances, usage, lexicons and an
//! audit log, stored in SQLite or PostgreSQL.
//!
//! [`Store`] is the interface for the server: one trait per subject. Each operation is one atomic decision, so a caller
//! never has to read first and then write. Several servers can therefore share one database. [`SqliteStore`] keeps
//! everything in one file and accesses it on its own threads. [`PostgresStore`] uses a database that several servers
//! share. [`KeyCache`] answers most requests from memory: a known key costs no database round trip, and a revocation or
//! a lock takes effect within [`KeyCache::STALENESS`] while the store responds. [`copy()`] copies a store to the other
//! database.
//!
//! Times are parameters, as milliseconds since 1970 or as a [`Moment`](shruti_clock::Moment). Days and months are in
//! UTC.
//!
//! # Structure
//!
//! | module | content |
//! | --- | --- |
//! | `promo`, `key_store`, … | types and trait of a subject |
//! | `decisions` | pure functions that decide the outcome from the stored state |
//! | `flows` | transactions (look up, decide, write), implemented once for both databases |
//! | `sql` | statements, with both dialects side by side where they differ |
//! | `database` | traits `Database` and `Tx`, which run flows and statements |
//! | `sqlite`, `postgres` | implementations of these traits, connections, migrations, maintenance |
//!
//! # Secrets
//!
//! A reader of the database finds e-mail addresses, names of keys, usage, lexicons, the audit log and the beginnings of
//! promo codes. Passwords are stored only as Argon2id hashes. Keys, tokens, sessions, links and promo codes consist of
//! random characters and are stored only as SHA-256 hashes. From the hash of a key, a reader can derive only the secret
//! that signs clip URLs for that key.

mod account;
mod account_store;
mod allowance;
mod audit;
mod cache;
mod calendar;
mod copy;
mod count;
mod data_folder;
mod database;
mod decisions;
mod email;
mod error;
mod flows;
mod hashing;
mod key;
mod key_record;
mod key_store;
mod lexicon;
mod origin;
mod password;
mod playground;
mod postgres;
mod promo;
mod secret;
mod session;
mod sql;
mod sqlite;
mod store;
mod tables;
mod token;
mod usage;
mod value;
mod verification;

pub use account::{AccessLock, Account, AccountId};
pub use account_store::{
    AccountChange, AccountCreation, AccountDeletion, AccountOverview, AccountSearch, AccountStore,
    Invitation, OperatorChange, OwnDeletion, PasswordChange, SignIn,
};
pub use allowance::{Allowance, AllowanceStore, Draw, LEASE_LIFE_MS, Lease, LeaseId, QuotaWarning};
pub use audit::{AUDIT_LIFE_MS, Actor, AuditEntry, AuditStore, MAX_AUDIT_ENTRIES, PackEvent};
pub use cache::{KeyCache, KeyCheck};
pub use calendar::{Day, Month};
pub use copy::{CopyError, StorePlace, TableCopy, copy};
pub use data_folder::{CLIPS, make_private, secret_files};
pub use decisions::login_attempts::{FAILURES_FORGOTTEN_MS, FREE_FAILURES, LOCK_OUT_FAILURES, LOCK_OUT_MS};
pub use email::{EmailAddress, InvalidEmail};
pub use error::{DiskTrouble, StoreError};
pub use key::{KeyPrefix, SecretKey};
pub use key_record::{CreatedKey, KeyLimits, KeyPurpose, KeyRecord, KeySpec, Scope, UnknownScope};
pub use key_store::{KeyChanges, KeyCreation, KeyStore, MAX_KEYS, MAX_KEYS_EVER, Revocation, Rotation};
pub use lexicon::{AccountLexicon, LexiconReplacement, LexiconStore, MAX_LEXICON_BYTES};
pub use origin::{InvalidOrigin, Origin};
pub use password::{NewPassword, Password, WeakPassword};
pub use playground::{PlaygroundSpec, PlaygroundStore};
pub use postgres::{InvalidAddress, PostgresAddress, PostgresInspection, PostgresStore};
pub use promo::{
    CreatedPromo, NamedPromo, PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoBeginning, PromoCode, PromoDisabling,
    PromoRecord, PromoSpec, PromoStore, Redemption,
};
pub use secret::SecretHash;
pub use session::{
    LINK_AGAIN_MS, LINK_LIFE_MS, LINK_SESSION_SETS_PASSWORD_MS, LinkSecret, ListedSession, MAX_SESSIONS,
    NewLink, NewSession, SESSION_IDLE_MS, SESSION_LIFE_MS, Session, SessionId, SessionSecret, SessionStore,
    VerificationSecret,
};
pub use sqlite::{Inspection, SqliteStore};
pub use store::{MaintenanceStore, Store, StoreFacts};
pub use token::{Issuance, IssuedToken, MAX_UNUSED_TOKENS, SecretToken, TOKEN_LIFE, TokenStore};
pub use usage::{
    DayUsage, KeyDayUsage, Overdraft, ReportId, USAGE_DAYS, Usage, UsageEntry, UsageOf, UsageReport,
    UsageStore,
};
pub use value::Tally;
pub use verification::{
    AddressVerification, NewVerification, VERIFICATION_LIFE_MS, VerificationRequest, VerificationStore,
};
