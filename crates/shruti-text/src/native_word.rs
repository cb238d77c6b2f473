//! Conversion of a word to phones by the rules of its language, its letter names and its exceptions.

use shruti_lang::Language;

use crate::g2p::{exceptions, letter_names};
use crate::language::{self, Pronouncing};
use crate::phone::{Phone, PhoneticDetail};

/// Returns the phones of a word in the script of `language`, or `None` for a language that has a lexicon instead of
/// rules (English).
pub(crate) fn pronounce(word: &str, language: Language, detail: PhoneticDetail) -> Option<Vec<Phone>> {
    let Pronouncing::ByRule(rules) = language::spec(language).pronouncing else { return None };
    let listed = |word: &str| exceptions::get(word, language);
    let pronounce = |word: &String| listed(word).unwrap_or_else(|| rules(word, detail));
    let by_names = || Some(letter_names::words(word, language)?.iter().map(pronounce).fold(Vec::new(), join));
    let mut phones = listed(word).or_else(by_names).unwrap_or_else(|| rules(word, detail));
    realise(&mut phones, language, detail);
    Some(phones)
}

/// Appends the phones of the next part of a word. A consonant that ends one part and begins the next becomes long.
fn join(mut phones: Vec<Phone>, more: Vec<Phone>) -> Vec<Phone> {
    let mut more = more.into_iter().peekable();
    if let (Some(last), Some(next)) = (phones.last_mut(), more.peek())
        && last.symbol == next.symbol
        && !last.is_vowel()
        && !(last.long || next.long)
    {
        last.long = true;
        more.next();
    }
    phones.extend(more);
    phones
}

/// Converts the phones of one word to running speech if `detail` is [`PhoneticDetail::Spoken`].
pub(crate) fn realise(phones: &mut Vec<Phone>, language: Language, detail: PhoneticDetail) {
    if let (Some(allophones), PhoneticDetail::Spoken) = (language::spec(language).allophones, detail) {
        allophones(phones);
    }
}
