//! `[prosody]` of `data/<code>/normalize.toml`; what each key means is explained in `data/README.md`.

use serde::Deserialize;

use crate::table::Set;
use crate::word_list::WordList;

/// The words of a language that tell melody, focus and breath.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prosody {
    /// Question words.
    pub(crate) question: WordList,
    /// Words that look like question words: indefinites, `ஏதாவது`.
    #[serde(default)]
    pub(crate) no_question: WordList,
    /// A word that asks for yes or no, or for a thing.
    #[serde(default)]
    pub(crate) particle: Option<Particle>,
    /// Finite verbs and their endings.
    #[serde(default)]
    pub(crate) verbs: WordList,
    /// Endings that make a question for yes or no of the sentence whose last word has them.
    #[serde(default)]
    pub(crate) yes_no_last: WordList,
    /// Words that have such an ending and ask nothing.
    #[serde(default)]
    pub(crate) no_yes_no_last: WordList,
    /// Verbs that begin a question for yes or no (English).
    #[serde(default)]
    pub(crate) yes_no_first: WordList,
    /// What may stand before the first word that counts.
    #[serde(default)]
    pub(crate) fillers: WordList,
    /// Last words that ask for assent: `न`, `కదా`, `right`.
    #[serde(default)]
    pub(crate) tags: WordList,
    /// Ways to say that someone knows or tells, in whose clause a question word asks nothing itself.
    #[serde(default)]
    pub(crate) knows: Vec<Words>,
    /// Between alternatives.
    #[serde(rename = "or", default)]
    pub(crate) or: WordList,
    /// Between alternatives, unless a verb stands before: `કે`, which is `that` as well.
    #[serde(default)]
    pub(crate) or_that: WordList,
    /// After the word for `or`, they leave open what else there may be: `something`.
    #[serde(default)]
    pub(crate) open: WordList,
    /// Words that lean on a neighbour.
    pub(crate) function: Set<String>,
    /// Of those, the ones that belong to what follows: articles, pronouns.
    #[serde(default)]
    pub(crate) leans_on_next: WordList,
    /// Other words that nothing separates from what is before them: the verbs of compound verbs.
    #[serde(default)]
    pub(crate) leans_on_previous: WordList,
    /// Conjunctions, before which a clause begins.
    #[serde(default)]
    pub(crate) clause_before: WordList,
    /// Words before which a phrase begins.
    #[serde(default)]
    pub(crate) phrase_before: WordList,
    /// Words, and endings of words, after which a phrase has ended.
    #[serde(default)]
    pub(crate) phrase_after: WordList,
    /// Particles whose word before is in focus: `ही`.
    #[serde(default)]
    pub(crate) focus_before: WordList,
    /// Particles whose word behind is in focus: `only`.
    #[serde(default)]
    pub(crate) focus_after: WordList,
    /// Words that are in focus by their ending: `আমিই`.
    #[serde(default)]
    pub(crate) focused: WordList,
    /// Words that deny.
    #[serde(default)]
    pub(crate) negation: WordList,
}

/// A word that asks for yes or no at some places and for a thing at others: `क्या`, `କଣ`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Particle {
    pub(crate) words: WordList,
    /// What it asks for at the beginning and in the middle; behind a verb it asks for yes or no, and at the end
    /// otherwise for a thing.
    pub(crate) first: Asks,
    pub(crate) middle: Asks,
    /// Directly before one of these it asks for a thing: at the beginning always, as before any verb, in the middle if nothing else but
    /// words of grammar follow.
    #[serde(default)]
    pub(crate) thing_before: WordList,
}

/// What a word asks for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Asks {
    YesNo,
    Thing,
}

/// Words that follow each other, each of which may be a beginning or an ending as in a [`WordList`].
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Words(Vec<WordList>);

impl Words {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether they stand at the beginning of `words`.
    pub(crate) fn begin<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> bool {
        self.0.iter().all(|wanted| words.next().is_some_and(|word| wanted.has(word)))
    }
}

impl From<String> for Words {
    fn from(words: String) -> Self {
        Self(words.split(' ').map(|word| WordList::from(vec![word.to_owned()])).collect())
    }
}
