//! The language of each word of a segment.
//!
//! Each Latin word gets evidence for being romanised against being English, in nats; the best sequence of languages is
//! then found with a cost for each change (Viterbi, 1967), so that words which could be either follow their neighbours.

use std::cell::OnceCell;

use serde::Serialize;
use shruti_protocol::Language;
use shruti_translit::{Reading, Roman, WordCosts};

use super::trigrams::{self, Trigrams};
use super::{Romanisation, ambiguous, lists, name, plain_letters};
use crate::english;
use crate::language::{self, spec};
use crate::script::Script;

/// What a change of language between two words costs.
const CHANGE: f32 = 1.5;
/// Evidence that a word is romanised from the words around it being in the turn's own script, in which English
/// words stay Latin and others do not.
const BESIDE_OWN_SCRIPT: f32 = -3.0;
/// The same where all of the segment is Latin, in a turn of an Indian language and in one of English.
const ALL_LATIN: f32 = 1.5;
const IN_ENGLISH: f32 = -1.0;
/// The same in a segment that is romanised with diacritics.
const WITH_DIACRITICS: f32 = 3.0;
/// The letters alone never count for more than this.
const MOST_FROM_LETTERS: f32 = 5.0;
/// In an English turn, another language is considered from this evidence on, for one word.
const TELLING: f32 = 3.0;
/// How many words that tell by their letters alone are enough, or one that a list has.
const ENOUGH: u32 = 2;
/// Evidence of a word that a language lists and English knows, but seldom uses; it tells nothing unless its letters do.
const KNOWN_IN_BOTH: f32 = 4.5;
/// Evidence that a word in capitals among others is English.
const CAPITALS: f32 = 6.0;
/// So many words of a language, and more than English ones, make a segment of an English turn one of that language.
const LEAST_PREVAILING: usize = 2;
/// No single word says more than this for or against a language, in nats.
const MOST_EVIDENCE: f32 = 8.0;
/// A frequent English word that the lists of a language do not have speaks against that language at least so much.
const MOST_OF_FREQUENT: f32 = -5.0;
/// A word that the lists of a language have, and that is not frequent in English, says at least so much for the language of a turn.
const LEAST_OF_LISTED: f32 = 4.0;
/// What tells between languages beyond that.
const MOST_BEYOND: f32 = 12.0;
/// What a word costs, in nats, that English has and the table of frequent ones has not; and one that is frequent.
const KNOWN_COST: f32 = 12.5;
const FREQUENT_COST: f32 = 8.0;
/// What the words of a segment of an English turn must say together for another language.
const LEAST_GAIN: f32 = 3.0;
/// The same at first sight, and how many languages are then compared.
const LEAST_AT_FIRST: f32 = -2.0;
const COMPARED: usize = 6;
/// A language that is this much behind the first one at first sight is not compared.
const FAR_BEHIND: f32 = 14.0;
/// So many words of a segment are enough to tell.
const ENOUGH_WORDS: usize = 12;
/// What it says for a language that the romanised words of the segments before were in it.
const GOES_ON: f32 = 3.0;
/// A word that no table has, or a name, says no more than this for a language in an English turn.
const MOST_FROM_UNLISTED: f32 = 4.0;
const MOST_FROM_NAME: f32 = 2.5;
/// What a word of the lists costs at most, in steps.
const LISTED_COST: u32 = 6 * 16;
/// Letters beyond this many tell nothing new.
const LONGEST: usize = 40;

/// A word of a segment, with its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The language that it is read in.
    pub(crate) language: Language,
    /// The word in the script of that language, where it is written in Latin letters and the language is not.
    pub(crate) native: Option<String>,
}

/// Why a word in Latin letters is read as it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// Where its spelling in the script of the language comes from.
    pub source: Source,
    /// How much likelier it is alone, without the words beside it, in the romanised language than in English, in nats; below 0
    /// where it is likelier English.
    pub over_english: f32,
    /// The reading of the same language that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
}

/// Where the native spelling of a romanised word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A hand-written list: `data/<code>/romanised.tsv`.
    List,
    /// The lexicon of the language in `shruti-translit`.
    Lexicon,
    /// The model of how the language spells: no lexicon has it.
    Spelling,
    /// It is a name of India, said as English knows it.
    Name,
    /// English has it.
    English,
    /// Its letters alone: it stays as it is written, or is spelt letter by letter.
    Letters,
}

