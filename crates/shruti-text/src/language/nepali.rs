//! Nepali (beta).
//!
//! The phonology follows Khatiwada (2009), "Nepali", and Acharya (1991), *A Descriptive Grammar of Nepali*. Vowel
//! length is not contrastive. Inherent vowels inside a morpheme are spoken (योजना). At the end of a word, they are
//! spoken after clusters and in verbs and adverbs (केन्द्र, हुन्छ, आज), but not in most nouns (घर). ऐ and औ are
//! diphthongs. च ज झ are pronounced ts dz dzʱ, and श ष are pronounced s. व is pronounced b or w. ज्ञ is pronounced ɡj,
//! क्ष is pronounced ktsʰ, and ड ढ after a vowel are flaps.
//!
//! The phone inventory has no tsʰ, so छ is represented as tʃʰ, as in Marathi. The inherent vowel, which is close to ʌ,
//! is represented as ə, as in the other Indo-Aryan languages.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::letters::{self, push};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa;
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, short};
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};
use crate::table::Set;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Devanagari,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 2.0 },
    keywords: Some(|| crate::files::text!("ne/keywords.tsv")),
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("ne/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("ne/stems.tsv")));

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(crate::files::text!("ne/sounds.toml")));

/// Schwa deletion rules. No inherent vowel inside a morpheme is deleted.
const RULES: schwa::Rules =
    schwa::Rules { keeps_final, keeps_inner: keeps_final, deletes: |_| false, ..schwa::Rules::PLAIN };

const VOWELS: Vowels = Vowels {
    i: short(Symbol::I),
    ii: short(Symbol::I),
    u: short(Symbol::U),
    uu: short(Symbol::U),
    vocalic: short(Symbol::I),
    vocalic_long: short(Symbol::I),
    ai: &[short(Symbol::Schwa), short(Symbol::I)],
    au: &[short(Symbol::Schwa), short(Symbol::U)],
    ..indo_aryan::VOWELS
};

fn pronounce(written: &str) -> Vec<Phone> {
    let respelled = STEMS.respell(written);
    let mut word = Word::parse(&respelled, &MORPHEMES, &RULES);
    for place in LISTS.spoken_final_vowels(&respelled) {
        if let Some(silent) = word.silent.get_mut(place) {
            *silent = false;
        }
    }
    let mut phones = indo_aryan::phones(&word, &Nepali { initial_w: LISTS.has_initial_w(written) });
    // छ is represented as a postalveolar, but a nasal before छ is alveolar
    for phone in &mut phones {
        if phone.symbol == Symbol::Ny {
            phone.symbol = Symbol::N;
        }
    }
    phones
}

/// Lists of words whose sounds do not follow from their spelling.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Lists {
    /// Words whose last inherent vowel is spoken.
    final_vowel: Set<String>,
    /// Postpositions that are attached to words and whose last inherent vowel is spoken.
    open_postpositions: Vec<String>,
    /// Words in which an initial व is pronounced w.
    initial_w: Set<String>,
    /// Endings that the listed words may have.
    endings: Vec<String>,
}

impl Lists {
    /// Parses the lists. An invalid file counts as empty; a test checks that it is valid.
    fn read(toml: &str) -> Self {
        toml::from_str(toml).unwrap_or_default()
    }

    /// Returns the word, then the word without its last ending, without its last two endings, and so on.
    fn without_endings<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let shorten = |word: &&'a str| {
            let stems = self.endings.iter().filter_map(|ending| word.strip_suffix(ending.as_str()));
            stems.filter(|stem| !stem.is_empty()).min_by_key(|stem| stem.len())
        };
        std::iter::successors(Some(word), shorten)
    }

    /// Returns the indices of the aksharas whose inherent vowel is spoken because they end a listed word, a listed
    /// postposition or a verb. Further endings may follow.
    fn spoken_final_vowels(&self, word: &str) -> Vec<usize> {
        let opens = self.without_endings(word).filter(|stem| {
            self.final_vowel.contains(*stem)
                || self.open_postpositions.iter().any(|postposition| stem.ends_with(postposition))
                || is_open_verb(stem)
        });
        opens.filter_map(|stem| akshara::parse(stem).len().checked_sub(1)).collect()
    }

    fn has_initial_w(&self, word: &str) -> bool {
        self.without_endings(word).any(|stem| self.initial_w.contains(stem))
    }
}

/// Returns whether a word is a verb whose last inherent vowel is spoken: a present or perfect in छ, a participle in
/// -एर, a negation or infinitive in -न. Nouns with the same letters are in `stems.tsv`, with a virama: युक्रेन.
fn is_open_verb(word: &str) -> bool {
    let ends = |ending: &str| word.ends_with(ending);
    let aksharas = akshara::parse(word).len();
    let short = ends("छ") || ends("छैन") || ends("एन") || ends("एर") || ends("कन") && ends_in_participle(word);
    let long = ["ैन", "ेन", "ेर", "्दिन", "ँदिन", "िदिन", "इदिन", "ाउन", "आउन"].iter().any(|ending| ends(ending));
    short || long && aksharas > 2
}

