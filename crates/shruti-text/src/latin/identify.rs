//! Language identification for each word of a segment.
//!
//! Each Latin word gets evidence, in nats, that it is romanised, not English. The Viterbi algorithm (1967) then finds
//! the best sequence of languages, with a cost for each change, so that ambiguous words follow their neighbours.

use shruti_lang::Language;
use shruti_translit::Reading;

use super::word::{
    CAPITALS, Case, Depth, IN_ENGLISH, MAX_EVIDENCE, MAX_FROM_NAME, SUFFICIENT_STRENGTH, TELLING, Word,
};
use super::{Romanisation, ambiguous, loan, name};
use crate::data::is_function_word;
use crate::language::{self, spec};
use crate::script::Script;

/// Adjustment, in nats, of the evidence that an English function word is romanised, in an English turn.
const GRAMMAR: f32 = -2.5;
/// Minimum log odds, in nats, at which the neighbours of a word leave no doubt about its language.
const CERTAIN: f32 = 3.0;
/// Cost, in nats, of a change of language between two words.
const CHANGE: f32 = 1.5;
/// Prior evidence that a Latin word is romanised if its segment also has words in another script, usually that of the
/// turn's language. In such text, a word in Latin letters is usually English.
const NEXT_TO_NATIVE_SCRIPT: f32 = -3.0;
/// Prior evidence if all of the segment is Latin, in a turn of an Indian language.
const ALL_LATIN: f32 = 1.5;
/// Prior evidence if most words of the segment are romanised. For frequent English words, [`ALL_LATIN`] applies
/// instead.
const MOSTLY_ROMANISED: f32 = 4.5;
/// Prior evidence in a segment that is romanised with diacritics.
const WITH_DIACRITICS: f32 = 3.0;
/// Minimum number of words in a language for that language to prevail in a segment of an English turn. The number is
/// also compared with the number of English words.
const MIN_PREVAILING: usize = 2;
/// Minimum evidence for the turn's language from a word that is in the lists of that language and is not frequent in
/// English.
const MIN_OF_LISTED: f32 = 4.0;
/// Minimum evidence for the turn's language from a word that is not English, in an all-Latin segment.
const MIN_OF_UNKNOWN: f32 = 2.0;
/// Maximum evidence of a word in excess of [`MAX_EVIDENCE`] that counts when languages are compared.
const MAX_EXCESS: f32 = 12.0;
/// Minimum total evidence of a segment in an English turn for its words to be read in another language.
const MIN_GAIN: f32 = 3.0;
/// Equivalent of [`MIN_GAIN`] if the request declares the text to be English: only clear evidence counts.
const MIN_GAIN_IF_DECLARED: f32 = 6.0;
/// Equivalent of [`MIN_GAIN`] for the first, coarse comparison.
const MIN_COARSE_GAIN: f32 = -2.0;
/// Languages whose evidence in the first comparison is lower than that of the best language by at least this amount are
/// not compared further.
const FAR_MARGIN: f32 = 14.0;
/// Additional evidence for a language, when languages are compared, from a word that the lists of the language contain.
const LISTED: f32 = 1.5;
/// Maximum total evidence for a language from endings.
const MAX_FROM_ENDINGS: f32 = 6.0;
/// Evidence for a language, when languages are compared, from a word with an ending of the language.
const ENDING: f32 = 2.0;
/// Number of languages that are compared further: those with the most evidence in the first comparison.
const COMPARED: usize = 6;
/// Another language is also compared further if its evidence is lower than that of the last of these languages by at
/// most this amount, and if words have endings of that language or several words are not English. In the first
/// comparison, unlisted words give similar evidence for every language.
const CLOSE_MARGIN: f32 = 3.0;
/// Number of words that are not English from which they count as several.
const MIN_UNKNOWN: usize = 2;
/// Maximum difference from the best language, in nats, at which the frequency of adjacent word pairs also counts.
const CLOSE: f32 = 5.0;
/// Maximum number of words of a segment that are examined to find its Indian language.
const MAX_EXAMINED_WORDS: usize = 12;
/// Evidence for a language from romanised words of that language in the preceding segments.
const CONTINUES_LANGUAGE: f32 = 3.0;

