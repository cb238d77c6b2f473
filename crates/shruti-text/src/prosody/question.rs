//! What a question asks for: a word, yes or no, or one of some things.
//!
//! Question words in a clause of knowing or telling ask nothing themselves: "Do you know where it is?" asks for yes or
//! no. Alternatives fall on the last of them (Bartels 1999).

use shruti_lang::Language;

use super::Prosody;
use super::words::{Asks, Particle};
use crate::normalize::data;

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Yes or no.
    YesNo,
    /// What the question word at this place stands for.
    Word(usize),
    /// One of some things; the last of them begins at this place, which is not the first.
    Alternatives(usize),
}

/// Words as they are spoken, each with its own language, in the grammar of one.
struct Sentence<'a> {
    words: &'a [(&'a str, Language)],
    prosody: &'static Prosody,
    language: Language,
}

/// What a question asks for whose grammar is that of `language`.
pub(crate) fn of(words: &[(&str, Language)], language: Language) -> Question {
    let sentence = Sentence { words, prosody: &data::of(language).prosody, language };
    let asked = if language == Language::English { sentence.asked_in_english() } else { sentence.asked() };
    match asked {
        Asked::Word(at) => Question::Word(at),
        Asked::YesNo => Question::YesNo,
        Asked::Open => sentence.alternatives().map_or(Question::YesNo, Question::Alternatives),
    }
}

/// What is known of a question before alternatives are looked for.
enum Asked {
    Word(usize),
    /// Yes or no, whatever else is in it.
    YesNo,
    /// Yes or no, or one of some things.
    Open,
}