/// The reading that was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunnerUp {
    /// The word in the script of the language.
    pub text: String,
    /// How much less likely it is than the one that was chosen, without the words beside it, in nats; below 0 where those decided.
    pub behind: f32,
}

/// The language of each word of a segment in a turn of `turn`.
///
/// Words in another script than Latin are in the turn's language if it is written in that script, else in the script's
/// own. Latin words are English, or romanised: in the turn's language, in a turn of English in that Indian
/// language which the segment gives most evidence of. Nothing outside `words` is looked at.
pub fn identify(words: &[&str], turn: Language) -> Vec<Language> {
    languages(words, turn, None)
}

/// The same behind words that were romanised in the language `before`.
pub(crate) fn languages(words: &[&str], turn: Language, before: Option<Language>) -> Vec<Language> {
    Segment::new(words, turn, before).languages
}

/// The words of a segment with their languages, romanised ones in their own script: each as it is likeliest beside the words
/// before and after it.
pub(crate) fn read(words: &[&str], turn: Language, before: Option<Language>) -> Vec<Found> {
    let Segment { languages, latin, plain } = Segment::new(words, turn, before);
    let mut found: Vec<Found> =
        languages.into_iter().map(|language| Found { language, native: None }).collect();
    let romanisation = Romanisation::of(words);
    let mut from = 0;
    while from < latin.len() {
        // words of one language that stand in a row
        let language = found[latin[from]].language;
        let rest = latin[from..]
            .windows(2)
            .take_while(|pair| pair[1] == pair[0] + 1 && found[pair[1]].language == language);
        let to = from + 1 + rest.count();
        if spec(language).script != Script::Latin {
            let natives = native_words(&plain[from..to], language, romanisation);
            for (&at, native) in latin[from..to].iter().zip(natives) {
                found[at].native = native;
            }
        }
        from = to;
    }
    found
}

/// Romanised words in a row in the script of their language, where the tables have a reading.
fn native_words(plain: &[Word], language: Language, romanisation: Romanisation) -> Vec<Option<String>> {
    let model = shruti_translit::model(language).filter(|_| romanisation == Romanisation::Typed);
    let Some(model) = model else { return vec![None; plain.len()] };
    let readings: Vec<&[Reading]> = plain.iter().map(|word| word.readings(language)).collect();
    let chosen = model.choose(&readings);
    let native = |(at, chosen): (usize, Option<usize>)| {
        let word = &plain[at];
        let chosen = chosen.filter(|_| !word.has_diacritics)?;
        if word.is_name_of_india(language) {
            let spellings = readings[at].iter().map(|reading| model.native(reading));
            return name::spelling(word.key.letters(), spellings, language);
        }
        Some(model.native(&readings[at][chosen]))
    };
    chosen.into_iter().enumerate().map(native).collect()
}

/// What speaks for a Latin word as it was read in `language`, as `native`: alone, without the words beside it.
pub(crate) fn why(word: &str, language: Language, native: &str) -> Why {
    let word = Word::new(word);
    let over_english = word.evidence(language, Depth::Spelling);
    let readings = word.readings(language);
    let Some(model) = shruti_translit::model(language).filter(|_| !readings.is_empty()) else {
        return Why { source: Source::Letters, over_english, runner_up: None };
    };
    let spelt: Vec<(String, &Reading)> =
        readings.iter().map(|reading| (model.native(reading), reading)).collect();
    let chosen = spelt.iter().find(|(spelling, _)| spelling == native).map(|&(_, reading)| reading);
    let source = match chosen {
        _ if word.is_name_of_india(language) => Source::Name,
        None if native.is_ascii() && word.is_english() => Source::English,
        Some(_) if word.key.listed(language) == Some(native) => Source::List,
        Some(reading) if reading.is_known => Source::Lexicon,
        Some(_) => Source::Spelling,
        None => Source::Letters,
    };
    let runner_up = spelt.iter().find(|(spelling, _)| spelling != native);
    let runner_up = runner_up.zip(chosen).map(|((spelling, other), chosen)| RunnerUp {
        text: spelling.clone(),
        behind: (other.cost as f32 - chosen.cost as f32) / shruti_translit::STEPS_A_NAT,
    });
    Why { source, over_english, runner_up }
}

/// The words of a segment with their languages.
struct Segment {
    languages: Vec<Language>,
    /// The places of the Latin words.
    latin: Vec<usize>,
    /// The Latin words.
    plain: Vec<Word>,
}

