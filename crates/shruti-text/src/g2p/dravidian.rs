//! Shared rules of the four Dravidian languages. No vowel is silent, so the letters of a word are pronounced in order.

use super::letters::{self, push};
use super::vowels::{Vowels, long, short};
use crate::akshara::{self, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Place, Symbol};

/// Letter of a word, in spoken order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letter {
    /// A consonant without a vowel.
    Consonant(Consonant),
    /// A vowel. The inherent vowel is [`Vowel::A`].
    Vowel(Vowel),
    /// ం, ಂ, ം: a nasal at the place of articulation of the next consonant.
    Anusvara,
    /// ః, ಃ, ഃ.
    Visarga,
}

impl Letter {
    pub(crate) fn consonant(self) -> Option<Consonant> {
        match self {
            Self::Consonant(consonant) => Some(consonant),
            _ => None,
        }
    }

    pub(crate) fn is_vowel(self) -> bool {
        matches!(self, Self::Vowel(_))
    }
}

/// Returns the letters of a word. The candrabindu (Telugu arasunna) is silent today and is omitted.
pub(crate) fn letters(word: &str) -> Vec<Letter> {
    let mut letters = Vec::with_capacity(word.len() / 2);
    for akshara in akshara::parse(word) {
        // a ya that is joined to a vowel letter spells æ: ಆ್ಯ
        if akshara.independent && akshara.consonants.last() == Some(&Consonant::Ya) {
            letters.push(Letter::Vowel(Vowel::CandraE));
            letters.extend(akshara.anusvara.then_some(Letter::Anusvara));
            continue;
        }
        letters.extend(akshara.consonants.iter().map(|&consonant| Letter::Consonant(consonant)));
        match akshara.nucleus {
            Nucleus::Inherent => letters.push(Letter::Vowel(Vowel::A)),
            Nucleus::Vowel(vowel) => letters.push(Letter::Vowel(vowel)),
            Nucleus::None => {}
        }
        if akshara.anusvara {
            letters.push(Letter::Anusvara);
        }
        if akshara.visarga {
            letters.push(Letter::Visarga);
        }
    }
    letters
}

/// Vowels of Telugu, Kannada and Malayalam: short e and o are close, and the diphthongs end in glides.
pub(crate) const CLOSE_VOWELS: Vowels = Vowels {
    a: short(Symbol::CentralA),
    aa: long(Symbol::A),
    i: short(Symbol::I),
    ii: long(Symbol::I),
    u: short(Symbol::U),
    uu: long(Symbol::U),
    vocalic: short(Symbol::U),
    vocalic_long: long(Symbol::U),
    candra_e: long(Symbol::Ae),
    short_e: short(Symbol::E),
    e: long(Symbol::E),
    ai: &[short(Symbol::CentralA), short(Symbol::Y)],
    candra_o: long(Symbol::O),
    short_o: short(Symbol::O),
    o: long(Symbol::O),
    au: &[short(Symbol::CentralA), short(Symbol::W)],
};

/// Pairs of a vowel of Indian names as pronounced in English, and the vowel of Telugu, Kannada and Malayalam that
/// replaces it.
pub(crate) const NAME_VOWELS: [(Symbol, Symbol); 5] = [
    (Symbol::Schwa, Symbol::CentralA),
    (Symbol::OpenE, Symbol::E),
    (Symbol::OpenO, Symbol::O),
    (Symbol::IShort, Symbol::I),
    (Symbol::UShort, Symbol::U),
];

/// Appends the phones of a vowel.
pub(crate) fn push_vowel(phones: &mut Vec<Phone>, vowels: &Vowels, vowel: Vowel) {
    let (liquid, vowel) = vowels.sound(vowel);
    phones.extend(liquid.map(Phone::new));
    phones.extend_from_slice(vowel);
}

/// Pronunciation of a double r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoubleR {
    /// A geminate, like any other double consonant.
    Geminate,
    /// A single trill.
    Trill,
}

/// Returns the phones of a Telugu or Kannada word. In these languages every letter is spoken, and the sound of a letter
/// depends at most on adjacent consonants.
pub(crate) fn phones(word: &str, double_r: DoubleR) -> Vec<Phone> {
    let letters = letters_with_english_a(word);
    let mut phones = Vec::with_capacity(letters.len());
    for (i, &letter) in letters.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|before| letters[before].consonant());
        let next = letters.get(i + 1).and_then(|next| next.consonant());
        match letter {
            Letter::Consonant(r) if double_r == DoubleR::Trill && is_r(r) && next.is_some_and(is_r) => {}
            Letter::Consonant(r) if double_r == DoubleR::Trill && is_r(r) && before.is_some_and(is_r) => {
                phones.push(Phone::new(Symbol::Rr));
            }
            Letter::Consonant(consonant) => push(&mut phones, sound(consonant, next)),
            Letter::Vowel(vowel) => push_vowel(&mut phones, &CLOSE_VOWELS, vowel),
            Letter::Anusvara => push(&mut phones, homorganic(next)),
            Letter::Visarga if next.is_some_and(is_doubled_by_visarga) => {
                phones.extend(next.map(|next| Phone::new(sound(next, None))));
            }
            Letter::Visarga => push(&mut phones, Symbol::H),
        }
    }
    phones
}

