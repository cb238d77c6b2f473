//! Vowel tables: the sound of each vowel letter of a language.

use crate::akshara::Vowel;
use crate::phone::{Phone, Symbol};

/// Sounds of the vowel letters of a language, most of them one phone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vowels {
    /// Inherent vowel.
    pub(crate) a: Phone,
    pub(crate) aa: Phone,
    pub(crate) i: Phone,
    pub(crate) ii: Phone,
    pub(crate) u: Phone,
    pub(crate) uu: Phone,
    /// Vowel after the r of ऋ and the l of ऌ.
    pub(crate) vocalic: Phone,
    /// Vowel after the r of ॠ.
    pub(crate) vocalic_long: Phone,
    /// Vowel of ऍ and ॅ.
    pub(crate) candra_e: Phone,
    /// Short e of the Dravidian scripts.
    pub(crate) short_e: Phone,
    pub(crate) e: Phone,
    /// One long vowel, or a diphthong.
    pub(crate) ai: &'static [Phone],
    /// Vowel of ऑ and ॉ.
    pub(crate) candra_o: Phone,
    /// Short o of the Dravidian scripts.
    pub(crate) short_o: Phone,
    pub(crate) o: Phone,
    /// One long vowel, or a diphthong.
    pub(crate) au: &'static [Phone],
}

impl Vowels {
    /// Returns the sound of a vowel letter: the liquid with which a vocalic letter begins, if any, and the vowel.
    pub(crate) fn sound(&self, vowel: Vowel) -> (Option<Symbol>, &[Phone]) {
        use std::slice::from_ref;
        match vowel {
            Vowel::A => (None, from_ref(&self.a)),
            Vowel::Aa => (None, from_ref(&self.aa)),
            Vowel::I => (None, from_ref(&self.i)),
            Vowel::Ii => (None, from_ref(&self.ii)),
            Vowel::U => (None, from_ref(&self.u)),
            Vowel::Uu => (None, from_ref(&self.uu)),
            Vowel::VocalicR => (Some(Symbol::R), from_ref(&self.vocalic)),
            Vowel::VocalicRr => (Some(Symbol::R), from_ref(&self.vocalic_long)),
            Vowel::VocalicL => (Some(Symbol::L), from_ref(&self.vocalic)),
            Vowel::CandraE => (None, from_ref(&self.candra_e)),
            Vowel::ShortE => (None, from_ref(&self.short_e)),
            Vowel::E => (None, from_ref(&self.e)),
            Vowel::Ai => (None, self.ai),
            Vowel::CandraO => (None, from_ref(&self.candra_o)),
            Vowel::ShortO => (None, from_ref(&self.short_o)),
            Vowel::O => (None, from_ref(&self.o)),
            Vowel::Au => (None, self.au),
        }
    }
}

/// Creates a short vowel.
pub(crate) const fn short(symbol: Symbol) -> Phone {
    Phone::new(symbol)
}

/// Creates a long vowel.
pub(crate) const fn long(symbol: Symbol) -> Phone {
    Phone::new(symbol).long()
}
