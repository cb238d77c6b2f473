//! Types of questions: with a question word, yes/no, or with alternatives.
//!
//! A question word in a clause of knowing or telling does not determine the type of the question: "Do you know where it
//! is?" is a yes/no question. The pitch of an alternative question falls on its last alternative (Bartels 1999).

use shruti_lang::Language;

use crate::data;
use crate::data::prosody::Prosody;
use crate::data::prosody::{Particle, ParticleType};

/// Type of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A yes/no question.
    YesNo,
    /// A question with the question word at this index.
    Word(usize),
    /// A question with alternatives; the last one begins at this index, which is not 0.
    Alternatives(usize),
}

/// Spoken words, each with its language, and the language of their grammar.
struct Sentence<'a> {
    words: &'a [(&'a str, Language)],
    prosody: &'static Prosody,
    language: Language,
}

/// Returns the type of a question with the grammar of `language`.
pub(crate) fn of(words: &[(&str, Language)], language: Language) -> Question {
    let sentence = Sentence { words, prosody: &data::of(language).prosody, language };
    let preliminary = if language == Language::English {
        sentence.english_preliminary_type()
    } else {
        sentence.preliminary_type()
    };
    match preliminary {
        PreliminaryType::Word(at) => Question::Word(at),
        PreliminaryType::YesNo => Question::YesNo,
        PreliminaryType::Open => sentence.alternatives().map_or(Question::YesNo, Question::Alternatives),
    }
}

/// Preliminary type of a question, before the check for alternatives.
enum PreliminaryType {
    Word(usize),
    /// A yes/no question; the classifier does not check for alternatives ("A or B?").
    YesNo,
    /// A yes/no question, or a question with alternatives.
    Open,
}