impl Sentence<'_> {
    fn text(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|&(text, _)| text)
    }

    /// Whether a list of the sentence's language has the word at `at`.
    fn is(&self, list: impl Fn(&'static Prosody) -> &'static crate::word_list::WordList, at: usize) -> bool {
        self.text(at).is_some_and(|word| list(self.prosody).has(word))
    }

    fn is_verb(&self, at: usize) -> bool {
        self.is(|prosody| &prosody.verbs, at)
    }

    fn is_function(&self, at: usize) -> bool {
        self.text(at).is_some_and(|word| self.prosody.function.contains(word))
    }

    /// Whether the word at `at` is a question word, of the sentence's language or its own.
    fn is_question(&self, at: usize) -> bool {
        let Some(&(word, own)) = self.words.get(at) else { return false };
        let asks = |prosody: &Prosody| prosody.question.has(word) && !prosody.no_question.has(word);
        asks(self.prosody) || own != self.language && asks(&data::of(own).prosody)
    }

    /// Where the sentence begins, behind words that may stand before any.
    fn first(&self) -> usize {
        (0..self.words.len()).find(|&at| !self.is(|prosody| &prosody.fillers, at)).unwrap_or(0)
    }

    /// The places of expressions of knowing or telling, from their first word to the word behind.
    fn knowing(&self) -> Option<std::ops::Range<usize>> {
        (0..self.words.len()).find_map(|at| {
            let rest = || self.words[at..].iter().map(|&(text, _)| text);
            let mut found = self.prosody.knows.iter().filter(|expression| expression.begin(rest()));
            found.next().map(|expression| at..at + expression.len())
        })
    }

    fn asked(&self) -> Asked {
        let last = self.words.len().saturating_sub(1);
        // क्यों न? asks for a reason
        if self.is(|prosody| &prosody.tags, last) && !(last > 0 && self.is_question(last - 1)) {
            return Asked::YesNo;
        }
        let mut certain = self.is(|prosody| &prosody.yes_no_last, last)
            && !self.is(|prosody| &prosody.no_yes_no_last, last)
            && !self.is_question(last);
        let knowing = self.knowing();
        let mut asking = Vec::new();
        for at in 0..self.words.len() {
            let particle =
                self.prosody.particle.as_ref().filter(|particle| particle.words.has(self.words[at].0));
            match particle.map(|particle| self.asks(particle, at)) {
                Some((Asks::YesNo, sure)) => certain |= sure,
                Some((Asks::Thing, _)) => asking.push(at),
                None if self.is_question(at) => asking.push(at),
                None => {}
            }
        }
        let embedded = |&at: &usize| {
            // who said that he knows: what is known stands behind the verb of knowing, or before it without "that"
            let between = |from: usize, to: usize| {
                (from..to).any(|place| self.is_verb(place))
                    && !(from..to).any(|place| self.is(|prosody| &prosody.or_that, place))
            };
            knowing
                .as_ref()
                .is_some_and(|known| at >= known.end || at < known.start && between(at + 1, known.start))
        };
        match asking.iter().find(|at| !embedded(at)) {
            Some(&at) if !certain => Asked::Word(at),
            _ if !asking.is_empty() => Asked::YesNo,
            // whether this or that happens is what someone knows
            _ if knowing.is_some_and(|known| (known.end..=last).any(|at| self.is_verb(at))) => Asked::YesNo,
            _ => Asked::Open,
        }
    }

    /// What a particle asks for at `at`, and whether nothing else in the sentence can ask for more.
    fn asks(&self, particle: &Particle, at: usize) -> (Asks, bool) {
        let thing_before = || at + 1 < self.words.len() && particle.thing_before.has(self.words[at + 1].0);
        if at > 0 && self.is_verb(at - 1) {
            (Asks::YesNo, true)
        } else if at + 1 == self.words.len() {
            (Asks::Thing, true)
        } else if at == self.first() {
            // its subject is left out: क्या करेंगे?
            (if thing_before() || self.is_verb(at + 1) { Asks::Thing } else { particle.first }, false)
        } else {
            let ends = (at + 2..self.words.len()).all(|place| self.is_function(place));
            (if thing_before() && ends { Asks::Thing } else { particle.middle }, true)
        }
    }

    fn asked_in_english(&self) -> Asked {
        let count = self.words.len();
        let first = self.first();
        let is_verb = |at: usize| self.is(|prosody| &prosody.yes_no_first, at);
        // at what time, for how long
        let led = self.is(|prosody| &prosody.phrase_before, first) && self.is_question(first + 1);
        if self.is_question(first) || led {
            return Asked::Word(first + usize::from(led));
        }
        let knowing = self.knowing();
        let Some(at) = (first..count).find(|&at| self.is_question(at)) else {
            return if self.is(|prosody| &prosody.tags, count - 1) { Asked::YesNo } else { Asked::Open };
        };
        if is_verb(first) {
            // "Do you know where?" but also "Is it red or blue when you look?"
            return if knowing.is_some() { Asked::YesNo } else { Asked::Open };
        }
        // the question word stands where its answer would: it costs how much; or begins after a name: Ravi, where is it
        let asks_here = at + 3 > count || (at + 1..at + 3).any(is_verb);
        let before = knowing.is_some_and(|known| known.start < at);
        let addressed =
            (first..at).any(|place| is_verb(place) && self.is(|prosody| &prosody.leans_on_next, place + 1));
        if asks_here && !before && !addressed { Asked::Word(at) } else { Asked::YesNo }
    }

    /// Where the last of some alternatives begins.
    fn alternatives(&self) -> Option<usize> {
        let last = self.words.len().checked_sub(1)?;
        let joins = |&at: &usize| {
            // a clause behind a verb is what is said or known; without a verb of its own it is the other thing
            let clause = self.is_verb(at - 1) && (at + 1..=last).any(|place| self.is_verb(place));
            let that = self.is(|prosody| &prosody.or_that, at)
                && (!clause && !self.is_function(at - 1) || self.is(|prosody| &prosody.negation, at + 1));
            let or = self.is(|prosody| &prosody.or, at) || that;
            or && !self.is(|prosody| &prosody.open, at + 1)
        };
        // டீயா காபியா
        let asks = |&at: &usize| {
            self.is(|prosody| &prosody.yes_no_last, at) && !self.is(|prosody| &prosody.no_yes_no_last, at)
        };
        let joined = (1..last).rev().find(joins);
        joined.or_else(|| {
            let pair = || (0..last).rev().find(asks).map(|first| first + 1);
            Some(last).filter(asks).and_then(|_| pair())
        })
    }
}
