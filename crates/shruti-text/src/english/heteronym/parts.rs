//! Likely part of speech of an English word, from its neighbours.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::table::Set;

/// Part of speech, as far as it affects pronunciation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    Noun,
    /// A verb in the present tense or the base form.
    Verb,
    /// A verb in the past tense, or a past participle.
    Past,
    Adjective,
    Adverb,
    /// A proper name, which begins with a capital.
    Name,
}

/// Contents of `data/en/word-classes.toml`: the classes of neighbouring words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Classes {
    determiners: Set<String>,
    possessives: Set<String>,
    numerals: Set<String>,
    prepositions: Set<String>,
    conjunctions: Set<String>,
    modals: Set<String>,
    helpers: Set<String>,
    having: Set<String>,
    being: Set<String>,
    subjects: Set<String>,
    third_persons: Set<String>,
    objects: Set<String>,
    adverbs: Set<String>,
    degrees: Set<String>,
    adjectives: Set<String>,
    past_times: Set<String>,
    past_verbs: Set<String>,
    present_times: Set<String>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    // this cannot fail: the file is part of the program, and a test parses it
    #[allow(clippy::expect_used)]
    toml::from_str(crate::files::text!("en/word-classes.toml")).expect("the embedded classes are valid")
});

impl Classes {
    /// Returns whether a word begins a noun phrase: `the`, `my`, `two`.
    fn determines(&self, word: &str) -> bool {
        self.determiners.contains(word)
            || self.possessives.contains(word)
            || self.numerals.contains(word)
            || word.ends_with("'s") && !self.being.contains(word) && !self.helpers.contains(word)
    }

    fn is_adverb(&self, word: &str) -> bool {
        self.adverbs.contains(word) || word.len() > 4 && word.ends_with("ly")
    }

    fn is_adjective(&self, word: &str) -> bool {
        const ENDINGS: [&str; 9] = ["ous", "ful", "ive", "ible", "able", "less", "ical", "ional", "ic"];
        self.adjectives.contains(word)
            || word.len() > 5 && ENDINGS.iter().any(|ending| word.ends_with(ending))
    }

    fn is_past_verb(&self, word: &str) -> bool {
        self.past_verbs.contains(word) || word.len() > 4 && word.ends_with("ed")
    }

    fn is_form_of_do(&self, word: &str) -> bool {
        self.helpers.contains(word) && (word.starts_with("do") || word.starts_with("did"))
    }

    /// Returns whether a word may be a noun: it is not a function word, adverb or adjective.
    fn is_open(&self, word: &str) -> bool {
        let closed = [
            &self.prepositions,
            &self.conjunctions,
            &self.modals,
            &self.helpers,
            &self.having,
            &self.being,
            &self.subjects,
            &self.objects,
        ];
        !(closed.iter().any(|list| list.contains(word))
            || self.determines(word)
            || self.is_adverb(word)
            || self.is_adjective(word))
    }

    fn is_plural(&self, word: &str) -> bool {
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && self.is_open(word)
            || matches!(word, "people" | "children" | "men" | "women" | "police")
    }
}

/// Class of the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The beginning of a noun phrase: `the`, `my`, `two`.
    NounPhrase,
    /// An object pronoun: `it`, `them`.
    Object,
    Verb,
    Adverb,
    /// A noun, or an adjective before a noun.
    Noun,
    Of,
    End,
    Other,
}

impl Next {
    fn new(next: &str, after: &str, classes: &Classes) -> Self {
        let is_verb = |word| {
            [&classes.being, &classes.having, &classes.modals].iter().any(|list| list.contains(word))
                || classes.is_past_verb(word)
        };
        let is_noun = |word: &str| !word.is_empty() && classes.is_open(word);
        match next {
            "" => Self::End,
            "of" => Self::Of,
            _ if classes.determines(next) => Self::NounPhrase,
            _ if classes.objects.contains(next) => Self::Object,
            _ if is_verb(next) => Self::Verb,
            _ if classes.is_adverb(next) || classes.degrees.contains(next) => Self::Adverb,
            _ if is_noun(next) || classes.is_adjective(next) && is_noun(after) => Self::Noun,
            _ => Self::Other,
        }
    }

    fn begins_object(self) -> bool {
        matches!(self, Self::NounPhrase | Self::Object)
    }
}

