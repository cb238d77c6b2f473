//! Punjabi.
//!
//! The phonology follows Bhatia (1993) and Bowden (2012). The voiced aspirates have become plain stops with a tone:
//! voiceless at the beginning of a word, voiced in other positions. h is pronounced only at the beginning of a
//! syllable. Except at the beginning of a word, it also causes a tone. [`tones`] returns the tones; the phones do not
//! contain them.

use std::sync::LazyLock;

use super::position::Positions;
use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::letters::{self, push};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa::{self, SchwaContext};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, long};
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};
use crate::utterance::Tone;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Gurmukhi,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: Some(tones),
    by_position: Some(|context| POSITIONS.respell(context)),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[],
    // most frequent Punjabi words are also Hindi words, and more people type Hindi
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 4.0 },
    keywords: None,
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("pa/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("pa/stems.tsv")));

static POSITIONS: LazyLock<Positions> =
    LazyLock::new(|| Positions::read(crate::files::text!("pa/position.toml")));

const RULES: schwa::Rules = schwa::Rules { deletes, ..schwa::Rules::PLAIN };

const VOWELS: Vowels =
    Vowels { candra_e: long(Symbol::OpenE), candra_o: long(Symbol::OpenO), ..indo_aryan::VOWELS };

fn pronounce(written: &str) -> Vec<Phone> {
    let mut word = parse(written);
    if begins_cluster(&word.aksharas) {
        word.silent[0] = true;
    }
    let count = word.aksharas.len();
    if let Some(closes) = final_cluster(&word.aksharas) {
        word.silent[count - 2] = true;
        if !closes {
            word.silent[count - 3] = false;
        }
    }
    indo_aryan::phones(&word, &Punjabi)
}

/// Parses a word and applies schwa deletion. Both the phones and the tones are derived from the result.
fn parse(written: &str) -> Word {
    let respelled = STEMS.respell(written);
    let mut word = Word::parse(without_silent_end(&respelled), &MORPHEMES, &RULES);
    for i in 1..word.aksharas.len() {
        // the vowel before ਹਿ or ਹੁ is spoken, because these merge with it: ਦੁਪਹਿਰ
        if is_merged(i, &word.aksharas) {
            word.silent[i - 1] = false;
        }
    }
    let count = word.aksharas.len();
    for i in 1..count.saturating_sub(1) {
        word.silent[i] |= is_toned_h(&word.aksharas[i - 1..], i + 2 == count);
    }
    word
}

/// Returns the word without silent letters at its end: a final ਅ after a long vowel, and the short ਿ or ੁ that is
/// written in the language of the Gurbani (ਸਤਿ, ਨਾਮੁ). The ਕਿ of ਜਦਕਿ is a separate word and is kept.
fn without_silent_end(word: &str) -> &str {
    // a final ਅ only indicates that the preceding vowel is long: ਦਬਾਅ, ਹਾਈਵੇਅ, ਸ਼ੋਅ
    if let Some(stem) = word.strip_suffix('ਅ').filter(|stem| stem.ends_with(['ਾ', 'ੇ', 'ੋ'])) {
        return stem;
    }
    match word.strip_suffix(['ਿ', 'ੁ']) {
        Some(stem)
            if !word.ends_with("ਕਿ")
                && akshara::parse(stem).len() > 1
                && stem.ends_with(akshara::is_letter) =>
        {
            stem
        }
        _ => word,
    }
}

/// Returns whether the vowel is deleted. A subscript h is realised only as a tone, so ੜ੍ਹ counts as one consonant:
/// ਪੜ੍ਹਨਾ.
fn deletes(context: &SchwaContext<'_>) -> bool {
    let single = |akshara: &Akshara| matches!(akshara.consonants.as_slice(), [_] | [_, Consonant::Ha]);
    single(context.own) && single(context.after) && !context.crowds_nasal()
}

struct Punjabi;

impl Sounds for Punjabi {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if is_merged(i, &word.aksharas) {
            return;
        }
        let addak = i.checked_sub(1).is_some_and(|before| word.aksharas[before].addak);
        let spoken = word.vowel(i).is_some();
        for (place, &letter) in word.aksharas[i].consonants.iter().enumerate() {
            let initial = phones.is_empty();
            let symbol = match letter {
                // h below a consonant or at the end of a syllable is realised only as a tone
                Consonant::Ha if place > 0 || !initial && !spoken => continue,
                Consonant::Rdha => Symbol::Rd,
                Consonant::Rra => Symbol::R,
                Consonant::Ssa => Symbol::Sh,
                Consonant::Khha => Symbol::X,
                _ => {
                    let changed = if initial { plain_voiceless(letter) } else { plain_voiced(letter) };
                    changed.unwrap_or_else(|| letters::consonant(letter))
                }
            };
            if addak && place == 0 {
                phones.push(Phone::new(symbol).long());
            } else {
                push(phones, symbol);
            }
        }
    }

    /// Appends the vowel. A short vowel before a lost h is lower and long: ਕਹਿਣਾ ɛː, ਬਹੁਤ ɔː, ਕਿਹੜਾ eː, ਉਹ oː.
    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        if is_merged(i, &word.aksharas) {
            return;
        }
        let h_after = word.next(i).is_some_and(|next| next.consonants[..] == [Consonant::Ha]);
        let h_falls = h_after && (word.silent[i + 1] || is_merged(i + 1, &word.aksharas));
        match vowel {
            Vowel::A if h_falls && word.aksharas[i + 1].nucleus == Nucleus::Vowel(Vowel::U) => {
                phones.push(long(Symbol::OpenO));
            }
            Vowel::A if h_falls => phones.push(long(Symbol::OpenE)),
            Vowel::I if h_falls => phones.push(long(Symbol::E)),
            Vowel::U if h_falls => phones.push(long(Symbol::O)),
            // Gurmukhi has no vocalic l
            Vowel::VocalicL => indo_aryan::push_vowel(phones, &VOWELS, Vowel::VocalicR),
            vowel => indo_aryan::push_vowel(phones, &VOWELS, vowel),
        }
    }

    /// Applies a nasal sign. After a short vowel (tippi), before a voiced stop, and in English -ent and -amp, the sign
    /// represents the nasal consonant with the place of articulation of the following consonant. Before m and n, it
    /// lengthens that consonant. In other contexts (bindi), and before h, it nasalises the vowel.
    fn nasal_before(&self, next: Symbol, _word: &Word, _i: usize, phones: &mut Vec<Phone>) {
        let short = phones.last().is_some_and(|last| !last.long);
        if next == Symbol::H || !nasal::is_plosive(next) && !short {
            return nasal::nasalise_last(phones);
        }
        if matches!(next, Symbol::M | Symbol::N) {
            return push(phones, next);
        }
        let english = phones.last().is_some_and(|last| {
            matches!(
                (last.symbol, next),
                (Symbol::OpenE, Symbol::Tt | Symbol::P) | (Symbol::E | Symbol::OpenO | Symbol::U, Symbol::Tt)
            )
        });
        if short || english || nasal::is_voiced_plosive(next) {
            phones.push(Phone::new(nasal::homorganic(next)));
        } else {
            nasal::nasalise_last(phones);
        }
    }

    fn visarga(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if !is_merged(i, &word.aksharas) {
            phones.push(Phone::new(Symbol::H));
        }
    }
}

