//! How the phones of a word are made in running speech, where the phonemic transcription keeps to the letters.
//!
//! Dictionaries write Tamil அரசு with tʃ and speakers say s (Keane, 2004); `g2p::pronounce` gives what dictionaries
//! write, and this what is spoken. The number of phones never changes.

use shruti_protocol::Language;

use crate::phone::{Phone, Symbol};

/// Gives the phones of one word their sounds in speech.
pub(crate) fn realise(phones: &mut [Phone], language: Language) {
    match language {
        Language::Tamil => tamil(phones),
        Language::Malayalam => malayalam(phones),
        Language::Telugu | Language::Kannada => labiodental(phones),
        _ => {}
    }
}

/// A single ச between vowels is s; ற்ற is a long alveolar stop.
fn tamil(phones: &mut [Phone]) {
    for i in 0..phones.len() {
        let after_vowel = i.checked_sub(1).is_some_and(|before| follows_like_vowel(phones[before]));
        let before_vowel = phones.get(i + 1).is_some_and(|next| next.is_vowel());
        let phone = &mut phones[i];
        match phone.symbol {
            Symbol::C if !phone.long && after_vowel && before_vowel => phone.symbol = Symbol::S,
            Symbol::Rr if phone.long => phone.symbol = Symbol::AlvT,
            _ => {}
        }
    }
}

/// Vowels, and the glides that end ai and au.
fn follows_like_vowel(phone: Phone) -> bool {
    phone.is_vowel() || (matches!(phone.symbol, Symbol::Y | Symbol::W) && !phone.long)
}

/// The t of ന്റ has voice.
fn malayalam(phones: &mut [Phone]) {
    for i in 1..phones.len() {
        if phones[i - 1].symbol == Symbol::N && phones[i].symbol == Symbol::AlvT && !phones[i].long {
            phones[i].symbol = Symbol::AlvD;
        }
    }
}

/// ఫ and ಫ are f.
fn labiodental(phones: &mut [Phone]) {
    for phone in phones.iter_mut().filter(|phone| phone.symbol == Symbol::Ph) {
        phone.symbol = Symbol::F;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::g2p::pronounce;
    use crate::phone::to_ipa;

    #[test]
    fn words_are_realised_as_spoken() {
        let cases = [
            (Language::Tamil, "அரசு", "ɐ ɾ ɐ s ɨ", "between vowels"),
            (Language::Tamil, "தோசை", "d̪ oː s ɐ j", "before ai"),
            (Language::Tamil, "பைசா", "p ɐ j s aː", "after ai"),
            (Language::Tamil, "சிறுவன்", "tʃ ɪ r ʊ ʋ ɐ n", "not at the beginning"),
            (Language::Tamil, "பச்சை", "p ɐ tʃː ɐ j", "not a geminate"),
            (Language::Tamil, "பயிற்சி", "p ɐ j ɪ r tʃ ɪ", "not after a consonant"),
            (Language::Tamil, "காற்று", "k aː tː ɨ", "ற்ற"),
            (Language::Malayalam, "എന്റെ", "e n d e", "nṟ"),
            (Language::Telugu, "కాఫీ", "k aː f iː", "f"),
        ];
        for (language, word, phones, why) in cases {
            let mut spoken = pronounce(word, language);
            realise(&mut spoken, language);
            assert_eq!(to_ipa(&spoken), phones, "{word}: {why}");
        }
    }
}
