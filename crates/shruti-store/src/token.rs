//! Single-use tokens: secrets that a key answers for once.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::KeyRecord;
use crate::secret::{self, SecretHash};

const PREFIX: &str = "tok_";
/// Characters after `tok_`: 238 bits.
const SECRET_CHARS: usize = 40;

/// How long a token can be used after it was made.
pub const TOKEN_LIFE: Duration = Duration::from_mins(1);

/// The most unused tokens of one key: who asks for more has not used what it was given.
pub const MAX_UNUSED_TOKENS: u32 = 1_000;

/// A whole token: `tok_` and 40 letters and digits. It is shown once and stored nowhere.
///
/// Nothing in it needs escaping in a URL or a header. `Debug` hides it; [`SecretToken::reveal`] is the only way to
/// its text.
#[derive(Clone)]
pub struct SecretToken(String);

impl SecretToken {
    /// A new random token.
    pub fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(PREFIX, SECRET_CHARS).map(Self)
    }

    /// Reads what a caller presents; `None` unless it has the shape of a token.
    pub fn parse(presented: &str) -> Option<Self> {
        secret::is_well_formed(presented, PREFIX, SECRET_CHARS).then(|| Self(presented.to_owned()))
    }

    /// Whether a caller means to present a token, well-formed or not, and no key.
    pub fn is_meant(presented: &str) -> bool {
        presented.starts_with(PREFIX)
    }

    /// The token's text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored in its place.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretToken(…)")
    }
}

/// A token that was just made: the only moment its secret is known.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// The secret, to be shown once.
    pub secret: SecretToken,
    /// When it stops, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// The outcome of [`TokenStore::issue_token`].
#[derive(Clone, Debug)]
pub enum Issuance {
    /// Here it is.
    Issued(IssuedToken),
    /// The key has as many unused tokens as it may.
    TooMany {
        /// When the first of them stops, in milliseconds from now.
        free_in_ms: u64,
    },
    /// The key is unknown, revoked or expired.
    NoKey,
}

/// Single-use tokens.
#[async_trait]
pub trait TokenStore {
    /// Makes a token that a valid key answers for; a key whose account is locked is not valid here. It stops after
    /// [`TOKEN_LIFE`] or with its key; a key has at most [`MAX_UNUSED_TOKENS`]. Tokens whose time is over are removed.
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError>;

    /// The valid key that answers for an unused token. Nothing is decided by this: it tells a server what to check
    /// before it [consumes](TokenStore::consume_token) the token.
    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;

    /// Uses a token up and gives the valid key that answers for it; of several callers at once only one gets it.
    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretKey;

    #[test]
    fn a_token_reads_back_and_is_no_key() {
        let token = SecretToken::generate().unwrap();
        assert_eq!(SecretToken::parse(token.reveal()).unwrap().hash(), token.hash());
        assert!(SecretToken::is_meant(token.reveal()) && SecretKey::parse(token.reveal()).is_none());
        let key = SecretKey::generate().unwrap();
        assert!(SecretToken::parse(key.reveal()).is_none() && !SecretToken::is_meant(key.reveal()));
        assert_ne!(SecretToken::generate().unwrap().hash(), token.hash());
        assert!(!format!("{token:?}").contains(&token.reveal()[4..12]));
    }

    #[test]
    fn other_shapes_are_no_tokens() {
        let forty = "a".repeat(40);
        for wrong in ["", "tok_", &forty, &format!("tok_{forty}a"), &format!("tok_{}-", "a".repeat(39))] {
            assert!(SecretToken::parse(wrong).is_none(), "{wrong}");
        }
    }
}
