//! Which inherent vowels are silent.
//!
//! The northern languages write a vowel with every consonant that carries no other sign, and speak only some of
//! them. The rule (Ohala, 1983; as an algorithm: Narasimhan, Sproat & Kiraz, 2004): the last one of a word is
//! silent, and, going from right to left, one between a vowel and a consonant with a vowel: `VC_CV`. It holds
//! within a morpheme, so [`Morphemes`](super::morphemes::Morphemes) cuts the word first.

use std::ops::Range;

use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};

/// What a language does with the inherent vowel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Whether the last inherent vowel of a word is spoken in this akshara; the second is the one before.
    pub(crate) keeps_final: fn(&Akshara, Option<&Akshara>) -> bool,
    /// The same for a morpheme inside the word.
    pub(crate) keeps_inner: fn(&Akshara, Option<&Akshara>) -> bool,
    /// Whether an inherent vowel inside a morpheme may fall between two aksharas; asked when the vowels around
    /// it allow it.
    pub(crate) falls: fn(&SchwaContext<'_>) -> bool,
}

impl Rules {
    /// The last one of a morpheme is never spoken, and one inside falls where nothing but two consonants meet.
    pub(crate) const PLAIN: Self =
        Self { keeps_final: |_, _| false, keeps_inner: |_, _| false, falls: |context| context.is_simple() };
}

/// The surroundings of an inherent vowel that may fall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchwaContext<'a> {
    /// The akshara with the vowel before.
    pub(crate) before: &'a Akshara,
    /// The akshara whose inherent vowel may fall.
    pub(crate) own: &'a Akshara,
    /// The akshara with the vowel after.
    pub(crate) after: &'a Akshara,
    /// Whether `after` is the last akshara of the morpheme.
    pub(crate) last: bool,
}

impl SchwaContext<'_> {
    /// One consonant on either side: nothing but two consonants meet.
    pub(crate) fn is_simple(&self) -> bool {
        self.own.consonants.len() == 1 && self.after.consonants.len() == 1
    }
}

/// For each akshara, whether its inherent vowel is silent. `morphemes` cover the aksharas in order.
pub(crate) fn silent(aksharas: &[Akshara], morphemes: &[Range<usize>], rules: &Rules) -> Vec<bool> {
    let mut silent = vec![false; aksharas.len()];
    for morpheme in morphemes {
        let Some(last) = morpheme.end.checked_sub(1) else { continue };
        let keeps = if morpheme.end == aksharas.len() { rules.keeps_final } else { rules.keeps_inner };
        let has_other_vowel = morpheme.len() > 1 || morpheme.start > 0;
        let before = last.checked_sub(1).map(|before| &aksharas[before]);
        silent[last] = has_other_vowel && is_bare(&aksharas[last]) && !keeps(&aksharas[last], before);
        for i in (morpheme.start + 1..last).rev() {
            let (before, own, after) = (&aksharas[i - 1], &aksharas[i], &aksharas[i + 1]);
            let meets_vowels =
                before.nucleus != Nucleus::None && after.nucleus != Nucleus::None && !silent[i + 1];
            let context = SchwaContext { before, own, after, last: i + 1 == last };
            let falls = if after.consonants.is_empty() {
                // it does not meet another of its kind: ਪੁਰਅਮਨ, दख़लअंदाज़ी
                after.nucleus == Nucleus::Vowel(Vowel::A)
            } else {
                meets_vowels
                    && (rules.falls)(&context)
                    && !(i + 1 == last && falls_before(aksharas, i, morpheme.start, rules))
            };
            silent[i] = is_bare(own) && falls;
        }
    }
    silent
}

/// Whether the inherent vowel before the one at `i`, the last of a stem, falls in that stem alone. Then it falls with
/// an ending in a vowel, too, and that at `i` stays: मतलब and मतलबी, ગણતર and ગણતરી. A last h or r closes the syllable
/// before it (गिलहरी, अशरफ़ी), but not before a plural (कसरतें).
fn falls_before(aksharas: &[Akshara], i: usize, start: usize, rules: &Rules) -> bool {
    let own = &aksharas[i];
    let plural = aksharas[i + 1].anusvara || aksharas[i + 1].candrabindu;
    let closes = match own.consonants.as_slice() {
        [Consonant::Ha] => true,
        [Consonant::Ra] => !plural,
        _ => false,
    };
    if i < start + 2 || closes {
        return false;
    }
    let [before, fallen] = [&aksharas[i - 2], &aksharas[i - 1]];
    let context = SchwaContext { before, own: fallen, after: own, last: false };
    before.nucleus != Nucleus::None && is_bare(fallen) && (rules.falls)(&context)
}

/// Whether an akshara has the inherent vowel and no sign that needs one.
fn is_bare(akshara: &Akshara) -> bool {
    let signs = akshara.anusvara || akshara.candrabindu || akshara.visarga || akshara.addak;
    akshara.nucleus == Nucleus::Inherent && !signs
}