impl Segment {
    fn new(words: &[&str], turn: Language, before: Option<Language>) -> Self {
        let own_script = spec(turn).script;
        let scripts: Vec<Option<Script>> = words.iter().map(|word| script_of(word)).collect();
        let mut languages: Vec<Language> = scripts
            .iter()
            .map(|script| match script {
                Some(script) if *script != Script::Latin && *script != own_script => {
                    language::default_of(*script)
                }
                _ => turn,
            })
            .collect();
        let latin: Vec<usize> = (0..words.len()).filter(|&i| scripts[i] == Some(Script::Latin)).collect();
        let mut plain: Vec<Word> = latin.iter().map(|&i| Word::new(words[i])).collect();
        if let [first, _, ..] = &mut plain[..]
            && latin[0] == 0
        {
            first.begins();
        }
        if latin.is_empty() {
            return Self { languages, latin, plain };
        }
        let all_latin = latin.len() == scripts.iter().flatten().count();
        let (romanised, prior) = if own_script == Script::Latin {
            (strongest(&plain, before), IN_ENGLISH)
        } else {
            (Some(turn), if all_latin { ALL_LATIN } else { BESIDE_OWN_SCRIPT })
        };
        if let Some(romanised) = romanised {
            let mut path = best_path(&evidence(&plain, romanised, prior, Depth::Spelling));
            // where most words are romanised, those that could be either are, as in a turn of that language
            if prior < ALL_LATIN && all_latin && prevails(&plain, &path) {
                path = best_path(&evidence(&plain, romanised, ALL_LATIN, Depth::Spelling));
            }
            for (i, is_romanised) in latin.iter().zip(path) {
                languages[*i] = if is_romanised { romanised } else { Language::English };
            }
        }
        Self { languages, latin, plain }
    }
}

/// For each word of a segment how much likelier it is one of `romanised` than an English one, where `prior` speaks for that
/// beforehand.
fn evidence(plain: &[Word], romanised: Language, prior: f32, depth: Depth) -> Vec<f32> {
    let has_diacritics = plain.iter().any(|word| word.has_diacritics);
    let all_caps = plain.iter().all(|word| word.case == Case::Capitals);
    let prior = if has_diacritics { WITH_DIACRITICS } else { prior };
    let own = |word: &Word| {
        let is_listed = prior > 0.0 && !word.frequent_english && word.key.is_exact(romanised);
        let nats = word.evidence(romanised, depth).max(if is_listed { LEAST_OF_LISTED } else { f32::MIN });
        match (prior == IN_ENGLISH, word.case) {
            // English reads names itself
            (true, Case::Name) => nats.min(MOST_FROM_NAME),
            // a name of India is no English word in a turn of another language, whatever its letters are like
            (false, Case::Name) if word.is_indian_name() => nats.max(0.0),
            _ => nats,
        }
    };
    let own: Vec<f32> = plain.iter().map(own).collect();
    let letters: Vec<&str> = plain.iter().map(|word| word.key.letters()).collect();
    let among_own = own.iter().any(|&nats| nats >= TELLING);
    (0..plain.len())
        .map(|at| {
            let lone_capitals = plain[at].case == Case::Capitals && !all_caps;
            // what the segment says beforehand says nothing of words that are as frequent in both languages
            let beforehand = if plain[at].is_ambiguous(romanised) && prior > 0.0 {
                ambiguous::prior_log_odds(&letters, at, romanised, among_own)
            } else {
                prior
            };
            own[at] + beforehand - if lone_capitals { CAPITALS } else { 0.0 }
        })
        .collect()
}

/// Whether most words are romanised, where each is so or not. Capitals and names do not count, since they are the same in both.
fn prevails(plain: &[Word], path: &[bool]) -> bool {
    let own = path.iter().filter(|&&is_own| is_own).count();
    let english =
        plain.iter().zip(path).filter(|(word, is_own)| !**is_own && word.case == Case::Small).count();
    own >= LEAST_PREVAILING && own > english
}

/// The Indian language that most words of a segment of an English turn are in: the one its numbers are said in. Capitals and
/// names do not count, since they are the same in both. One word is enough for `before`, the language of the words before.
pub(crate) fn prevailing(words: &[&str], before: Option<Language>) -> Option<Language> {
    let languages = Segment::new(words, Language::English, before).languages;
    let found = languages.iter().copied().find(|&language| language != Language::English)?;
    let starts_small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let (mut own, mut english) = (0, 0);
    for (word, language) in words.iter().zip(languages) {
        own += usize::from(language == found);
        english += usize::from(language == Language::English && starts_small(word));
    }
    let least = if before == Some(found) { 1 } else { LEAST_PREVAILING };
    (own >= least && own > english).then_some(found)
}

