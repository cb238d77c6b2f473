//! Words in Latin letters, and the evidence that a word is in an Indian language, not English.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use shruti_lang::Language;
use shruti_translit::{Reading, Roman, WordCosts};

use super::trigrams::Trigrams;
use super::{lists, plain_letters};
use crate::data::is_function_word;
use crate::language::spec;
use crate::phone::Symbol;
use crate::{english, word};

/// Prior evidence, in nats, that a Latin word of an English turn is romanised.
pub(super) const IN_ENGLISH: f32 = -1.0;
/// Maximum evidence, in nats, of the letters of a word alone, for or against a language.
const MAX_FROM_LETTERS: f32 = 5.0;
/// Minimum evidence, in nats, of a word that counts as a sign of an Indian language.
pub(super) const TELLING: f32 = 3.0;
/// Minimum total of [`Word::candidate_strength`] for a language to be considered in an English turn. One listed word is
/// enough, or two words that are less certain.
pub(super) const SUFFICIENT_STRENGTH: u32 = 2;
/// Evidence, in nats, of a word that a language lists and that is also a less frequent English word. In an English
/// turn, the word counts only if its letters do not favour English.
const KNOWN_IN_BOTH: f32 = 4.5;
/// Evidence, in nats, that a word in capitals among other words, or a brand, is English.
pub(super) const CAPITALS: f32 = 6.0;
/// Maximum evidence of a single word for or against a language, in nats.
pub(super) const MAX_EVIDENCE: f32 = 8.0;
/// Maximum evidence, in nats, for a language from a frequent English word that the lists of the language do not
/// contain.
const MAX_OF_FREQUENT: f32 = -5.0;
/// Maximum cost, in nats, of an English word that is neither frequent nor in the table of all languages.
const KNOWN_COST: f32 = 14.0;
/// Maximum cost, in nats, of a frequent English word that is not in the table of all languages.
const FREQUENT_COST: f32 = 8.0;
/// Maximum evidence, in nats, for a language in an English turn: from a word that no table contains
/// ([`MAX_FROM_UNLISTED`]), and from a name ([`MAX_FROM_NAME`]).
const MAX_FROM_UNLISTED: f32 = 4.0;
pub(super) const MAX_FROM_NAME: f32 = 2.5;
/// Maximum cost, in steps of `shruti-translit`, of a word that the lists of the language contain.
const LISTED_COST: u32 = 6 * 16;
/// Maximum number of letters that are examined; further letters add no information.
const LONGEST: usize = 40;

/// Maximum number of cached words per thread. A full cache takes about 300 KB.
const MAX_CACHED: usize = 2_048;

thread_local! {
    /// Cache of lexicon evidence by the letters of a word. The evidence depends only on the letters and is requested
    /// repeatedly for the same words. Computing it takes longer than all other work on a segment.
    static REMEMBERED: RefCell<HashMap<Box<str>, ByLexicon>> = RefCell::default();
}

/// Evidence of the lexicon of each language for a word and against English. The outer `None` means that the language
/// has not been looked up, and the inner `None` that there is no evidence.
type ByLexicon = [Option<Option<f32>>; Language::ALL.len()];

/// Returns the lexicon evidence of a word from the cache, or computes it with `find`.
fn remembered(letters: &str, language: Language, find: impl FnOnce() -> Option<f32>) -> Option<f32> {
    let known = REMEMBERED.with_borrow(|words| words.get(letters).and_then(|word| word[language as usize]));
    known.unwrap_or_else(|| {
        let found = find();
        REMEMBERED.with_borrow_mut(|words| {
            if words.len() >= MAX_CACHED && !words.contains_key(letters) {
                words.clear();
            }
            words.entry(letters.into()).or_default()[language as usize] = Some(found);
        });
        found
    })
}

/// Depth of the search for a word that no table of frequent words contains.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The lexicon of the language, and the letters if the lexicon does not contain the word. Used to compare
    /// languages.
    Lexicon,
    /// The lexicon and the spelling model of the language, as for the final reading.
    Spelling,
}

/// Letter case of a Latin word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// No capital at the beginning.
    Small,
    /// A capital at the beginning or inside the word, as in names and brands, but not all capitals.
    Name,
    /// All capitals.
    Capitals,
}

