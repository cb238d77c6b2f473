//! Conversion of the front end's phones to the symbols of Kokoro-82M, and the number of each symbol.
//!
//! Kokoro reads IPA-like symbols, one character each. It was not trained on most Indian languages, so each phone is
//! written with the nearest symbols that Kokoro pronounces well. Two kinds of voices use the symbols: the embedded
//! learned voices, which were distilled from Kokoro, and packs of Kokoro itself.
//!
//! `data/symbols.tsv` contains the symbols of each phone; `train/voice/symbols.py` reads the same file and follows the
//! same rules. `data/vocabulary.tsv` is Kokoro's own table of symbol numbers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use shruti_lang::Language;
use shruti_text::phone::{Manner, Phone};
use shruti_text::utterance::{Stress, Syllable, Tone, Weight, Word};

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::read(include_str!("../data/symbols.tsv"), include_str!("../data/vocabulary.tsv"))
});

/// Symbols of each phone, by class of phone, and the number of each symbol.
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

/// Returns the number of a symbol, or `None` if Kokoro does not have the symbol.
pub fn number(symbol: char) -> Option<u16> {
    TABLE.numbers.get(&symbol).copied()
}

/// Returns all symbols with their numbers, in ascending order of the numbers.
pub fn numbers() -> Vec<(char, u16)> {
    let mut numbers: Vec<(char, u16)> =
        TABLE.numbers.iter().map(|(&symbol, &number)| (symbol, number)).collect();
    numbers.sort_unstable_by_key(|&(symbol, number)| (number, symbol));
    numbers
}

/// Word, written in Kokoro's symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KokoroWord {
    /// Symbols of the word, without a following punctuation mark or space. Symbols that Kokoro lacks are omitted.
    pub symbols: Vec<char>,
    /// Ranges in `symbols` of the vowels with a lexical tone, including their stress marks.
    pub tones: Vec<(Range<usize>, Tone)>,
    /// End in `symbols` of the last vowel and the nasals, laterals and approximants after it, which carry the last tone
    /// of the word.
    pub sonorous_end: usize,
}

impl KokoroWord {
    /// Converts the phones of a word by the rules of the word's own language. That language may differ from the
    /// language of the utterance.
    pub fn new(word: &Word) -> Self {
        let mut written = Self::default();
        let is_light = word.weight == Weight::Function && word.syllables.len() == 1;
        let mut phones = word.phones.iter().enumerate().peekable();
        while let Some((place, &phone)) = phones.next() {
            if !phone.is_vowel() {
                let goes_on = is_sonorant(phone) && written.sonorous_end == written.symbols.len();
                written.push(&consonant(phone, word.language));
                if goes_on && written.sonorous_end > 0 {
                    written.sonorous_end = written.symbols.len();
                }
                continue;
            }
            let syllable = syllable_of(word, place);
            let stress = syllable.filter(|_| !is_light).map_or(Stress::None, |syllable| syllable.stress);
            let first = written.symbols.len();
            written.push(match stress {
                Stress::Primary => "ˈ",
                Stress::Secondary => "ˌ",
                Stress::None => "",
            });
            if word.language == Language::English {
                let following = phones.peek().map_or("", |(_, next)| next.symbol.ipa());
                let both = format!("{} {following}", phone.symbol.ipa());
                if let Some(diphthong) = TABLE.find("english-diphthong", &both) {
                    written.push_vowel(diphthong);
                    phones.next();
                    continue;
                }
                if let Some(long) = TABLE.find("english-long-vowel", phone.symbol.ipa()) {
                    written.push_vowel(long);
                    continue;
                }
            }
            written.push_vowel(&vowel(phone, stress, word.language, phones.peek().is_none()));
            if let Some(tone) = syllable.and_then(|syllable| syllable.tone) {
                written.tones.push((first..written.symbols.len(), tone));
            }
        }
        written
    }

    fn push(&mut self, symbols: &str) {
        self.symbols.extend(symbols.chars().filter(|symbol| TABLE.numbers.contains_key(symbol)));
    }

