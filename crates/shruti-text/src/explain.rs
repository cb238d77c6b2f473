//! Token-by-token explanation of how a text is spoken.

use std::ops::Range;

use serde::{Serialize, Serializer};
use shruti_lang::Language;

use crate::chars::is_punctuation;
use crate::class::Class;
use crate::latin::{self, Why};
use crate::normalize;
pub use crate::normalize::Evidence;
use crate::phone::{Phone, to_ipa};
use crate::reader::{Reader, Settings};
use crate::script::Script;
use crate::{utterance, word};

/// Explanation of how a text is spoken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Language in which the text is spoken, declared or detected; for romanised Hindi, this is Hindi. `None` if no
    /// part of the text can be spoken.
    pub language: Option<Language>,
    /// Script of most letters; an ISO 15924 code in JSON.
    pub script: Option<Script>,
    /// Tokens in order. Together they cover the whole text except for its white space.
    pub tokens: Vec<Token>,
}

/// Part of a text that is read as one unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Token {
    /// Start in the text, in Unicode scalar values.
    pub start: u32,
    /// End in the text, in Unicode scalar values.
    pub end: u32,
    /// Token as written in the text.
    pub written: String,
    /// Class of the token.
    pub class: Class,
    /// Data file under `crates/shruti-text/data`, and the table in it, that define the reading of the token, such as
    /// `hi/normalize.toml [money]`. `None` for a token that needs no expansion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Evidence for and against reading a number digit by digit, for a number that could be read that way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Words that are spoken for the token; empty if it is not spoken.
    pub words: Vec<Word>,
}

/// Spoken word.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Word {
    /// Text of the word, in the script of its language.
    pub text: String,
    /// Language in which the word is pronounced.
    pub language: Language,
    /// Phones as the voice receives them; IPA separated by spaces in JSON.
    #[serde(serialize_with = "as_ipa")]
    pub phones: Vec<Phone>,
    /// File under `crates/shruti-text/data` that determines the phones of the word or of a part of it. `None` if the
    /// phones follow from the spelling by the rules of the language, or come from a [`Lexicon`](crate::Lexicon).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phones_by: Option<String>,
    /// Reason why a word in Latin letters is treated as romanised, or as English among romanised words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

fn as_ipa<S: Serializer>(phones: &[Phone], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_ipa(phones))
}

/// Explains how a whole text is spoken.
pub fn explain(text: &str, settings: Settings) -> Explanation {
    let mut reader = Reader::new(settings);
    reader.push(text);
    reader.finish();
    let mut split = Split { left: text.chars(), at: 0, tokens: Vec::new() };
    while let Some(utterance) = reader.next_utterance() {
        let romanised = utterance.spoken_language();
        for word in utterance.words {
            split.add_word(word, romanised);
        }
    }
    split.advance_to(u32::MAX);
    split.add_evidence(text, reader.language());
    let spoken = reader.spoken_language().filter(|_| split.is_spoken());
    let language = spoken.map(|spoken| spoken.language);
    Explanation { language, script: spoken.map(|spoken| spoken.script), tokens: split.tokens }
}

/// Tokens of the text up to a position, and the remaining text.
struct Split<'a> {
    left: std::str::Chars<'a>,
    at: u32,
    tokens: Vec<Token>,
}

impl Split<'_> {
    fn is_spoken(&self) -> bool {
        self.tokens.iter().any(|token| !token.words.is_empty())
    }

    /// Adds a word to its token. Words of one expansion are added to the same token. `prevailing` is the language of
    /// most surrounding words.
    fn add_word(&mut self, word: utterance::Word, prevailing: Language) {
        let utterance::Word { text, language, class, phones, source, .. } = word;
        if source.start >= self.at {
            self.advance_to(source.start);
            self.take(&source, class);
        }
        if let Some(token) = self.tokens.last_mut() {
            token.rule = token.rule.take().or_else(|| rule(token, language, &text));
            let requested = if language == Language::English { prevailing } else { language };
            let is_typed = class == Class::Word && token.words.is_empty() && latin::is_latin(&token.written);
            let why = is_typed.then(|| latin::why(&token.written, requested, &text));
            token.words.push(Word {
                phones_by: (class != Class::Lexicon).then(|| phones_by(&text, language)).flatten(),
                text,
                language,
                phones,
                why: why.filter(|_| requested != Language::English),
            });
        }
    }

    /// Adds the evidence for and against reading numbers digit by digit.
    fn add_evidence(&mut self, text: &str, language: Option<Language>) {
        let Some(language) = language else { return };
        for (start, evidence) in normalize::evidence_in(text, language) {
            let found = self.tokens.binary_search_by_key(&start, |token| token.start);
            if let Some(token) = found.ok().and_then(|at| self.tokens.get_mut(at)) {
                token.evidence = Some(evidence);
            }
        }
    }

    /// Consumes the next characters of the text as a token.
    fn take(&mut self, source: &Range<u32>, class: Class) {
        let written = self.left.by_ref().take((source.end - self.at) as usize).collect();
        self.at = source.end;
        self.tokens.push(Token {
            start: source.start,
            end: source.end,
            written,
            class,
            rule: None,
            evidence: None,
            words: Vec::new(),
        });
    }

    /// Advances to a position; text before it that is not spoken becomes separate tokens.
    fn advance_to(&mut self, to: u32) {
        while self.at < to {
            let ahead = self.left.clone().take((to - self.at) as usize);
            let blank = ahead.clone().take_while(|c| c.is_whitespace()).count();
            self.left.by_ref().take(blank).for_each(drop);
            self.at += blank as u32;
            let mut run =
                ahead.skip(blank).take_while(|c| !c.is_whitespace()).map(class_of_unspoken).peekable();
            let Some(&class) = run.peek() else { return };
            let length = run.take_while(|&next| next == class).count();
            self.take(&(self.at..self.at + length as u32), class);
        }
    }
}