impl Sentence<'_> {
    fn text(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|&(text, _)| text)
    }

    /// Returns whether a list of the sentence's language contains the word at `at`.
    fn is(&self, list: impl Fn(&'static Prosody) -> &'static crate::word_list::WordList, at: usize) -> bool {
        self.text(at).is_some_and(|word| list(self.prosody).has(word))
    }

    fn is_verb(&self, at: usize) -> bool {
        self.is(|prosody| &prosody.verbs, at)
    }

    fn is_function(&self, at: usize) -> bool {
        self.text(at).is_some_and(|word| self.prosody.function.contains(word))
    }

    /// Returns whether the word at `at` is a question word in the language of the sentence or of the word.
    fn is_question(&self, at: usize) -> bool {
        let Some(&(word, own)) = self.words.get(at) else { return false };
        let asks = |prosody: &Prosody| prosody.question.has(word) && !prosody.no_question.has(word);
        asks(self.prosody) || own != self.language && asks(&data::of(own).prosody)
    }

    /// Returns the index of the first word after fillers, which can precede any sentence.
    fn first(&self) -> usize {
        (0..self.words.len()).find(|&at| !self.is(|prosody| &prosody.fillers, at)).unwrap_or(0)
    }

    /// Returns the range of the first expression of knowing or telling.
    fn knowing(&self) -> Option<std::ops::Range<usize>> {
        (0..self.words.len()).find_map(|at| {
            let rest = || self.words[at..].iter().map(|&(text, _)| text);
            let mut found = self.prosody.knows.iter().filter(|expression| expression.begin(rest()));
            found.next().map(|expression| at..at + expression.len())
        })
    }

    fn preliminary_type(&self) -> PreliminaryType {
        let last = self.words.len().saturating_sub(1);
        // क्यों न? asks for a reason, so it is not a tag question
        if self.is(|prosody| &prosody.tags, last) && !(last > 0 && self.is_question(last - 1)) {
            return PreliminaryType::YesNo;
        }
        let mut certain = self.is(|prosody| &prosody.yes_no_last, last)
            && !self.is(|prosody| &prosody.no_yes_no_last, last)
            && !self.is_question(last);
        let knowing = self.knowing();
        let mut asking = Vec::new();
        for at in 0..self.words.len() {
            let particle =
                self.prosody.particle.as_ref().filter(|particle| particle.words.has(self.words[at].0));
            match particle.map(|particle| self.particle_type(particle, at)) {
                Some((ParticleType::YesNo, sure)) => certain |= sure,
                Some((ParticleType::Thing, _)) => asking.push(at),
                None if self.is_question(at) => asking.push(at),
                None => {}
            }
        }
        let embedded = |&at: &usize| {
            // an embedded question follows the expression of knowing, or precedes it with a verb and no "that" between
            // them; in "who said that he knows", "who" is not embedded
            let between = |from: usize, to: usize| {
                (from..to).any(|place| self.is_verb(place))
                    && !(from..to).any(|place| self.is(|prosody| &prosody.or_that, place))
            };
            knowing
                .as_ref()
                .is_some_and(|known| at >= known.end || at < known.start && between(at + 1, known.start))
        };
        match asking.iter().find(|at| !embedded(at)) {
            Some(&at) if !certain => PreliminaryType::Word(at),
            _ if !asking.is_empty() => PreliminaryType::YesNo,
            // with a verb after the expression of knowing, "or" belongs to the embedded clause
            _ if knowing.is_some_and(|known| (known.end..=last).any(|at| self.is_verb(at))) => {
                PreliminaryType::YesNo
            }
            _ => PreliminaryType::Open,
        }
    }

    /// Returns the question type that a particle at `at` indicates, and whether the type is certain.
    fn particle_type(&self, particle: &Particle, at: usize) -> (ParticleType, bool) {
        let thing_before = || at + 1 < self.words.len() && particle.thing_before.has(self.words[at + 1].0);
        if at > 0 && self.is_verb(at - 1) {
            (ParticleType::YesNo, true)
        } else if at + 1 == self.words.len() {
            (ParticleType::Thing, true)
        } else if at == self.first() {
            // a verb directly after an initial particle means that the subject is omitted: क्या करेंगे?
            (if thing_before() || self.is_verb(at + 1) { ParticleType::Thing } else { particle.first }, false)
        } else {
            let ends = (at + 2..self.words.len()).all(|place| self.is_function(place));
            (if thing_before() && ends { ParticleType::Thing } else { particle.middle }, true)
        }
    }

    fn english_preliminary_type(&self) -> PreliminaryType {
        let count = self.words.len();
        let first = self.first();
        let is_verb = |at: usize| self.is(|prosody| &prosody.yes_no_first, at);
        // a preposition may precede the question word: "at what time", "for how long"
        let led = self.is(|prosody| &prosody.phrase_before, first) && self.is_question(first + 1);
        if self.is_question(first) || led {
            return PreliminaryType::Word(first + usize::from(led));
        }
        let knowing = self.knowing();
        let Some(at) = (first..count).find(|&at| self.is_question(at)) else {
            return if self.is(|prosody| &prosody.tags, count - 1) {
                PreliminaryType::YesNo
            } else {
                PreliminaryType::Open
            };
        };
        if is_verb(first) {
            // an expression of knowing rules out alternatives: "Do you know where?", but "Is it red or blue when you
            // look?"
            return if knowing.is_some() { PreliminaryType::YesNo } else { PreliminaryType::Open };
        }
        // the question word is in the position of its answer ("it costs how much"), or follows a name ("Ravi, where is
        // it")
        let asks_here = at + 3 > count || (at + 1..at + 3).any(is_verb);
        let before = knowing.is_some_and(|known| known.start < at);
        let addressed = (first..at)
            .any(|place| is_verb(place) && self.is(|prosody| &prosody.attaches_to_next, place + 1));
        if asks_here && !before && !addressed { PreliminaryType::Word(at) } else { PreliminaryType::YesNo }
    }

    /// Returns the index at which the last of the alternatives begins.
    fn alternatives(&self) -> Option<usize> {
        let last = self.words.len().checked_sub(1)?;
        let joins = |&at: &usize| {
            // a clause after a verb is reported speech if it has its own verb, and otherwise the second alternative
            let clause = self.is_verb(at - 1) && (at + 1..=last).any(|place| self.is_verb(place));
            let that = self.is(|prosody| &prosody.or_that, at)
                && (!clause && !self.is_function(at - 1) || self.is(|prosody| &prosody.negation, at + 1));
            let or = self.is(|prosody| &prosody.or, at) || that;
            or && !self.is(|prosody| &prosody.open, at + 1)
        };
        // two words with question endings are alternatives: டீயா காபியா
        let asks = |&at: &usize| {
            self.is(|prosody| &prosody.yes_no_last, at) && !self.is(|prosody| &prosody.no_yes_no_last, at)
        };
        // the endings are the same, and a verb is not the alternative of a noun, which may have the vowel of the ending
        // in its stem: సినిమా చూశావా
        let is_verb = |at: usize| self.is(|prosody| &prosody.yes_no_verbs, at);
        let vowel = |at: usize| self.text(at).and_then(|word| word.chars().next_back());
        let pairs = |&at: &usize| asks(&at) && vowel(at) == vowel(last) && (is_verb(at) || !is_verb(last));
        let joined = (1..last).rev().find(joins);
        joined.or_else(|| {
            let pair = || (0..last).rev().find(pairs).map(|first| first + 1);
            Some(last).filter(asks).and_then(|_| pair())
        })
    }
}
