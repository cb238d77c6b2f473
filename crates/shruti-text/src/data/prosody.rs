//! Schema of `[prosody]` in `data/<code>/normalize.toml`; `data/README.md` explains the keys.

use serde::Deserialize;

use crate::chars::lowercase;
use crate::table::{Set, Table};
use crate::word_list::WordList;

/// Words of a language that determine the intonation, the focus and the pauses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prosody {
    /// Question words.
    pub(crate) question: WordList,
    /// Words that look like question words but are indefinite: `ஏதாவது`.
    #[serde(default)]
    pub(crate) no_question: WordList,
    /// Word that marks a yes/no question or asks for a thing ("what").
    #[serde(default)]
    pub(crate) particle: Option<Particle>,
    /// Finite verbs and their endings.
    #[serde(default)]
    pub(crate) verbs: WordList,
    /// Endings of the last word that make a sentence a yes/no question.
    #[serde(default)]
    pub(crate) yes_no_last: WordList,
    /// Words that match `yes_no_last` but do not mark a question.
    #[serde(default)]
    pub(crate) no_yes_no_last: WordList,
    /// Finite verbs among the words of `yes_no_last`.
    #[serde(default)]
    pub(crate) yes_no_verbs: WordList,
    /// Verbs that begin a yes/no question (English).
    #[serde(default)]
    pub(crate) yes_no_first: WordList,
    /// Words that are ignored at the beginning of a sentence.
    #[serde(default)]
    pub(crate) fillers: WordList,
    /// Final words that ask for agreement: `न`, `కదా`, `right`.
    #[serde(default)]
    pub(crate) tags: WordList,
    /// Expressions of knowing or telling. A question word in a clause that depends on them does not determine the
    /// question type.
    #[serde(default)]
    pub(crate) knows: Vec<Words>,
    /// Words that connect alternatives, such as "or".
    #[serde(rename = "or", default)]
    pub(crate) or: WordList,
    /// Words that connect alternatives unless a clause precedes and follows them, because they also mean "that": `કે`.
    #[serde(default)]
    pub(crate) or_that: WordList,
    /// Words that follow a word for "or" and leave the choice open: `something`.
    #[serde(default)]
    pub(crate) open: WordList,
    /// Function words, which attach to an adjacent word.
    pub(crate) function: Set<String>,
    /// Function words that attach to the following word: articles, pronouns.
    #[serde(default)]
    pub(crate) attaches_to_next: WordList,
    /// Other words that no pause separates from the preceding word, such as the verbs in compound verbs.
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
    /// Index of the lists that determine pauses and focus.
    #[serde(skip)]
    roles: RoleIndex,
}

impl Prosody {
    /// Builds the index for [`Self::roles`].
    pub(crate) fn index(&mut self) {
        let lists = [
            (&self.attaches_to_next, Roles::ATTACHES_TO_NEXT),
            (&self.attaches_to_previous, Roles::ATTACHES_TO_PREVIOUS),
            (&self.clause_before, Roles::CLAUSE_BEFORE),
            (&self.phrase_before, Roles::PHRASE_BEFORE),
            (&self.phrase_after, Roles::PHRASE_AFTER),
            (&self.focus_before, Roles::FOCUS_BEFORE),
            (&self.focus_after, Roles::FOCUS_AFTER),
            (&self.focused, Roles::FOCUSED),
            (&self.negation, Roles::NEGATION),
        ];
        let mut index = RoleIndex::default();
        for (list, role) in lists {
            index.add(list, role);
        }
        for word in &self.function {
            index.add_whole(&lowercase(word), Roles::FUNCTION);
        }
        self.roles = index;
    }

    /// Returns the lists that match a word, ignoring case. One lookup replaces a lookup in each list.
    pub(crate) fn roles(&self, word: &str) -> Roles {
        self.roles.of(word)
    }
}

/// Bit set of the lists of [`Prosody`] that match a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles(u16);

impl Roles {
    pub(crate) const FUNCTION: Self = Self(1);
    pub(crate) const ATTACHES_TO_NEXT: Self = Self(1 << 1);
    pub(crate) const ATTACHES_TO_PREVIOUS: Self = Self(1 << 2);
    pub(crate) const CLAUSE_BEFORE: Self = Self(1 << 3);
    pub(crate) const PHRASE_BEFORE: Self = Self(1 << 4);
    pub(crate) const PHRASE_AFTER: Self = Self(1 << 5);
    pub(crate) const FOCUS_BEFORE: Self = Self(1 << 6);
    pub(crate) const FOCUS_AFTER: Self = Self(1 << 7);
    pub(crate) const FOCUSED: Self = Self(1 << 8);
    pub(crate) const NEGATION: Self = Self(1 << 9);

    /// Returns whether the set contains at least one of these lists.
    pub(crate) const fn has(self, roles: Self) -> bool {
        self.0 & roles.0 != 0
    }

    /// Returns the union of both sets.
    pub(crate) const fn and(self, roles: Self) -> Self {
        Self(self.0 | roles.0)
    }
}

/// Index of the words, beginnings and endings in several lists.
#[derive(Debug, Default)]
pub(crate) struct RoleIndex {
    whole: Table<String, Roles>,
    /// Beginnings of words, by their first character.
    beginnings: Table<char, Vec<(String, Roles)>>,
    /// Endings of words, by their last character.
    endings: Table<char, Vec<(String, Roles)>>,
}

impl RoleIndex {
    fn add_whole(&mut self, word: &str, role: Roles) {
        let roles = self.whole.entry(word.to_owned()).or_default();
        *roles = roles.and(role);
    }

    pub(crate) fn add(&mut self, list: &WordList, role: Roles) {
        for word in list.whole() {
            self.add_whole(word, role);
        }
        for beginning in list.beginnings() {
            let first = beginning.chars().next().unwrap_or_default();
            self.beginnings.entry(first).or_default().push((beginning.to_owned(), role));
        }
        for ending in list.endings() {
            let last = ending.chars().next_back().unwrap_or_default();
            self.endings.entry(last).or_default().push((ending.to_owned(), role));
        }
    }

    /// Returns the roles of a word. A word that equals a beginning or an ending does not match it.
    pub(crate) fn of(&self, word: &str) -> Roles {
        let word = lowercase(word);
        let word = word.as_ref();
        let mut roles = self.whole.get(word).copied().unwrap_or_default();
        let (first, last) = (word.chars().next(), word.chars().next_back());
        for (beginning, role) in first.and_then(|first| self.beginnings.get(&first)).into_iter().flatten() {
            if beginning.len() < word.len() && word.starts_with(beginning.as_str()) {
                roles = roles.and(*role);
            }
        }
        for (ending, role) in last.and_then(|last| self.endings.get(&last)).into_iter().flatten() {
            if ending.len() < word.len() && word.ends_with(ending.as_str()) {
                roles = roles.and(*role);
            }
        }
        roles
    }
}

/// Word that marks a yes/no question in some positions and asks for a thing ("what") in others: `क्या`, `କଣ`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Particle {
    pub(crate) words: WordList,
    /// Question type if the word begins the sentence. In any position after a verb, the word marks a yes/no question.
    /// At the end of the sentence without a verb before it, it asks for a thing.
    pub(crate) first: ParticleType,
    /// Question type if the word is in the middle of the sentence.
    pub(crate) middle: ParticleType,
    /// Words directly before which the particle may ask for a thing. At the beginning of the sentence, it always asks
    /// for a thing before one of these words or a verb. In the middle, it does so only if all words after the listed
    /// word are function words.
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
