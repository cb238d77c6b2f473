//! Bengali.
//!
//! Phonology after Chatterji (1926), Ferguson & Chowdhury (1960) and Dasgupta (2003). The letters are settled by
//! rule: the joined forms of য ব ম, ক্ষ, জ্ঞ, glides. What the spelling leaves open, the inherent vowel (ɔ, o or
//! silent), এ (e or æ) and স (ʃ or s), is decided by [classifiers](super::linear) over the letters around it.

use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::linear::Linear;
use super::nasal;
use super::spelling::Spelling;
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/bn/exceptions.tsv");
const OPEN_TSV: &str = include_str!("../../data/bn/open.tsv");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));
static OPEN: LazyLock<Open> = LazyLock::new(Open::read);

/// A letter whose sound the spelling leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The inherent vowel: silent, ɔ or o.
    Inherent,
    /// এ: e or æ.
    E,
    /// স: ʃ or s.
    Sa,
}

impl Kind {
    /// The name of its classifier.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inherent => "inherent",
            Self::E => "e",
            Self::Sa => "sa",
        }
    }
}

/// A word on its way from letters to phones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A sound that is settled.
    Phone(Phone),
    /// A letter whose sound is open, in the akshara of this index.
    Open(usize, Kind),
    /// The vowel just before is nasal.
    Nasal,
}

/// The classifiers of the open letters.
struct Open {
    by_kind: [Linear; 3],
}

impl Open {
    fn read() -> Self {
        let mut all = Linear::read(OPEN_TSV);
        let mut take = |kind: Kind| all.remove(kind.name()).unwrap_or_default();
        Self { by_kind: [take(Kind::Inherent), take(Kind::E), take(Kind::Sa)] }
    }

    /// The sound of an open letter, or `None` if it is silent.
    fn decide(&self, kind: Kind, spelling: &Spelling, akshara: usize) -> Option<Symbol> {
        match self.by_kind[kind as usize].decide(spelling, akshara) {
            "ɔ" => Some(Symbol::OpenO),
            "o" => Some(Symbol::O),
            "e" => Some(Symbol::E),
            "æ" => Some(Symbol::Ae),
            "ʃ" => Some(Symbol::Sh),
            "s" => Some(Symbol::S),
            _ => None,
        }
    }
}

/// The phones of a Bengali word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let mut spelling = Spelling::new(&aksharas);
    let mut phones = Vec::with_capacity(word.len() / 2);
    for piece in pieces(&aksharas) {
        match piece {
            Piece::Phone(phone) if phone.is_vowel() => phones.push(phone),
            Piece::Phone(phone) => push(&mut phones, phone.symbol),
            Piece::Nasal => nasal::nasalise_last(&mut phones),
            Piece::Open(akshara, kind) => {
                let ruled = (kind == Kind::Inherent).then(|| inherent_by_rule(&aksharas, akshara)).flatten();
                let symbol = ruled.or_else(|| OPEN.decide(kind, &spelling, akshara));
                if kind == Kind::Inherent {
                    spelling.hear(akshara, symbol.map_or("-", Symbol::ipa));
                }
                match symbol {
                    Some(symbol) if symbol.is_vowel() => phones.push(Phone::new(symbol)),
                    Some(symbol) => push(&mut phones, symbol),
                    None => {}
                }
            }
        }
    }
    nasal::assimilate(&mut phones);
    phones
}