/// The script of a word's first letter that has one; a Latin word is one without letters of other scripts.
fn script_of(word: &str) -> Option<Script> {
    let mut latin = None;
    for script in word.chars().filter_map(Script::of) {
        if script != Script::Latin {
            return Some(script);
        }
        latin = Some(script);
    }
    latin
}

/// How far a word that no table of frequent ones has is looked into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// In the lexicon of the language, and by its letters where that does not have it: what several languages are compared by.
    Lexicon,
    /// By how the language spells, too, as it will be read.
    Spelling,
}

/// How a Latin word is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// With no capital at its beginning.
    Small,
    /// With one, as names are.
    Name,
    /// In capitals.
    Capitals,
}

/// A Latin word, with what does not depend on the language it is compared with. Most words of a text are told by being
/// frequent; what is not there at first is found when it is first asked for.
struct Word {
    key: lists::Key,
    has_diacritics: bool,
    case: Case,
    frequent_english: bool,
    /// Whether English text has it as a name or word of Indian origin.
    indian_name: OnceCell<bool>,
    /// Whether it is English as far as the lexicon knows.
    english: OnceCell<bool>,
    /// Its rows of letters, and what they cost in English.
    trigrams: OnceCell<(Trigrams, f32)>,
    /// Its letters and what they cost in each language, where there are tables.
    costs: Option<(Roman, WordCosts)>,
    /// How much likelier it is in each language than in English, as far as the lexicon of the language tells.
    by_lexicon: [OnceCell<Option<f32>>; Language::ALL.len()],
    /// Its readings in each language.
    readings: [OnceCell<Vec<Reading>>; Language::ALL.len()],
}

