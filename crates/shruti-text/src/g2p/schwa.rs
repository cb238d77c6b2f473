//! Schwa deletion, which determines the silent inherent vowels.
//!
//! In the northern languages, every consonant that has no vowel sign and no virama has an inherent vowel in writing,
//! but only some of these vowels are pronounced. The rule is from Ohala (1983), and its algorithm from Narasimhan,
//! Sproat & Kiraz (2004). The last inherent vowel of a word is silent. Then, from right to left, an inherent vowel is
//! silent if a vowel and a consonant precede it and a consonant and a vowel follow: `VC_CV`. The rule applies within a
//! morpheme, so [`Morphemes`](super::morphemes::Morphemes) splits the word first.

use std::ops::Range;

use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};

/// Schwa deletion rules of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Returns whether the last akshara of a word, the first argument, keeps its inherent vowel. The second argument is
    /// the akshara before it.
    pub(crate) keeps_final: fn(&Akshara, Option<&Akshara>) -> bool,
    /// Equivalent of `keeps_final` for the last akshara of a morpheme that does not end the word.
    pub(crate) keeps_inner: fn(&Akshara, Option<&Akshara>) -> bool,
    /// Returns whether an inherent vowel inside a morpheme can be deleted between two aksharas. Called only if the
    /// surrounding vowels allow it.
    pub(crate) deletes: fn(&SchwaContext<'_>) -> bool,
    /// Returns whether an akshara at the end of a word may be an ending that begins with the inherent vowel of its
    /// stem. The other vowels of the stem are those that it has alone: Marathi उलगडत has the vowels of उलगड.
    pub(crate) is_ending: fn(&Akshara) -> bool,
}

impl Rules {
    /// Rules that always delete the last inherent vowel of a morpheme, and delete an inner inherent vowel if the
    /// deletion joins exactly two consonants.
    pub(crate) const PLAIN: Self = Self {
        keeps_final: |_, _| false,
        keeps_inner: |_, _| false,
        deletes: |context| context.is_simple(),
        is_ending: |_| false,
    };
}

/// Context of an inherent vowel that may be deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchwaContext<'a> {
    /// Akshara with the preceding vowel.
    pub(crate) before: &'a Akshara,
    /// Akshara whose inherent vowel may be deleted.
    pub(crate) own: &'a Akshara,
    /// Akshara with the following vowel.
    pub(crate) after: &'a Akshara,
    /// `true` if `before` is the first akshara of the word.
    pub(crate) first: bool,
    /// `true` if `after` is the last akshara of the morpheme.
    pub(crate) last: bool,
}

impl SchwaContext<'_> {
    /// Returns whether deletion would join exactly two consonants, one on each side.
    pub(crate) fn is_simple(&self) -> bool {
        self.own.consonants.len() == 1 && self.after.consonants.len() == 1
    }

    /// Returns whether deletion would join the anusvara of the prefix saṃ- and two more consonants before an inherent
    /// vowel in a closed syllable: સંગઠન, ਸੰਕਲਪ, but not સંગતો. In most other words with an anusvara, the vowel ends the
    /// first member of a compound and is silent: રંગમંચ.
    pub(crate) fn crowds_nasal(&self) -> bool {
        let inherent = |akshara: &Akshara| akshara.nucleus == Nucleus::Inherent;
        let prefix = self.first && self.before.anusvara && self.before.consonants[..] == [Consonant::Sa];
        prefix && inherent(self.before) && inherent(self.after) && !self.last
    }

    /// Returns whether the cluster after the vowel begins the second member of a compound, usually an English one:
    /// હેડક્લાર્ક, सबस्टेशन, गुरप्रीत. Native words have most of these clusters before an inherent vowel only (समग्र), and
    /// English stems have the others (इंडस्ट्री, रिपब्लिक).
    pub(crate) fn begins_member(&self) -> bool {
        use Consonant::{Ba, Ca, Dda, Fa, Ga, Ka, La, Ma, Na, Pa, Pha, Ra, Sa, Tta, Va};
        let Nucleus::Vowel(vowel) = self.after.nucleus else { return false };
        let ends_member =
            matches!(self.own.consonants[..], [Ba | Ca | Dda | Ka | La | Ma | Na | Pa | Ra | Sa | Tta]);
        match self.after.consonants.as_slice() {
            [Sa, Tta, Ra] => ends_member && !matches!(vowel, Vowel::I | Vowel::Ii),
            [Sa, Tta] | [Sa, Ka | Pa, Ra | La] => ends_member,
            [Ka | Ga | Pa | Pha | Fa, Ra | La] | [Dda | Ba, Ra] => true,
            [Ka, Va] => self.own.consonants[..] != [Pa],
            _ => false,
        }
    }
}

/// Minimum number of aksharas in the second member of a compound if the member begins with a short vowel.
const MIN_MEMBER: usize = 3;

