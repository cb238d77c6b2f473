//! Hash of the entries of a lexicon.

use std::fmt::{self, Write};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use super::{Fallback, Lexicon};

/// SHA-256 of a lexicon, computed on first use. The hash depends only on the lexicon, so a comparison of lexicons
/// ignores it: all values of this type are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Digest(OnceLock<[u8; 32]>);

impl PartialEq for Digest {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Digest {
    /// Returns the digest of the lexicon that this value belongs to.
    pub(super) fn of(&self, lexicon: &Lexicon) -> [u8; 32] {
        *self.0.get_or_init(|| {
            let mut hash = Hash(Sha256::new());
            // hashing cannot fail
            let _ = hash.add(lexicon);
            hash.0.finalize().into()
        })
    }
}

struct Hash(Sha256);

impl Hash {
    /// Hashes all entries in a canonical order, and the digest of the fallback.
    fn add(&mut self, lexicon: &Lexicon) -> fmt::Result {
        lexicon.everywhere.write_canonical("", self)?;
        let mut languages: Vec<_> = lexicon.of_language.iter().collect();
        languages.sort_unstable_by_key(|(language, _)| language.code());
        for (language, words) in languages {
            words.write_canonical(language.code(), self)?;
        }
        match &lexicon.fallback {
            Some(Fallback { lexicon, is_own }) => writeln!(self, "over {is_own} {:?}", lexicon.digest()),
            None => Ok(()),
        }
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}