/// Returns whether the final y of a word can only be a vowel, as in `Swiggy`: it follows a consonant, and the language
/// does not drop the final inherent vowel. In other languages, such a y may also be a consonant: `saty`.
fn ends_in_vowel_y(letters: &str, language: Language) -> bool {
    let vowel = |c: char| "aeiou".contains(c);
    let after_consonant = letters.strip_suffix('y').is_some_and(|start| start.ends_with(|c: char| !vowel(c)));
    after_consonant && !spec(language).romanisation.final_schwa_falls
}

/// Returns whether a native word ends in y after another consonant.
fn ends_in_glide(native: &str, language: Language) -> bool {
    let phones = word::pronounce(native, language);
    matches!(&phones[..], [.., before, last] if last.symbol == Symbol::Y && !before.is_vowel())
}

/// Latin word with its properties. The frequency of a word is usually enough to decide its language, so the costly
/// properties are computed on first use.
#[allow(clippy::struct_excessive_bools)] // each is a separate property
pub(super) struct Word {
    pub(super) key: lists::Key,
    pub(super) has_diacritics: bool,
    pub(super) case: Case,
    /// `true` if the word has capitals after its beginning, as codes and brands have: `HbA`, `iPhone`.
    mixed: bool,
    /// `true` if the word has capitals at and after its beginning, as only brands do: `ChatGPT`.
    pub(super) brand: bool,
    pub(super) frequent_english: bool,
    /// `true` if the English list of names and words of Indian origin contains the word.
    indian_name: OnceCell<bool>,
    /// `true` if the word is English, not of Indian origin.
    english: OnceCell<bool>,
    /// Letter trigrams of the word, and their cost in English.
    trigrams: OnceCell<(Trigrams, f32)>,
    /// Letters of the word and the cost of the word in each language, if there are tables.
    pub(super) costs: Option<(Roman, WordCosts)>,
    /// Evidence of each language's lexicon for the word and against English.
    by_lexicon: [OnceCell<Option<f32>>; Language::ALL.len()],
    /// Readings of the word in each language.
    readings: [OnceCell<Vec<Reading>>; Language::ALL.len()],
}

impl Word {
    pub(super) fn new(word: &str) -> Self {
        let mut letters = plain_letters(word);
        // of all one-letter words, only the English pronoun I counts as a word in capitals
        let capitals = !word.chars().any(char::is_lowercase) && (letters.len() > 1 || letters == "i");
        let mixed = !capitals && word.chars().skip(1).any(char::is_uppercase);
        let frequent_english = english::is_frequent(&letters);
        letters.truncate(LONGEST);
        let roman = Roman::new(&letters);
        let costs = roman.and_then(|roman| {
            let costs = shruti_translit::languages()?.costs(&roman);
            Some((roman, costs))
        });
        Self {
            costs,
            by_lexicon: [const { OnceCell::new() }; Language::ALL.len()],
            readings: [const { OnceCell::new() }; Language::ALL.len()],
            key: lists::Key::new(letters),
            has_diacritics: super::diacritics::has_diacritics(word),
            case: if capitals {
                Case::Capitals
            } else if mixed || word.chars().next().is_some_and(char::is_uppercase) {
                Case::Name
            } else {
                Case::Small
            },
            mixed,
            brand: mixed && word.starts_with(char::is_uppercase),
            frequent_english,
            indian_name: OnceCell::new(),
            english: OnceCell::new(),
            trigrams: OnceCell::new(),
        }
    }

    /// Marks the word as the first of several in its segment, where any word may have a capital. The capital is then
    /// ignored, unless the word also has inner capitals or is an Indian name.
    pub(super) fn begins(&mut self) {
        if self.case == Case::Name && !self.mixed && !self.is_indian_name() {
            self.case = Case::Small;
        }
    }

    pub(super) fn is_indian_name(&self) -> bool {
        *self.indian_name.get_or_init(|| english::is_indian_word(self.key.letters()))
    }

    pub(super) fn is_english(&self) -> bool {
        let known = || !self.is_indian_name() && english::is_word(self.key.letters());
        self.frequent_english || *self.english.get_or_init(known)
    }

