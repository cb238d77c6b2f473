//! The language of a text that comes without one: by its script, and by its words where several languages share the script.

use shruti_lang::Language;

use crate::chars::{is_alphabetic, is_mark, nfc};
use crate::language::{self, PerLanguage, data_files, spec};
use crate::script::Script;
use crate::table::Table;
use crate::utterance::Word;

/// The language of a text by its first letter that is not Latin; Latin letters alone mean English.
///
/// Of the languages written in the same script it is the one that words, endings and letters give most evidence of, and the first of
/// them in [`Language::ALL`] where nothing tells.
pub(crate) fn language_of(text: &str) -> Language {
    let mut scripts = text.chars().filter_map(Script::of);
    match scripts.find(|&script| script != Script::Latin) {
        Some(script) => by_words(text, &language::written_in(script).collect::<Vec<_>>()),
        None => Language::English,
    }
}

/// Which of the languages of one script a text gives most evidence of; there is at least one.
fn by_words(text: &str, languages: &[Language]) -> Language {
    if let [only] = languages {
        return *only;
    }
    let text = nfc(text);
    let mut best = (f32::MIN, Language::English);
    for &language in languages {
        let nats = evidence(language).of(&text);
        if nats > best.0 {
            best = (nats, language);
        }
    }
    best.1
}

/// What tells a language from the others in its script: `data/<code>/evidence.tsv`, in nats.
#[derive(Debug, Default)]
struct Evidence {
    words: Table<String, f32>,
    /// By their letters.
    endings: Table<String, f32>,
    /// Bytes of the longest ending.
    longest: usize,
    /// Letters that stand anywhere.
    letters: Vec<(String, f32)>,
}

fn evidence(language: Language) -> &'static Evidence {
    static EVIDENCE: PerLanguage<Evidence> = PerLanguage::new();
    EVIDENCE.get(language, || Evidence::read(data_files(language).evidence))
}

impl Evidence {
    /// Reads lines of a weight, a tab and what has it; one that does not read is passed over, and the tests hold that
    /// there is none.
    fn read(table: &str) -> Self {
        let mut evidence = Self::default();
        let lines =
            table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
        for (weight, patterns) in
            lines.filter_map(|(weight, patterns)| Some((weight.parse().ok()?, patterns)))
        {
            for pattern in patterns.split_whitespace().map(nfc) {
                if let Some(ending) = pattern.strip_prefix('-') {
                    evidence.longest = evidence.longest.max(ending.len());
                    evidence.endings.insert(ending.to_owned(), weight);
                } else if let Some(letters) = pattern.strip_prefix('*') {
                    evidence.letters.push((letters.to_owned(), weight));
                } else {
                    evidence.words.insert(pattern.into_owned(), weight);
                }
            }
        }
        evidence
    }

    /// What a text says for the language.
    fn of(&self, text: &str) -> f32 {
        let words = text.split(|c: char| !(is_alphabetic(c) || is_mark(c) || c == JOINER));
        let by_words: f32 = words.filter(|word| !word.is_empty()).map(|word| self.of_word(word)).sum();
        let counts = self
            .letters
            .iter()
            .map(|(letters, weight)| weight * text.matches(letters.as_str()).count() as f32);
        by_words + counts.sum::<f32>()
    }

    /// What a whole word says, or else its longest ending behind at least two characters.
    fn of_word(&self, word: &str) -> f32 {
        if let Some(&weight) = self.words.get(word) {
            return weight;
        }
        let starts = word.char_indices().skip(2).map(|(start, _)| start);
        let mut endings = starts.filter(|&start| word.len() - start <= self.longest);
        endings.find_map(|start| self.endings.get(&word[start..]).copied()).unwrap_or(0.0)
    }
}

/// Zero width joiner, part of the eyelash r of Marathi.
const JOINER: char = '\u{200d}';

/// The language that a text is spoken in, and the script that it is written in: romanised Hindi is Hindi in Latin letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpokenLanguage {
    /// The language of most words that are not English, if these are more than the English ones; else that of the turn.
    pub language: Language,
    /// The script of most letters.
    pub script: Script,
}

