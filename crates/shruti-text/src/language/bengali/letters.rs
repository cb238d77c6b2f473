//! Sounds of the letters of one akshara, as far as the letters determine them.

use super::inherent::{is_bare_a, is_front, is_high};
use super::joined::{
    begins_vya, begins_ya_stem, doubles_before, is_open_ae, joined_ba, joined_ma, joined_ya,
};
use super::{Kind, Piece};
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::letters;
use crate::phone::{Phone, Symbol};

#[allow(clippy::match_same_arms, reason = "the cases are in the order of the rules")]
pub(super) fn consonants(
    akshara: &Akshara,
    i: usize,
    before: Option<&Akshara>,
    next: Option<&Akshara>,
    pieces: &mut Vec<Piece>,
) {
    use Consonant as C;
    let letters = akshara.consonants.as_slice();
    if akshara.independent {
        return;
    }
    // doubling requires a vowel directly before the consonant
    let after_vowel =
        before.is_some_and(|before| before.nucleus != Nucleus::None && !before.anusvara && !before.visarga);
    let initial = before.is_none();
    let mut at = 0;
    // `true` for the first letter or conjunct of the cluster, which is the only one that can be doubled
    let mut alone = true;
    // in careful speech, a velar with a liquid after অ is doubled, so that the syllable of অ is closed: অগ্র, অক্রোধ
    let after_a = i == 1 && before.is_some_and(is_bare_a);
    if let ([first @ (C::Ka | C::Ga | C::Gha), C::Ra | C::La], true) = (letters, after_a) {
        let plain = if *first == C::Ka { Symbol::K } else { Symbol::G };
        pieces.push(Piece::Phone(Phone::new(plain)));
    }
    while let Some(&letter) = letters.get(at) {
        let after = letters.get(at + 1).copied();
        let doubles = after_vowel && alone;
        let say = |pieces: &mut Vec<Piece>, symbol: Symbol| pieces.push(Piece::Phone(Phone::new(symbol)));
        let mut count = 1;
        match (letter, after) {
            (C::Ka, Some(C::Ssa)) => {
                if doubles {
                    say(pieces, Symbol::K);
                }
                say(pieces, Symbol::Kh);
                count = 2;
                // ক্ষ্ম ক্ষ্য ক্ষ্ব: the subscript letter is silent
                if matches!(letters.get(at + 2), Some(C::Ma | C::Ya | C::Va | C::Ba)) {
                    count = 3;
                }
            }
            (C::Ja, Some(C::Nya)) => {
                if doubles {
                    say(pieces, Symbol::G);
                }
                say(pieces, Symbol::G);
                count = 2;
            }
            // ঞ alone is silent: মিঞা
            (C::Nya, None) if at == 0 && !initial => {}
            (C::Nya, _) => say(pieces, Symbol::N),
            (C::Ha, Some(C::Ba | C::Va)) if !initial => {
                say(pieces, Symbol::O);
                say(pieces, Symbol::Bh);
                count = 2;
            }
            (C::Ha, Some(C::Ya)) if !initial => {
                pieces.extend([Symbol::J, Symbol::Jh].map(|symbol| Piece::Phone(Phone::new(symbol))));
                count = 2;
            }
            (C::Ha, Some(joined @ (C::Na | C::Nna | C::Ma | C::La))) => {
                say(pieces, letters::consonant(if joined == C::Nna { C::Na } else { joined }));
                say(pieces, Symbol::H);
                count = 2;
            }
            // স with vocalic r is pronounced s: সৃষ্টি
            (C::Sa, None) if matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR)) => {
                say(pieces, Symbol::S);
            }
            // স after ৎ is pronounced ʃ: উৎসব
            (C::Sa, _) if before.is_some_and(is_final_t) => say(pieces, Symbol::Sh),
            // স with a nasal vowel occurs in native words, where it is pronounced ʃ: সেঁটে, স্যাঁতসেঁতে
            (C::Sa, None | Some(C::Ya)) if akshara.candrabindu => say(pieces, Symbol::Sh),
            (C::Sa, _) => pieces.push(Piece::Ambiguous(i, Kind::Sa)),
            // শ before r and l is dental
            (C::Sha, Some(C::Ra | C::La)) => say(pieces, Symbol::S),
            (C::Sha, None) if matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR)) => {
                say(pieces, Symbol::S);
            }
            (C::Sha | C::Ssa, _) => say(pieces, Symbol::Sh),
            (C::Yya, _) => {
                let ends = i > 1 && next.is_none() && akshara.nucleus == Nucleus::Inherent;
                glide(akshara, before, ends, pieces);
            }
            (C::Ya, _) if at > 0 => {
                joined_ya(akshara, next, after_a, doubles_before(after_vowel, at, letters), pieces);
            }
            (C::Ba, _) if at > 0 => joined_ba(letters, at, before, after_vowel, pieces),
            (C::Ma, _) if at > 0 => joined_ma(letters, at, after_vowel, pieces),
            (C::Nna | C::Nnna, _) => say(pieces, Symbol::N),
            (C::Rda | C::Rdha, _) => say(pieces, Symbol::Rd),
            (C::Ya, _) => say(pieces, Symbol::J),
            (C::Va, _) => say(pieces, Symbol::B),
            (C::Wa, _) => say(pieces, Symbol::W),
            (letter, _) => say(pieces, letters::consonant(letter)),
        }
        at += count;
        alone = false;
    }
}

/// Returns whether an akshara is ৎ.
pub(super) fn is_final_t(akshara: &Akshara) -> bool {
    akshara.nucleus == Nucleus::None && akshara.consonants[..] == [Consonant::Ta]
}

