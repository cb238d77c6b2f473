//! Single-use tokens of keys.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::KeyRecord;
use crate::secret::{self, SecretHash};

const PREFIX: &str = "tok_";
/// Number of characters after `tok_`. They have 238 bits of entropy.
const SECRET_CHARS: usize = 40;

/// Lifetime of a token.
pub const TOKEN_LIFE: Duration = Duration::from_mins(1);

/// Maximum number of unused tokens of a key. A caller that reaches this limit is probably not using its tokens.
pub const MAX_UNUSED_TOKENS: u32 = 1_000;

/// Whole token: `tok_` and 40 letters and digits. It is shown once and never stored.
///
/// A token needs no escaping in a URL or a header. `Debug` hides its text; only [`SecretToken::reveal`] returns it.
#[derive(Clone)]
pub struct SecretToken(String);

impl SecretToken {
    /// Generates a random token.
    pub fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(PREFIX, SECRET_CHARS).map(Self)
    }

    /// Parses a token that a caller presents. Returns `None` if the text does not have the form of a token.
    pub fn parse(presented: &str) -> Option<Self> {
        secret::is_well_formed(presented, PREFIX, SECRET_CHARS).then(|| Self(presented.to_owned()))
    }

    /// Returns `true` if the presented text has the prefix of a token. The text may be malformed, but it is not a key.
    pub fn is_meant(presented: &str) -> bool {
        presented.starts_with(PREFIX)
    }

    /// Returns the text of the token, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretToken(…)")
    }
}

/// Token that was just created. Its secret cannot be retrieved later.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// Secret, to be shown once.
    pub secret: SecretToken,
    /// Expiry, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Outcome of [`TokenStore::issue_token`].
#[derive(Clone, Debug)]
pub enum Issuance {
    /// The token was created.
    Issued(IssuedToken),
    /// The key has the maximum number of unused tokens.
    TooMany {
        /// Time until the first of these tokens expires, in milliseconds.
        free_in_ms: u64,
    },
    /// The key is unknown, revoked or expired, or its account may not synthesise speech.
    NoKey,
}

/// Single-use tokens.
#[async_trait]
pub trait TokenStore {
    /// Creates a token for a valid key. The key of a locked account is not valid. The token expires after
    /// [`TOKEN_LIFE`] or with its key. A key can have at most [`MAX_UNUSED_TOKENS`] unused tokens. The call also
    /// deletes expired tokens.
    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError>;

    /// Returns the valid key of an unused token, without consuming the token. The server uses the key to check the
    /// request, and then [consumes](TokenStore::consume_token) the token.
    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;

    /// Consumes a token and returns its valid key. Of several concurrent callers only one gets the key.
    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretKey;

    #[test]
    fn a_token_round_trips_and_is_not_a_key() {
        let token = SecretToken::generate().unwrap();
        assert_eq!(SecretToken::parse(token.reveal()).unwrap().hash(), token.hash());
        assert!(SecretToken::is_meant(token.reveal()) && SecretKey::parse(token.reveal()).is_none());
        let key = SecretKey::generate().unwrap();
        assert!(SecretToken::parse(key.reveal()).is_none() && !SecretToken::is_meant(key.reveal()));
        assert_ne!(SecretToken::generate().unwrap().hash(), token.hash());
        assert!(!format!("{token:?}").contains(&token.reveal()[4..12]));
    }

    #[test]
    fn other_formats_are_not_tokens() {
        let forty = "a".repeat(40);
        for wrong in ["", "tok_", &forty, &format!("tok_{forty}a"), &format!("tok_{}-", "a".repeat(39))] {
            assert!(SecretToken::parse(wrong).is_none(), "{wrong}");
        }
    }
}