/// The inherent vowel where its surroundings leave no doubt.
fn inherent_by_rule(aksharas: &[Akshara], i: usize) -> Option<Symbol> {
    let own = &aksharas[i];
    let before = i.checked_sub(1).map(|before| &aksharas[before]);
    let next = aksharas.get(i + 1);
    match (before, next) {
        // অ- "not" is ɔ before high vowels too, where other vowels are raised; অতি- অধি- অনু- অভি- are not it
        (None, Some(next)) if is_bare_a(own) && is_high(next.nucleus) && !own.anusvara => {
            use Consonant as C;
            let other_word = match next.consonants.as_slice() {
                [C::Ta | C::Dha | C::Bha] => is_front(next.nucleus),
                [C::Na | C::Ra | C::Ja | C::Ma] => !is_front(next.nucleus),
                [_] => false,
                _ => true,
            };
            (!other_word).then_some(Symbol::OpenO)
        }
        // after it the word begins anew: অখণ্ড, অধর্ম; but অব- and অপ- are prefixes of their own
        (Some(before), Some(next)) if i == 1 && is_bare_a(before) && own.consonants.len() == 1 => {
            use Consonant as C;
            let closed = next.consonants.len() > 1 && !next.consonants.contains(&C::Ya);
            let other_prefix = matches!(own.consonants[0], C::Ba | C::Pa | C::Na | C::Bha | C::Ga | C::Dha);
            (closed && !other_prefix && !is_high(next.nucleus)).then_some(Symbol::OpenO)
        }
        // letters and clusters that only Sanskrit words have keep the last vowel
        (Some(_), None) if own.consonants.len() > 1 && is_sanskrit(&own.consonants) => Some(Symbol::O),
        (Some(before), None) => {
            let vocalic = before.nucleus == Nucleus::Vowel(Vowel::VocalicR);
            let sibilant = matches!(own.consonants.as_slice(), [Consonant::Sha]);
            (vocalic || before.anusvara && sibilant).then_some(Symbol::O)
        }
        _ => None,
    }
}

/// Whether a final cluster has letters or joined forms that words from English and Persian do not have.
fn is_sanskrit(cluster: &[Consonant]) -> bool {
    use Consonant as C;
    let aspirate = |letter: &C| matches!(letter, C::Gha | C::Jha | C::Dha | C::Bha | C::Ddha | C::Ttha);
    let letters = cluster.iter().any(|letter| matches!(letter, C::Nna | C::Ssa) || aspirate(letter));
    let joined = matches!(cluster, [.., C::Ra]) || matches!(cluster, [.., C::Nga, C::Ka | C::Kha | C::Ga]);
    letters || joined
}

/// Whether an akshara is the letter অ without a sign.
fn is_bare_a(akshara: &Akshara) -> bool {
    let letter = akshara.independent && akshara.consonants.is_empty();
    letter && akshara.nucleus == Nucleus::Vowel(Vowel::A) && !akshara.anusvara && !akshara.candrabindu
}

fn is_high(vowel: Nucleus) -> bool {
    matches!(vowel, Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::U | Vowel::Uu))
}

/// A word's sounds as far as the letters settle them; public for the measurement that fits the classifiers.
pub fn pieces(aksharas: &[Akshara]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(aksharas.len() * 3);
    for (i, akshara) in aksharas.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &aksharas[before]);
        let next = aksharas.get(i + 1);
        consonants(akshara, i, before, next, &mut pieces);
        vowel(akshara, i, next, &mut pieces);
        if akshara.candrabindu {
            pieces.push(Piece::Nasal);
        }
        if akshara.anusvara {
            pieces.push(Piece::Phone(Phone::new(Symbol::Ng)));
        }
        visarga(akshara, i, next, &mut pieces);
    }
    pieces
}

fn is_front(vowel: Nucleus) -> bool {
    matches!(vowel, Nucleus::Vowel(Vowel::I | Vowel::Ii))
}

