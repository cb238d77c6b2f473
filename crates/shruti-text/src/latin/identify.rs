//! The language of each word of a segment.
//!
//! Each Latin word gets evidence for being romanised against being English, in nats; the best sequence of languages is
//! then found with a cost for each change (Viterbi, 1967), so that words which could be either follow their neighbours.

use std::cell::OnceCell;

use shruti_protocol::Language;

use super::trigrams::{self, Trigrams};
use super::{ambiguous, lists, plain_letters};
use crate::english;
use crate::language::{self, spec};
use crate::script::Script;

/// What a change of language between two words costs.
const CHANGE: f32 = 1.5;
/// Evidence that a word is romanised from the words around it being in the turn's own script, in which English
/// words stay Latin and others do not.
const BESIDE_OWN_SCRIPT: f32 = -3.0;
/// The same where all of the segment is Latin, in a turn of an Indian language and in one of English.
const ALL_LATIN: f32 = 0.7;
const IN_ENGLISH: f32 = -1.5;
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
/// Letters beyond this many tell nothing new.
const LONGEST: usize = 40;

/// The language of each word of a segment in a turn of `turn`.
///
/// Words in another script than Latin are in the turn's language if it is written in that script, else in the script's
/// own. Latin words are English, or romanised: in the turn's language, in a turn of English in that Indian
/// language which the segment gives most evidence of. Nothing outside `words` is looked at.
pub fn identify(words: &[&str], turn: Language) -> Vec<Language> {
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
    if latin.is_empty() {
        return languages;
    }
    let plain: Vec<Word> = latin.iter().map(|&i| Word::new(words[i])).collect();
    let has_diacritics = plain.iter().any(|word| word.has_diacritics);
    let all_caps = plain.iter().all(|word| word.case == Case::Capitals);
    let (romanised, prior) = if own_script == Script::Latin {
        (strongest(&plain), IN_ENGLISH)
    } else if latin.len() < scripts.iter().flatten().count() {
        (Some(turn), BESIDE_OWN_SCRIPT)
    } else {
        (Some(turn), ALL_LATIN)
    };
    let Some(romanised) = romanised else { return languages };
    let prior = if has_diacritics { WITH_DIACRITICS } else { prior };
    let own: Vec<f32> = plain.iter().map(|word| word.evidence(romanised)).collect();
    let letters: Vec<&str> = plain.iter().map(|word| word.key.letters()).collect();
    let among_own = own.iter().any(|&nats| nats >= TELLING);
    let evidence: Vec<f32> = (0..plain.len())
        .map(|at| {
            let lone_capitals = plain[at].case == Case::Capitals && !all_caps;
            // what the segment says beforehand says nothing of words that are as frequent in both languages
            let beforehand = if own[at] == 0.0 && prior > 0.0 {
                ambiguous::prior_log_odds(&letters, at, romanised, among_own)
            } else {
                prior
            };
            own[at] + beforehand - if lone_capitals { CAPITALS } else { 0.0 }
        })
        .collect();
    for (i, is_romanised) in latin.iter().zip(best_path(&evidence)) {
        languages[*i] = if is_romanised { romanised } else { Language::English };
    }
    languages
}

/// The Indian language that most words of a segment of an English turn are in: the one its numbers are said in. Capitals and
/// names do not count, since they are the same in both.
pub(crate) fn prevailing(words: &[&str]) -> Option<Language> {
    let languages = identify(words, Language::English);
    let found = languages.iter().copied().find(|&language| language != Language::English)?;
    let starts_small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let (mut own, mut english) = (0, 0);
    for (word, language) in words.iter().zip(languages) {
        own += usize::from(language == found);
        english += usize::from(language == Language::English && starts_small(word));
    }
    (own >= LEAST_PREVAILING && own > english).then_some(found)
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
}

impl Word {
    fn new(word: &str) -> Self {
        let mut letters = plain_letters(word);
        // the English pronoun is the one word of a single letter that stands as a capital
        let capitals = !word.chars().any(char::is_lowercase) && (letters.len() > 1 || letters == "i");
        let frequent_english = trigrams::is_frequent_english(&letters);
        letters.truncate(LONGEST);
        Self {
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

    fn is_indian_name(&self) -> bool {
        *self.indian_name.get_or_init(|| english::is_indian_word(self.key.letters()))
    }

    fn is_english(&self) -> bool {
        let known = || !self.is_indian_name() && english::is_word(self.key.letters());
        self.frequent_english || *self.english.get_or_init(known)
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

    /// How much more likely it is a romanised word of `language` than an English one, in nats.
    fn evidence(&self, language: Language) -> f32 {
        if self.has_diacritics {
            return 12.0;
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
        if self.evidence(language) < if english { KNOWN_IN_BOTH } else { TELLING } {
            return 0;
        }
        let certain = !english && self.case == Case::Small && self.key.is_exact(language);
        if certain { ENOUGH } else { 1 }
    }
}

/// The Indian language that the words of an English turn give most evidence of, if any.
fn strongest(words: &[Word]) -> Option<Language> {
    let mut best: Option<(f32, Language)> = None;
    for language in Language::ALL.into_iter().filter(|&language| language != Language::English) {
        if words.iter().map(|word| word.tells(language)).sum::<u32>() < ENOUGH {
            continue;
        }
        let total = words.iter().map(|word| word.evidence(language).max(0.0)).sum::<f32>();
        let total = total - spec(language).romanisation.handicap;
        if best.is_none_or(|(most, _)| total > most) {
            best = Some((total, language));
        }
    }
    best.map(|(_, language)| language)
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
