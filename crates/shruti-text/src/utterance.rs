//! What the front end hands to a voice: words with phones, and the intonation asked for.

use std::ops::Range;

use shruti_lang::Language;

use crate::class::Class;
use crate::phone::Phone;

/// One segment of a text, ready to be spoken.
///
/// It depends on nothing later in the text than its own closing punctuation, so that a text sounds the same
/// however it was cut into messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Utterance {
    /// Its place in the turn, from 0; seeds the voice's noise.
    pub index: u32,
    /// The turn's language.
    pub language: Language,
    /// The words in order; never empty.
    pub words: Vec<Word>,
    /// The melody asked for by its closing punctuation and its question words.
    pub contour: Contour,
    /// Whether a sentence begins here; if not, the melody goes on from the utterance before.
    pub begins_sentence: bool,
    /// How many sentences of its paragraph stand before the one it belongs to.
    pub sentence: u32,
    /// The part of the text it covers, its closing punctuation included, in Unicode scalar values of the text as it
    /// was sent.
    pub source: Range<u32>,
}

impl Utterance {
    /// The language that it is spoken in: the one that its words are in, or the turn's where they are in several.
    /// English ones do not count: every language of India is spoken with them.
    pub fn spoken_language(&self) -> Language {
        let mut languages =
            self.words.iter().map(|word| word.language).filter(|&language| language != Language::English);
        let first = languages.next().unwrap_or(self.language);
        if languages.all(|language| language == first) { first } else { self.language }
    }

    /// The rate of its words where they all have the same one, else 1.0: for voices that speak an utterance at one rate.
    pub fn common_rate(&self) -> f32 {
        let mut rates = self.words.iter().map(|word| word.delivery.rate);
        let first = rates.next().unwrap_or(1.0);
        if rates.all(|rate| rate.total_cmp(&first).is_eq()) { first } else { 1.0 }
    }

    /// Cuts it before some of its words, given by their places, rising: each part is an utterance with the same place
    /// in the turn. All but the last go on in their melody.
    pub fn split(mut self, places: &[usize]) -> Vec<Self> {
        let mut later = Vec::new();
        for &place in places.iter().rev() {
            if place == 0 || place >= self.words.len() {
                continue;
            }
            let words = self.words.split_off(place);
            let source = words[0].source.start.max(self.source.start)..self.source.end;
            self.source.end = source.start;
            let part = Self { words, source, begins_sentence: false, ..self.clone_empty() };
            self.contour = Contour::Continuation;
            later.push(part);
        }
        later.push(self);
        later.reverse();
        later
    }

    /// Its copy without words.
    fn clone_empty(&self) -> Self {
        Self { words: Vec::new(), source: self.source.clone(), ..*self }
    }
}

/// A spoken word.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word as spoken, in the script of its language: `₹5` has become पाँच and रुपये.
    pub text: String,
    /// The language it is pronounced in, which may differ from the utterance's.
    pub language: Language,
    /// What the written form it comes from was taken for.
    pub class: Class,
    /// Its phones.
    pub phones: Vec<Phone>,
    /// Its syllables, which cover `phones` without gaps.
    pub syllables: Vec<Syllable>,
    /// Where it stands in the text as it was sent, in Unicode scalar values. Words of one expansion share a range.
    pub source: Range<u32>,
    /// By how many characters a lexicon's reading, which begins here, is longer than what it replaces; 0 for all but
    /// readings that whoever asks gave. It is what the word costs besides its part of the text.
    pub extra_chars: u32,
    /// How much it stands out.
    pub weight: Weight,
    /// What separates it from the next word.
    pub break_after: Break,
    /// Whether it stands in parentheses.
    pub aside: bool,
    /// How markup asks for it to be said.
    pub delivery: Delivery,
}

/// How a word is said beside the others of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Its rate beside that of the text, 0.5 to 2.0.
    pub rate: f32,
    /// Semitones above the pitch of the text, -6 to 6.
    pub pitch: f32,
    /// Decibels above the level of the text, -60 to 6.
    pub volume: f32,
}

impl Default for Delivery {
    /// As any other word.
    fn default() -> Self {
        Self { rate: 1.0, pitch: 0.0, volume: 0.0 }
    }
}

