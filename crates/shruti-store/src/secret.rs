//! Random secrets and identifiers, and hashes with constant-time comparison.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns a prefix followed by random letters and digits, with 5.95 bits of entropy each.
pub(crate) fn generate(prefix: &str, letters: usize) -> Result<String, getrandom::Error> {
    let length = prefix.len() + letters;
    let mut secret = String::with_capacity(length);
    secret.push_str(prefix);
    let mut random = [0_u8; 64];
    while secret.len() < length {
        getrandom::fill(&mut random)?;
        let missing = length - secret.len();
        // bytes of 248 and more are rejected: 248 is a multiple of 62, so all letters are equally likely
        let letters = random.iter().filter(|&&byte| byte < 248);
        secret.extend(letters.take(missing).map(|&byte| char::from(ALPHABET[usize::from(byte % 62)])));
    }
    Ok(secret)
}

/// Returns `true` if a text is a prefix followed by exactly `letters` letters and digits.
pub(crate) fn is_well_formed(presented: &str, prefix: &str, letters: usize) -> bool {
    let secret = presented.strip_prefix(prefix);
    secret.is_some_and(|secret| secret.len() == letters && secret.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// SHA-256 of a secret, such as a key or a token. Secrets are random and long, so no slow hash is needed.
///
/// The comparison of two hashes takes constant time.
#[derive(Clone, Copy)]
pub struct SecretHash(pub(crate) [u8; 32]);

impl SecretHash {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Derives a secret for one purpose: HMAC-SHA256 of the purpose with this hash as its key. The result can be
    /// derived only from this hash or the hashed secret, and neither can be computed from the result.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        // HMAC-SHA256 uses a key of 64 bytes and pads a shorter key with zeros
        let mut key = [0; 64];
        key[..32].copy_from_slice(&self.0);
        Hmac::<Sha256>::new((&key).into()).chain_update(purpose).finalize().into_bytes().into()
    }
}

impl PartialEq for SecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_generated() {
        let text: String = (0..60).map(|_| generate("", 40).unwrap()).collect();
        let missing: Vec<_> = ALPHABET.iter().filter(|&&b| !text.contains(char::from(b))).collect();
        assert!(missing.is_empty(), "2400 letters without {missing:?}");
    }
}