    /// Returns whether the lists of a language contain the word and the word is not frequent in English.
    pub(super) fn is_listed_in(&self, language: Language) -> bool {
        !self.frequent_english && self.key.is_exact(language)
    }

    /// Returns whether the word is a capitalised Indian name that the lists of `language` do not contain. The English
    /// pronunciation of the name is more reliable than a native spelling derived from its letters: `Priya` is not प्रिय.
    pub(super) fn is_name_of_india(&self, language: Language) -> bool {
        let is_listed = || self.is_indian_name() || english::is_indian_name(self.key.letters());
        self.case == Case::Name && is_listed() && !self.key.is_exact(language)
    }

    /// Returns the evidence of the letters alone for `language` and against English, in nats.
    fn by_letters(&self, language: Language) -> f32 {
        let (trigrams, in_english) = self.trigrams.get_or_init(|| {
            let trigrams = Trigrams::of(self.key.letters());
            let in_english = trigrams.cost(Language::English);
            (trigrams, in_english)
        });
        (in_english - trigrams.cost(language)).clamp(-MAX_FROM_LETTERS, MAX_FROM_LETTERS)
    }

    /// Returns the possible native words in a language, the likeliest first.
    pub(super) fn readings(&self, language: Language) -> &[Reading] {
        self.readings[language as usize].get_or_init(|| {
            let Some((model, (roman, _))) = shruti_translit::model(language).zip(self.costs.as_ref()) else {
                return Vec::new();
            };
            let mut readings = model.readings(roman);
            // people who type these letters usually mean the listed word
            let best = readings.first().map_or(LISTED_COST, |best| best.cost.min(LISTED_COST));
            if let Some(listed) = self.key.listed(language).and_then(|native| model.reading(native, best)) {
                readings.retain(|reading| reading.units != listed.units);
                readings.insert(0, listed);
            }
            if ends_in_vowel_y(self.key.letters(), language) {
                readings.retain(|reading| !ends_in_glide(&model.native(reading), language));
            }
            readings
        })
    }

    /// Returns whether a finished language lists the word and the word is not English.
    pub(super) fn is_listed_alone(&self) -> bool {
        !self.is_english() && Language::FINISHED.into_iter().any(|language| self.key.is_exact(language))
    }

    /// Returns whether the word alone is enough evidence that a text contains words of a language. The word must have
    /// diacritics, or it must have several letters and no capital at the beginning. In the latter case, it must also be
    /// either listed in the language and not frequent in English, or neither English nor in the English list of words
    /// of Indian origin.
    pub(super) fn is_sufficient_evidence(&self, language: Language) -> bool {
        let own = self.key.is_exact(language) && !self.frequent_english
            || !self.is_english() && !self.is_indian_name();
        self.has_diacritics || self.case == Case::Small && self.key.letters().len() > 1 && own
    }

    /// Returns whether the word is a frequent English function word.
    pub(super) fn is_english_grammar(&self) -> bool {
        self.frequent_english && is_function_word(self.key.letters(), Language::English)
    }

    /// Returns whether the word is frequent both in English and in `language`.
    pub(super) fn is_ambiguous(&self, language: Language) -> bool {
        self.frequent_english && self.key.is_exact(language)
    }

    /// Returns the cost of the word in English, in nats.
    fn english_cost(&self, costs: &WordCosts) -> f32 {
        let cost = costs.of(Language::English);
        if costs.is_listed(Language::English) {
            return cost;
        }
        let known = if self.frequent_english { FREQUENT_COST } else { KNOWN_COST };
        if cost > known && self.is_english() { known } else { cost }
    }

    /// Returns the evidence of the tables, in nats, for the word in `language` and against English. Returns `None` if
    /// there are no tables or they have no reading of the word.
    pub(super) fn likelier(&self, language: Language, depth: Depth) -> Option<f32> {
        let (_, costs) = self.costs.as_ref()?;
        if depth == Depth::Lexicon && !costs.is_listed(language) {
            let find = || remembered(self.key.letters(), language, || self.likelier_by_lexicon(language));
            return *self.by_lexicon[language as usize].get_or_init(find);
        }
        let own = if costs.is_listed(language) {
            costs.of(language)
        } else {
            self.readings(language).first()?.cost as f32 / shruti_translit::STEPS_PER_NAT
        };
        Some(self.english_cost(costs) - own)
    }

