//! Single-use tokens as secrets: made, read, hashed.

use std::fmt;
use std::time::Duration;

use crate::secret::{self, SecretHash};

const MARK: &str = "tok_";
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
        secret::generate(MARK, SECRET_CHARS).map(Self)
    }

    /// Reads what a caller presents; `None` unless it has the shape of a token.
    pub fn parse(presented: &str) -> Option<Self> {
        secret::is_well_formed(presented, MARK, SECRET_CHARS).then(|| Self(presented.to_owned()))
    }

    /// Whether a caller means to present a token, well-formed or not, and no key.
    pub fn is_meant(presented: &str) -> bool {
        presented.starts_with(MARK)
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