/// Returns the letters of a word with the æː vowel of English words. A zero-width non-joiner separates the parts of a
/// compound, each of which begins like a word: సూపర్‌మ్యాన్.
fn letters_with_english_a(word: &str) -> Vec<Letter> {
    let of_part = |part| {
        let mut letters = letters(part);
        open_english_a(&mut letters);
        letters
    };
    word.split('\u{200c}').flat_map(of_part).collect()
}

/// Replaces ్యా with the æː vowel of English words after letters that never precede it in Sanskrit words: ట్యాక్సీ. At
/// the beginning of a word there are more such letters (బ్యాంకు, క్యాన్సర్, but వాక్యాలు).
fn open_english_a(letters: &mut Vec<Letter>) {
    use Consonant::{Ba, Ca, Dda, Fa, Ga, Ha, Ka, La, Ma, Na, Pa, Pha, Ra, Sa, Ssa, Tta, Ya, Za};
    let ya = [Letter::Consonant(Ya), Letter::Vowel(Vowel::Aa)];
    let mut i = 1;
    while i + 1 < letters.len() {
        let before = i.checked_sub(2).map(|before| letters[before]);
        let english = match letters[i - 1].consonant() {
            // in these contexts, the letters also occur in Sanskrit words: దృష్ట్యా, పాండ్యా, నాట్యాలు
            Some(Tta) if before == Some(Letter::Consonant(Ssa)) => false,
            Some(Dda) if before == Some(Letter::Anusvara) => false,
            Some(Tta | Dda) if before == Some(Letter::Vowel(Vowel::Aa)) => false,
            Some(Tta | Dda | Pha | Fa | Ba | Za) => true,
            // s and one of these consonants begin an English word: స్క్యాన్, also written స్కాన్
            Some(Ka | Pa | Ma | Na) if i == 2 && letters[0] == Letter::Consonant(Sa) => true,
            Some(Ka | Ga | Pa | Ma | Ha | Sa | Ca) => i == 1,
            // r after a retroflex stop or f is English: కాంట్ర్యాక్ట్
            Some(Ra) if matches!(before, Some(Letter::Consonant(Tta | Dda | Fa))) => true,
            // l or r is English as the first or second consonant of a word: ట్ర్యాక్, ప్ల్యాన్
            Some(La | Ra) => i == 1 || i == 2 && letters[0].consonant().is_some(),
            _ => false,
        };
        if english && letters[i..i + 2] == ya {
            letters.splice(i..i + 2, [Letter::Vowel(Vowel::CandraE)]);
        }
        i += 1;
    }
}

fn is_r(consonant: Consonant) -> bool {
    matches!(consonant, Consonant::Ra | Consonant::Rra)
}

fn sound(consonant: Consonant, next: Option<Consonant>) -> Symbol {
    match consonant {
        Consonant::Na | Consonant::Nnna if next.is_some_and(is_dental) => Symbol::DentN,
        Consonant::Rra => Symbol::R,
        other => letters::consonant(other),
    }
}

/// Replaces pʰ with f, because ఫ and ಫ are pronounced f.
pub(crate) fn speak_ph_as_f(phones: &mut [Phone]) {
    for phone in phones.iter_mut().filter(|phone| phone.symbol == Symbol::Ph) {
        phone.symbol = Symbol::F;
    }
}

/// Returns the nasal consonant at the place of articulation of `next` if `next` is a plosive, n or ɳ. Returns m before
/// all other consonants and at the end of a word.
pub(crate) fn homorganic(next: Option<Consonant>) -> Symbol {
    let Some(next) = next.map(letters::consonant) else { return Symbol::M };
    match next {
        Symbol::N | Symbol::Ts | Symbol::Dz => return Symbol::N,
        Symbol::Nn => return Symbol::Nn,
        _ => {}
    }
    if !super::nasal::is_plosive(next) {
        return Symbol::M;
    }
    match next.place() {
        Place::Dental => Symbol::DentN,
        Place::Alveolar => Symbol::N,
        Place::Postalveolar | Place::Palatal => Symbol::Ny,
        Place::Retroflex => Symbol::Nn,
        Place::Velar | Place::Uvular => Symbol::Ng,
        _ => Symbol::M,
    }
}

/// Returns whether a consonant is dental.
pub(crate) fn is_dental(consonant: Consonant) -> bool {
    matches!(consonant, Consonant::Ta | Consonant::Tha | Consonant::Da | Consonant::Dha)
}

/// Returns whether a visarga doubles the consonant after it, `next`. This applies to voiceless consonants (దుఃఖము,
/// അന്തഃപുരം).
pub(crate) fn is_doubled_by_visarga(next: Consonant) -> bool {
    use Consonant::{Ca, Cha, Ka, Kha, Pa, Pha, Sa, Sha, Ssa, Ta, Tha, Tta, Ttha};
    matches!(next, Ka | Kha | Ca | Cha | Tta | Ttha | Ta | Tha | Pa | Pha | Sha | Ssa | Sa)
}
