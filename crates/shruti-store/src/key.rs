//! Secrets of API keys.

use std::fmt;

use crate::secret::{self, SecretHash};

const PREFIX: &str = "sk_";
/// Number of characters after `sk_`. They have 238 bits of entropy, of which 190 are in the characters after the key
/// prefix.
const SECRET_CHARS: usize = 40;
/// Number of characters after `sk_` that belong to the prefix.
const PREFIX_CHARS: usize = 8;

/// Whole API key: `sk_` and 40 letters and digits. It is shown once and never stored.
///
/// `Debug` hides its text; only [`SecretKey::reveal`] returns it.
#[derive(Clone)]
pub struct SecretKey(String);

impl SecretKey {
    /// Generates a random key.
    pub fn generate() -> Result<Self, getrandom::Error> {
        secret::generate(PREFIX, SECRET_CHARS).map(Self)
    }

    /// Parses a key that a caller presents. Returns `None` if the text does not have the form of a key.
    pub fn parse(presented: &str) -> Option<Self> {
        secret::is_well_formed(presented, PREFIX, SECRET_CHARS).then(|| Self(presented.to_owned()))
    }

    /// Returns the text of the key, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the part that identifies the key and is not secret.
    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(self.0[..PREFIX.len() + PREFIX_CHARS].to_owned())
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// First characters of a key, including `sk_`. They identify the key in lists and logs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPrefix(pub(crate) String);

impl KeyPrefix {
    /// Parses a prefix, or the prefix of a whole key. Returns `None` if the text is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(key) = SecretKey::parse(text) {
            return Some(key.prefix());
        }
        secret::is_well_formed(text, PREFIX, PREFIX_CHARS).then(|| Self(text.to_owned()))
    }

    /// Returns the prefix as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_is_alphanumeric_and_round_trips() {
        let key = SecretKey::generate().unwrap();
        let secret = key.reveal().strip_prefix("sk_").unwrap();
        assert_eq!(secret.len(), 40);
        assert!(secret.chars().all(|c| c.is_ascii_alphanumeric()), "{secret}");
        let read = SecretKey::parse(key.reveal()).unwrap();
        assert_eq!(read.hash(), key.hash());
        assert_eq!(read.prefix().as_str(), &key.reveal()[..11]);
        assert_ne!(SecretKey::generate().unwrap().hash(), key.hash());
    }

    #[test]
    fn other_formats_are_not_keys() {
        let forty = "a".repeat(40);
        for wrong in ["", "sk_", "sk_short", &forty, &format!("pk_{forty}"), &format!("sk_{forty}a")] {
            assert!(SecretKey::parse(wrong).is_none(), "{wrong}");
        }
        assert!(SecretKey::parse(&format!("sk_{}é", "a".repeat(38))).is_none());
        assert!(KeyPrefix::parse("sk_abcd1234").is_some());
        assert!(KeyPrefix::parse("sk_abcd123").is_none());
        assert!(KeyPrefix::parse("sk_abcd123'").is_none());
    }

    #[test]
    fn debug_output_hides_the_secret() {
        let key = SecretKey::generate().unwrap();
        let shown = format!("{key:?} {:?}", key.hash());
        assert!(!shown.contains(&key.reveal()[3..11]), "{shown}");
    }
}