/// Words around a position, in lower case. A neighbour outside the segment is the empty string.
struct Neighbours<'w> {
    classes: &'static Classes,
    words: &'w [String],
    at: usize,
    before: &'w str,
    /// The preceding word after skipping up to two adverbs, which may separate a verb from its subject or auxiliary.
    head: &'w str,
    before_head: &'w str,
    next: Next,
}

impl<'w> Neighbours<'w> {
    fn new(words: &'w [String], at: usize) -> Self {
        let classes = &*CLASSES;
        let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
        let skipped = (0..at).rev().take(2).take_while(|&at| classes.is_adverb(&words[at])).count();
        let head = at.checked_sub(skipped + 1);
        Self {
            classes,
            words,
            at,
            before: word(at.checked_sub(1)),
            head: word(head),
            before_head: word(head.and_then(|at| at.checked_sub(1))),
            next: Next::new(word(Some(at + 1)), word(Some(at + 2)), classes),
        }
    }

    /// Returns whether the preceding word begins a noun phrase.
    fn is_determined(&self) -> bool {
        self.classes.determines(self.before)
    }

    fn has_subject(&self) -> bool {
        self.classes.subjects.contains(self.head) && !self.is_determined()
    }

    /// Returns whether a preceding word requires the base form of a verb: `to`, `will`, `did he`, `let me`.
    fn asks_plain_verb(&self) -> bool {
        const CAUSES: [&str; 7] = ["let", "make", "makes", "made", "help", "helps", "helped"];
        let Self { classes, head, before_head, .. } = self;
        let inverts = classes.modals.contains(*before_head) || classes.is_form_of_do(before_head);
        let is_object = classes.objects.contains(*head);
        classes.modals.contains(*head)
            || classes.helpers.contains(*head)
            || inverts && (self.has_subject() || is_object || classes.is_open(head))
            || is_object && CAUSES.contains(before_head)
    }

    /// Returns whether a preceding form of `have` requires a participle. In a question, the subject is between `have`
    /// and the participle.
    fn asks_participle(&self) -> bool {
        let is_having = |word| self.classes.having.contains(word);
        is_having(self.head) || is_having(self.before_head) && self.has_subject()
    }

    fn others(&self) -> impl Iterator<Item = &str> {
        self.words.iter().enumerate().filter(|(at, _)| *at != self.at).map(|(_, word)| word.as_str())
    }
}

/// Scores of the parts of speech at one position, roughly in nats. Only their differences matter.
#[derive(Default)]
pub(super) struct Scores {
    noun: f32,
    verb: f32,
    past: f32,
    adjective: f32,
    name: f32,
}

impl Scores {
    pub(super) fn of(&self, part: Part) -> f32 {
        match part {
            Part::Noun => self.noun,
            Part::Verb => self.verb,
            Part::Past => self.past,
            Part::Adjective => self.adjective,
            // an adverb has no score here: its reading lists the adjacent words that support it
            Part::Adverb => 0.0,
            Part::Name => self.name,
        }
    }

    /// Computes the scores of the word at `at` of `words`, which are in lower case. `written` is the word in its
    /// original case, and `begins` is `true` for the first word of its segment.
    pub(super) fn new(words: &[String], at: usize, written: &str, begins: bool) -> Self {
        let around = Neighbours::new(words, at);
        let mut scores = Self::default();
        scores.by_verb_before(&around);
        scores.by_noun_phrase_before(&around);
        scores.by_noun_before(&around, written);
        scores.by_next(&around);
        scores.by_time(&around);
        let capital = written.starts_with(char::is_uppercase);
        scores.name = match (capital, begins) {
            (true, false) => 5.0,
            (true, true) if !around.next.begins_object() => 1.0,
            _ => -5.0,
        };
        scores
    }

