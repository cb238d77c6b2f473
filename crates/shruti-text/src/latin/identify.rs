//! The language of each word of a segment.
//!
//! Each Latin word gets evidence for being romanised against being English, in nats; the best sequence of languages is
//! then found with a cost for each change (Viterbi, 1967), so that words which could be either follow their neighbours.

use shruti_lang::Language;
use shruti_translit::Reading;

use super::word::{CAPITALS, Case, Depth, ENOUGH, IN_ENGLISH, MOST_EVIDENCE, MOST_FROM_NAME, TELLING, Word};
use super::{Romanisation, ambiguous, loan, name};
use crate::language::{self, spec};
use crate::normalize::data::is_function_word;
use crate::script::Script;

/// Evidence that a word of English grammar is romanised, in a sentence that is English beforehand.
const GRAMMAR: f32 = -2.5;
/// Odds, in nats, by which neighbours leave no doubt of a word.
const CERTAIN: f32 = 3.0;
/// What a change of language between two words costs.
const CHANGE: f32 = 1.5;
/// Evidence that a word is romanised from the words around it being in the turn's own script, in which English
/// words stay Latin and others do not.
const BESIDE_OWN_SCRIPT: f32 = -3.0;
/// The same where all of the segment is Latin, in a turn of an Indian language.
const ALL_LATIN: f32 = 1.5;
/// The same where most words of the segment are found to be romanised; frequent English words have [`ALL_LATIN`] there, too.
const MOSTLY_ROMANISED: f32 = 4.5;
/// The same in a segment that is romanised with diacritics.
const WITH_DIACRITICS: f32 = 3.0;
/// So many words of a language, and more than English ones, make a segment of an English turn one of that language.
const LEAST_PREVAILING: usize = 2;
/// A word that the lists of a language have, and that is not frequent in English, says at least so much for the language of a turn.
const LEAST_OF_LISTED: f32 = 4.0;
/// A word that English does not have says at least so much for the language of a turn.
const LEAST_OF_UNKNOWN: f32 = 2.0;
/// What a word says beyond [`MOST_EVIDENCE`] tells between languages, up to so much.
const MOST_BEYOND: f32 = 12.0;
/// What the words of a segment of an English turn must say together for another language.
const LEAST_GAIN: f32 = 3.0;
/// The same where whoever asks said that the text is English: what is plainly another language's.
const LEAST_GAIN_IN_GIVEN: f32 = 6.0;
/// The same at first sight.
const LEAST_AT_FIRST: f32 = -2.0;
/// A language that is this much behind the first one at first sight is not compared.
const FAR_BEHIND: f32 = 14.0;
/// What a word that the lists of a language have says for it among the languages, beyond what the tables say.
const LISTED: f32 = 1.5;
/// The most that endings say.
const MOST_FROM_ENDINGS: f32 = 6.0;
/// What a word with an ending of a language says for it among the languages.
const ENDING: f32 = 2.0;
/// How many languages are compared after the first sight.
const COMPARED: usize = 6;
/// A language that is no further behind the last of those is compared, too, where the words have its endings or are several: unlisted
/// words say as much for each at first sight.
const CLOSE_BEHIND: f32 = 3.0;
/// So many words that English does not have are several.
const LEAST_UNKNOWN: usize = 2;
/// Languages that are no further behind the first one are compared by which words often stand beside each other, too, in nats.
const CLOSE: f32 = 5.0;
/// So many words of a segment are enough to tell.
const ENOUGH_WORDS: usize = 12;
/// What it says for a language that the romanised words of the segments before were in it.
const GOES_ON: f32 = 3.0;

/// Shorter English words are no loans: `on` is no other language's, whatever sounds alike.
const SHORTEST_LOAN: usize = 4;

/// A word of a segment, with its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The language that it is read in.
    pub(crate) language: Language,
    /// The word in the script of that language, where it is written in Latin letters and the language is not.
    pub(crate) native: Option<String>,
}

/// The language of each word of a segment in a turn of `turn`.
///
/// Words in another script than Latin are in the turn's language if it is written in that script, else in the script's
/// own. Latin words are English, or romanised: in the turn's language, in a turn of English in that Indian
/// language which the segment gives most evidence of. Nothing outside `words` is looked at.
pub fn identify(words: &[&str], turn: Language) -> Vec<Language> {
    languages(words, turn, None)
}

