//! A word in Latin letters, and what speaks for its being in a language rather than English.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use shruti_lang::Language;
use shruti_translit::{Reading, Roman, WordCosts};

use super::trigrams::{self, Trigrams};
use super::{lists, plain_letters};
use crate::english;
use crate::normalize::data::is_function_word;

/// Evidence that a word of a turn of English is romanised, beforehand, where all of the segment is Latin.
pub(super) const IN_ENGLISH: f32 = -1.0;
/// The letters alone never count for more than this.
const MOST_FROM_LETTERS: f32 = 5.0;
/// In an English turn, another language is considered from this evidence on, for one word.
pub(super) const TELLING: f32 = 3.0;
/// How many words that tell by their letters alone are enough, or one that a list has.
pub(super) const ENOUGH: u32 = 2;
/// Evidence of a word that a language lists and English knows, but seldom uses; it tells nothing unless its letters do.
const KNOWN_IN_BOTH: f32 = 4.5;
/// Evidence that a word in capitals among others is English.
pub(super) const CAPITALS: f32 = 6.0;
/// No single word says more than this for or against a language, in nats.
pub(super) const MOST_EVIDENCE: f32 = 8.0;
/// A frequent English word that the lists of a language do not have speaks against that language at least so much.
const MOST_OF_FREQUENT: f32 = -5.0;
/// What a word costs, in nats, that English has and the table of frequent words has not.
const KNOWN_COST: f32 = 14.0;
/// What a word costs, in nats, that is in the table of frequent English words.
const FREQUENT_COST: f32 = 8.0;
/// A word that no table has, or a name, says no more than this for a language in an English turn.
const MOST_FROM_UNLISTED: f32 = 4.0;
pub(super) const MOST_FROM_NAME: f32 = 2.5;
/// What a word of the lists costs at most, in steps.
const LISTED_COST: u32 = 6 * 16;
/// Letters beyond this many tell nothing new.
const LONGEST: usize = 40;

/// So many words are remembered by each thread, in about 300 KB.
const MOST_REMEMBERED: usize = 2_048;

thread_local! {
    /// What lexicons say of words, by their letters. It depends on nothing else, takes longer than all the rest of a segment, and
    /// is asked for the same words again and again.
    static REMEMBERED: RefCell<HashMap<Box<str>, ByLexicon>> = RefCell::default();
}

/// For each language that was asked for, how much likelier a word is one of it than an English one, if its lexicon tells.
type ByLexicon = [Option<Option<f32>>; Language::ALL.len()];

/// What a lexicon says of a word, found anew where it is not remembered.
fn remembered(letters: &str, language: Language, find: impl FnOnce() -> Option<f32>) -> Option<f32> {
    let known = REMEMBERED.with_borrow(|words| words.get(letters).and_then(|word| word[language as usize]));
    known.unwrap_or_else(|| {
        let found = find();
        REMEMBERED.with_borrow_mut(|words| {
            if words.len() >= MOST_REMEMBERED && !words.contains_key(letters) {
                words.clear();
            }
            words.entry(letters.into()).or_default()[language as usize] = Some(found);
        });
        found
    })
}

/// How far a word that no table of frequent ones has is looked into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// In the lexicon of the language, and by its letters where that does not have it: what several languages are compared by.
    Lexicon,
    /// By how the language spells, too, as it will be read.
    Spelling,
}

/// How a Latin word is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// With no capital at its beginning.
    Small,
    /// With one, as names are.
    Name,
    /// In capitals.
    Capitals,
}

/// A Latin word, with what does not depend on the language it is compared with. Most words of a text are told by being
/// frequent; what is not there at first is found when it is first asked for.
pub(super) struct Word {
    pub(super) key: lists::Key,
    pub(super) has_diacritics: bool,
    pub(super) case: Case,
    /// Whether it has capitals behind its beginning, as codes and brands have: `HbA`, `iPhone`.
    mixed: bool,
    pub(super) frequent_english: bool,
    /// Whether English text has it as a name or word of Indian origin.
    indian_name: OnceCell<bool>,
    /// Whether it is English as far as the lexicon knows.
    english: OnceCell<bool>,
    /// Its rows of letters, and what they cost in English.
    trigrams: OnceCell<(Trigrams, f32)>,
    /// Its letters and what they cost in each language, where there are tables.
    pub(super) costs: Option<(Roman, WordCosts)>,
    /// How much likelier it is in each language than in English, as far as the lexicon of the language tells.
    by_lexicon: [OnceCell<Option<f32>>; Language::ALL.len()],
    /// Its readings in each language.
    readings: [OnceCell<Vec<Reading>>; Language::ALL.len()],
}