    /// Adds the scores for a preceding `to`, `will`, subject, `has` or `is`, and for the beginning of the segment.
    fn by_verb_before(&mut self, around: &Neighbours<'_>) {
        let classes = around.classes;
        if around.asks_participle() {
            self.past += 4.0;
            self.verb -= 3.0;
            self.noun += 0.5;
        } else if around.asks_plain_verb() && !around.is_determined() {
            self.verb += 4.0;
            self.noun -= 2.0;
            self.past -= 4.0;
            self.adjective -= 1.5;
        } else if around.has_subject() && !classes.is_adjective(around.before) {
            self.verb += 3.0;
            self.noun -= 2.0;
            self.adjective -= 1.0;
            // in the present tense, a third-person verb would end in -s
            self.past += if classes.third_persons.contains(around.head) { 3.5 } else { 2.0 };
        }
        if around.before.is_empty() || classes.conjunctions.contains(around.before) {
            self.verb += if around.next.begins_object() { 2.5 } else { 0.5 };
            if around.words[..around.at].iter().any(|word| classes.is_past_verb(word)) {
                self.past += 2.5;
            }
        }
        if classes.being.contains(around.head) {
            self.adjective += 2.5;
            self.past += 3.5;
            self.verb -= 3.0;
        }
        if classes.is_past_verb(around.before) && !classes.having.contains(around.before) {
            self.noun += 1.0;
            self.verb -= 1.0;
        }
    }

    /// Adds the scores for a preceding `the`, `my`, `two`, adjective, preposition or `very`.
    fn by_noun_phrase_before(&mut self, around: &Neighbours<'_>) {
        let classes = around.classes;
        let is_governed = classes.prepositions.contains(around.before);
        if around.is_determined() {
            self.noun += if around.next == Next::Noun { 2.5 } else { 3.0 };
            self.verb -= 3.0;
            self.past -= 3.0;
            self.adjective += if around.next == Next::Noun { 3.5 } else { -0.5 };
        }
        if classes.is_adjective(around.before) {
            self.noun += 2.5;
            self.verb -= 2.0;
            self.past -= 2.0;
            self.adjective += if around.next == Next::Noun { 1.0 } else { 0.0 };
        }
        if is_governed {
            self.noun += 2.5;
            self.verb -= 3.0;
            self.past -= 3.0;
            self.adjective += if around.next == Next::Noun { 2.5 } else { -0.5 };
        }
        if classes.degrees.contains(around.before) {
            self.adjective += if around.next == Next::NounPhrase { 0.5 } else { 3.0 };
        }
    }

    /// Adds the scores for a preceding noun, which may be the subject or the first part of a compound.
    fn by_noun_before(&mut self, around: &Neighbours<'_>, written: &str) {
        let classes = around.classes;
        if around.before.is_empty() || !classes.is_open(around.before) || classes.is_past_verb(around.before)
        {
            return;
        }
        let has_ending = written.ends_with('s') && !written.ends_with("ss");
        if classes.is_plural(around.before) {
            // a plural may be a subject (`farmers produce`) or the first part of a compound (`sales record`)
            self.verb += if around.next == Next::Noun { 0.5 } else { 1.5 };
            self.noun += 0.5;
        } else {
            self.noun += 1.5;
            self.past += if around.next.begins_object() { 1.5 } else { 0.5 };
            // with an -s, the word may be a verb (`the paper tears`); otherwise it is a noun (`the world record`)
            self.verb += if has_ending { 1.0 } else { -1.0 };
        }
    }

    /// Adds the scores for the following word.
    fn by_next(&mut self, around: &Neighbours<'_>) {
        match around.next {
            Next::NounPhrase => {
                self.verb += 1.5;
                self.past += 1.5;
                self.noun -= 1.5;
                self.adjective -= 2.0;
            }
            Next::Object => {
                self.verb += 2.0;
                self.past += 2.0;
                self.adjective -= 2.0;
            }
            Next::Verb => self.noun += 1.5,
            Next::Adverb => self.verb += 1.0,
            Next::Noun => self.adjective += 0.5,
            Next::Of => self.noun += 2.5,
            Next::End => {
                self.noun += 0.5;
                self.adjective += 0.2;
            }
            Next::Other => {}
        }
    }

    /// Adds the scores for time expressions and past-tense verbs among the other words of the segment.
    fn by_time(&mut self, around: &Neighbours<'_>) {
        let has = |list: &Set<String>| around.others().any(|word| list.contains(word));
        let classes = around.classes;
        if has(&classes.past_times) {
            self.past += 2.0;
        }
        if around.others().any(|word| classes.is_past_verb(word)) {
            self.past += 1.5;
        }
        if has(&classes.present_times) {
            self.past -= 2.0;
        }
    }
}
