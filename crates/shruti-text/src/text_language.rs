//! Language detection for a text without a declared language: by script, and by words if several languages share the
//! script.

use shruti_lang::Language;

use crate::chars::{is_alphabetic, is_mark, nfc};
use crate::files::data_files;
use crate::language::{self, spec};
use crate::per_language::PerLanguage;
use crate::script::Script;
use crate::table::Table;
use crate::utterance::Word;

/// Returns the language of a text, determined by its first letter that is not Latin. A text with Latin letters only is
/// English.
///
/// If several languages use the script, the result is the language with the most evidence from words, endings and
/// letters. If there is no evidence, it is the first of these languages in [`Language::ALL`]. A language in beta must
/// have [`BETA_MARGIN`] more evidence than each finished language.
pub(crate) fn language_of(text: &str) -> Language {
    let mut scripts = text.chars().filter_map(Script::of);
    match scripts.find(|&script| script != Script::Latin) {
        Some(script) => by_words(text, &language::written_in(script).collect::<Vec<_>>()),
        None => Language::English,
    }
}

/// Returns the language with the most evidence in a text, among the languages of one script. `languages` must not be
/// empty.
fn by_words(text: &str, languages: &[Language]) -> Language {
    if let [only] = languages {
        return *only;
    }
    let text = nfc(text);
    let mut best = (f32::MIN, Language::English);
    for &language in languages {
        let margin = if language.is_beta() { BETA_MARGIN } else { 0.0 };
        let nats = evidence(language).of(&text) - margin;
        if nats > best.0 {
            best = (nats, language);
        }
    }
    best.1
}

/// Margin in nats by which the evidence for a language in beta must exceed that for each finished language. The lists
/// of the languages in beta are less complete, and they must not impair the detection of the finished languages.
const BETA_MARGIN: f32 = 4.0;

/// Evidence for a language against the others of its script, from `data/<code>/evidence.tsv`; weights in nats.
#[derive(Debug, Default)]
struct Evidence {
    words: Table<String, f32>,
    /// Weights of word endings.
    endings: Table<String, f32>,
    /// Length in bytes of the longest ending.
    longest: usize,
    /// Letter sequences that count at any position.
    letters: Vec<(String, f32)>,
}

fn evidence(language: Language) -> &'static Evidence {
    static EVIDENCE: PerLanguage<Evidence> = PerLanguage::new();
    EVIDENCE.get(language, || Evidence::read(data_files(language).evidence))
}

impl Evidence {
    /// Reads lines that consist of a weight, a tab and the patterns with that weight. Skips invalid lines; a test
    /// checks that there are none.
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

    /// Returns the evidence that a text gives for the language, in nats.
    fn of(&self, text: &str) -> f32 {
        let is_outside = |c: char| !(is_alphabetic(c) || is_mark(c) || c == JOINER);
        // an initial is not a word: छ. संभाजीनगर is Marathi, although छ is a Nepali verb
        let is_initial = |word: &str| word.ends_with('.') && word.chars().count() == 2;
        let words = text.split_inclusive(is_outside).filter(|word| !is_initial(word));
        let words = words.map(|word| word.trim_end_matches(is_outside)).filter(|word| !word.is_empty());
        let by_words: f32 = words.map(|word| self.of_word(word)).sum();
        let counts = self
            .letters
            .iter()
            .map(|(letters, weight)| weight * text.matches(letters.as_str()).count() as f32);
        by_words + counts.sum::<f32>()
    }

    /// Returns the weight of a whole word, or else of its longest ending after at least two characters.
    fn of_word(&self, word: &str) -> f32 {
        if let Some(&weight) = self.words.get(word) {
            return weight;
        }
        let starts = word.char_indices().skip(2).map(|(start, _)| start);
        let mut endings = starts.filter(|&start| word.len() - start <= self.longest);
        endings.find_map(|start| self.endings.get(&word[start..]).copied()).unwrap_or(0.0)
    }
}

/// Zero width joiner, part of the Marathi eyelash r.
const JOINER: char = '\u{200d}';

/// Language in which a text is spoken, and script in which it is written: Hindi and Latin for romanised Hindi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpokenLanguage {
    /// In an English turn, the most frequent other language if its words outnumber the English words; otherwise the
    /// language of the turn.
    pub language: Language,
    /// Script of most letters.
    pub script: Script,
}

/// Counts that determine the [`SpokenLanguage`] of a text, collected as the text is read.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of words per language.
    words: [u32; Language::ALL.len()],
    /// Number of letters in scripts other than Latin.
    native: u32,
    latin: u32,
}

impl Tally {
    /// Counts the letters of a segment and its words. Capitalised English words do not count, because they may be
    /// names, which look the same in romanised text.
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

    /// Returns the spoken language and the script of a text in a turn of language `turn`.
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
    fn detects_language_by_script_and_words() {
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
            ("আমি ভালো আছি", Language::Bengali, "the first language of the script"),
            ("আমি আসামে থাকি, ওদিকে নয়", Language::Bengali, "no letter of Assamese"),
            ("নমস্কাৰ, আপুনি কেনে আছে?", Language::Assamese, "a letter of Assamese"),
            ("তেওঁ কেতিয়া ঘৰলৈ যাব?", Language::Assamese, "a letter of Assamese"),
            ("तपाईंलाई कस्तो छ?", Language::Nepali, "a pronoun and a verb"),
            ("उनीहरू काठमाडौंमा बस्छन्", Language::Nepali, "an ending"),
            ("आजको कार्यक्रम रद्द गरिएको छ", Language::Nepali, "verbs"),
            ("छ. संभाजीनगर", Language::Hindi, "an initial is no evidence"),
            ("छः बजे छह लोग छत पर थे", Language::Hindi, "no verbs of Nepali"),
            ("तुमी कशे आसात?", Language::Konkani, "a verb"),
            ("हांव फाल्यां घरा वतां", Language::Konkani, "a pronoun"),
            ("तो आला आणि म्हणाला", Language::Marathi, "no words of Konkani"),
            ("آپ کیسے ہیں؟", Language::Urdu, "a script of one language"),
            ("hello دوست", Language::Urdu, "the first letters that are not Latin"),
            ("tapaailai kasto chha", Language::English, "romanised text is not a language in beta"),
            ("hello नमस्ते", Language::Hindi, "the first letters that are not Latin"),
            ("hello", Language::English, "Latin letters alone"),
            ("42", Language::English, "no letters"),
        ];
        for (text, language, why) in cases {
            assert_eq!(language_of(text), language, "{text}: {why}");
        }
    }

    #[test]
    fn tables_are_valid() {
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