/// Appends the glide e̯ of য়. The glide is silent after ই, উ and the letter ও, after এ or ো before a written vowel, and
/// before ই and এ. `ends` is true at the end of a long word.
fn glide(akshara: &Akshara, before: Option<&Akshara>, ends: bool, pieces: &mut Vec<Piece>) {
    let Some(before) = before else {
        return pieces.push(Piece::Phone(Phone::new(Symbol::Y)));
    };
    let after_round = before.independent
        && matches!(before.nucleus, Nucleus::Vowel(Vowel::O))
        && before.consonants.is_empty();
    let after_front = matches!(before.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::U | Vowel::Uu));
    let has_vowel = matches!(akshara.nucleus, Nucleus::Vowel(_));
    let before_front = is_front(akshara.nucleus) || matches!(akshara.nucleus, Nucleus::Vowel(Vowel::E));
    let after_e = has_vowel && matches!(before.nucleus, Nucleus::Vowel(Vowel::E | Vowel::O));
    // at the end of a long word, the vowel directly follows এ: আগ্নেয়
    let after_e = after_e
        || ends
            && before.consonants[..] != [Consonant::Tta]
            && matches!(before.nucleus, Nucleus::Vowel(Vowel::E));
    if !(after_round || after_front || after_e || before_front) {
        pieces.push(Piece::Phone(Phone::new(Symbol::Y)));
    }
}

pub(super) fn vowel(
    akshara: &Akshara,
    i: usize,
    before: Option<&Akshara>,
    next: Option<&Akshara>,
    pieces: &mut Vec<Piece>,
) {
    let joined_ya = akshara.consonants.last() == Some(&Consonant::Ya) && akshara.consonants.len() > 1;
    let initial_ya = joined_ya && i == 0;
    let mut say = |symbol: Symbol| pieces.push(Piece::Phone(Phone::new(symbol)));
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        // the vowel of ব্য- is pronounced e before a front vowel: ব্যক্তি, ব্যতীত
        Nucleus::Inherent
            if joined_ya && begins_vya(akshara, next) && next.is_some_and(|next| is_front(next.nucleus)) =>
        {
            return say(Symbol::E);
        }
        Nucleus::Inherent if initial_ya || begins_vya(akshara, next) => return say(Symbol::Ae),
        Nucleus::Inherent => return pieces.push(Piece::Ambiguous(i, Kind::Inherent)),
        Nucleus::Vowel(vowel) => vowel,
    };
    match vowel {
        Vowel::A => pieces.push(Piece::Ambiguous(i, Kind::Inherent)),
        Vowel::Aa if initial_ya || akshara.independent && !akshara.consonants.is_empty() => say(Symbol::Ae),
        Vowel::Aa if joined_ya && is_open_ae(akshara, next) => say(Symbol::Ae),
        Vowel::Aa if i == 1 && before.is_some_and(is_bare_a) && begins_ya_stem(akshara) => say(Symbol::Ae),
        Vowel::Aa => say(Symbol::A),
        Vowel::I | Vowel::Ii => say(Symbol::I),
        Vowel::U | Vowel::Uu => say(Symbol::U),
        Vowel::VocalicR | Vowel::VocalicRr => {
            say(Symbol::R);
            say(Symbol::I);
        }
        Vowel::VocalicL => {
            say(Symbol::L);
            say(Symbol::I);
        }
        Vowel::ShortE => say(Symbol::E),
        Vowel::CandraE => say(Symbol::Ae),
        // e can be open only in the first syllable, and not before a high vowel: খেলা, but দেখি
        Vowel::E if i > 0 || next.is_some_and(|next| is_high(next.nucleus)) => say(Symbol::E),
        Vowel::E => pieces.push(Piece::Ambiguous(i, Kind::E)),
        Vowel::Ai => {
            say(Symbol::O);
            say(Symbol::I);
        }
        Vowel::CandraO => say(Symbol::OpenO),
        // ও is a glide before য়া: হওয়া and পাওয়া
        Vowel::O if begins_glide(akshara, before, next) => say(Symbol::W),
        Vowel::ShortO | Vowel::O => say(Symbol::O),
        Vowel::Au => {
            say(Symbol::O);
            say(Symbol::U);
        }
    }
}

/// Appends the visarga of the first akshara, as in নিঃ- and দুঃ-: it doubles the following consonant, or is pronounced
/// h if none follows. In all other positions a visarga is silent.
pub(super) fn visarga(akshara: &Akshara, i: usize, next: Option<&Akshara>, pieces: &mut Vec<Piece>) {
    if !akshara.visarga || i > 0 {
        return;
    }
    // the visarga is silent before স্থ and স্ত: দুঃস্থ
    if next.is_some_and(|next| {
        matches!(next.consonants[..], [Consonant::Sa, Consonant::Tha | Consonant::Ta, ..])
    }) {
        return;
    }
    let Some(&letter) = next.and_then(|next| next.consonants.first()) else {
        return pieces.push(Piece::Phone(Phone::new(Symbol::H)));
    };
    let symbol = match letter {
        Consonant::Sa | Consonant::Sha | Consonant::Ssa => Symbol::Sh,
        Consonant::Kha => Symbol::K,
        other => letters::consonant(other),
    };
    pieces.push(Piece::Phone(Phone::new(symbol)));
}

/// Returns whether the letter ও is a glide: after a vowel and before য়া.
fn begins_glide(akshara: &Akshara, before: Option<&Akshara>, next: Option<&Akshara>) -> bool {
    let after_vowel = before.is_some_and(|before| before.nucleus != Nucleus::None && !before.anusvara);
    let ya =
        |next: &Akshara| next.consonants[..] == [Consonant::Yya] && next.nucleus == Nucleus::Vowel(Vowel::Aa);
    akshara.independent && after_vowel && next.is_some_and(ya)
}