/// Returns whether a word ends in the -ikana of participles: गरिकन, भईकन.
fn ends_in_participle(word: &str) -> bool {
    word.strip_suffix("कन").is_some_and(|stem| stem.ends_with(['ि', 'ी', 'इ', 'ई']))
}

/// Returns whether the last vowel is kept: after a cluster that is not English, after a nasal sign, and after h and y.
fn keeps_final(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{Ga, Ha, La, Ya};
    let nasal_before = before.is_some_and(|before| before.anusvara);
    match akshara.consonants.as_slice() {
        [.., Ha] | [Ya] => true,
        // the vowel is silent after English -ing, but spoken in लिंग
        [Ga] => nasal_before && !before.is_some_and(|before| is_i(before) && before.consonants[..] != [La]),
        [_] => nasal_before,
        cluster => !is_english(cluster, before),
    }
}

fn is_i(akshara: &Akshara) -> bool {
    matches!(akshara.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii))
}

/// Returns whether a cluster at the end of a word occurs in English words, which have no vowel after it: पोस्ट, बोर्ड,
/// कोर्स, मास्क. A cluster of a nasal and a stop is also English after ्या, which represents æ: क्याम्प.
fn is_english(cluster: &[Consonant], before: Option<&Akshara>) -> bool {
    use Consonant::{Ca, Dda, Ga, Ja, Ka, La, Ma, Na, Nga, Nya, Pa, Pha, Ra, Sa, Tha, Tta, Ya};
    let near_open = before.is_some_and(|before| {
        before.nucleus == Nucleus::Vowel(Vowel::Aa) && matches!(before.consonants.as_slice(), [_, .., Ya])
    });
    match cluster {
        [.., Dda | Ga | Ka | La | Ma | Na | Nga | Pa | Ra | Tta, Sa]
        | [.., Ka | La | Na | Pa | Pha | Ra | Sa, Tta | Dda]
        | [.., Sa, Ka]
        | [.., Na | Nya | Ra, Ja]
        | [.., Na, Ca]
        | [.., La, Tha]
        | [.., Ja, Ma] => true,
        [Ma | Na | Nga, _] => near_open,
        _ => false,
    }
}

struct Nepali {
    /// `true` if an initial व is pronounced w.
    initial_w: bool,
}

impl Nepali {
    /// Returns the sound of व: w between vowels and after a consonant other than r and m, and b in most other contexts.
    /// In Nepali, Sanskrit v has become b, but is still written व.
    fn labial(&self, word: &Word, i: usize, place: usize) -> Symbol {
        use Consonant::{Ma, Ra, Ya};
        let akshara = &word.aksharas[i];
        if place > 0 {
            let after_sonorant = matches!(akshara.consonants[place - 1], Ra | Ma);
            return if after_sonorant { Symbol::B } else { Symbol::W };
        }
        if i == 0 && self.initial_w {
            return Symbol::W;
        }
        let front = matches!(word.vowel(i), None | Some(Vowel::I | Vowel::Ii | Vowel::VocalicR | Vowel::Ai));
        let joined = matches!(akshara.consonants.get(1), Some(Ya | Ra));
        let after_nasal = i > 0 && word.aksharas[i - 1].anusvara;
        if i == 0 || front || joined || after_nasal { Symbol::B } else { Symbol::W }
    }
}