/// What tells the [`SpokenLanguage`] of a text, counted as it is read.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Words by their language.
    words: [u32; Language::ALL.len()],
    /// Letters in the script of the turn's language or another of India, and Latin ones.
    native: u32,
    latin: u32,
}

impl Tally {
    /// Counts a segment and its words. Names with a capital are in English what they are in any language, and do not count as
    /// English.
    pub(crate) fn add(&mut self, text: &str, words: &[Word]) {
        for script in text.chars().filter_map(Script::of) {
            let count = if script == Script::Latin { &mut self.latin } else { &mut self.native };
            *count = count.saturating_add(1);
        }
        for word in words {
            let name = word.language == Language::English && word.text.starts_with(char::is_uppercase);
            if !name {
                let count = &mut self.words[word.language as usize];
                *count = count.saturating_add(1);
            }
        }
    }

    /// What a text in a turn of `turn` is spoken in.
    pub(crate) fn spoken(&self, turn: Language) -> SpokenLanguage {
        let count = |language: Language| self.words[language as usize];
        let own = Language::ALL.into_iter().filter(|&language| language != Language::English);
        let most = own.max_by_key(|&language| count(language)).unwrap_or(turn);
        let language = if turn == Language::English && count(most) > count(turn) { most } else { turn };
        let script = match (self.latin > self.native, spec(language).script) {
            (true, _) => Script::Latin,
            (false, Script::Latin) if self.native > 0 => spec(turn).script,
            (false, script) => script,
        };
        SpokenLanguage { language, script }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::language::tables_named;

    #[test]
    fn a_text_is_in_the_language_of_its_script_and_words() {
        let cases = [
            ("हे पुस्तक माझे आहे आणि ते फार चांगले आहे.", Language::Marathi, "words of Marathi"),
            ("यह किताब मेरी है और बहुत अच्छी है।", Language::Hindi, "words of Hindi"),
            ("नमस्कार", Language::Hindi, "a word of both: the first language of the script"),
            ("तुम्ही OTP 4582 कोणाला दिला?", Language::Marathi, "Latin letters do not count"),
            ("मुंबईत आज मुसळधार पाऊस", Language::Marathi, "letters"),
            ("शेतकऱ्यांना मदत", Language::Marathi, "the eyelash r"),
            ("पोलिसांनी आरोपीला अटक केली", Language::Marathi, "endings and verbs"),
            ("कांदा बारीक चिरून घ्या", Language::Marathi, "an imperative"),
            ("तुमचा ओटीपी कोणालाही सांगू नका", Language::Marathi, "pronouns"),
            ("सड़क पर भारी जाम", Language::Hindi, "letters"),
            ("किसानों को राहत", Language::Hindi, "endings"),
            ("प्याज बारीक काट लें", Language::Hindi, "an imperative"),
            ("दिल्ली में कानून व्यवस्था", Language::Hindi, "a word that ends as those of Marathi do"),
            ("আমি ভালো আছি", Language::Bengali, "a script of one language"),
            ("hello नमस्ते", Language::Hindi, "the first letters that are not Latin"),
            ("hello", Language::English, "Latin letters alone"),
            ("42", Language::English, "no letters"),
        ];
        for (text, language, why) in cases {
            assert_eq!(language_of(text), language, "{text}: {why}");
        }
    }

    #[test]
    fn tables_read() {
        for (path, table) in tables_named("evidence.tsv") {
            let mut seen = HashSet::new();
            for line in table.lines().filter(|line| !line.starts_with('#')) {
                let (weight, patterns) =
                    line.split_once('\t').unwrap_or_else(|| panic!("{path}: no tab in '{line}'"));
                assert!(
                    weight.parse::<f32>().is_ok_and(|weight| weight > 0.0),
                    "{path}: no weight in '{line}'"
                );
                for pattern in patterns.split_whitespace() {
                    assert!(seen.insert(pattern.to_owned()), "{path}: '{pattern}' is listed twice");
                }
            }
        }
    }
}
