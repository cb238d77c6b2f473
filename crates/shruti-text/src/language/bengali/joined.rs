//! Subscript letters: য doubles a consonant or changes the vowel; ব and ম double a consonant or are silent.

use super::Piece;
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::letters;
use crate::phone::{Phone, Symbol};

/// Returns whether a subscript letter at this index doubles the letter above it. Only the first subscript letter of a
/// cluster does so, and only after a vowel.
pub(super) fn doubles_before(after_vowel: bool, at: usize, letters: &[Consonant]) -> bool {
    after_vowel && at == 1 && letters.len() >= 2
}

/// Doubles the last consonant. The first half of a doubled aspirate is the plain stop.
pub(super) fn double(pieces: &mut Vec<Piece>) {
    if let Some(&last) = pieces.last() {
        let plain = match last {
            Piece::Phone(phone) => {
                let aspirated_of = [
                    Symbol::P,
                    Symbol::B,
                    Symbol::T,
                    Symbol::D,
                    Symbol::Tt,
                    Symbol::Dd,
                    Symbol::C,
                    Symbol::J,
                    Symbol::K,
                    Symbol::G,
                ];
                let plain =
                    aspirated_of.into_iter().find(|&plain| letters::aspirated(plain) == Some(phone.symbol));
                Piece::Phone(Phone::new(plain.unwrap_or(phone.symbol)))
            }
            other => other,
        };
        let end = pieces.len() - 1;
        pieces.insert(end, plain);
    }
}

/// Applies subscript য. After a vowel, it doubles a single consonant above it, or is pronounced dʒ below র. Otherwise,
/// it only affects the vowel. `after_a` is `true` after the negative prefix অ.
pub(super) fn joined_ya(
    akshara: &Akshara,
    next: Option<&Akshara>,
    after_a: bool,
    doubles: bool,
    pieces: &mut Vec<Piece>,
) {
    if let [Consonant::Ra, ..] = akshara.consonants.as_slice() {
        if doubles {
            pieces.push(Piece::Phone(Phone::new(Symbol::J)));
        }
        return;
    }
    let coloured = is_open_ae(akshara, next) || begins_vya(akshara, next);
    if doubles && (!coloured || after_a && begins_ya_stem(akshara)) {
        double(pieces);
    }
}

/// Returns whether the akshara, the first after the prefix অ, begins a stem in which ্য is pronounced æ, as at the
/// beginning of a word (অখ্যাত, অন্যায়, অব্যাহত).
pub(super) fn begins_ya_stem(akshara: &Akshara) -> bool {
    use Consonant as C;
    matches!(akshara.consonants.as_slice(), [C::Kha | C::Na | C::Ba, C::Ya])
}

/// Returns whether the akshara begins a stem in ব্য-, even inside a word: ব্যব-, ব্যক্ত, ব্যথা, ব্যস্ত, ব্যয়, ব্যঞ্জ-,
/// ব্যতি- (অপব্যবহার, মনোব্যথা).
pub(super) fn begins_vya(akshara: &Akshara, next: Option<&Akshara>) -> bool {
    use Consonant as C;
    let vya = akshara.consonants.as_slice() == [C::Ba, C::Ya] && akshara.nucleus == Nucleus::Inherent;
    vya && next.is_some_and(|next| match next.consonants.as_slice() {
        [C::Ba | C::Tha | C::Yya] | [C::Ka | C::Sa, C::Ta] | [C::Nya, C::Ja] => true,
        [C::Ta] => matches!(next.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii)),
        _ => false,
    })
}

/// Returns whether ্যা is pronounced æ inside a word, as in English words (ল্যাপটপ), and does not double a consonant.
pub(super) fn is_open_ae(akshara: &Akshara, next: Option<&Akshara>) -> bool {
    use Consonant as C;
    let long_a = akshara.nucleus == Nucleus::Vowel(Vowel::Aa);
    let letters = akshara.consonants.as_slice();
    // not at the end (রম্যা), not before letters that do not follow æ in English words (কল্যাণ, মূল্যায়ন), and not
    // after স (সমস্যার)
    let foreign_follows = next.is_some_and(|next| !matches!(next.consonants.first(), Some(C::Nna | C::Yya)));
    long_a
        && foreign_follows
        && matches!(
            letters,
            [
                C::Ka
                    | C::Ga
                    | C::Ca
                    | C::Ja
                    | C::Tta
                    | C::Dda
                    | C::Pa
                    | C::Pha
                    | C::Ba
                    | C::Ma
                    | C::La
                    | C::Ha,
                C::Ya
            ] | [_, C::La | C::Ra | C::Tta | C::Pa | C::Ka, C::Ya]
        )
}

/// Applies subscript ব: it is pronounced b after ম, ব, র, ল and গ, and in উদ্-. Below other consonants, it doubles a
/// single consonant after a vowel, and is silent in all other contexts.
pub(super) fn joined_ba(
    letters: &[Consonant],
    at: usize,
    before: Option<&Akshara>,
    after_vowel: bool,
    pieces: &mut Vec<Piece>,
) {
    use Consonant as C;
    let above = letters[at - 1];
    let ud = above == C::Da
        && before.is_some_and(|before| before.independent && before.nucleus == Nucleus::Vowel(Vowel::U));
    match above {
        C::Ma | C::Ra | C::La | C::Ba | C::Ga => pieces.push(Piece::Phone(Phone::new(Symbol::B))),
        C::Da if ud => pieces.push(Piece::Phone(Phone::new(Symbol::B))),
        _ if doubles_before(after_vowel, at, letters) => double(pieces),
        _ => {}
    }
}

/// Applies subscript ম: below dental stops and sibilants, it doubles a single consonant after a vowel, and is silent in
/// all other contexts. Below other letters it is pronounced m.
pub(super) fn joined_ma(letters: &[Consonant], at: usize, after_vowel: bool, pieces: &mut Vec<Piece>) {
    use Consonant as C;
    let above = letters[at - 1];
    let silent = matches!(above, C::Ta | C::Da | C::Dha | C::Sa | C::Sha | C::Ssa);
    if !silent {
        pieces.push(Piece::Phone(Phone::new(Symbol::M)));
    } else if doubles_before(after_vowel, at, letters) {
        double(pieces);
    }
}