/// Returns the tone of each vowel of a word, in order, according to the adjacent letters: low after ਘ ਝ ਢ ਧ ਭ at the
/// beginning of a word, low after these letters or ਹ on a stressed long vowel, and high before these letters or ਹ. An
/// ending after a subscript h is not stressed (ਜ਼ਿਲ੍ਹਾ, ਪੜ੍ਹੇਗਾ).
fn tones(word: &str) -> Vec<Option<Tone>> {
    let Word { aksharas, silent } = parse(word);
    let mut tones: Vec<Option<Tone>> = Vec::new();
    for (i, akshara) in aksharas.iter().enumerate() {
        let spoken = akshara.nucleus != Nucleus::None && !silent[i] && !is_merged(i, &aksharas);
        let voiced_aspirate = akshara.consonants.iter().any(|&letter| plain_voiced(letter).is_some());
        let h = i > 0 && akshara.consonants.contains(&Consonant::Ha) || has_subscript_h(akshara);
        // if the vowel of the akshara is long and stressed, the lost aspiration gives it a low tone; otherwise the
        // preceding vowel gets a high tone
        let own_long =
            matches!(akshara.nucleus, Nucleus::Vowel(vowel) if !matches!(vowel, Vowel::I | Vowel::U));
        let initial = i == 0;
        let lowers = voiced_aspirate && initial
            || (voiced_aspirate || h)
                && own_long
                && spoken
                && is_last_long(&aksharas, i)
                && !is_ending(&aksharas, &silent, i);
        let raises = (voiced_aspirate || h) && !lowers && !tones.iter().any(Option::is_some);
        if let Some(before) = tones.last_mut().filter(|_| raises) {
            *before = Some(Tone::High);
        }
        if spoken {
            let low = lowers && !tones.iter().any(Option::is_some);
            tones.push(low.then_some(Tone::Low));
        }
    }
    tones
}