/// Minimum length, in letters, of an English word that can be a loan: `on` is never a loan, even if another word sounds
/// the same.
const SHORTEST_LOAN: usize = 4;

/// Word of a segment, with its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentifiedWord {
    /// Language in which the word is read.
    pub(crate) language: Language,
    /// Word in the script of that language, if the word is romanised.
    pub(crate) native: Option<String>,
}

/// Returns the language of each word of a segment in a turn whose language is `turn`.
///
/// A word in a script other than Latin has the turn's language if that language uses the script, and otherwise the
/// default language of the script. A Latin word is English or romanised. The romanised words have the language of the
/// turn; in an English turn, they have the Indian language with the most evidence in the segment. Words outside the
/// segment are not considered.
pub fn identify(words: &[&str], turn: Language) -> Vec<Language> {
    languages(words, turn, None)
}

/// Returns the language of each word, as [`identify`] does. If `before` is an Indian language, the preceding romanised
/// words are in that language. If `before` is English, the text was declared to be English, and only words with clear
/// evidence get another language.
pub(crate) fn languages(words: &[&str], turn: Language, before: Option<Language>) -> Vec<Language> {
    Segment::new(words, turn, before).languages
}

/// Returns the words of a segment with their languages. Romanised words are converted to the native script, with the
/// reading that is likeliest between the preceding and following words.
pub(crate) fn read(words: &[&str], turn: Language, before: Option<Language>) -> Vec<IdentifiedWord> {
    let Segment { languages, latin, plain } = Segment::new(words, turn, before);
    let mut found: Vec<IdentifiedWord> =
        languages.into_iter().map(|language| IdentifiedWord { language, native: None }).collect();
    let romanisation = Romanisation::of(words);
    let mut from = 0;
    while from < latin.len() {
        // consecutive words of one language
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
                found[at] = IdentifiedWord { language, native: Some(native) };
            }
        }
    }
    found
}

/// Returns the prevailing Indian language: the language of the turn or, in an English turn, the language with at least
/// [`MIN_PREVAILING`] words in the segment and at least as many words as English. Capitalised words do not count as
/// English, because names are the same in both languages.
fn prevailing_in(found: &[IdentifiedWord], words: &[&str], turn: Language) -> Option<Language> {
    if turn != Language::English {
        return Some(turn);
    }
    let own = found.iter().map(|found| found.language).find(|&language| language != Language::English)?;
    let count = found.iter().filter(|found| found.language == own).count();
    let is_english = |(found, word): &(&IdentifiedWord, &&str)| {
        found.language == Language::English && word.starts_with(char::is_lowercase)
    };
    let english = found.iter().zip(words).filter(is_english).count();
    (count >= MIN_PREVAILING && count >= english).then_some(own)
}

/// Returns the native spelling of an English word or name that the language has borrowed: a native word that sounds
/// like the English word. Returns `None` if there is none.
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

/// Converts consecutive romanised words to the script of their language. The result is `None` for words for which the
/// tables have no reading.
fn native_words(plain: &[Word], language: Language, romanisation: Romanisation) -> Vec<Option<String>> {
    let model = shruti_translit::model(language).filter(|_| romanisation == Romanisation::Typed);
    let Some(model) = model else { return vec![None; plain.len()] };
    let readings: Vec<&[Reading]> = plain.iter().map(|word| word.readings(language)).collect();
    let chosen = model.choose(&readings);
    let native = |(at, chosen): (usize, Option<usize>)| {
        let word = &plain[at];
        // the tables of a language in beta are those of another language, so its own list takes precedence
        if language.is_beta()
            && let Some(listed) = word.key.listed(language)
        {
            return Some(listed.to_owned());
        }
        let chosen = chosen.filter(|_| !word.has_diacritics)?;
        if word.is_name_of_india(language) {
            let spellings = readings[at].iter().map(|reading| model.native(reading));
            return name::spelling(word.key.letters(), spellings, language);
        }
        Some(model.native(&readings[at][chosen]))
    };
    chosen.into_iter().enumerate().map(native).collect()
}