/// Silence that markup asks for between utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// How long nothing is to be heard since the last word, or since the beginning, in milliseconds; the pause that the
    /// voice makes behind that word counts. At most [`LONGEST_PAUSE_MS`](crate::ssml::LONGEST_PAUSE_MS).
    pub silence_ms: u32,
    /// Where it stands in the text as it was sent: the place behind it, in Unicode scalar values.
    pub char_end: u32,
}

/// What is to be done next of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoken {
    /// Words to be spoken.
    Utterance(Utterance),
    /// Nothing, for a while.
    Pause(Pause),
}

/// A syllable of a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Syllable {
    /// Its phones, as indices into [`Word::phones`].
    pub phones: Range<usize>,
    /// Its stress.
    pub stress: Stress,
    /// Its lexical tone, in Punjabi only.
    pub tone: Option<Tone>,
}

/// Word stress; Indian languages mark it weakly, English strongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stress {
    /// Unstressed.
    #[default]
    None,
    /// Secondary stress.
    Secondary,
    /// The word's main stress.
    Primary,
}

/// A lexical tone of Punjabi; the level tone is not marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Low, then rising: where a voiced aspirate stood before the vowel (ਘਰ).
    Low,
    /// High, then falling: where a voiced aspirate or h stood after the vowel (ਬਾਹਰ).
    High,
}

/// How much a word stands out in its phrase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Postpositions, particles, auxiliaries, articles: they lean on their neighbour.
    Function,
    /// Any other word.
    #[default]
    Content,
    /// In focus by the sense: a question word, what a particle such as `ही` or `only` points at, what denies.
    Focus,
    /// Emphasised in the text, by `*stars*` for example.
    Emphasis,
}

/// What separates a word from the next one. A voice decides how long each pause is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Break {
    /// The words run on.
    #[default]
    None,
    /// The edge of a phrase: felt in the melody, not a pause.
    Phrase,
    /// The end of a group of digits: a pause within a number.
    Group,
    /// Where a reader breathes though no mark says so.
    Breath,
    /// A comma or its like: a short pause.
    Comma,
    /// A semicolon, a colon, a dash: a longer one.
    Clause,
    /// The end of a sentence.
    Sentence,
    /// The end of a paragraph.
    Paragraph,
}

/// The melody of an utterance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contour {
    /// Falls at its end.
    #[default]
    Statement,
    /// More is to come: closed by a comma or its like, or cut for length; stays up.
    Continuation,
    /// A question that yes or no answers: rises at its end, in Bengali with a fall behind.
    YesNoQuestion,
    /// A question with a question word: peaks on it, then falls.
    WhQuestion,
    /// A question which of some things: rises before each edge of a phrase, then falls.
    AlternativeQuestion,
    /// An exclamation: wider range, then falls.
    Exclamation,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(source: Range<u32>) -> Word {
        Word {
            text: String::new(),
            language: Language::Hindi,
            class: Class::Word,
            phones: Vec::new(),
            syllables: Vec::new(),
            source,
            extra_chars: 0,
            weight: Weight::Content,
            break_after: Break::None,
            aside: false,
            delivery: Delivery::default(),
        }
    }

    #[test]
    fn an_utterance_is_cut_before_words() {
        let utterance = Utterance {
            index: 3,
            language: Language::Hindi,
            words: [5..7, 8..10, 11..12, 13..15].map(word).to_vec(),
            contour: Contour::YesNoQuestion,
            begins_sentence: true,
            sentence: 0,
            source: 5..16,
        };
        assert_eq!(utterance.clone().split(&[0, 4]), std::slice::from_ref(&utterance));
        let parts = utterance.split(&[1, 3]);
        let told: Vec<_> =
            parts.iter().map(|part| (part.words.len(), part.source.clone(), part.contour)).collect();
        let expected = [
            (1, 5..8, Contour::Continuation),
            (2, 8..13, Contour::Continuation),
            (1, 13..16, Contour::YesNoQuestion),
        ];
        assert_eq!(told, expected);
        assert_eq!(parts.iter().map(|part| part.begins_sentence).collect::<Vec<_>>(), [true, false, false]);
        assert!(parts.iter().all(|part| part.index == 3));
    }
}
