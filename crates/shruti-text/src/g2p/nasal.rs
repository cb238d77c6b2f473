//! Pronunciation of ं and ँ: a nasal consonant at the place of articulation of the next consonant, or a nasal vowel.

use crate::phone::{Manner, Phonation, Phone, Place, Symbol};

/// Returns the nasal consonant that is spoken before `next`: at its place of articulation if possible, otherwise
/// [`Symbol::N`].
pub(crate) fn homorganic(next: Symbol) -> Symbol {
    match next.place() {
        Place::Bilabial => Symbol::M,
        Place::Retroflex if next != Symbol::Ss => Symbol::Nn,
        Place::Postalveolar | Place::Palatal if is_plosive(next) => Symbol::Ny,
        Place::Velar | Place::Uvular => Symbol::Ng,
        _ => Symbol::N,
    }
}

/// Returns whether a symbol is a stop or an affricate.
pub(crate) fn is_plosive(symbol: Symbol) -> bool {
    matches!(symbol.manner(), Manner::Stop | Manner::Affricate)
}

/// Returns whether a symbol is a voiced stop or affricate, breathy or not.
pub(crate) fn is_voiced_plosive(symbol: Symbol) -> bool {
    is_plosive(symbol) && matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy)
}

/// Nasalises the last phone if it is a vowel.
pub(crate) fn nasalise_last(phones: &mut [Phone]) {
    if let Some(last) = phones.last_mut()
        && last.is_vowel()
    {
        last.nasal = true;
    }
}

/// Assimilates every written n to a following stop or affricate: ɳ before a retroflex consonant, ɲ before a palatal
/// one.
pub(crate) fn assimilate(phones: &mut [Phone]) {
    for i in 1..phones.len() {
        let next = phones[i].symbol;
        let nasal = &mut phones[i - 1];
        if nasal.symbol == Symbol::N && is_plosive(next) {
            nasal.symbol = match homorganic(next) {
                // a written n does not assimilate to a labial (तनपुर), nor to a velar, which it precedes only at
                // morpheme boundaries (तिनका)
                Symbol::M | Symbol::Ng => Symbol::N,
                place => place,
            };
        }
    }
}
