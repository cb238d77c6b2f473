//! What ं and ँ sound like: the nasal of the consonant that follows, or a nasal vowel.

use crate::phone::{Manner, Phonation, Phone, Place, Symbol};

/// The nasal consonant made where `next` is made; for sounds that have none of their own, [`Symbol::N`].
pub(crate) fn homorganic(next: Symbol) -> Symbol {
    match next.place() {
        Place::Bilabial => Symbol::M,
        Place::Retroflex if next != Symbol::Ss => Symbol::Nn,
        Place::Postalveolar | Place::Palatal if is_plosive(next) => Symbol::Ny,
        Place::Velar | Place::Uvular => Symbol::Ng,
        _ => Symbol::N,
    }
}

/// Stops and affricates.
pub(crate) fn is_plosive(symbol: Symbol) -> bool {
    matches!(symbol.manner(), Manner::Stop | Manner::Affricate)
}

/// Stops and affricates with voice, breathy or not.
pub(crate) fn is_voiced_plosive(symbol: Symbol) -> bool {
    is_plosive(symbol) && matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy)
}

/// Makes the last phone nasal if it is a vowel.
pub(crate) fn nasalise_last(phones: &mut [Phone]) {
    if let Some(last) = phones.last_mut()
        && last.is_vowel()
    {
        last.nasal = true;
    }
}

/// Gives every written n its place before a consonant: कन्द n, ङ from n before velars, ण before retroflexes.
pub(crate) fn assimilate(phones: &mut [Phone]) {
    for i in 1..phones.len() {
        let next = phones[i].symbol;
        let nasal = &mut phones[i - 1];
        if nasal.symbol == Symbol::N && is_plosive(next) {
            nasal.symbol = match homorganic(next) {
                // a written n stays apart from a lip (तनपुर), and meets k only at seams (तिनका)
                Symbol::M | Symbol::Ng => Symbol::N,
                place => place,
            };
        }
    }
}