    fn likelier_by_lexicon(&self, language: Language) -> Option<f32> {
        let (roman, costs) = self.costs.as_ref()?;
        let english = self.english_cost(costs);
        // a higher cost adds no evidence against the language
        let most_steps = (english + MAX_EVIDENCE) * shruti_translit::STEPS_PER_NAT;
        let known = shruti_translit::model(language)?.known_cost(roman, most_steps as u32);
        let own = known.map_or(costs.of(language), |cost| cost as f32 / shruti_translit::STEPS_PER_NAT);
        // people who type these letters usually mean the listed word
        let most = if self.key.is_exact(language) {
            LISTED_COST as f32 / shruti_translit::STEPS_PER_NAT
        } else {
            own
        };
        Some(english - own.min(most))
    }

    /// Returns the evidence, in nats, that the word is a romanised word of `language`, not English.
    pub(super) fn evidence(&self, language: Language, depth: Depth) -> f32 {
        if self.has_diacritics {
            return 12.0;
        }
        if self.is_ambiguous(language) {
            return 0.0;
        }
        if let Some(nats) = self.likelier(language, depth) {
            let most = if self.frequent_english { MAX_OF_FREQUENT } else { MAX_EVIDENCE };
            return nats.clamp(-MAX_EVIDENCE, most);
        }
        let exact = self.key.is_exact(language);
        let alike = exact || self.key.native(language).is_some();
        match (exact, alike, self.frequent_english) {
            (true, _, true) => 0.0,
            (true, ..) if self.is_english() => KNOWN_IN_BOTH + 0.2 * self.by_letters(language),
            (true, ..) => 6.0,
            (_, _, true) => -6.0,
            (_, true, _) if self.is_english() => -0.5 + 0.4 * self.by_letters(language),
            (_, true, _) => 3.0 + 0.4 * self.by_letters(language),
            _ if self.is_english() => -2.5 + 0.4 * self.by_letters(language),
            _ if self.is_indian_name() => 0.5 * self.by_letters(language),
            _ if self.key.letters().len() < 2 => -3.0,
            _ => 0.5 + 0.8 * self.by_letters(language),
        }
    }

    /// Returns the evidence, in nats, for a language from a word in an English turn, by the joint table of all
    /// languages. Returns `None` if there is no table.
    pub(super) fn coarse_evidence(&self, language: Language) -> Option<f32> {
        let (_, costs) = self.costs.as_ref()?;
        if self.has_diacritics {
            return Some(MAX_EVIDENCE);
        }
        let nats = self.english_cost(costs) - costs.of(language);
        let most = match (costs.is_listed(language), self.case) {
            (true, Case::Small) => MAX_EVIDENCE,
            (false, Case::Small) => MAX_FROM_UNLISTED,
            _ => MAX_FROM_NAME,
        };
        let capitals = if self.case == Case::Capitals { CAPITALS } else { 0.0 };
        Some(nats.clamp(-MAX_EVIDENCE, most) - capitals + IN_ENGLISH)
    }

    /// Returns the strength of the word alone as a reason to consider `language` in an English turn: 0, 1 or
    /// [`SUFFICIENT_STRENGTH`]. The strength is at most 1 for a capitalised word, and for a word that the language does
    /// not list in exactly this spelling, because such words are probably names, and the English rules read names. The
    /// lexicon is checked last because the lookup takes longest.
    pub(super) fn candidate_strength(&self, language: Language) -> u32 {
        if self.has_diacritics {
            return SUFFICIENT_STRENGTH;
        }
        let letters = || self.case == Case::Small && 0.5 + 0.8 * self.by_letters(language) >= TELLING;
        if self.frequent_english || !(self.key.native(language).is_some() || letters()) {
            return 0;
        }
        let english = self.is_english();
        if self.evidence(language, Depth::Lexicon) < if english { KNOWN_IN_BOTH } else { TELLING } {
            return 0;
        }
        let certain = !english && self.case == Case::Small && self.key.is_exact(language);
        if certain { SUFFICIENT_STRENGTH } else { 1 }
    }
}
