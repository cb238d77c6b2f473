//! Schema of `[prosody]` in `data/<code>/normalize.toml`; `data/README.md` explains the keys.

use serde::Deserialize;

use crate::table::Set;
use crate::word_list::WordList;

/// Words of a language that determine melody, focus and breath.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prosody {
    /// Question words.
    pub(crate) question: WordList,
    /// Words that look like question words but are indefinite: `ஏதாவது`.
    #[serde(default)]
    pub(crate) no_question: WordList,
    /// Word that marks a yes/no question or asks for a thing.
    #[serde(default)]
    pub(crate) particle: Option<Particle>,
    /// Finite verbs and their endings.
    #[serde(default)]
    pub(crate) verbs: WordList,
    /// Endings of the last word that make a sentence a yes/no question.
    #[serde(default)]
    pub(crate) yes_no_last: WordList,
    /// Words that have one of these endings but do not mark a question.
    #[serde(default)]
    pub(crate) no_yes_no_last: WordList,
    /// Verbs that begin a yes/no question (English).
    #[serde(default)]
    pub(crate) yes_no_first: WordList,
    /// Words that are ignored at the beginning of a sentence.
    #[serde(default)]
    pub(crate) fillers: WordList,
    /// Final words that ask for agreement: `न`, `కదా`, `right`.
    #[serde(default)]
    pub(crate) tags: WordList,
    /// Expressions of knowing or telling; a question word in their clause does not make a question.
    #[serde(default)]
    pub(crate) knows: Vec<Words>,
    /// Words between alternatives.
    #[serde(rename = "or", default)]
    pub(crate) or: WordList,
    /// Words between alternatives if no verb precedes: `કે`, which also means `that`.
    #[serde(default)]
    pub(crate) or_that: WordList,
    /// Words that follow the word for `or` in an open question: `something`.
    #[serde(default)]
    pub(crate) open: WordList,
    /// Function words, which attach to an adjacent word.
    pub(crate) function: Set<String>,
    /// Function words that attach to the following word: articles, pronouns.
    #[serde(default)]
    pub(crate) attaches_to_next: WordList,
    /// Other words that are never separated from the preceding word: the verbs of compound verbs.
    #[serde(default)]
    pub(crate) attaches_to_previous: WordList,
    /// Conjunctions that begin a clause.
    #[serde(default)]
    pub(crate) clause_before: WordList,
    /// Words that begin a phrase.
    #[serde(default)]
    pub(crate) phrase_before: WordList,
    /// Words, and endings of words, that end a phrase.
    #[serde(default)]
    pub(crate) phrase_after: WordList,
    /// Particles that put the preceding word in focus: `ही`.
    #[serde(default)]
    pub(crate) focus_before: WordList,
    /// Particles that put the following word in focus: `only`.
    #[serde(default)]
    pub(crate) focus_after: WordList,
    /// Words with an ending that puts them in focus: `আমিই`.
    #[serde(default)]
    pub(crate) focused: WordList,
    /// Negations.
    #[serde(default)]
    pub(crate) negation: WordList,
}

/// Word that marks a yes/no question in some positions and asks for a thing in others: `क्या`, `କଣ`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Particle {
    pub(crate) words: WordList,
    /// Question type at the beginning, and in the middle. After a verb the word marks a yes/no question; otherwise, at
    /// the end, it asks for a thing.
    pub(crate) first: ParticleType,
    pub(crate) middle: ParticleType,
    /// Words directly before which the particle asks for a thing. At the beginning it always does so before them and
    /// before any verb, and in the middle only if all words after them are function words.
    #[serde(default)]
    pub(crate) thing_before: WordList,
}

/// Question type of a particle.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ParticleType {
    YesNo,
    Thing,
}

/// Sequence of words, each of which may be a beginning or an ending as in a [`WordList`].
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Words(Vec<WordList>);

impl Words {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the sequence is at the beginning of `words`.
    pub(crate) fn begin<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> bool {
        self.0.iter().all(|wanted| words.next().is_some_and(|word| wanted.has(word)))
    }
}

impl From<String> for Words {
    fn from(words: String) -> Self {
        Self(words.split(' ').map(|word| WordList::from(vec![word.to_owned()])).collect())
    }
}