/// Words of a segment with their languages.
struct Segment {
    languages: Vec<Language>,
    /// Indices of the Latin words.
    latin: Vec<usize>,
    /// Latin words, in the order of `latin`.
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
            (best_language(&plain, before), IN_ENGLISH)
        } else {
            (Some(turn), if all_latin { ALL_LATIN } else { NEXT_TO_NATIVE_SCRIPT })
        };
        if let Some(romanised) = romanised {
            let nats = evidence(&plain, romanised, prior, Depth::Spelling);
            let mut path = best_path(&nats);
            // the language of a listed word without an adjacent Latin word is decided by its own evidence, as for the
            // last word of "bus stop దగ్గర ఉండు ra"
            let beside =
                |i: usize, other: usize| latin.get(other).is_some_and(|at| at.abs_diff(latin[i]) == 1);
            let joins = |i: usize| i > 0 && beside(i, i - 1) || beside(i, i + 1);
            for (i, word) in plain.iter().enumerate().filter(|_| prior == NEXT_TO_NATIVE_SCRIPT) {
                if !joins(i) && word.is_listed_in(romanised) {
                    path[i] = nats[i] > 0.0;
                }
            }
            // if most words are romanised, ambiguous words are also romanised, as in a turn of that language
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

/// Returns for each word of a segment the evidence, in nats, that it is a word of `romanised`, not English. `prior` is
/// the evidence that does not depend on the word.
fn evidence(plain: &[Word], romanised: Language, prior: f32, depth: Depth) -> Vec<f32> {
    let has_diacritics = plain.iter().any(|word| word.has_diacritics);
    let all_caps = plain.iter().all(|word| word.case == Case::Capitals);
    let prior = if has_diacritics { WITH_DIACRITICS } else { prior };
    let own = |word: &Word| {
        let is_listed = prior != IN_ENGLISH && word.is_listed_in(romanised);
        let nats = word.evidence(romanised, depth).max(if is_listed { MIN_OF_LISTED } else { f32::MIN });
        match (prior == IN_ENGLISH, word.case) {
            // in an English sentence, function words stay English: namaste to all
            (true, _) if word.is_english_grammar() => nats + GRAMMAR,
            // in an English sentence, names are usually read by the English rules
            (true, Case::Name) => nats.min(MAX_FROM_NAME),
            // an Indian name is not an English word in a turn of another language, regardless of its letters
            (false, Case::Name) if word.is_indian_name() => nats.max(0.0),
            // in a turn of another language, a word that is not English probably belongs to that language
            (false, Case::Small) if prior > 0.0 && !word.is_english() => nats.max(MIN_OF_UNKNOWN),
            _ => nats,
        }
    };
    let own: Vec<f32> = plain.iter().map(own).collect();
    let letters: Vec<&str> = plain.iter().map(|word| word.key.letters()).collect();
    let among_own = own.iter().any(|&nats| nats >= TELLING);
    (0..plain.len())
        .map(|at| {
            let lone_capitals = plain[at].case == Case::Capitals && !all_caps;
            // the prior of the segment does not apply to words that are frequent in both languages
            let beforehand = if plain[at].is_ambiguous(romanised) {
                let odds = ambiguous::prior_log_odds(&letters, at, romanised, among_own);
                match prior > 0.0 {
                    true => odds,
                    // neighbours that leave no doubt also count in an English sentence: class me jao
                    false if odds >= CERTAIN => odds - GRAMMAR,
                    false => prior,
                }
            } else if plain[at].frequent_english && !has_diacritics {
                prior.min(ALL_LATIN)
            } else {
                prior
            };
            own[at] + beforehand - if lone_capitals || plain[at].brand { CAPITALS } else { 0.0 }
        })
        .collect()
}

/// Returns whether most words are romanised. Capitals and names do not count, because they are the same in both
/// languages.
fn prevails(plain: &[Word], path: &[bool]) -> bool {
    let own = path.iter().filter(|&&is_own| is_own).count();
    let english =
        plain.iter().zip(path).filter(|(word, is_own)| !**is_own && word.case == Case::Small).count();
    own >= MIN_PREVAILING && own > english
}

/// Returns the Indian language of most words of a segment in an English turn. The numbers of the segment are read in
/// this language. Capitalised words do not count as English, because names are the same in both languages. One word is
/// enough for `before`, the language of the preceding words. Returns `None` if the text was declared to be English.
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
    let least = if before == Some(found) { 1 } else { MIN_PREVAILING };
    (own >= least && own > english).then_some(found)
}

