//! Output of the front end for a voice: words with phones, and the requested intonation.

use std::ops::Range;

use shruti_lang::Language;

use crate::class::Class;
use crate::phone::Phone;

/// Segment of a text, ready to be spoken.
///
/// An utterance does not depend on text after its own closing punctuation, so a text sounds the same regardless of how
/// it is split into messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Utterance {
    /// Index in the turn, from 0. The index also seeds the noise generator of the voice.
    pub index: u32,
    /// Language of the turn.
    pub language: Language,
    /// Words in order; never empty.
    pub words: Vec<Word>,
    /// Intonation, as determined by the closing punctuation and the question words.
    pub contour: Contour,
    /// `true` if a sentence begins here; if `false`, the intonation continues from the previous utterance.
    pub begins_sentence: bool,
    /// Index of the sentence within its paragraph, from 0.
    pub sentence: u32,
    /// Part of the text that the utterance covers, including its closing punctuation, in Unicode scalar values of the
    /// submitted text.
    pub source: Range<u32>,
}

impl Utterance {
    /// Returns the language in which the utterance is spoken: the language of its words, or the language of the turn if
    /// its words are in several languages. English words do not count, because speakers of every Indian language use
    /// them.
    pub fn spoken_language(&self) -> Language {
        let mut languages =
            self.words.iter().map(|word| word.language).filter(|&language| language != Language::English);
        let first = languages.next().unwrap_or(self.language);
        if languages.all(|language| language == first) { first } else { self.language }
    }

    /// Returns the rate that all words share, or 1.0 if their rates differ. Voices that support one rate per utterance
    /// use this rate.
    pub fn common_rate(&self) -> f32 {
        let mut rates = self.words.iter().map(|word| word.delivery.rate);
        let first = rates.next().unwrap_or(1.0);
        if rates.all(|rate| rate.total_cmp(&first).is_eq()) { first } else { 1.0 }
    }

    /// Splits the utterance before the words at the given indices, which are in ascending order. Indices that would
    /// leave a part without words are ignored. Each part is an utterance with the same index in the turn. The
    /// intonation of every part except the last continues into the next part.
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

    /// Returns a copy without words.
    fn clone_empty(&self) -> Self {
        Self { words: Vec::new(), source: self.source.clone(), ..*self }
    }
}

/// Spoken word.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Word as spoken, in the script of its language: `₹5` becomes पाँच and रुपये.
    pub text: String,
    /// Language in which the word is pronounced; it can differ from the language of the utterance.
    pub language: Language,
    /// Class of the written form that the word comes from.
    pub class: Class,
    /// Phones of the word.
    pub phones: Vec<Phone>,
    /// Syllables of the word, which cover `phones` without gaps.
    pub syllables: Vec<Syllable>,
    /// Position in the submitted text, in Unicode scalar values. Words of one expansion share a range.
    pub source: Range<u32>,
    /// Difference in characters between a reading from the request's lexicon, if one begins here, and the text that it
    /// replaces; 0 if the reading is not longer, and for all other words. These characters are charged in addition to
    /// the word's part of the text.
    pub extra_chars: u32,
    /// Prominence of the word.
    pub weight: Weight,
    /// Boundary between this word and the next.
    pub break_after: Break,
    /// `true` if the word is in parentheses.
    pub aside: bool,
    /// Delivery that the markup requests.
    pub delivery: Delivery,
}

/// Delivery of a word relative to the rest of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Rate relative to the rate of the text, in the range 0.5–2.0.
    pub rate: f32,
    /// Pitch relative to the pitch of the text, in semitones, from -6 to 6.
    pub pitch: f32,
    /// Level relative to the level of the text, in decibels, from -60 to 6.
    pub volume: f32,
}

impl Default for Delivery {
    /// Returns the delivery of a word without markup.
    fn default() -> Self {
        Self { rate: 1.0, pitch: 0.0, volume: 0.0 }
    }
}

/// Silence that the markup requests between utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Duration of the silence since the last word, or since the beginning, in milliseconds. It includes the pause that
    /// the voice adds after that word. At most [`LONGEST_PAUSE_MS`](crate::ssml::LONGEST_PAUSE_MS).
    pub silence_ms: u32,
    /// End position of the pause in the submitted text, in Unicode scalar values.
    pub char_end: u32,
}

/// Next output of a [`Reader`](crate::Reader).
#[derive(Clone, Debug, PartialEq)]
pub enum Spoken {
    /// Words to speak.
    Utterance(Utterance),
    /// A pause without speech.
    Pause(Pause),
}

/// Syllable of a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Syllable {
    /// Phones of the syllable, as indices into [`Word::phones`].
    pub phones: Range<usize>,
    /// Stress of the syllable.
    pub stress: Stress,
    /// Lexical tone, in Punjabi only.
    pub tone: Option<Tone>,
}

/// Word stress, which is weak in Indian languages and strong in English.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stress {
    /// Unstressed.
    #[default]
    None,
    /// Secondary stress.
    Secondary,
    /// Main stress of the word.
    Primary,
}

/// Lexical tone of Punjabi; the level tone is not marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Low, then rising: marks a lost voiced aspirate before the vowel (ਘਰ).
    Low,
    /// High, then falling: marks a lost voiced aspirate or h after the vowel (ਬਾਹਰ).
    High,
}

/// Prominence of a word in its phrase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A postposition, particle, auxiliary or article, which attaches to an adjacent word.
    Function,
    /// Any other word.
    #[default]
    Content,
    /// A word in focus because of its meaning: a question word, a negation, or the word that a particle such as `ही` or
    /// `only` focuses.
    Focus,
    /// A word that is emphasised in the text, for example by `*asterisks*`.
    Emphasis,
}

/// Boundary between a word and the next one. The voice chooses the duration of each pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Break {
    /// No boundary.
    #[default]
    None,
    /// Phrase boundary, audible in the intonation but without a pause.
    Phrase,
    /// End of a group of digits: a pause within a number.
    Group,
    /// Pause for breath where there is no punctuation mark.
    Breath,
    /// Short pause at a comma or an equivalent mark.
    Comma,
    /// Longer pause at a semicolon, a colon or a dash.
    Clause,
    /// End of a sentence.
    Sentence,
    /// End of a paragraph.
    Paragraph,
}

/// Intonation contour of an utterance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contour {
    /// A statement: the pitch falls at the end.
    #[default]
    Statement,
    /// The pitch stays high because more text follows: the utterance ends in a comma or an equivalent mark, or was
    /// split because of its length.
    Continuation,
    /// A yes/no question: the pitch rises at the end; in Bengali, a fall follows the rise.
    YesNoQuestion,
    /// A question with a question word: the pitch peaks on that word, then falls.
    WhQuestion,
    /// A question that offers alternatives: the pitch rises before each phrase boundary, then falls.
    AlternativeQuestion,
    /// An exclamation: the pitch range is wider, and the pitch falls at the end.
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
    fn splits_utterances_before_words() {
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
        let summary: Vec<_> =
            parts.iter().map(|part| (part.words.len(), part.source.clone(), part.contour)).collect();
        let expected = [
            (1, 5..8, Contour::Continuation),
            (2, 8..13, Contour::Continuation),
            (1, 13..16, Contour::YesNoQuestion),
        ];
        assert_eq!(summary, expected);
        assert_eq!(parts.iter().map(|part| part.begins_sentence).collect::<Vec<_>>(), [true, false, false]);
        assert!(parts.iter().all(|part| part.index == 3));
    }
}
