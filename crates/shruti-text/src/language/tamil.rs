//! Tamil.
//!
//! The phonology follows Schiffman (1999) and Keane (2004). The script does not indicate voicing. A stop is voiceless
//! at the beginning of a word, as a geminate and next to other stops, and voiced between vowels, after nasals and after
//! ய ர ல ழ ள. ச is pronounced s at the beginning of a word, but tʃ after a word that ends in ச். `data/ta/stems.tsv`
//! lists loans, which keep the voicing of their source language, and words that keep tʃ. Words that end in a nasal and
//! a stop are loans, and their stop is voiceless (வசந்த், பேங்க்).

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation, WordContext};
use crate::akshara::{Consonant, Vowel};
use crate::g2p::dravidian::{self, Letter};
use crate::g2p::letters::{self, push};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, long, short};
use crate::phone::{Phone, PhoneticDetail, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Tamil,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &STEMS),
    allophones: Some(allophones),
    tones: None,
    by_position: Some(by_position),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::Schwa, Symbol::CentralA), (Symbol::OpenE, Symbol::E), (Symbol::OpenO, Symbol::O)],
    romanisation: Romanisation { short_e_and_o: true, final_schwa_falls: false, handicap: 2.0 },
    keywords: None,
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("ta/stems.tsv")));

/// Vowels; the short ones are more open than in the related languages.
const VOWELS: Vowels = Vowels {
    i: short(Symbol::IShort),
    u: short(Symbol::UShort),
    vocalic: short(Symbol::UShort),
    vocalic_long: long(Symbol::UShort),
    short_e: short(Symbol::OpenE),
    short_o: short(Symbol::OpenO),
    ..dravidian::CLOSE_VOWELS
};

/// Respells a word with an initial ச after a word that ends in ச்: the two letters are pronounced as one long tʃ (அதைச்
/// செய்).
fn by_position(context: &WordContext<'_>) -> Option<String> {
    let rest =
        context.word.strip_prefix('ச').filter(|_| context.before.is_some_and(|word| word.ends_with("ச்")))?;
    Some(format!("{TCH}{rest}"))
}

/// Devanagari letter that is pronounced tʃ in every context in a Tamil word.
const TCH: char = 'छ';

/// Returns the phones of a word.
fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    let letters = dravidian::letters(&STEMS.respell(word));
    let mut phones = Vec::with_capacity(letters.len());
    for (i, &letter) in letters.iter().enumerate() {
        match letter {
            Letter::Consonant(Consonant::Ca)
                if detail == PhoneticDetail::Spoken
                    && letters.get(i + 1).is_some_and(|after| after.is_vowel())
                    && phones.last().is_some_and(|&before| softens(before)) =>
            {
                push(&mut phones, Symbol::S);
            }
            Letter::Consonant(consonant) => push(&mut phones, sound(&letters, i, consonant)),
            Letter::Vowel(Vowel::U) if i + 1 == letters.len() && is_overshort(&letters) => {
                phones.push(Phone::new(Symbol::Ii));
            }
            Letter::Vowel(vowel) => dravidian::push_vowel(&mut phones, &VOWELS, vowel),
            Letter::Anusvara => push(&mut phones, Symbol::M),
            // an ஃ that does not modify the following letter is pronounced x
            Letter::Visarga => push(&mut phones, Symbol::X),
        }
    }
    phones
}

/// Returns whether the final u is the overshort one (குற்றியலுகரம்): after a stop, unless only one short syllable
/// precedes it (பசு).
fn is_overshort(letters: &[Letter]) -> bool {
    let [before @ .., Letter::Consonant(consonant), _] = letters else { return false };
    let short_syllable = match before {
        [Letter::Vowel(vowel)] | [Letter::Consonant(_), Letter::Vowel(vowel)] => is_short(*vowel),
        [] => true,
        _ => false,
    };
    (is_stop(*consonant) || *consonant == Consonant::Rra) && !short_syllable
}

fn is_short(vowel: Vowel) -> bool {
    matches!(vowel, Vowel::A | Vowel::I | Vowel::U | Vowel::ShortE | Vowel::ShortO)
}

/// Returns whether the consonant is a stop, whose voicing the script does not indicate.
fn is_stop(consonant: Consonant) -> bool {
    use Consonant::{Ca, Ka, Pa, Ta, Tta};
    matches!(consonant, Ka | Ca | Tta | Ta | Pa)
}