/// Returns the data file, and the table in it, that define the reading of a token whose first word is `first` in
/// `language`.
fn rule(token: &Token, language: Language, first: &str) -> Option<String> {
    let table = match token.class {
        Class::Abbreviation if language == Language::English => {
            normalize::english_table(&token.written, first)
        }
        class => class.table()?,
    };
    Some(format!("{}/normalize.toml [{table}]", language.code()))
}

/// Returns the file that defines the pronunciation of a word, if any.
fn phones_by(word: &str, language: Language) -> Option<String> {
    Some(format!("{}/{}", language.code(), word::file_of(word, language)?))
}

fn class_of_unspoken(c: char) -> Class {
    if is_punctuation(c) { Class::Punctuation } else { Class::Silent }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lexicon::Lexicon;

    /// Returns the tokens in the form that the tests compare: position, class, written form, and the words with their
    /// languages.
    fn rows(text: &str, settings: Settings) -> Vec<(Range<u32>, Class, String, String)> {
        let explanation = explain(text, settings);
        let characters: Vec<char> = text.chars().collect();
        let rows = explanation.tokens.into_iter().map(|token| {
            let place = token.start..token.end;
            let written: String = characters[token.start as usize..token.end as usize].iter().collect();
            assert_eq!(token.written, written);
            let words = token.words.iter().map(|word| format!("{}:{}", word.text, word.language));
            (place, token.class, token.written.clone(), words.collect::<Vec<_>>().join(" "))
        });
        rows.collect()
    }

    #[test]
    fn every_non_space_character_is_in_one_token() {
        let lexicon = Arc::new(Lexicon::new([("New Delhi", "नई दिल्ली")]).unwrap());
        let settings = Settings { language: Some(Language::Hindi), lexicon };
        let text = "## मेरा order **₹5** का है 🙏, New Delhi से!";
        let wanted = [
            (0..2, Class::Silent, "##", ""),
            (3..7, Class::Word, "मेरा", "मेरा:hi"),
            (8..13, Class::Word, "order", "order:en"),
            (14..16, Class::Silent, "**", ""),
            (16..18, Class::Money, "₹5", "पाँच:hi रुपए:hi"),
            (18..20, Class::Silent, "**", ""),
            (21..23, Class::Word, "का", "का:hi"),
            (24..26, Class::Word, "है", "है:hi"),
            (27..28, Class::Silent, "🙏", ""),
            (28..29, Class::Punctuation, ",", ""),
            (30..39, Class::Lexicon, "New Delhi", "नई:hi दिल्ली:hi"),
            (40..42, Class::Word, "से", "से:hi"),
            (42..43, Class::Punctuation, "!", ""),
        ];
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(place, class, written, words)| (place, class, written.to_owned(), words.to_owned()))
            .collect();
        assert_eq!(rows(text, settings), wanted);
    }

    #[test]
    fn text_without_words_has_no_language() {
        let explanation = explain(" 🙏 … ", Settings::default());
        assert_eq!(explanation.language, None);
        let classes: Vec<Class> = explanation.tokens.iter().map(|token| token.class).collect();
        assert_eq!(classes, [Class::Silent, Class::Punctuation]);
        assert_eq!(explain("", Settings::default()).tokens, []);
    }

    #[cfg(feature = "romanised")]
    #[test]
    fn romanised_words_report_their_evidence() {
        use crate::latin::Source;
        let settings = Settings { language: Some(Language::Hindi), ..Settings::default() };
        let explanation = explain("mujhe 5 nibandhavali Priya order है", settings);
        let why = |written: &str| {
            let token = explanation.tokens.iter().find(|token| token.written == written);
            token.and_then(|token| token.words[0].why.clone())
        };
        let source = |written: &str| why(written).map(|why| why.source);
        assert_eq!(source("mujhe"), Some(Source::List));
        assert_eq!(source("Priya"), Some(Source::Name));
        assert_eq!(source("order"), Some(Source::English));
        assert!(why("order").is_some_and(|why| why.over_english < 0.0));
        assert_eq!((why("5"), why("है")), (None, None), "only words in Latin letters have alternatives");
        let why = why("nibandhavali").unwrap();
        assert!(
            matches!(why.source, Source::Lexicon | Source::Spelling) && why.over_english > 0.0,
            "{why:?}"
        );
        let other = why.runner_up.unwrap();
        assert!(!other.text.is_empty() && other.text != "निबंधावली", "{other:?}");
    }

    #[cfg(feature = "romanised")]
    #[test]
    fn single_letters_are_words_in_romanised_text() {
        let cases = [
            (Language::Bengali, "amader cricket e jeta", "e", "এ"),
            (Language::Hindi, "wo ghar pe h na", "h", "है"),
            (Language::Hindi, "tum option b chuno", "b", "बी"),
            (Language::Hindi, "मेरा h है", "h", "एच"),
        ];
        for (language, text, written, said) in cases {
            let explanation = explain(text, Settings { language: Some(language), ..Settings::default() });
            let token = explanation.tokens.iter().find(|token| token.written == written).unwrap();
            assert_eq!(token.words[0].text, said, "{text}");
        }
    }

    #[test]
    fn every_rule_names_an_existing_table() {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
        let read = |file: &str| std::fs::read_to_string(format!("{data}/{file}")).unwrap();
        for language in Language::ALL {
            let tables = read(&format!("{}/normalize.toml", language.code()));
            for class in Class::ALL {
                let Some(table) = class.table() else { continue };
                let is_there = |line: &str| {
                    line.starts_with(&format!("[{table}")) || line.starts_with(&format!("[[{table}"))
                };
                assert!(tables.lines().any(is_there), "{language}: no [{table}] for {class}");
            }
        }
        let rules = |text: &str, language: Language| -> Vec<String> {
            let explanation = explain(text, Settings { language: Some(language), ..Settings::default() });
            let of_token = |token: Token| {
                token.rule.into_iter().chain(token.words.into_iter().filter_map(|word| word.phones_by))
            };
            explanation.tokens.into_iter().flat_map(of_token).collect()
        };
        let cases: &[(&str, Language, &[&str])] = &[
            ("घर", Language::Hindi, &[]),
            ("5 kg", Language::Hindi, &["hi/normalize.toml [units]"]),
            ("plz", Language::Hindi, &["en/normalize.toml [chat]", "en/lexicon.bin"]),
            (
                "Dr. Sharma",
                Language::English,
                &["en/normalize.toml [abbreviations]", "en/lexicon.bin", "en/indian.tsv"],
            ),
            ("again", Language::English, &["en/exceptions.tsv"]),
            ("read", Language::English, &["en/heteronyms.toml"]),
            ("unbookable", Language::English, &["en/lexicon.bin"]),
            ("scrouthwick", Language::English, &["en/letters.bin"]),
            ("more RAM", Language::English, &["en/lexicon.bin", "en/capitals.tsv"]),
            ("एमएलए", Language::Hindi, &["hi/letter-names.tsv"]),
            ("বাসা", Language::Bengali, &["bn/stems.tsv"]),
            ("SBI", Language::English, &["en/normalize.toml [latin]"]),
            (
                "Lt. knee",
                Language::English,
                &["en/normalize.toml [[topics]]", "en/lexicon.bin", "en/lexicon.bin"],
            ),
        ];
        for (text, language, files) in cases {
            assert_eq!(rules(text, *language), *files, "{text}");
            for file in files.iter().filter_map(|file| file.split(' ').next()) {
                assert!(std::path::Path::new(data).join(file).is_file(), "{file}");
            }
        }
    }

    #[test]
    fn numbers_report_the_reasons_for_their_digits() {
        let settings = Settings { language: Some(Language::Hindi), ..Settings::default() };
        let explanation = explain("आपका OTP 2019 है, 1947 में नहीं", settings);
        let token = |written: &str| explanation.tokens.iter().find(|token| token.written == written).unwrap();
        let evidence = token("2019").evidence.clone().unwrap();
        assert!(evidence.digits && evidence.weight > evidence.other_weight.unwrap(), "{evidence:?}");
        assert_eq!((evidence.named_by.as_deref(), evidence.other), (Some("OTP"), Some(Class::Date)));
        assert_eq!(evidence.to_string(), "digits 80 (keyword: OTP), date 30");
        assert!(token("1947").evidence.as_ref().is_none_or(|evidence| !evidence.digits));
    }

    #[test]
    fn json_output_contains_ipa() {
        let explanation = explain("नमक", Settings::default());
        assert_eq!(
            serde_json::to_value(&explanation).unwrap(),
            serde_json::json!({"language": "hi", "script": "Deva", "tokens": [{
                "start": 0, "end": 3, "written": "नमक", "class": "word",
                "words": [{"text": "नमक", "language": "hi", "phones": "n ə m ə k"}],
            }]})
        );
    }
}