#[allow(clippy::match_same_arms, reason = "the cases stand in the order of the rules")]
fn consonants(
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
    // a doubled sound needs a vowel right before it
    let after_vowel =
        before.is_some_and(|before| before.nucleus != Nucleus::None && !before.anusvara && !before.visarga);
    let initial = before.is_none();
    let mut at = 0;
    // whether the last sound is the cluster's first, so that a joined letter doubles it
    let mut alone = true;
    // careful speech closes the syllable of অ before a velar and a liquid: অগ্র, অক্রোধ
    let after_a = i == 1 && before.is_some_and(is_bare_a);
    if let ([first @ (C::Ka | C::Ga | C::Gha), C::Ra | C::La], true) = (letters, after_a) {
        let plain = if *first == C::Ka { Symbol::K } else { Symbol::G };
        pieces.push(Piece::Phone(Phone::new(plain)));
    }
    while let Some(&letter) = letters.get(at) {
        let after = letters.get(at + 1).copied();
        let doubles = after_vowel && alone;
        let say = |pieces: &mut Vec<Piece>, symbol: Symbol| pieces.push(Piece::Phone(Phone::new(symbol)));
        let mut taken = 1;
        match (letter, after) {
            (C::Ka, Some(C::Ssa)) => {
                if doubles {
                    say(pieces, Symbol::K);
                }
                say(pieces, Symbol::Kh);
                taken = 2;
                // ক্ষ্ম ক্ষ্য ক্ষ্ব: what is joined below is silent
                if matches!(letters.get(at + 2), Some(C::Ma | C::Ya | C::Va | C::Ba)) {
                    taken = 3;
                }
            }
            (C::Ja, Some(C::Nya)) => {
                if doubles {
                    say(pieces, Symbol::G);
                }
                say(pieces, Symbol::G);
                taken = 2;
            }
            // ঞ of its own is silent: মিঞা
            (C::Nya, None) if at == 0 && !initial => {}
            (C::Nya, _) => say(pieces, Symbol::N),
            (C::Ha, Some(C::Ba | C::Va)) if !initial => {
                say(pieces, Symbol::O);
                say(pieces, Symbol::Bh);
                taken = 2;
            }
            (C::Ha, Some(C::Ya)) if !initial => {
                pieces.extend([Symbol::J, Symbol::Jh].map(|symbol| Piece::Phone(Phone::new(symbol))));
                taken = 2;
            }
            (C::Ha, Some(joined @ (C::Na | C::Nna | C::Ma | C::La))) => {
                say(pieces, letters::consonant(if joined == C::Nna { C::Na } else { joined }));
                say(pieces, Symbol::H);
                taken = 2;
            }
            (C::Sa, _) => pieces.push(Piece::Open(i, Kind::Sa)),
            // শ before r and l is dental
            (C::Sha, Some(C::Ra | C::La)) => say(pieces, Symbol::S),
            (C::Sha, None) if matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR)) => {
                say(pieces, Symbol::S);
            }
            (C::Sha | C::Ssa, _) => say(pieces, Symbol::Sh),
            (C::Yya, _) => glide(akshara, before, pieces),
            (C::Ya, _) if at > 0 => {
                joined_ya(akshara, next, doubles_before(after_vowel, at, letters), pieces);
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
        at += taken;
        alone = false;
    }
}

/// Whether a letter joined at this place doubles the one above it: only that one stands between it and a vowel.
fn doubles_before(after_vowel: bool, at: usize, letters: &[Consonant]) -> bool {
    after_vowel && at == 1 && letters.len() >= 2
}

/// Says the last consonant again.
fn double(pieces: &mut Vec<Piece>) {
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

/// য joined below: doubles a single consonant between vowels, is dʒ after র, else only shows in the vowel.
fn joined_ya(akshara: &Akshara, next: Option<&Akshara>, doubles: bool, pieces: &mut Vec<Piece>) {
    if let [Consonant::Ra, ..] = akshara.consonants.as_slice() {
        if doubles {
            pieces.push(Piece::Phone(Phone::new(Symbol::J)));
        }
        return;
    }
    if doubles && !is_open_ae(akshara, next) {
        double(pieces);
    }
}

/// Whether ্যা is the vowel æ of English words inside a word (ল্যাপটপ) and doubles nothing.
fn is_open_ae(akshara: &Akshara, next: Option<&Akshara>) -> bool {
    use Consonant as C;
    let long_a = akshara.nucleus == Nucleus::Vowel(Vowel::Aa);
    let letters = akshara.consonants.as_slice();
    // not at the end (রম্যা), nor before ণ, which no English word has (কল্যাণ)
    let foreign_follows = next.is_some_and(|next| next.consonants.first() != Some(&C::Nna));
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
                    | C::Bha
                    | C::Ma
                    | C::La
                    | C::Sa
                    | C::Ha
                    | C::Ra,
                C::Ya
            ] | [_, C::La | C::Ra | C::Tta | C::Pa | C::Ka, C::Ya]
        )
}