/// Returns whether the vowel of the akshara at `i` is an ending, so that the stem before it is stressed. This applies
/// after a subscript h (ਜ਼ਿਲ੍ਹੇ, ਉਨ੍ਹਾਂ, ਪੜ੍ਹੋ) and after a closed syllable (ਠੰਢੀ, ਲੰਘੀਆਂ, ਸ਼ਰਧਾ) if no consonant follows the
/// vowel, except the ਗ of the future (ਪੜ੍ਹੇਗਾ). The ਾ of a causative is stressed: ਪੜ੍ਹਾਈ, ਚੜ੍ਹਾ, ਸਮਝਾ, but not the ਾ of
/// the adjectives ਖੜ੍ਹਾ and ਬੁੜ੍ਹਾ.
fn is_ending(aksharas: &[Akshara], silent: &[bool], i: usize) -> bool {
    let [first, before @ .., own] = &aksharas[..=i] else { return false };
    let rest = &aksharas[i + 1..];
    let last = rest.is_empty();
    let future = rest.first().is_some_and(|after| is_future(own, after));
    let open = future || rest.iter().all(|after| after.consonants.is_empty());
    let closed = silent[i - 1] || before.last().unwrap_or(first).anusvara;
    let adjective = matches!(first.consonants[..], [Consonant::Kha | Consonant::Ba]);
    let verb = match own.consonants[..] {
        [Consonant::Rda, Consonant::Ha] => !adjective,
        [Consonant::Jha] => true,
        _ => false,
    };
    let causative = own.nucleus == Nucleus::Vowel(Vowel::Aa) && !own.anusvara && (!last || verb);
    (has_subscript_h(own) || closed) && open && !causative
}

/// Returns whether `after` is the ਗ of the future after the vowel of `own`: ਪੜ੍ਹੇਗੀ, ਪੜ੍ਹਾਂਗੇ, ਪੜ੍ਹੋਗੇ, but not ਉਪਭੋਗੀ.
fn is_future(own: &Akshara, after: &Akshara) -> bool {
    let person = match own.nucleus {
        Nucleus::Vowel(Vowel::E) => true,
        Nucleus::Vowel(Vowel::O) => after.nucleus == Nucleus::Vowel(Vowel::E),
        _ => own.anusvara,
    };
    after.consonants[..] == [Consonant::Ga] && matches!(after.nucleus, Nucleus::Vowel(_)) && person
}

/// Returns whether all vowels before the akshara at `i` are short, so that its vowel is stressed.
fn is_last_long(aksharas: &[Akshara], i: usize) -> bool {
    aksharas[..i].iter().all(|akshara| {
        !akshara.addak
            && matches!(akshara.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::A | Vowel::I | Vowel::U))
    })
}

/// Returns whether the word begins with English ʈɾ or ʈʋ, written with two full letters: ਟਰੱਕ, ਟਰੰਪ, ਟਵੀਟ.
fn begins_cluster(aksharas: &[Akshara]) -> bool {
    let [first, second, ..] = aksharas else { return false };
    let cluster = first.consonants[..] == [Consonant::Tta]
        && matches!(second.consonants[..], [Consonant::Ra | Consonant::Va]);
    let heavy = second.addak || second.anusvara || matches!(second.nucleus, Nucleus::Vowel(_));
    cluster && first.nucleus == Nucleus::Inherent && heavy
}

