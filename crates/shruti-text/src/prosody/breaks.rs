//! Breath placement: the cheapest division of a long stretch of words.
//!
//! A stretch has a cost that depends on its duration, and a pause has a cost that depends on its boundary: none before
//! a conjunction, a low one after a postposition, and a high one between two words that belong together. A pause
//! between a word and a function word attached to it is not allowed. The pauses of human readers also depend on length
//! and syntax (Gee & Grosjean 1983; Bachenko & Fitzpatrick 1990).

use crate::class::Class;
use crate::data::prosody::Prosody;
use crate::data::prosody::Roles;
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

/// Inserts breaths into long stretches, and phrase boundaries before conjunctions in shorter ones. `roles` are those of
/// the words in the language of `prosody`.
pub(super) fn divide(words: &mut [Word], roles: &[Roles], prosody: &Prosody) {
    let mut start = 0;
    while start < words.len() {
        let end = (start..words.len()).find(|&at| words[at].break_after >= Break::Group);
        let end = end.map_or(words.len(), |at| at + 1);
        divide_stretch(&mut words[start..end], &roles[start..end], prosody);
        start = end;
    }
}

fn divide_stretch(words: &mut [Word], roles: &[Roles], prosody: &Prosody) {
    // start time of each word, and total duration, in seconds
    let mut until = Vec::with_capacity(words.len() + 1);
    until.push(0.0_f32);
    for word in words.iter() {
        until.push(until[until.len() - 1] + seconds(word));
    }
    let count = words.len();
    let all = until[count];
    if all > EASY {
        for at in best_places(words, roles, &until, prosody) {
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
        } else if roles[at].has(Roles::CLAUSE_BEFORE)
            && before > PHRASE
            && following > PHRASE
            && edge(words, roles, at, prosody).is_some()
        {
            words[at - 1].break_after = Break::Phrase;
            start = at;
        }
    }
}

/// Returns the indices of the words that a breath precedes in the cheapest division, in descending order.
fn best_places(words: &[Word], roles: &[Roles], until: &[f32], prosody: &Prosody) -> Vec<usize> {
    let count = words.len();
    let edges: Vec<Option<f32>> = (0..=count)
        .map(|at| if at == 0 || at == count { Some(0.0) } else { edge(words, roles, at, prosody) })
        .collect();
    // minimum cost of the words before each index, and start of the last stretch of that division
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(count + 1);
    best.push((0.0, 0));
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
fn edge(words: &[Word], roles: &[Roles], at: usize, prosody: &Prosody) -> Option<f32> {
    /// Lists of words after which no pause is allowed.
    const NO_PAUSE_AFTER: Roles =
        Roles::CLAUSE_BEFORE.and(Roles::ATTACHES_TO_NEXT).and(Roles::PHRASE_BEFORE).and(Roles::FOCUS_AFTER);
    let (before, after) = (&words[at - 1], &words[at]);
    if before.source == after.source {
        return None;
    }
    let (role_before, role_after) = (roles[at - 1], roles[at]);
    let begins_clause = role_after.has(Roles::CLAUSE_BEFORE);
    if role_before.has(NO_PAUSE_AFTER) || role_before.has(Roles::NEGATION) && !begins_clause {
        return None;
    }
    if before.break_after == Break::Phrase || begins_clause {
        return Some(0.0);
    }
    let is_listed = role_after.has(Roles::FUNCTION) && prosody.function.contains(&after.text);
    let is_function = after.weight == Weight::Function || is_listed;
    // a number is not separated from the noun that it counts
    let counted = before.class != Class::Word && after.class == Class::Word && !is_function;
    // के बाद, ਤੋਂ ਬਾਅਦ: the second word attaches to the first
    let is_whole = || role_after.has(Roles::PHRASE_AFTER) && prosody.phrase_after.has_exactly(&after.text);
    if counted || role_after.has(Roles::ATTACHES_TO_PREVIOUS) || is_whole() {
        return None;
    }
    if role_after.has(Roles::PHRASE_BEFORE) {
        return Some(0.5);
    }
    let attaches_to_next = role_after.has(Roles::ATTACHES_TO_NEXT);
    if is_function && !attaches_to_next {
        return None;
    }
    if role_before.has(Roles::PHRASE_AFTER) {
        return Some(0.3);
    }
    if attaches_to_next {
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