impl Sounds for Nepali {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        use Consonant::{Ha, Ja, Ka, Ma, Na, Nya, Ra, Ssa, Va};
        let consonants = word.aksharas[i].consonants.as_slice();
        let mut place = 0;
        while let Some(&letter) = consonants.get(place) {
            let next = consonants.get(place + 1);
            let length = match (letter, next) {
                (Ja, Some(Nya)) => {
                    push(phones, Symbol::G);
                    push(phones, Symbol::Y);
                    2
                }
                (Ka, Some(Ssa)) => {
                    // the k closes the preceding syllable
                    let closes = |last: &Phone| last.is_vowel() || last.symbol == Symbol::Ng;
                    if phones.last().is_some_and(closes) {
                        push(phones, Symbol::K);
                    }
                    push(phones, Symbol::Ch);
                    let open = matches!(word.vowel(i), Some(Vowel::A | Vowel::Aa));
                    if open && consonants.len() == place + 2 {
                        push(phones, Symbol::Y);
                    }
                    2
                }
                // h is pronounced after a nasal that is joined to it: चिह्न, ब्राह्मण
                (Ha, Some(&nasal @ (Na | Ma))) => {
                    push(phones, sound(nasal));
                    push(phones, Symbol::H);
                    2
                }
                // h before r is silent inside a word: बाह्र
                (Ha, Some(Ra)) if !phones.is_empty() => 1,
                (Va, _) => {
                    push(phones, self.labial(word, i, place));
                    1
                }
                _ => {
                    push(phones, if is_flap(word, i, place) { flap(letter) } else { sound(letter) });
                    1
                }
            };
            place += length;
        }
    }

    fn vowel(&self, _word: &Word, _i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        indo_aryan::push_vowel(phones, &VOWELS, vowel);
    }

    /// Nasalises the vowel for ँ, and for ं on औ and on a vowel letter inside the word, where ं is written instead of ँ
    /// (तपाईंको, काठमाडौंमा). Otherwise, appends m before glides, r and s (संस्था), ŋ before h, and the nasal of the same
    /// place of articulation before other consonants.
    fn nasal_before(&self, _next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let akshara = &word.aksharas[i];
        let native = akshara.nucleus == Nucleus::Vowel(Vowel::Au) || akshara.independent && i > 0;
        if akshara.candrabindu || native {
            return nasal::nasalise_last(phones);
        }
        let consonant = match word.next_consonant(i) {
            Some(Consonant::Va | Consonant::Ya | Consonant::Ra | Consonant::Sha | Consonant::Sa) => Symbol::M,
            Some(Consonant::Ha) => Symbol::Ng,
            Some(letter) => nasal::homorganic(sound(letter)),
            None => Symbol::N,
        };
        phones.push(Phone::new(consonant));
    }

    /// Appends m for a ं after the inherent vowel of a Sanskrit word (एवं), and nasalises all other vowels.
    fn final_nasal(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let akshara = &word.aksharas[i];
        if akshara.nucleus == Nucleus::Inherent && !akshara.candrabindu && i > 0 {
            return phones.push(Phone::new(Symbol::M));
        }
        nasal::nasalise_last(phones);
    }

    /// Lengthens the next consonant for a visarga (दुःख); a final visarga is silent.
    fn visarga(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if let Some(next) = word.next_consonant(i) {
            let next = sound(next);
            let plain = Symbol::ALL.iter().copied().find(|&plain| letters::aspirated(plain) == Some(next));
            push(phones, plain.unwrap_or(next));
        }
    }
}

/// Returns whether the consonant at `place` of the akshara at `i` is a flap: ड or ढ after a spoken oral vowel, alone
/// or before a consonant that does not join it in an onset (पढ्नु).
fn is_flap(word: &Word, i: usize, place: usize) -> bool {
    use Consonant::{Dda, Ddha, Ra, Va, Ya};
    let akshara = &word.aksharas[i];
    let retroflex = place == 0 && matches!(akshara.consonants[0], Dda | Ddha);
    let Some(before) = i.checked_sub(1).filter(|_| retroflex) else { return false };
    let open = word.vowel(before).is_some() && !word.aksharas[before].anusvara;
    open && !matches!(akshara.consonants.get(1), Some(Dda | Ddha | Ra | Va | Ya))
}

/// Returns the flap of ड or ढ.
fn flap(letter: Consonant) -> Symbol {
    if letter == Consonant::Ddha { Symbol::Rdh } else { Symbol::Rd }
}

/// Returns the usual sound of a consonant letter.
fn sound(letter: Consonant) -> Symbol {
    use Consonant as C;
    match letter {
        C::Ca => Symbol::Ts,
        C::Ja | C::Za => Symbol::Dz,
        C::Jha => Symbol::Dzh,
        C::Nya | C::Nna => Symbol::N,
        C::Sha | C::Ssa => Symbol::S,
        C::Fa => Symbol::Ph,
        C::Qa => Symbol::K,
        C::Khha => Symbol::Kh,
        C::Ghha => Symbol::G,
        C::Lla => Symbol::L,
        C::Va => Symbol::W,
        other => indo_aryan::consonant(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_valid_and_their_words_are_used() {
        let lists: Lists = toml::from_str(crate::files::text!("ne/sounds.toml")).expect("valid lists");
        for word in &lists.final_vowel {
            let last = akshara::parse(word).len() - 1;
            assert_eq!(lists.spoken_final_vowels(word), [last], "{word}");
            assert_eq!(lists.spoken_final_vowels(&format!("{word}को")), [last], "{word}को");
        }
        for word in &lists.initial_w {
            assert!(word.starts_with('व'), "{word}");
            assert!(lists.has_initial_w(&format!("{word}हरूको")), "{word}");
        }
    }

    #[test]
    fn nouns_are_not_verbs() {
        for (word, open) in [
            ("हुन्छ", true),
            ("गरेर", true),
            ("गर्दिन", true),
            ("जन्मदिन", false),
            ("ऐन", false),
            ("सेन", false),
            ("देर", false),
        ] {
            assert_eq!(is_open_verb(word), open, "{word}");
        }
    }
}
