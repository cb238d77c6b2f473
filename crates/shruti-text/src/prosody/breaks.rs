//! Breath placement: the cheapest division of a long stretch of words.
//!
//! A stretch has a cost that depends on its duration, and a pause has a cost that depends on its boundary: none before
//! a conjunction, a low one after a postposition, and a high one between two words that belong together. A pause
//! between a word and a function word attached to it is not allowed. Readers also divide by length and by syntax (Gee &
//! Grosjean 1983; Bachenko & Fitzpatrick 1990).

use shruti_lang::Language;

use super::Prosody;
use crate::class::Class;
use crate::normalize::data;
use crate::utterance::{Break, Weight, Word};

/// Maximum duration of a stretch that costs nothing, in seconds.
const EASY: f32 = 2.4;
/// Excess duration of a stretch with a cost of 1, in seconds; the cost is quadratic, so twice the excess costs 4.
const STRAIN: f32 = 0.6;
/// Desired minimum duration of a stretch, in seconds.
const SHORTEST: f32 = 1.1;
/// Base cost of a pause at any boundary.
const PAUSE: f32 = 0.8;
/// Maximum number of words in a stretch, unless it contains no possible boundary; longer stretches would cost too much.
const MAX_WORDS: usize = 24;
/// Minimum duration of the words on each side of a conjunction for a phrase boundary before it, in seconds.
const PHRASE: f32 = 0.3;

/// Inserts breaths into long stretches, and phrase boundaries before conjunctions in shorter ones.
pub(super) fn divide(words: &mut [Word], language: Language) {
    let prosody = &data::of(language).prosody;
    let mut start = 0;
    while start < words.len() {
        let end = (start..words.len()).find(|&at| words[at].break_after >= Break::Group);
        let end = end.map_or(words.len(), |at| at + 1);
        divide_stretch(&mut words[start..end], prosody);
        start = end;
    }
}

fn divide_stretch(words: &mut [Word], prosody: &Prosody) {
    // start time of each word, and total duration, in seconds
    let mut until = vec![0.0_f32];
    for word in words.iter() {
        until.push(until[until.len() - 1] + seconds(word));
    }
    let count = words.len();
    let all = until[count];
    if all > EASY {
        for at in best_places(words, &until, prosody) {
            words[at - 1].break_after = Break::Breath;
        }
    }
    let mut start = 0;
    for at in 1..count {
        let end =
            (at..count).find(|&place| words[place].break_after >= Break::Breath).map_or(count, |at| at + 1);
        let (before, following) = (until[at] - until[start], until[end] - until[at]);
        let last = &words[at - 1];
        if last.break_after > Break::None {
            start = at;
        } else if prosody.clause_before.has(&words[at].text)
            && before > PHRASE
            && following > PHRASE
            && edge(words, at, prosody).is_some()
        {
            words[at - 1].break_after = Break::Phrase;
            start = at;
        }
    }
}

/// Returns the indices of the words before which to breathe.
fn best_places(words: &[Word], until: &[f32], prosody: &Prosody) -> Vec<usize> {
    let count = words.len();
    let edges: Vec<Option<f32>> = (0..=count)
        .map(|at| if at == 0 || at == count { Some(0.0) } else { edge(words, at, prosody) })
        .collect();
    // minimum cost of the words before each index, and start of the last stretch of that division
    let mut best: Vec<(f32, usize)> = vec![(0.0, 0)];
    for to in 1..=count {
        let mut least = (f32::INFINITY, to - 1);
        if let Some(edge) = edges[to] {
            let pause = if to == count { 0.0 } else { edge + PAUSE };
            for from in (0..to).rev() {
                if to - from > MAX_WORDS && least.0.is_finite() {
                    break;
                }
                if !best[from].0.is_finite() {
                    continue;
                }
                let cost = best[from].0 + length_cost(until[to] - until[from]) + pause;
                if cost < least.0 {
                    least = (cost, from);
                }
            }
        }
        best.push(least);
    }
    let mut places = Vec::new();
    let mut at = best[count].1;
    while at > 0 {
        places.push(at);
        at = best[at].1;
    }
    places
}

fn length_cost(seconds: f32) -> f32 {
    let long = ((seconds - EASY) / STRAIN).max(0.0);
    let short = (SHORTEST - seconds).max(0.0);
    long * long + 2.5 * short
}

/// Returns the cost of a pause before the word at `at`, which depends on the words around it, or `None` if no pause is
/// allowed.
fn edge(words: &[Word], at: usize, prosody: &Prosody) -> Option<f32> {
    let (before, after) = (&words[at - 1], &words[at]);
    if before.source == after.source {
        return None;
    }
    let is = |list: &crate::word_list::WordList, word: &Word| list.has(&word.text);
    let begins_clause = is(&prosody.clause_before, after);
    let function = |word: &Word| word.weight == Weight::Function || prosody.function.contains(&word.text);
    // words of one expansion, or a number with the thing it counts
    let counted = before.class != Class::Word && after.class == Class::Word && !function(after);
    if is(&prosody.clause_before, before)
        || is(&prosody.attaches_to_next, before)
        || is(&prosody.phrase_before, before)
        || is(&prosody.focus_after, before)
        || is(&prosody.negation, before) && !begins_clause
    {
        return None;
    }
    if before.break_after == Break::Phrase || begins_clause {
        return Some(0.0);
    }
    // के बाद, ਤੋਂ ਬਾਅਦ: the second word attaches to the first
    if is(&prosody.attaches_to_previous, after) || prosody.phrase_after.has_exactly(&after.text) || counted {
        return None;
    }
    if is(&prosody.phrase_before, after) {
        return Some(0.5);
    }
    if function(after) && !is(&prosody.attaches_to_next, after) {
        return None;
    }
    if is(&prosody.phrase_after, before) {
        return Some(0.3);
    }
    if is(&prosody.attaches_to_next, after) {
        return Some(0.7);
    }
    Some(1.5)
}

/// Returns the approximate duration of a word in connected speech, in seconds.
fn seconds(word: &Word) -> f32 {
    let of = |phone: &crate::phone::Phone| match (phone.is_vowel(), phone.long) {
        (true, true) => 0.125,
        (true, false) => 0.085,
        (false, true) => 0.14,
        (false, false) => 0.07,
    };
    word.phones.iter().map(of).sum()
}
