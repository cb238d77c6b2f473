//! Learned words of Marathi and Konkani, whose spelling does not indicate that their च and ज are palatal.

use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::table::Beginnings;

/// Beginnings of words: `true` for learned words, and `false` for longer beginnings that occur in native words.
#[derive(Debug)]
pub(crate) struct Learned(Beginnings<bool>);

impl Learned {
    /// Parses a list of beginnings of at least two characters. A leading `-` marks a longer beginning that occurs in
    /// native words, and `#` begins a comment.
    pub(crate) fn read(text: &str) -> Self {
        let mut beginnings = Beginnings::default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for entry in lines.flat_map(str::split_whitespace) {
            let (beginning, learned) =
                entry.strip_prefix('-').map_or((entry, true), |native| (native, false));
            beginnings.insert(beginning.to_owned(), learned);
        }
        Self(beginnings)
    }

    /// Returns whether the longest matching beginning is that of a learned word, or `None` if none matches.
    pub(crate) fn begins(&self, word: &str) -> Option<bool> {
        // a virama belongs to the preceding letter: जल् is not जल
        let found = self.0.of(word).filter(|&(end, _)| !word[end..].starts_with(akshara::is_virama));
        found.last().map(|(_, &learned)| learned)
    }
}

/// Returns whether a vowel sign occurs in English words only.
pub(crate) fn is_english(nucleus: Nucleus) -> bool {
    matches!(nucleus, Nucleus::Vowel(Vowel::CandraO | Vowel::CandraE))
}

/// Returns whether the letters of a word indicate that it is Sanskrit or English, so that its च and ज are palatal
/// before every vowel. `is_oblique` returns whether the cluster with y in the akshara at the given index belongs to an
/// oblique ending; native words also have such endings.
pub(crate) fn has_learned_letters(aksharas: &[Akshara], is_oblique: impl Fn(usize) -> bool) -> bool {
    use Consonant::{Ca, Cha, Ja, Nya, Ssa, Ya};
    aksharas.iter().enumerate().any(|(i, akshara)| {
        let vocalic = matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR));
        let english = is_english(akshara.nucleus) || akshara.candrabindu;
        let letters = akshara.consonants.as_slice();
        let oblique = || matches!(letters, [_, Ya]) && is_oblique(i);
        let is_palatal = |letter: &Consonant| matches!(letter, Ca | Cha | Ja | Nya);
        let cluster = letters.len() > 1 && letters.iter().any(is_palatal) && !oblique();
        vocalic || english || cluster || letters.contains(&Ssa)
    })
}
