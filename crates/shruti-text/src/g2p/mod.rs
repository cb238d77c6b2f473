//! Graphemes to phones: a word in the script of its language to its phones, by the rules of the language.
//!
//! Each language is a file of the same shape: `pronounce(word) -> Vec<Phone>` on top of the shared
//! [`akshara`](crate::akshara) parser, with its exceptions in `data/<code>/exceptions.tsv`.

use shruti_protocol::Language;

use crate::akshara::{self, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

/// The phones of a word written in the script of `language`; for English, in Latin letters.
///
/// Characters of another script are passed over; a word with nothing to say gives no phones.
pub fn pronounce(word: &str, language: Language) -> Vec<Phone> {
    match language {
        Language::English => Vec::new(),
        _ => plain(word),
    }
}

/// Every letter as it stands, the inherent vowel always spoken: the starting point of a language's rules.
fn plain(word: &str) -> Vec<Phone> {
    let mut phones = Vec::new();
    for akshara in akshara::parse(word) {
        phones.extend(akshara.consonants.iter().map(|&consonant| Phone::new(plain_consonant(consonant))));
        let vowel = match akshara.nucleus {
            Nucleus::Inherent => Some(Phone::new(Symbol::Schwa)),
            Nucleus::Vowel(vowel) => Some(plain_vowel(vowel)),
            Nucleus::None => None,
        };
        phones.extend(vowel);
        if akshara.anusvara || akshara.candrabindu {
            phones.push(Phone::new(Symbol::N));
        }
    }
    phones
}

fn plain_consonant(consonant: Consonant) -> Symbol {
    use Consonant as C;
    match consonant {
        C::Ka => Symbol::K,
        C::Qa => Symbol::Q,
        C::Kha => Symbol::Kh,
        C::Khha => Symbol::X,
        C::Ga => Symbol::G,
        C::Gha => Symbol::Gh,
        C::Ghha => Symbol::Gamma,
        C::Nga => Symbol::Ng,
        C::Ca => Symbol::C,
        C::Cha => Symbol::Ch,
        C::Ja => Symbol::J,
        C::Jha => Symbol::Jh,
        C::Nya => Symbol::Ny,
        C::Tta => Symbol::Tt,
        C::Ttha => Symbol::Tth,
        C::Dda => Symbol::Dd,
        C::Ddha => Symbol::Ddh,
        C::Nna => Symbol::Nn,
        C::Ta => Symbol::T,
        C::Tha => Symbol::Th,
        C::Da => Symbol::D,
        C::Dha => Symbol::Dh,
        C::Na | C::Nnna => Symbol::N,
        C::Pa => Symbol::P,
        C::Pha => Symbol::Ph,
        C::Ba => Symbol::B,
        C::Bha => Symbol::Bh,
        C::Ma => Symbol::M,
        C::Ya | C::Yya => Symbol::Y,
        C::Ra => Symbol::R,
        C::Rra => Symbol::Rr,
        C::La => Symbol::L,
        C::Lla => Symbol::Ll,
        C::Llla => Symbol::Zr,
        C::Va | C::Wa => Symbol::V,
        C::Sha => Symbol::Sh,
        C::Ssa => Symbol::Ss,
        C::Sa => Symbol::S,
        C::Ha => Symbol::H,
        C::Za => Symbol::Z,
        C::Rda => Symbol::Rd,
        C::Rdha => Symbol::Rdh,
        C::Fa => Symbol::F,
        C::Tsa => Symbol::Ts,
        C::Dza => Symbol::Dz,
    }
}

fn plain_vowel(vowel: Vowel) -> Phone {
    match vowel {
        Vowel::A => Phone::new(Symbol::Schwa),
        Vowel::Aa => Phone::new(Symbol::A).long(),
        Vowel::I | Vowel::VocalicR | Vowel::VocalicRr | Vowel::VocalicL => Phone::new(Symbol::IShort),
        Vowel::Ii => Phone::new(Symbol::I).long(),
        Vowel::U => Phone::new(Symbol::UShort),
        Vowel::Uu => Phone::new(Symbol::U).long(),
        Vowel::CandraE => Phone::new(Symbol::Ae),
        Vowel::ShortE => Phone::new(Symbol::E),
        Vowel::E => Phone::new(Symbol::E).long(),
        Vowel::Ai => Phone::new(Symbol::OpenE).long(),
        Vowel::CandraO | Vowel::Au => Phone::new(Symbol::OpenO).long(),
        Vowel::ShortO => Phone::new(Symbol::O),
        Vowel::O => Phone::new(Symbol::O).long(),
    }
}