/// Returns `None` unless the word ends in an English cluster that is written with full letters: ਨੋਟਸ, ਟੈਕਸ, ਬਲਾਸਟ, ਬੋਰਡ,
/// ਬੈਲਟ. Otherwise, returns whether the vowel of the akshara before the cluster may be silent (ਡਿਫੌਲਟਸ) or is spoken
/// (ਅਲਰਟ, ਟਿਕਟਸ). Native words also have k before a final s (ਚੌਕਸ), but not after ਐ or ਿ, and l before ʈ after short
/// vowels (ਉਲਟ).
fn final_cluster(aksharas: &[Akshara]) -> Option<bool> {
    use Consonant::{Dda, Ka, La, Na, Ra, Sa, Tta};
    if let Some(closes) = final_z(aksharas) {
        return Some(closes);
    }
    let [.., first, second, last] = aksharas else { return None };
    let bare = |akshara: &Akshara| {
        akshara.nucleus == Nucleus::Inherent && !akshara.anusvara && !akshara.candrabindu && !akshara.addak
    };
    let vowel = match first.nucleus {
        Nucleus::Vowel(vowel) => vowel,
        _ => Vowel::A,
    };
    let long = !matches!(vowel, Vowel::A | Vowel::I | Vowel::U);
    let cluster = match (&second.consonants[..], &last.consonants[..]) {
        ([Tta | Dda], [Sa]) | ([Sa | Ra], [Tta]) | ([Ra], [Dda]) => true,
        ([Ka], [Sa]) => matches!(vowel, Vowel::Ai | Vowel::I),
        ([La], [Tta]) => long,
        _ => false,
    };
    let closes = matches!((&first.consonants[..], &last.consonants[..]), ([Ra | La | Sa | Na], [Sa]));
    (cluster && bare(second) && bare(last)).then_some(closes || first.nucleus != Nucleus::Inherent)
}

/// Returns `None` unless the word ends in the z of an English plural after a voiced consonant: ਟਰੇਡਰਜ਼, ਲਾਇਨਜ਼, ਕਿੰਗਜ਼.
/// Otherwise, the result has the same meaning as that of [`final_cluster`]. Words of three letters without vowel signs
/// are native (ਫ਼ਰਜ਼, ਨਬਜ਼), and so are words with ਗ after a long vowel (ਕਾਗਜ਼).
fn final_z(aksharas: &[Akshara]) -> Option<bool> {
    use Consonant::{Dda, Ga, La, Ma, Na, Ra, Za};
    let [before @ .., first, second, last] = aksharas else { return None };
    let plural = second.nucleus == Nucleus::Inherent
        && last.nucleus == Nucleus::Inherent
        && last.consonants[..] == [Za]
        && !second.addak
        && !second.anusvara;
    let native = before.is_empty() && first.nucleus == Nucleus::Inherent && !first.anusvara;
    let voiced = match second.consonants[..] {
        [Ra | La | Na | Ma | Dda] => true,
        [Ga] => first.anusvara || first.nucleus == Nucleus::Vowel(Vowel::Ai),
        _ => false,
    };
    let joins = matches!((&first.consonants[..], &second.consonants[..]), ([Ra | La], [Dda | Ma]));
    (plural && voiced && !native).then_some(joins || first.nucleus != Nucleus::Inherent)
}

/// Returns whether the second of these aksharas is a ਹ that has become the tone of a long vowel within a word: ਸਾਹਮਣੇ,
/// and before the final ਠ of numbers (ਬਾਹਠ), but not ਸਾਹਸ. `last_follows` is `true` if the third akshara is the last of
/// the word.
fn is_toned_h(aksharas: &[Akshara], last_follows: bool) -> bool {
    let [before, own, after, ..] = aksharas else { return false };
    let short = |vowel| matches!(vowel, Vowel::A | Vowel::I | Vowel::U);
    let after_long = matches!(before.nucleus, Nucleus::Vowel(vowel) if !short(vowel));
    let h = own.consonants[..] == [Consonant::Ha]
        && own.nucleus == Nucleus::Inherent
        && !own.anusvara
        && !own.addak;
    let closes =
        last_follows && after.nucleus == Nucleus::Inherent && after.consonants[..] != [Consonant::Ttha];
    after_long && h && !after.consonants.is_empty() && !closes
}