    fn push_vowel(&mut self, symbols: &str) {
        self.push(symbols);
        self.sonorous_end = self.symbols.len();
    }
}

fn is_sonorant(phone: Phone) -> bool {
    matches!(phone.symbol.manner(), Manner::Nasal | Manner::Lateral | Manner::Approximant)
}

/// Returns the syllable whose first vowel is the given phone, or `None` if there is no such syllable.
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
    // in these Indo-Aryan languages, a stressed ə is the full vowel of "cut"; in the Dravidian languages, the short
    // e is open
    let written = match (ipa, language.base()) {
        ("ə", Hindi | Marathi | Gujarati | Punjabi) if is_stressed => "ʌ",
        ("e", Tamil | Telugu | Kannada | Malayalam) if !phone.long => "ɛ",
        _ => TABLE.find("vowel", ipa).unwrap_or_default(),
    };
    let mut symbols = written.to_string();
    if phone.nasal {
        symbols.push('\u{303}');
    }
    // in Kokoro's Hindi, an unstressed final iː is short
    let is_short_final = language.base() == Hindi && ipa == "i" && is_last && !is_stressed;
    if phone.long && !is_short_final {
        symbols.push('ː');
    }
    symbols
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use shruti_text::phone::Symbol;
    use shruti_text::{Reader, Settings};
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[test]
    fn every_phone_has_symbols_that_have_numbers() {
        for symbol in Symbol::ALL {
            let class = if symbol.is_vowel() { "vowel" } else { "consonant" };
            assert!(TABLE.find(class, symbol.ipa()).is_some_and(|written| !written.is_empty()), "{symbol:?}");
        }
        let written = TABLE.classes.values().flat_map(HashMap::values).flat_map(|symbols| symbols.chars());
        for symbol in written.chain(" .,;?!ˈˌː\u{303}".chars()) {
            assert!(number(symbol).is_some(), "{symbol:?}");
        }
    }

    #[test]
    fn numbers_match_kokoro() {
        let numbers = numbers();
        assert_eq!(numbers.len(), 114);
        assert_eq!(numbers.first(), Some(&(';', 1)));
        // the number 0 is reserved for the edges of a text
        assert!(numbers.iter().all(|&(_, number)| (1..=177).contains(&number)));
        assert!(numbers.windows(2).all(|pair| pair[0].1 < pair[1].1), "two symbols have one number");
        assert_eq!(
            (number(' '), number('a'), number('ˈ'), number('०')),
            (Some(16), Some(43), Some(156), None)
        );
    }

    #[test]
    fn words_use_the_symbols_that_kokoro_pronounces_best() {
        for (language, text, expected) in [
            // a stressed ə becomes ʌ; the symbol of a geminate is doubled
            (Language::Hindi, "पक्का", "pˈʌkkaː"),
            // an unstressed final iː is short
            (Language::Hindi, "पानी", "pˈaːni"),
            (Language::Hindi, "बड़ा", "bˈʌr.aː"),
            (Language::Hindi, "भाई", "bʰˈaːi"),
            // vowels can be nasal; before a stop, the front end returns a plain vowel and a nasal consonant
            (Language::Hindi, "हाँ", "hˈãː"),
            (Language::Hindi, "चाँद", "cˈaːnd"),
            // the short e of the Dravidian languages is ɛ
            (Language::Tamil, "எல்லாம்", "ˈɛllaːm"),
            // Malayalam ɐ is ʌ, ഴ is ɻ
            (Language::Malayalam, "മഴ", "mˈʌɻʌ"),
            (Language::English, "day", "dˈA"),
            (Language::English, "think", "θˈɪŋk"),
            (Language::English, "time", "tˈIm"),
        ] {
            let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
            reader.push(text);
            reader.finish();
            let utterance = reader.next_utterance().unwrap();
            let written: String = KokoroWord::new(&utterance.words[0]).symbols.into_iter().collect();
            let expected: String = expected.nfd().collect();
            assert_eq!(written, expected, "{text}");
        }
    }
}