/// Returns the script of the first letter that is not Latin, or Latin if all letters are Latin. Returns `None` for a
/// word without letters.
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

/// Candidate language for the words of a segment.
struct Candidate {
    language: Language,
    /// Total evidence, in nats.
    gain: f32,
    /// `true` for each word that is in this language.
    path: Vec<bool>,
}

/// Returns the Indian language with the most evidence in the words of an English turn, if any; `before` is the language
/// of the preceding words.
fn best_language(words: &[Word], before: Option<Language>) -> Option<Language> {
    let words = &words[..words.len().min(MAX_EXAMINED_WORDS)];
    // a segment that consists of names and codes is English, because the English rules read names and codes
    if words
        .iter()
        .all(|word| word.case == Case::Name || word.case == Case::Capitals && !word.is_listed_alone())
    {
        return None;
    }
    let coarse = coarse_candidates(words, before);
    if words.iter().all(|word| word.costs.is_none()) {
        return coarse.first().copied();
    }
    let mut candidates: Vec<Candidate> =
        coarse.into_iter().filter_map(|language| candidate(words, language, before)).collect();
    let most = candidates.iter().map(|candidate| candidate.gain).fold(f32::MIN, f32::max);
    candidates.retain(|candidate| candidate.gain > most - CLOSE);
    if candidates.len() > 1 {
        for candidate in &mut candidates {
            candidate.gain += by_neighbours(words, candidate);
        }
    }
    // the first candidate wins a tie
    let better = |best: Candidate, other: Candidate| if other.gain > best.gain { other } else { best };
    candidates.into_iter().reduce(better).map(|best| best.language)
}

/// Returns the candidate languages of words according to the joint table of all languages, the most likely first. The
/// table is coarse, so these languages are then compared by their own tables.
fn coarse_candidates(words: &[Word], before: Option<Language>) -> Vec<Language> {
    // romanised text is never identified as a language in beta, because such a language shares most words with the
    // language on which it is based
    let mut gains: Vec<(f32, Language)> = Language::FINISHED
        .into_iter()
        .filter(|&language| language != Language::English)
        .filter_map(|language| {
            let beforehand = if before == Some(language) { CONTINUES_LANGUAGE } else { 0.0 };
            let gain = coarse_gain(words, language)? + beforehand - spec(language).romanisation.handicap;
            Some((gain, language))
        })
        .collect();
    gains.sort_by(|one, other| other.0.total_cmp(&one.0));
    let last = gains.get(COMPARED - 1).map_or(f32::MIN, |&(gain, _)| gain - CLOSE_MARGIN);
    // one or two names do not justify the extra work
    let unknown = words.iter().filter(|word| word.case == Case::Small && !word.is_english()).count();
    let many = unknown >= MIN_UNKNOWN;
    let mut place = 0;
    gains.retain(|&(gain, language)| {
        place += 1;
        place <= COMPARED || gain >= last && (many || by_endings(words, language) > 0.0)
    });
    let first = gains.first().map_or(0.0, |&(gain, _)| gain);
    let near = gains.into_iter().filter(|&(gain, _)| gain > first - FAR_MARGIN);
    near.map(|(_, language)| language).collect()
}

