//! Echo words: a syllable with an inherent vowel and its repetition or rhyme, such as ঝকঝক, ছটফটে, টলমল. The syllables
//! are closed, their vowel is pronounced ɔ, and their স is pronounced ʃ.

use super::RuledVowel;
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::phone::Symbol;

/// Returns whether the aksharas form an echo word, alone or with -ে: both syllables end in the same consonant. Other
/// words with a repetition or rhyme (শতশত, জনমনে, পরস্পর) are not echo words.
pub(super) fn is_echo(aksharas: &[Akshara]) -> bool {
    use Consonant as C;
    let [first, end, second, last] = aksharas else { return false };
    let same_vowel = first.nucleus == second.nucleus;
    let repeats = first.consonants == second.consonants;
    let rhymes = matches!(end.consonants[..], [C::Ka | C::La | C::Tta | C::Rda])
        && first.consonants.len() == 1
        && second.consonants.len() == 1;
    let closed = end.nucleus == Nucleus::Inherent
        && matches!(last.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::E))
        && end.consonants == last.consonants
        && end.consonants.len() == 1
        && if repeats { !matches!(end.consonants[..], [C::Ta | C::Da]) } else { rhymes };
    let vowel = matches!(first.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::I | Vowel::U));
    let begins = !first.consonants.is_empty() && !second.consonants.is_empty();
    let plain = aksharas.iter().all(|akshara| !akshara.anusvara && !akshara.visarga);
    closed && plain && begins && vowel && same_vowel && (repeats || first.nucleus == Nucleus::Inherent)
}

/// Returns the inherent vowel of the akshara `i` of an echo word.
pub(super) fn inherent(i: usize) -> RuledVowel {
    if i.is_multiple_of(2) { RuledVowel::Spoken(Symbol::OpenO) } else { RuledVowel::Silent }
}
