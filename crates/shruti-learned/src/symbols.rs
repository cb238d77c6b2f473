//! Conversion of utterances to the input symbols of the networks: those of Kokoro-82M, from which the networks were
//! distilled.

use std::ops::Range;

use shruti_kokoro::{KokoroWord, number};
use shruti_text::utterance::{Break, Contour, Tone, Utterance};

/// Symbol at the start and end of every text.
const EDGE: u16 = 0;

/// An utterance as a sequence of symbol numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymbolSequence {
    /// Symbols of the utterance, enclosed in edge symbols.
    pub(crate) symbols: Vec<u16>,
    /// Range of symbols of each word.
    pub(crate) words: Vec<Range<usize>>,
    /// End of the sonorous part of each word, as a symbol index.
    pub(crate) sonorous_ends: Vec<usize>,
    /// Range of symbols of each vowel with a lexical tone.
    pub(crate) tones: Vec<(Range<usize>, Tone)>,
}

impl SymbolSequence {
    pub(crate) fn new(utterance: &Utterance) -> Self {
        let mut sequence = Self { symbols: vec![EDGE], ..Self::default() };
        for (place, word) in utterance.words.iter().enumerate() {
            let start = sequence.symbols.len();
            let KokoroWord { symbols, tones, sonorous_end } = KokoroWord::new(word);
            sequence.symbols.extend(symbols.into_iter().filter_map(number));
            let tones = tones.into_iter().map(|(vowel, tone)| (start + vowel.start..start + vowel.end, tone));
            sequence.tones.extend(tones);
            sequence.words.push(start..sequence.symbols.len());
            sequence.sonorous_ends.push(start + sonorous_end);
            let mark = match word.break_after {
                _ if place + 1 == utterance.words.len() => closing_mark(utterance.contour),
                Break::None | Break::Phrase => " ",
                _ => ", ",
            };
            sequence.symbols.extend(mark.chars().filter_map(number));
        }
        sequence.symbols.push(EDGE);
        sequence
    }
}

fn closing_mark(contour: Contour) -> &'static str {
    match contour {
        Contour::Statement => ".",
        Contour::Continuation => ",",
        Contour::YesNoQuestion | Contour::WhQuestion | Contour::AlternativeQuestion => "?",
        Contour::Exclamation => "!",
    }
}