/// Returns the evidence of words for a language from its own lexicon, or `None` if there is too little evidence.
fn candidate(words: &[Word], language: Language, before: Option<Language>) -> Option<Candidate> {
    let beforehand = if before == Some(language) { CONTINUES_LANGUAGE } else { 0.0 };
    let evidence = evidence(words, language, IN_ENGLISH, Depth::Lexicon);
    let least = if before == Some(Language::English) { MIN_GAIN_IF_DECLARED } else { MIN_GAIN };
    if best_gain(&evidence) + beforehand < least {
        return None;
    }
    let path = best_path(&evidence);
    let own_words = || words.iter().zip(&path).filter(|(_, is_own)| **is_own).map(|(word, _)| word);
    // names, and words that are also frequent English words, are not sufficient evidence, because they occur in English
    // sentences: married to Raja
    if before != Some(language) && !own_words().any(|word| word.is_sufficient_evidence(language)) {
        return None;
    }
    // a single word that is also English is not enough evidence
    let mut own = own_words();
    if let (Some(only), None) = (own.next(), own.next())
        && only.is_english()
        && before != Some(language)
    {
        return None;
    }
    // when languages are compared, evidence in excess of the maximum also counts
    let excess = |word: &Word| {
        (word.likelier(language, Depth::Lexicon).unwrap_or(0.0) - MAX_EVIDENCE).clamp(0.0, MAX_EXCESS)
    };
    let excess: f32 = words.iter().map(excess).sum();
    let listed = own_words().filter(|word| !word.frequent_english && word.key.is_exact(language)).count();
    let gain =
        best_gain(&evidence) + excess + LISTED * listed as f32 + by_endings(words, language) + beforehand
            - spec(language).romanisation.handicap;
    Some(Candidate { language, gain, path })
}

/// Returns the evidence for a language, in nats, from adjacent words of that language. The same words often have
/// similar frequencies in several languages, but not the same neighbours.
fn by_neighbours(words: &[Word], candidate: &Candidate) -> f32 {
    let Some(model) = shruti_translit::model(candidate.language) else { return 0.0 };
    let known = |(word, is_own): (&Word, &bool)| match &word.costs {
        Some((roman, _)) if *is_own => model.known_readings(roman),
        _ => Vec::new(),
    };
    let readings: Vec<Vec<Reading>> = words.iter().zip(&candidate.path).map(known).collect();
    model.gain_of_neighbours(&readings.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Returns the evidence, for the first comparison, that some of the words are in a language and not all are English.
/// Returns `None` if there is too little evidence.
fn coarse_gain(words: &[Word], language: Language) -> Option<f32> {
    let by_tables: Option<Vec<f32>> = words.iter().map(|word| word.coarse_evidence(language)).collect();
    if let Some(evidence) = by_tables {
        let gain = best_gain(&evidence) + by_endings(words, language);
        return Some(gain).filter(|gain| *gain >= MIN_COARSE_GAIN);
    }
    let is_enough =
        words.iter().map(|word| word.candidate_strength(language)).sum::<u32>() >= SUFFICIENT_STRENGTH;
    is_enough.then(|| words.iter().map(|word| word.evidence(language, Depth::Lexicon).max(0.0)).sum())
}

/// Returns the evidence of word endings for a language, for the comparison of languages.
fn by_endings(words: &[Word], language: Language) -> f32 {
    let is_inflected = |word: &&Word| {
        let ends = ambiguous::has_ending(word.key.letters(), language);
        ends && word.case == Case::Small && !word.is_english()
    };
    (ENDING * words.iter().filter(is_inflected).count() as f32).min(MAX_FROM_ENDINGS)
}

/// Returns the evidence of the best sequence of languages, minus the cost of its language changes, relative to a
/// sequence in which all words are English.
fn best_gain(evidence: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 2];
    for (i, &nats) in evidence.iter().enumerate() {
        let change = if i == 0 { 0.0 } else { CHANGE };
        sums = [sums[0].max(sums[1] - change), sums[1].max(sums[0] - change) + nats];
    }
    sums[0].max(sums[1])
}

/// Returns for each word whether it is romanised in the best sequence. The best sequence maximises the evidence minus
/// the cost of changes.
fn best_path(evidence: &[f32]) -> Vec<bool> {
    // `sums` holds the best sums of the sequences that end in English and in the other language, and `from` records
    // whether the previous word is romanised in these sequences
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
