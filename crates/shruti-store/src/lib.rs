//! What the server remembers: API keys and the single-use tokens made with them, in SQLite.
//!
//! [`Store`] is the trait that the server knows. Its operations are whole decisions, never a read that the
//! caller follows with a write, so that several servers can share one database. [`SqliteStore`] keeps everything
//! in one file, on a thread of its own. [`KeyCache`] stands between the store and the requests: a key that was
//! seen before costs no database round trip, and a revocation is seen within [`KeyCache::STALENESS`].
//!
//! Times come from the caller, as milliseconds since 1970 or as a [`Moment`].

mod cache;
mod key;
mod model;
mod origin;
mod secret;
mod sqlite;
mod store;
mod token;

pub use cache::{KeyCache, KeyCheck, Moment};
pub use key::{KeyPrefix, SecretKey};
pub use model::{
    CreatedKey, Issuance, IssuedToken, KeyChanges, KeyLimits, KeyRecord, KeySpec, Revocation, Scope,
    UnknownScope,
};
pub use origin::{InvalidOrigin, Origin};
pub use secret::SecretHash;
pub use sqlite::SqliteStore;
pub use store::{Store, StoreError};
pub use token::{MAX_UNUSED_TOKENS, SecretToken, TOKEN_LIFE};