impl Word {
    fn new(word: &str) -> Self {
        let mut letters = plain_letters(word);
        // the English pronoun is the one word of a single letter that stands as a capital
        let capitals = !word.chars().any(char::is_lowercase) && (letters.len() > 1 || letters == "i");
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
            } else if word.chars().next().is_some_and(char::is_uppercase) {
                Case::Name
            } else {
                Case::Small
            },
            frequent_english,
            indian_name: OnceCell::new(),
            english: OnceCell::new(),
            trigrams: OnceCell::new(),
        }
    }

    /// Notes that it is the first of several in its segment, which may have a capital whatever it is.
    fn begins(&mut self) {
        if self.case == Case::Name && !self.is_indian_name() {
            self.case = Case::Small;
        }
    }

    fn is_indian_name(&self) -> bool {
        *self.indian_name.get_or_init(|| english::is_indian_word(self.key.letters()))
    }

    fn is_english(&self) -> bool {
        let known = || !self.is_indian_name() && english::is_word(self.key.letters());
        self.frequent_english || *self.english.get_or_init(known)
    }

    /// Whether it is a name of India with a capital, whose sounds English knows better than `language` knows its spelling: `Priya`
    /// is no प्रिय.
    fn is_name_of_india(&self, language: Language) -> bool {
        self.case == Case::Name && self.is_indian_name() && !self.key.is_exact(language)
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
    fn readings(&self, language: Language) -> &[Reading] {
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
    fn is_listed_alone(&self) -> bool {
        !self.is_english() && Language::ALL.into_iter().any(|language| self.key.is_exact(language))
    }

    /// Whether it is as frequent a word of English as of a language.
    fn is_ambiguous(&self, language: Language) -> bool {
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
    fn likelier(&self, language: Language, depth: Depth) -> Option<f32> {
        let (_, costs) = self.costs.as_ref()?;
        if depth == Depth::Lexicon && !costs.is_listed(language) {
            return *self.by_lexicon[language as usize].get_or_init(|| self.likelier_by_lexicon(language));
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
        let most = (english + MOST_EVIDENCE) * shruti_translit::STEPS_A_NAT;
        let known = shruti_translit::model(language)?.known_cost(roman, most as u32);
        let own = known.map_or(costs.of(language), |cost| cost as f32 / shruti_translit::STEPS_A_NAT);
        Some(english - own)
    }

    /// How much more likely it is a romanised word of `language` than an English one, in nats.
    fn evidence(&self, language: Language, depth: Depth) -> f32 {
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
    fn hint(&self, language: Language) -> Option<f32> {
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
    fn tells(&self, language: Language) -> u32 {
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

/// The Indian language that the words of an English turn give most evidence of, if any; `before` is the one that the words before
/// them were in.
fn strongest(words: &[Word], before: Option<Language>) -> Option<Language> {
    let words = &words[..words.len().min(ENOUGH_WORDS)];
    // names and codes alone are English, which reads them itself
    if words
        .iter()
        .all(|word| word.case == Case::Name || word.case == Case::Capitals && !word.is_listed_alone())
    {
        return None;
    }
    let mut candidates: Vec<(f32, Language)> = Language::ALL
        .into_iter()
        .filter(|&language| language != Language::English)
        .filter_map(|language| {
            let beforehand = if before == Some(language) { GOES_ON } else { 0.0 };
            let gain = first_gain(words, language)? + beforehand - spec(language).romanisation.handicap;
            Some((gain, language))
        })
        .collect();
    candidates.sort_by(|one, other| other.0.total_cmp(&one.0));
    if words.iter().all(|word| word.costs.is_none()) {
        return candidates.first().map(|&(_, language)| language);
    }
    // the table of all languages is coarse: those that come first by it are compared by their own
    candidates.truncate(COMPARED);
    let first = candidates.first().map_or(0.0, |&(gain, _)| gain);
    candidates.retain(|&(gain, _)| gain > first - FAR_BEHIND);
    let mut best: Option<(f32, Language)> = None;
    for (_, language) in candidates {
        let beforehand = if before == Some(language) { GOES_ON } else { 0.0 };
        let evidence = evidence(words, language, IN_ENGLISH, Depth::Lexicon);
        if best_gain(&evidence) + beforehand < LEAST_GAIN {
            continue;
        }
        // a word that English has too tells nothing alone
        let mut own =
            words.iter().zip(best_path(&evidence)).filter(|(_, is_own)| *is_own).map(|(word, _)| word);
        if let (Some(only), None) = (own.next(), own.next())
            && only.is_english()
            && before != Some(language)
        {
            continue;
        }
        // between languages what is beyond the most for any of them tells, too
        let beyond = |word: &Word| {
            (word.likelier(language, Depth::Lexicon).unwrap_or(0.0) - MOST_EVIDENCE).clamp(0.0, MOST_BEYOND)
        };
        let beyond: f32 = words.iter().map(beyond).sum();
        let gain = best_gain(&evidence) + beyond + beforehand - spec(language).romanisation.handicap;
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, language));
        }
    }
    best.map(|(_, language)| language)
}

/// How much likelier words are in a language, English ones among them, than all in English, at first sight; `None` if that is out
/// of the question.
fn first_gain(words: &[Word], language: Language) -> Option<f32> {
    let by_tables: Option<Vec<f32>> = words.iter().map(|word| word.hint(language)).collect();
    if let Some(evidence) = by_tables {
        return Some(best_gain(&evidence)).filter(|gain| *gain >= LEAST_AT_FIRST);
    }
    let is_enough = words.iter().map(|word| word.tells(language)).sum::<u32>() >= ENOUGH;
    is_enough.then(|| words.iter().map(|word| word.evidence(language, Depth::Lexicon).max(0.0)).sum())
}

/// The evidence of the best row of languages for words, less its changes, over that of English alone.
fn best_gain(evidence: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 2];
    for (i, &nats) in evidence.iter().enumerate() {
        let change = if i == 0 { 0.0 } else { CHANGE };
        sums = [sums[0].max(sums[1] - change), sums[1].max(sums[0] - change) + nats];
    }
    sums[0].max(sums[1])
}

/// Whether each word is romanised, given the evidence for it, so that evidence less changes is greatest.
fn best_path(evidence: &[f32]) -> Vec<bool> {
    // the best sums that end in English and in the other language, and whether each came from a romanised word
    let mut sums = [0.0_f32; 2];
    let mut from: Vec<[bool; 2]> = Vec::with_capacity(evidence.len());
    for (i, &nats) in evidence.iter().enumerate() {
        let change = if i == 0 { 0.0 } else { CHANGE };
        let to_english = sums[1] - change > sums[0];
        let to_romanised = sums[1] >= sums[0] - change;
        sums = [sums[0].max(sums[1] - change), sums[1].max(sums[0] - change) + nats];
        from.push([to_english, to_romanised]);
    }
    let mut romanised = vec![false; evidence.len()];
    let mut state = sums[1] > sums[0];
    for i in (0..evidence.len()).rev() {
        romanised[i] = state;
        state = from[i][usize::from(state)];
    }
    romanised
}