fn sound(letters: &[Letter], i: usize, consonant: Consonant) -> Symbol {
    let next = letters.get(i + 1).and_then(|next| next.consonant());
    match consonant {
        Consonant::Ca if i == 0 && letters.get(1).is_some_and(|after| after.is_vowel()) => Symbol::S,
        stop if is_stop(stop) => {
            let before = i.checked_sub(1).filter(|_| !begins_echo(letters, i)).map(|i| letters[i]);
            let at_vowel = letters.get(i + 1).is_some_and(|after| after.is_vowel());
            let before_r = next == Some(Consonant::Ra);
            if voices(before, stop) && (at_vowel || is_voiced_coda(before, stop, before_r)) {
                voiced(stop)
            } else {
                letters::consonant(stop)
            }
        }
        // letters marked with ² in `stems.tsv` are voiceless in every context
        Consonant::Kha => Symbol::K,
        Consonant::Cha => Symbol::C,
        Consonant::Ttha => Symbol::Tt,
        Consonant::Tha => Symbol::T,
        Consonant::Pha => Symbol::P,
        // letters marked with ⁴ are plain voiced stops, like those with ³, because Tamil has no breathy stops
        Consonant::Gha => Symbol::G,
        Consonant::Jha => Symbol::J,
        Consonant::Ddha => Symbol::Dd,
        Consonant::Dha => Symbol::D,
        Consonant::Bha => Symbol::B,
        Consonant::Na => Symbol::DentN,
        Consonant::Nnna if next.is_some_and(dravidian::is_dental) => Symbol::DentN,
        other => letters::consonant(other),
    }
}

/// Returns whether the letter at `i` begins a repetition of the first two syllables, as in பளபள, கலகலப்பு. The first
/// consonant of the repetition is pronounced as at the beginning of a word.
fn begins_echo(letters: &[Letter], i: usize) -> bool {
    const TWO_SYLLABLES: usize = 4;
    i == TWO_SYLLABLES && letters.len() >= 2 * i && letters[..i] == letters[i..2 * i]
}

/// Returns whether a stop between the letter `before` and a vowel is voiced.
fn voices(before: Option<Letter>, stop: Consonant) -> bool {
    use Consonant::{Ca, La, Lla, Llla, Ma, Na, Nga, Nna, Nnna, Nya, Ra, Tta, Va, Ya};
    match before {
        // ன்ட represents English nt: சென்டர்
        Some(Letter::Consonant(Nnna)) => !matches!(stop, Ca | Tta),
        Some(Letter::Consonant(Nya)) => true,
        // வ்ட is the end of English words in -ved: அப்ரூவ்டு
        Some(Letter::Consonant(Va)) => stop == Tta,
        Some(Letter::Vowel(_) | Letter::Consonant(Nga | Nna | Na | Ma | Ya | Ra | La | Llla | Lla)) => {
            stop != Ca
        }
        _ => false,
    }
}

/// Returns whether a stop is voiced after a nasal although no vowel follows: before r (சந்த்ரன்), and in ண்ட், which
/// represents English -nd (பிராண்ட்); English -nt is written ன்ட்.
fn is_voiced_coda(before: Option<Letter>, stop: Consonant, before_r: bool) -> bool {
    use Consonant::{Ma, Na, Nga, Nna, Nnna, Nya, Tta};
    match before {
        Some(Letter::Consonant(Nna)) => before_r || stop == Tta,
        Some(Letter::Consonant(Nga | Nya | Na | Nnna | Ma)) => before_r,
        _ => false,
    }
}

fn voiced(stop: Consonant) -> Symbol {
    match stop {
        Consonant::Ka => Symbol::G,
        Consonant::Ca => Symbol::J,
        Consonant::Tta => Symbol::Dd,
        Consonant::Ta => Symbol::D,
        Consonant::Pa => Symbol::B,
        other => letters::consonant(other),
    }
}

/// Returns whether a single ச between this phone and a vowel is pronounced s in running speech: after vowels and after
/// ன் ம் ங் ல் ர் க் ப் (மின்சாரம், செல்சியஸ், நர்சிங், டாக்சி, அம்சம், பெப்சி), but not in காட்சி, பயிற்சி. The ச² of
/// loans stays tʃ: ரீசா²ர்ஜ்.
fn softens(before: Phone) -> bool {
    use Symbol::{F, K, L, M, N, Ng, P, R};
    follows_like_vowel(before) || !before.long && matches!(before.symbol, N | L | R | K | M | Ng | P | F)
}

/// Applies the allophones of running speech: ற்ற is pronounced as a long alveolar stop and a trill, and in ன்ற a stop
/// separates the n from the trill.
fn allophones(phones: &mut Vec<Phone>) {
    let mut i = 0;
    while i < phones.len() {
        let after_n = i > 0 && phones[i - 1].symbol == Symbol::N;
        let phone = &mut phones[i];
        match phone.symbol {
            Symbol::Rr if phone.long => {
                phone.symbol = Symbol::AlvT;
                phones.insert(i + 1, Phone::new(Symbol::Rr));
                i += 1;
            }
            Symbol::Rr if after_n => {
                phones.insert(i, Phone::new(Symbol::AlvD));
                i += 1;
            }
            _ => {}
        }
        i += 1;
    }
}

/// Returns whether a phone is a vowel, or a glide as at the end of ai and au.
fn follows_like_vowel(phone: Phone) -> bool {
    phone.is_vowel() || (matches!(phone.symbol, Symbol::Y | Symbol::W) && !phone.long)
}