/// Returns whether an akshara is ਹਿ or ਹੁ and has merged with the preceding a: ਕਹਿਣਾ, ਸ਼ਹਿਰ, ਬਹੁਤ, ਅਹੁਦਾ.
fn is_merged(i: usize, aksharas: &[Akshara]) -> bool {
    let own = &aksharas[i];
    let signs = own.anusvara || own.candrabindu || own.addak;
    let after_a = i.checked_sub(1).is_some_and(|before| match aksharas[before].nucleus {
        Nucleus::Inherent => true,
        // ਅ does not merge with an akshara that has a nasal sign or addak: ਅਹਿੰਸਾ
        Nucleus::Vowel(vowel) => vowel == Vowel::A && !signs,
        Nucleus::None => false,
    });
    after_a
        && own.consonants[..] == [Consonant::Ha]
        && matches!(own.nucleus, Nucleus::Vowel(Vowel::I | Vowel::U))
        && aksharas.get(i + 1).is_some_and(|next| !next.consonants.is_empty())
}

fn has_subscript_h(akshara: &Akshara) -> bool {
    matches!(akshara.consonants.as_slice(), [_, .., Consonant::Ha])
}

/// Returns the voiced stop that a voiced aspirate has become inside a word, or `None` for other letters.
fn plain_voiced(letter: Consonant) -> Option<Symbol> {
    Some(match letter {
        Consonant::Gha => Symbol::G,
        Consonant::Jha => Symbol::J,
        Consonant::Ddha => Symbol::Dd,
        Consonant::Dha => Symbol::D,
        Consonant::Bha => Symbol::B,
        _ => return None,
    })
}

/// Returns the voiceless stop that a voiced aspirate has become at the beginning of a word, or `None` for other
/// letters.
fn plain_voiceless(letter: Consonant) -> Option<Symbol> {
    Some(match letter {
        Consonant::Gha => Symbol::K,
        Consonant::Jha => Symbol::C,
        Consonant::Ddha => Symbol::Tt,
        Consonant::Dha => Symbol::T,
        Consonant::Bha => Symbol::P,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vowel_has_a_tone_position() {
        for word in ["ਕਹਿਣਾ", "ਸ਼ਹਿਰ", "ਕਿਹੜਾ", "ਨਹੀਂ", "ਸਾਹਿਬ", "ਪੜ੍ਹਾਈ", "ਭਰਾ", "ਹੱਥ", "ਉਹ", "ਮੀਂਹ"]
        {
            let vowels = pronounce(word).iter().filter(|phone| phone.is_vowel()).count();
            assert_eq!(tones(word).len(), vowels, "{word}");
        }
    }

    #[test]
    fn aspiration_becomes_tone() {
        use Tone::{High, Low};
        let cases: [(&str, &[Option<Tone>], &str); 15] = [
            ("ਕਹਿਣਾ", &[Some(High), None], "h merged with the vowel"),
            ("ਘਰ", &[Some(Low)], "initial"),
            ("ਬਾਘ", &[Some(High)], "final"),
            ("ਕਿਹੜਾ", &[Some(High), None], "h after a vowel"),
            ("ਪੜ੍ਹਾਈ", &[None, Some(Low), None], "before the stressed vowel"),
            ("ਜ਼ਿਲ੍ਹੇ", &[Some(High), None], "before an ending"),
            ("ਇਨ੍ਹਾਂ", &[Some(High), None], "before a nasal ending"),
            ("ਚੜ੍ਹਾ", &[None, Some(Low)], "on the vowel of a causative"),
            ("ਚੜ੍ਹੇਗੀ", &[Some(High), None, None], "before the ending of a future"),
            ("ਉਪਭੋਗਤਾ", &[None, Some(Low), None], "before a stem in ਗ, not a future"),
            ("ਸਮਝਾ", &[None, Some(Low)], "on the vowel of a causative after a closed syllable"),
            ("ਠੰਢੀਆਂ", &[Some(High), None, None], "after a closed syllable before an ending"),
            ("ਸੰਭਾਲ", &[None, Some(Low)], "after a closed syllable on a stressed vowel"),
            ("ਛਿਆਹਠ", &[None, Some(High)], "h before the last consonant of a number"),
            ("ਕਰਨਾ", &[None, None], "none"),
        ];
        for (word, expected, why) in cases {
            assert_eq!(tones(word), expected, "{word}: {why}");
        }
    }
}
