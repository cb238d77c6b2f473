//! Utterances as the symbols that the networks read.
//!
//! `data/symbols.tsv` says how each phone is written; `train/voice/symbols.py` reads the same file and follows the same rules.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use shruti_lang::Language;
use shruti_text::phone::Phone;
use shruti_text::utterance::{Break, Contour, Stress, Syllable, Tone, Utterance, Weight, Word};

/// The symbol before and behind every text.
const EDGE: u16 = 0;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::read(include_str!("../data/symbols.tsv"), include_str!("../data/vocabulary.tsv"))
});

/// Symbols of phones by class, and numbers of symbols.
struct Table {
    classes: HashMap<&'static str, HashMap<&'static str, &'static str>>,
    numbers: HashMap<char, u16>,
}

impl Table {
    fn read(symbols: &'static str, vocabulary: &'static str) -> Self {
        let mut classes: HashMap<_, HashMap<_, _>> = HashMap::new();
        for line in symbols.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            if let (Some(class), Some(phone), Some(symbols)) = (fields.next(), fields.next(), fields.next()) {
                classes.entry(class).or_default().insert(phone, symbols);
            }
        }
        let numbers = vocabulary.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (symbol, number) = line.split_once('\t')?;
            let symbol = if symbol == "space" { ' ' } else { symbol.chars().next()? };
            Some((symbol, number.parse().ok()?))
        });
        Self { classes, numbers: numbers.collect() }
    }

    fn find(&self, class: &str, phone: &str) -> Option<&'static str> {
        self.classes.get(class)?.get(phone).copied()
    }
}

/// An utterance as numbers of symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The symbols, with one before the first and one behind the last.
    pub(crate) symbols: Vec<u16>,
    /// The symbols of each word.
    pub(crate) words: Vec<Range<usize>>,
    /// The symbols of each vowel with a lexical tone.
    pub(crate) tones: Vec<(Range<usize>, Tone)>,
}

impl Written {
    pub(crate) fn new(utterance: &Utterance) -> Self {
        let mut written = Self { symbols: vec![EDGE], ..Self::default() };
        for (place, word) in utterance.words.iter().enumerate() {
            let start = written.symbols.len();
            written.push_word(word);
            written.words.push(start..written.symbols.len());
            let mark = match word.break_after {
                _ if place + 1 == utterance.words.len() => closing_mark(utterance.contour),
                Break::None | Break::Phrase => " ",
                _ => ", ",
            };
            written.push(mark);
        }
        written.symbols.push(EDGE);
        written
    }

    fn push_word(&mut self, word: &Word) {
        let is_light = word.weight == Weight::Function && word.syllables.len() == 1;
        let mut phones = word.phones.iter().enumerate().peekable();
        while let Some((place, &phone)) = phones.next() {
            if !phone.is_vowel() {
                self.push(&consonant(phone, word.language));
                continue;
            }
            let syllable = syllable_of(word, place);
            let stress = syllable.filter(|_| !is_light).map_or(Stress::None, |syllable| syllable.stress);
            let first = self.symbols.len();
            self.push(match stress {
                Stress::Primary => "ˈ",
                Stress::Secondary => "ˌ",
                Stress::None => "",
            });
            if word.language == Language::English {
                let following = phones.peek().map_or("", |(_, next)| next.symbol.ipa());
                let both = format!("{} {following}", phone.symbol.ipa());
                if let Some(diphthong) = TABLE.find("english-diphthong", &both) {
                    self.push(diphthong);
                    phones.next();
                    continue;
                }
                if let Some(long) = TABLE.find("english-long-vowel", phone.symbol.ipa()) {
                    self.push(long);
                    continue;
                }
            }
            self.push(&vowel(phone, stress, word.language, phones.peek().is_none()));
            if let Some(tone) = syllable.and_then(|syllable| syllable.tone) {
                self.tones.push((first..self.symbols.len(), tone));
            }
        }
    }

    fn push(&mut self, symbols: &str) {
        self.symbols.extend(symbols.chars().filter_map(|symbol| TABLE.numbers.get(&symbol)));
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

/// The syllable whose first vowel this phone is.
fn syllable_of(word: &Word, phone: usize) -> Option<&Syllable> {
    let syllable = word.syllables.iter().find(|syllable| syllable.phones.contains(&phone))?;
    let nucleus = syllable.phones.clone().find(|&phone| word.phones[phone].is_vowel());
    (nucleus == Some(phone)).then_some(syllable)
}

fn consonant(phone: Phone, language: Language) -> String {
    let ipa = phone.symbol.ipa();
    let english = (language == Language::English).then(|| TABLE.find("english-consonant", ipa)).flatten();
    let written = english.or_else(|| TABLE.find("consonant", ipa)).unwrap_or_default();
    let is_double = phone.long && language != Language::English;
    written.repeat(if is_double { 2 } else { 1 })
}

fn vowel(phone: Phone, stress: Stress, language: Language, is_last: bool) -> String {
    use Language::{Gujarati, Hindi, Kannada, Malayalam, Marathi, Punjabi, Tamil, Telugu};
    let ipa = phone.symbol.ipa();
    let is_stressed = stress != Stress::None;
    // a stressed ə of these languages is the full vowel of "cut"; the short e of the Dravidian languages is open
    let written = match (ipa, language) {
        ("ə", Hindi | Marathi | Gujarati | Punjabi) if is_stressed => "ʌ",
        ("e", Tamil | Telugu | Kannada | Malayalam) if !phone.long => "ɛ",
        _ => TABLE.find("vowel", ipa).unwrap_or_default(),
    };
    let mut symbols = written.to_string();
    if phone.nasal {
        symbols.push('\u{303}');
    }
    // the teacher's Hindi has an unstressed final iː short
    let is_short_final = language == Hindi && ipa == "i" && is_last && !is_stressed;
    if phone.long && !is_short_final {
        symbols.push('ː');
    }
    symbols
}

#[cfg(test)]
mod tests {
    use shruti_text::phone::Symbol;

    use super::*;

    #[test]
    fn every_phone_has_symbols_that_have_numbers() {
        for symbol in Symbol::ALL {
            let class = if symbol.is_vowel() { "vowel" } else { "consonant" };
            assert!(TABLE.find(class, symbol.ipa()).is_some_and(|written| !written.is_empty()), "{symbol:?}");
        }
        let written = TABLE.classes.values().flat_map(HashMap::values).flat_map(|symbols| symbols.chars());
        for symbol in written.chain(" .,?!ˈˌː\u{303}".chars()) {
            assert!(TABLE.numbers.contains_key(&symbol), "{symbol:?}");
        }
    }
}