/// Returns for each akshara whether its inherent vowel is silent. `morphemes` cover the aksharas in order.
pub(crate) fn silent(aksharas: &[Akshara], morphemes: &[Range<usize>], rules: &Rules) -> Vec<bool> {
    let mut silent = vec![false; aksharas.len()];
    for morpheme in morphemes {
        let Some(last) = morpheme.end.checked_sub(1) else { continue };
        let keeps = if morpheme.end == aksharas.len() { rules.keeps_final } else { rules.keeps_inner };
        let has_other_vowel = morpheme.len() > 1 || morpheme.start > 0;
        // an ending of one akshara forms no cluster with the anusvara of its stem: Marathi मुलांत
        let is_ending = morpheme.len() == 1;
        let before = last.checked_sub(1).filter(|_| !is_ending).map(|before| &aksharas[before]);
        silent[last] = has_other_vowel && is_bare(&aksharas[last]) && !keeps(&aksharas[last], before);
        for i in (morpheme.start + 1..last).rev() {
            let (before, own, after) = (&aksharas[i - 1], &aksharas[i], &aksharas[i + 1]);
            let meets_vowels =
                before.nucleus != Nucleus::None && after.nucleus != Nucleus::None && !silent[i + 1];
            let context = SchwaContext { before, own, after, first: i == 1, last: i + 1 == last };
            let deletes = if after.consonants.is_empty() {
                // an inherent vowel is deleted before another a, an æ or an o: ਪੁਰਅਮਨ, दख़लअंदाज़ी, ચેકઆઉટ, ટેકઓવર;
                // and before a short vowel that begins the second member of a compound: देवउठनी, but बम्बइया
                let short = matches!(after.nucleus, Nucleus::Vowel(Vowel::I | Vowel::U));
                let begins_member = short && aksharas.len() > i + MIN_MEMBER;
                let open = matches!(
                    after.nucleus,
                    Nucleus::Vowel(Vowel::A | Vowel::Aa | Vowel::O | Vowel::CandraO | Vowel::CandraE)
                );
                open || begins_member
            } else {
                meets_vowels
                    && (rules.deletes)(&context)
                    && !(i + 1 == last && falls_before(aksharas, i, morpheme.start, rules))
                    && !(i + 2 == last && silent[last] && precedes_ending(aksharas, i, morpheme, rules))
            };
            silent[i] = is_bare(own) && deletes;
        }
    }
    silent
}

/// Returns whether a stem in isolation loses the inherent vowel at `i - 1`, where `i` is the second-to-last akshara of
/// the stem and an ending that is a vowel follows the stem. If so, the stem also loses that vowel before the ending,
/// and keeps the vowel at `i`: मतलब and मतलबी, ગણતર and ગણતરી. An h or r at `i` closes the preceding syllable instead
/// (गिलहरी, अशरफ़ी), except r before a plural ending (कसरतें).
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
    let context = SchwaContext { before, own: fallen, after: own, first: i == 2, last: false };
    before.nucleus != Nucleus::None && is_bare(fallen) && (rules.deletes)(&context)
}

/// Returns whether `i` is the last inherent vowel of a stem before an ending that begins with an inherent vowel.
/// Without the ending, the stem deletes its penultimate inherent vowel: Marathi सरपटत, भरकटत, but not पोखरत.
fn precedes_ending(aksharas: &[Akshara], i: usize, morpheme: &Range<usize>, rules: &Rules) -> bool {
    if i < morpheme.start + 2 || morpheme.end != aksharas.len() || !(rules.is_ending)(&aksharas[i + 2]) {
        return false;
    }
    let [before, fallen, own] = [&aksharas[i - 2], &aksharas[i - 1], &aksharas[i]];
    let context = SchwaContext { before, own: fallen, after: own, first: i == 2, last: false };
    before.nucleus != Nucleus::None && is_bare(fallen) && (rules.deletes)(&context)
}

/// Returns whether a cluster occurs at the end of English words only: a consonant and s.
pub(crate) fn ends_in_loan(cluster: &[Consonant]) -> bool {
    use Consonant::{Ka, La, Ma, Na, Ra, Sa, Tta};
    matches!(cluster, [.., Ka | La | Ma | Na | Ra | Tta, Sa])
}

/// Returns whether a cluster of a consonant and a retroflex stop occurs at the end of English words only.
pub(crate) fn ends_in_retroflex(cluster: &[Consonant]) -> bool {
    use Consonant::{Dda, Fa, Ka, La, Na, Pa, Pha, Ra, Sa, Tta};
    matches!(cluster, [Sa | Ka | Pa | Pha | Fa, Tta] | [Ra | Na | La, Tta | Dda])
}

/// Returns whether an akshara has the inherent vowel and no sign that requires a vowel.
fn is_bare(akshara: &Akshara) -> bool {
    let signs = akshara.anusvara || akshara.candrabindu || akshara.visarga || akshara.addak;
    akshara.nucleus == Nucleus::Inherent && !signs
}
