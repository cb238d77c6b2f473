//! Names of rendered clips and turns. A name is a hash of everything that the bytes depend on.

use std::fmt;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

/// Name of a rendered clip or turn: the SHA-256 of its owner and of everything that its bytes depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipDigest(pub(super) [u8; 32]);

impl ClipDigest {
    /// Creates a digest from the hash of its fields.
    pub fn new(fields: FieldHash) -> Self {
        Self(fields.finish())
    }

    /// Parses the [`Display`](fmt::Display) form of a digest.
    pub(super) fn parse(hex: &str) -> Option<Self> {
        let mut digest = [0; 32];
        if hex.len() != 64 || !hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        for (byte, pair) in digest.iter_mut().zip(hex.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(digest))
    }

    /// Returns the strong entity tag of the clip.
    pub fn etag(&self) -> String {
        let hex = self.to_string();
        format!("\"{}\"", &hex[..32])
    }
}

impl fmt::Display for ClipDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ClipDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hash of named fields. The lengths of the names and values are hashed too, so that different lists of fields have
/// different hashes.
pub struct FieldHash(Sha256);

impl FieldHash {
    /// Creates a hash for a purpose. Hashes for different purposes differ even if their fields are the same.
    pub fn new(purpose: &str) -> Self {
        Self(Sha256::new()).with("purpose", purpose)
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        for part in [name.as_bytes(), value.as_ref()] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }

    /// Returns the hash.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Returns an identifier for this build of the program: its version, and the size and modification time of its
/// executable. Another build may synthesise a text differently.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let file = std::env::current_exe().and_then(std::fs::metadata);
        let (bytes, time) = file.map_or((0, None), |file| (file.len(), file.modified().ok()));
        let seconds =
            time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs());
        format!("{} {bytes} {seconds}", env!("CARGO_PKG_VERSION"))
    });
    &PROGRAM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_separated() {
        let hash = |fields: &[(&str, &str)]| {
            let hash = FieldHash::new("test");
            fields.iter().fold(hash, |hash, (name, value)| hash.with(name, value)).finish()
        };
        let all = [
            hash(&[("a", "b")]),
            hash(&[("ab", "")]),
            hash(&[("", "ab")]),
            hash(&[("a", ""), ("", "b")]),
            hash(&[("a", "b"), ("", "")]),
            FieldHash::new("other").with("a", "b").finish(),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn digests_round_trip() {
        let digest = ClipDigest(FieldHash::new("test").finish());
        let hex = digest.to_string();
        assert_eq!(ClipDigest::parse(&hex), Some(digest));
        for wrong in ["", &hex[1..], &hex.to_uppercase(), &format!("{hex}0"), &format!("../{}", &hex[3..])] {
            assert_eq!(ClipDigest::parse(wrong), None, "{wrong}");
        }
    }
}