/// The same behind words that were romanised in the language `before`; English where the text was said to be in English, and only
/// what is plainly another language's is read in that.
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
    if let Some(language) = prevailing_in(&found, words, turn)
        && latin.len() == found.len()
    {
        for (&at, word) in latin.iter().zip(&plain) {
            if found[at].language == Language::English
                && let Some(native) = as_loan(word, language)
            {
                found[at] = Found { language, native: Some(native) };
            }
        }
    }
    found
}

/// The Indian language that words are in: that of the turn, or in a turn of English the one that at least as many words of a
/// segment are in as in English. Words with a capital do not count as English, since they are the same in both.
fn prevailing_in(found: &[Found], words: &[&str], turn: Language) -> Option<Language> {
    if turn != Language::English {
        return Some(turn);
    }
    let own = found.iter().map(|found| found.language).find(|&language| language != Language::English)?;
    let count = found.iter().filter(|found| found.language == own).count();
    let is_english = |(found, word): &(&Found, &&str)| {
        found.language == Language::English && word.starts_with(char::is_lowercase)
    };
    let english = found.iter().zip(words).filter(is_english).count();
    (count >= LEAST_PREVAILING && count >= english).then_some(own)
}

/// How a language writes an English word that it has as its own: as the word that sounds alike.
fn as_loan(word: &Word, language: Language) -> Option<String> {
    let english = word.key.letters();
    let is_grammar = english.len() < SHORTEST_LOAN || is_function_word(english, Language::English);
    if word.case == Case::Capitals || word.has_diacritics || is_grammar {
        return None;
    }
    let model = shruti_translit::model(language)?;
    let known = word.readings(language).iter().filter(|reading| reading.is_known);
    let spellings = known.map(|reading| model.native(reading));
    match word.case {
        Case::Name => name::spelling(english, spellings, language),
        _ => loan::spelling(english, spellings, language),
    }
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
            if all_latin && prevails(&plain, &path) {
                path = best_path(&evidence(&plain, romanised, MOSTLY_ROMANISED, Depth::Spelling));
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
            // a sentence of English keeps its grammar: namaste to all
            (true, _) if word.is_english_grammar() => nats + GRAMMAR,
            // English reads names itself
            (true, Case::Name) => nats.min(MOST_FROM_NAME),
            // a name of India is no English word in a turn of another language, whatever its letters are like
            (false, Case::Name) if word.is_indian_name() => nats.max(0.0),
            // what no dictionary of English has is a word of the language that the text is said to be in
            (false, Case::Small) if prior > 0.0 && !word.is_english() => nats.max(LEAST_OF_UNKNOWN),
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
            let beforehand = if plain[at].is_ambiguous(romanised) {
                let odds = ambiguous::prior_log_odds(&letters, at, romanised, among_own);
                match prior > 0.0 {
                    true => odds,
                    // neighbours that leave no doubt speak in a sentence of English, too: class me jao
                    false if odds >= CERTAIN => odds - GRAMMAR,
                    false => prior,
                }
            } else if plain[at].frequent_english && !has_diacritics {
                prior.min(ALL_LATIN)
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
/// names do not count, since they are the same in both. One word is enough for `before`, the language of the words before; where
/// the text was said to be English its numbers are.
pub(crate) fn prevailing(words: &[&str], before: Option<Language>) -> Option<Language> {
    if before == Some(Language::English) {
        return None;
    }
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

/// A language that the words of a segment may be in.
struct Candidate {
    language: Language,
    /// What speaks for it, in nats.
    gain: f32,
    /// Which of the words are in it.
    path: Vec<bool>,
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
    let at_first = at_first_sight(words, before);
    if words.iter().all(|word| word.costs.is_none()) {
        return at_first.first().copied();
    }
    let mut candidates: Vec<Candidate> =
        at_first.into_iter().filter_map(|language| candidate(words, language, before)).collect();
    let most = candidates.iter().map(|candidate| candidate.gain).fold(f32::MIN, f32::max);
    candidates.retain(|candidate| candidate.gain > most - CLOSE);
    if candidates.len() > 1 {
        for candidate in &mut candidates {
            candidate.gain += by_neighbours(words, candidate);
        }
    }
    // the first of those that have as much
    let better = |best: Candidate, other: Candidate| if other.gain > best.gain { other } else { best };
    candidates.into_iter().reduce(better).map(|best| best.language)
}

/// The languages that words may be in by the table of all languages, the likeliest first. The table is coarse: those that come first
/// by it are compared by their own.
fn at_first_sight(words: &[Word], before: Option<Language>) -> Vec<Language> {
    let mut gains: Vec<(f32, Language)> = Language::ALL
        .into_iter()
        .filter(|&language| language != Language::English)
        .filter_map(|language| {
            let beforehand = if before == Some(language) { GOES_ON } else { 0.0 };
            let gain = first_gain(words, language)? + beforehand - spec(language).romanisation.handicap;
            Some((gain, language))
        })
        .collect();
    gains.sort_by(|one, other| other.0.total_cmp(&one.0));
    let last = gains.get(COMPARED - 1).map_or(f32::MIN, |&(gain, _)| gain - CLOSE_BEHIND);
    // a name or two are not worth it
    let unknown = words.iter().filter(|word| word.case == Case::Small && !word.is_english()).count();
    let many = unknown >= LEAST_UNKNOWN;
    let mut place = 0;
    gains.retain(|&(gain, language)| {
        place += 1;
        place <= COMPARED || gain >= last && (many || by_endings(words, language) > 0.0)
    });
    let first = gains.first().map_or(0.0, |&(gain, _)| gain);
    let near = gains.into_iter().filter(|&(gain, _)| gain > first - FAR_BEHIND);
    near.map(|(_, language)| language).collect()
}

/// What words say for a language by its own lexicon; `None` where that is too little.
fn candidate(words: &[Word], language: Language, before: Option<Language>) -> Option<Candidate> {
    let beforehand = if before == Some(language) { GOES_ON } else { 0.0 };
    let evidence = evidence(words, language, IN_ENGLISH, Depth::Lexicon);
    let least = if before == Some(Language::English) { LEAST_GAIN_IN_GIVEN } else { LEAST_GAIN };
    if best_gain(&evidence) + beforehand < least {
        return None;
    }
    let path = best_path(&evidence);
    let own_words = || words.iter().zip(&path).filter(|(_, is_own)| **is_own).map(|(word, _)| word);
    // names and words of English grammar are in English what they are anywhere: married to Raja
    if before != Some(language) && !own_words().any(|word| word.shows(language)) {
        return None;
    }
    // a word that English has too tells nothing alone
    let mut own = own_words();
    if let (Some(only), None) = (own.next(), own.next())
        && only.is_english()
        && before != Some(language)
    {
        return None;
    }
    // between languages what is beyond the most for any of them tells, too
    let beyond = |word: &Word| {
        (word.likelier(language, Depth::Lexicon).unwrap_or(0.0) - MOST_EVIDENCE).clamp(0.0, MOST_BEYOND)
    };
    let beyond: f32 = words.iter().map(beyond).sum();
    let listed = own_words().filter(|word| !word.frequent_english && word.key.is_exact(language)).count();
    let gain =
        best_gain(&evidence) + beyond + LISTED * listed as f32 + by_endings(words, language) + beforehand
            - spec(language).romanisation.handicap;
    Some(Candidate { language, gain, path })
}

/// What the words of a language say for it by standing beside each other, in nats: the same words often have the same frequencies in
/// several languages, but not the same neighbours.
fn by_neighbours(words: &[Word], candidate: &Candidate) -> f32 {
    let Some(model) = shruti_translit::model(candidate.language) else { return 0.0 };
    let known = |(word, is_own): (&Word, &bool)| match &word.costs {
        Some((roman, _)) if *is_own => model.known_readings(roman),
        _ => Vec::new(),
    };
    let readings: Vec<Vec<Reading>> = words.iter().zip(&candidate.path).map(known).collect();
    model.gain_of_neighbours(&readings.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// How much likelier words are in a language, English ones among them, than all in English, at first sight; `None` if that is out
/// of the question.
fn first_gain(words: &[Word], language: Language) -> Option<f32> {
    let by_tables: Option<Vec<f32>> = words.iter().map(|word| word.hint(language)).collect();
    if let Some(evidence) = by_tables {
        let gain = best_gain(&evidence) + by_endings(words, language);
        return Some(gain).filter(|gain| *gain >= LEAST_AT_FIRST);
    }
    let is_enough = words.iter().map(|word| word.tells(language)).sum::<u32>() >= ENOUGH;
    is_enough.then(|| words.iter().map(|word| word.evidence(language, Depth::Lexicon).max(0.0)).sum())
}

/// What the endings of words say for a language among the others.
fn by_endings(words: &[Word], language: Language) -> f32 {
    let is_inflected = |word: &&Word| {
        let ends = ambiguous::has_ending(word.key.letters(), language);
        ends && word.case == Case::Small && !word.is_english()
    };
    (ENDING * words.iter().filter(is_inflected).count() as f32).min(MOST_FROM_ENDINGS)
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