/// ব joined below: silent at the beginning, doubling between vowels, but b after lip sounds, র, ল, and in উদ্-.
fn joined_ba(
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

/// ম joined below: silent at the beginning, doubling t d s sounds between vowels, else m.
fn joined_ma(letters: &[Consonant], at: usize, after_vowel: bool, pieces: &mut Vec<Piece>) {
    use Consonant as C;
    let above = letters[at - 1];
    let silent = matches!(above, C::Ta | C::Da | C::Dha | C::Sa | C::Sha | C::Ssa);
    if !silent {
        pieces.push(Piece::Phone(Phone::new(Symbol::M)));
    } else if doubles_before(after_vowel, at, letters) {
        double(pieces);
    }
}

/// য় is the glide e̯; it is silent after front vowels and before এ, and ওয় is w.
fn glide(akshara: &Akshara, before: Option<&Akshara>, pieces: &mut Vec<Piece>) {
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
    if !(after_round || after_front || after_e || before_front) {
        pieces.push(Piece::Phone(Phone::new(Symbol::Y)));
    }
}

fn vowel(akshara: &Akshara, i: usize, next: Option<&Akshara>, pieces: &mut Vec<Piece>) {
    let joined_ya = akshara.consonants.last() == Some(&Consonant::Ya) && akshara.consonants.len() > 1;
    let initial_ya = joined_ya && i == 0;
    let mut say = |symbol: Symbol| pieces.push(Piece::Phone(Phone::new(symbol)));
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent if initial_ya => return say(Symbol::Ae),
        Nucleus::Inherent => return pieces.push(Piece::Open(i, Kind::Inherent)),
        Nucleus::Vowel(vowel) => vowel,
    };
    match vowel {
        Vowel::A => pieces.push(Piece::Open(i, Kind::Inherent)),
        Vowel::Aa if initial_ya || akshara.independent && !akshara.consonants.is_empty() => say(Symbol::Ae),
        Vowel::Aa if joined_ya && is_open_ae(akshara, next) => say(Symbol::Ae),
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
        Vowel::CandraE | Vowel::ShortE | Vowel::E => pieces.push(Piece::Open(i, Kind::E)),
        Vowel::Ai => {
            say(Symbol::O);
            say(Symbol::I);
        }
        Vowel::CandraO => say(Symbol::OpenO),
        Vowel::ShortO | Vowel::O => say(Symbol::O),
        Vowel::Au => {
            say(Symbol::O);
            say(Symbol::U);
        }
    }
}

/// Visarga is silent at the end; after নি and দু it doubles what follows.
fn visarga(akshara: &Akshara, i: usize, next: Option<&Akshara>, pieces: &mut Vec<Piece>) {
    if !akshara.visarga || i > 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn tables_read() {
        super::super::exceptions::check(EXCEPTIONS_TSV);
        let values = OPEN_TSV.lines().filter(|line| !line.starts_with(['#', '[', '@'])).count();
        let read: usize = OPEN.by_kind.iter().map(Linear::len).sum();
        assert_eq!(read, values, "a line of open.tsv does not read, or two values share a hash");
    }

    #[test]
    fn words_sound_as_spoken() {
        let cases = [
            ("বিশ্ব", "b i ʃː o", "ba-phala doubles"),
            ("স্বামী", "ʃ a m i", "ba-phala is silent at the beginning"),
            ("বিদ্যা", "b i d̪ː a", "ya-phala doubles"),
            ("ব্যবহার", "b æ b o ɦ a ɾ", "ya-phala is æ at the beginning"),
            ("আত্মা", "a t̪ː a", "ma-phala doubles"),
            ("শিক্ষা", "ʃ i kʰː a", "kṣ"),
            ("বিজ্ঞান", "b i ɡː a n", "jñ"),
            ("কবিতা", "k o b i t̪ a", "harmony before i"),
            ("কলম", "k ɔ l o m", "ɔ then o, silent at the end"),
            ("প্রথম", "p ɾ o t̪ʰ o m", "o after ra-phala"),
            ("চাঁদ", "tʃ a\u{303} d̪", "candrabindu"),
            ("বাংলা", "b a ŋ l a", "anusvara"),
            ("ঐতিহ্য", "o i t̪ i dʒʱː o", "hy"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