impl Word {
    pub(super) fn new(word: &str) -> Self {
        let mut letters = plain_letters(word);
        // the English pronoun is the one word of a single letter that stands as a capital
        let capitals = !word.chars().any(char::is_lowercase) && (letters.len() > 1 || letters == "i");
        let mixed = !capitals && word.chars().skip(1).any(char::is_uppercase);
        let frequent_english = trigrams::is_frequent_english(&letters);
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
            frequent_english,
            indian_name: OnceCell::new(),
            english: OnceCell::new(),
            trigrams: OnceCell::new(),
        }
    }

    /// Notes that it is the first of several in its segment, which may have a capital whatever it is.
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

    /// Whether it is a name of India with a capital, whose sounds English knows better than `language` knows its spelling: `Priya`
    /// is no प्रिय.
    pub(super) fn is_name_of_india(&self, language: Language) -> bool {
        let is_listed = || self.is_indian_name() || english::is_indian_name(self.key.letters());
        self.case == Case::Name && is_listed() && !self.key.is_exact(language)
    }

    /// How much likelier its letters alone are in `language` than in English, in nats.
    fn by_letters(&self, language: Language) -> f32 {
        let (trigrams, in_english) = self.trigrams.get_or_init(|| {
            let trigrams = Trigrams::of(self.key.letters());
            let in_english = trigrams.cost(Language::English);
            (trigrams, in_english)
        });
        (in_english - trigrams.cost(language)).clamp(-MOST_FROM_LETTERS, MOST_FROM_LETTERS)
    }

    /// The native words that it may be in a language, the likeliest first.
    pub(super) fn readings(&self, language: Language) -> &[Reading] {
        self.readings[language as usize].get_or_init(|| {
            let Some((model, (roman, _))) = shruti_translit::model(language).zip(self.costs.as_ref()) else {
                return Vec::new();
            };
            let mut readings = model.readings(roman);
            // what is listed is what people who type it mean most
            let best = readings.first().map_or(LISTED_COST, |best| best.cost.min(LISTED_COST));
            if let Some(listed) = self.key.listed(language).and_then(|native| model.reading(native, best)) {
                readings.retain(|reading| reading.units != listed.units);
                readings.insert(0, listed);
            }
            readings
        })
    }

    /// Whether some language lists it and English does not have it.
    pub(super) fn is_listed_alone(&self) -> bool {
        !self.is_english() && Language::ALL.into_iter().any(|language| self.key.is_exact(language))
    }

    /// Whether it alone shows that a text has words of a language: no name, and no word that English has and the language does
    /// not list.
    pub(super) fn shows(&self, language: Language) -> bool {
        let own = self.key.is_exact(language) && !self.frequent_english
            || !self.is_english() && !self.is_indian_name();
        self.has_diacritics || self.case == Case::Small && self.key.letters().len() > 1 && own
    }

    /// Whether it is a word of English grammar.
    pub(super) fn is_english_grammar(&self) -> bool {
        self.frequent_english && is_function_word(self.key.letters(), Language::English)
    }

    /// Whether it is as frequent a word of English as of a language.
    pub(super) fn is_ambiguous(&self, language: Language) -> bool {
        self.frequent_english && self.key.is_exact(language)
    }

    /// What it costs as an English word, in nats.
    fn english_cost(&self, costs: &WordCosts) -> f32 {
        let cost = costs.of(Language::English);
        if costs.is_listed(Language::English) {
            return cost;
        }
        let known = if self.frequent_english { FREQUENT_COST } else { KNOWN_COST };
        if cost > known && self.is_english() { known } else { cost }
    }

    /// How much likelier the word is one of `language` than an English one by the tables of both; `None` where there are none.
    pub(super) fn likelier(&self, language: Language, depth: Depth) -> Option<f32> {
        let (_, costs) = self.costs.as_ref()?;
        if depth == Depth::Lexicon && !costs.is_listed(language) {
            let find = || remembered(self.key.letters(), language, || self.likelier_by_lexicon(language));
            return *self.by_lexicon[language as usize].get_or_init(find);
        }
        let own = if costs.is_listed(language) {
            costs.of(language)
        } else {
            self.readings(language).first()?.cost as f32 / shruti_translit::STEPS_A_NAT
        };
        Some(self.english_cost(costs) - own)
    }

    fn likelier_by_lexicon(&self, language: Language) -> Option<f32> {
        let (roman, costs) = self.costs.as_ref()?;
        let english = self.english_cost(costs);
        // a word that costs more says no more against the language
        let most_steps = (english + MOST_EVIDENCE) * shruti_translit::STEPS_A_NAT;
        let known = shruti_translit::model(language)?.known_cost(roman, most_steps as u32);
        let own = known.map_or(costs.of(language), |cost| cost as f32 / shruti_translit::STEPS_A_NAT);
        // what is listed is what people who type it mean most
        let most =
            if self.key.is_exact(language) { LISTED_COST as f32 / shruti_translit::STEPS_A_NAT } else { own };
        Some(english - own.min(most))
    }

    /// How much more likely it is a romanised word of `language` than an English one, in nats.
    pub(super) fn evidence(&self, language: Language, depth: Depth) -> f32 {
        if self.has_diacritics {
            return 12.0;
        }
        if self.is_ambiguous(language) {
            return 0.0;
        }
        if let Some(nats) = self.likelier(language, depth) {
            let most = if self.frequent_english { MOST_OF_FREQUENT } else { MOST_EVIDENCE };
            return nats.clamp(-MOST_EVIDENCE, most);
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

    /// What a word of an English turn says for a language before it is read in it, by the table of all languages.
    pub(super) fn hint(&self, language: Language) -> Option<f32> {
        let (_, costs) = self.costs.as_ref()?;
        if self.has_diacritics {
            return Some(MOST_EVIDENCE);
        }
        let nats = self.english_cost(costs) - costs.of(language);
        let most = match (costs.is_listed(language), self.case) {
            (true, Case::Small) => MOST_EVIDENCE,
            (false, Case::Small) => MOST_FROM_UNLISTED,
            _ => MOST_FROM_NAME,
        };
        let capitals = if self.case == Case::Capitals { CAPITALS } else { 0.0 };
        Some(nats.clamp(-MOST_EVIDENCE, most) - capitals + IN_ENGLISH)
    }

    /// How far its evidence alone is reason to consider `language` in an English turn, where [`ENOUGH`] is enough. One
    /// word that no list has, or has only in another spelling, is likelier a name, and so is any with a capital:
    /// English reads names itself. What takes longest, the lexicon, is asked last.
    pub(super) fn tells(&self, language: Language) -> u32 {
        if self.has_diacritics {
            return ENOUGH;
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
        if certain { ENOUGH } else { 1 }
    }
}
