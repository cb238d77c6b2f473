//! Conversion of utterances to the symbols that packs read.
//!
//! A [`Writer`] serves one pack, according to the `kind` and `dialect` of its `[input]`. It turns each word into
//! symbols and determines what separates two words: a space, the marks of a clause, or nothing. There is one module per
//! kind.

mod characters;
mod espeak;
mod kokoro;
mod labels;
mod phones;
mod respell;
mod units;

use shruti_lang::Language;
use shruti_packs::{Input, InputKind, Manifest};
use shruti_text::script::Script;
use shruti_text::utterance::{Break, Contour, Utterance, Word};

pub use self::espeak::Dialect;

/// Symbols of a word and the marks after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolWord {
    /// Symbols of the word.
    pub symbols: Vec<String>,
    /// Marks between the word and the next one, or after the last word. Marks belong to no word, and a pack may lack
    /// them.
    pub marks: Vec<&'static str>,
}

/// Symbols of an utterance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolUtterance {
    /// One entry per word of the utterance.
    pub words: Vec<SymbolWord>,
    /// Whether words are separated by a space, if the pack has a symbol for spaces.
    pub spaces: bool,
}

/// Reason why no writer supports a pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriterError {
    /// The dialect is unknown.
    #[error("`input.dialect` is {found:?}; for this `input.kind` it must be one of {known}")]
    Dialect {
        /// Dialect of the pack.
        found: String,
        /// Supported dialects.
        known: String,
    },
}

/// Converter from utterances to the symbols of a pack.
#[derive(Clone, Debug)]
pub struct Writer {
    kind: Kind,
    languages: Vec<Language>,
}

#[derive(Clone, Debug)]
enum Kind {
    Phones,
    Kokoro,
    Characters(characters::Stop),
    Labels(&'static labels::Table),
    Espeak(Dialect),
}

impl Writer {
    /// Creates a writer for the input and the languages of a pack. The first language is used for text in any other
    /// language.
    pub fn new(input: &Input, languages: &[Language]) -> Result<Self, WriterError> {
        let dialect = input.dialect.as_deref();
        let kind = match input.kind {
            InputKind::Phones => Kind::Phones,
            InputKind::Kokoro => Kind::Kokoro,
            InputKind::Characters => Kind::Characters(characters::Stop::of_dialect(dialect)?),
            InputKind::Labels => Kind::Labels(labels::table()),
            InputKind::Espeak => {
                let code = languages.first().map_or("", |language| language.code());
                Kind::Espeak(Dialect::from_name(dialect.unwrap_or(code))?)
            }
        };
        Ok(Self { kind, languages: languages.to_vec() })
    }

    /// Creates a writer for a pack.
    pub fn of_pack(manifest: &Manifest) -> Result<Self, WriterError> {
        let mut languages: Vec<Language> = Vec::new();
        for &language in manifest.voices.iter().flat_map(|voice| &voice.languages) {
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
        Self::new(&manifest.input, &languages)
    }

    /// Returns the symbols of an utterance. `knows` returns whether the pack has a symbol. If there are several ways to
    /// write a phone or a letter, a symbol that the pack has is preferred.
    pub fn write(&self, utterance: &Utterance, knows: &dyn Fn(&str) -> bool) -> SymbolUtterance {
        let spoken = utterance.spoken_language();
        let language = match self.languages.first() {
            Some(&first) if !self.languages.contains(&spoken) => first,
            _ => spoken,
        };
        let written = |(at, word): (usize, &Word)| {
            let symbols = match &self.kind {
                Kind::Phones => phones::write(word),
                Kind::Kokoro => kokoro::write(word),
                Kind::Characters(_) => characters::write(word, language, knows),
                Kind::Labels(table) => labels::write(word, language, table, knows),
                Kind::Espeak(dialect) => {
                    let before =
                        at.checked_sub(1).filter(|&before| Close::after(utterance, before).is_none());
                    let before = before.and_then(|before| utterance.words[before].phones.last().copied());
                    espeak::write(word, before, *dialect)
                }
            };
            let close = Close::after(utterance, at);
            let marks = match (&self.kind, close) {
                (Kind::Phones, _) | (_, None) => Vec::new(),
                (Kind::Characters(stop), Some(close)) => stop.mark(close, knows).into_iter().collect(),
                (Kind::Labels(_), Some(_)) => labels::marks(at + 1 == utterance.words.len()),
                (Kind::Espeak(_) | Kind::Kokoro, Some(close)) => vec![close.mark()],
            };
            SymbolWord { symbols, marks }
        };
        let words = utterance.words.iter().enumerate().map(written).collect();
        SymbolUtterance { words, spaces: !matches!(self.kind, Kind::Labels(_)) }
    }
}

/// Kind of clause ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    Comma,
    /// A semicolon, a colon or a dash.
    Clause,
    Stop,
    Question,
    Exclamation,
}

impl Close {
    /// Returns the kind of clause ending after a word, or `None` if no clause ends there. In an utterance that was cut
    /// because of its length, no clause ends after the last word. A statement without a final mark gets a full stop,
    /// because models expect a mark at the end of a sentence.
    fn after(utterance: &Utterance, at: usize) -> Option<Self> {
        let is_last = at + 1 == utterance.words.len();
        match (utterance.words.get(at)?.break_after, utterance.contour) {
            (Break::Comma, _) => Some(Self::Comma),
            // models recognise the groups of a number by commas; pauses for breath are left to the model
            (Break::Group, _) if !is_last => Some(Self::Comma),
            (Break::Clause, _) => Some(Self::Clause),
            (Break::None | Break::Phrase | Break::Group | Break::Breath, _) if !is_last => None,
            (Break::Sentence | Break::Paragraph, _) if !is_last => Some(Self::Stop),
            (_, Contour::YesNoQuestion | Contour::WhQuestion | Contour::AlternativeQuestion) => {
                Some(Self::Question)
            }
            (_, Contour::Exclamation) => Some(Self::Exclamation),
            (Break::Sentence | Break::Paragraph, _) | (_, Contour::Statement) => Some(Self::Stop),
            (_, Contour::Continuation) => None,
        }
    }

    /// Returns the usual mark for this kind of clause ending.
    const fn mark(self) -> &'static str {
        match self {
            Self::Comma => ",",
            Self::Clause => ";",
            Self::Stop => ".",
            Self::Question => "?",
            Self::Exclamation => "!",
        }
    }
}

/// Returns the script in which words of a language are written.
const fn script(language: Language) -> Script {
    match language {
        Language::Hindi | Language::Marathi | Language::Nepali | Language::Konkani => Script::Devanagari,
        Language::Urdu => Script::Arabic,
        Language::Bengali | Language::Assamese => Script::Bengali,
        Language::Tamil => Script::Tamil,
        Language::Telugu => Script::Telugu,
        Language::Gujarati => Script::Gujarati,
        Language::Kannada => Script::Kannada,
        Language::Malayalam => Script::Malayalam,
        Language::Punjabi => Script::Gurmukhi,
        Language::Odia => Script::Odia,
        Language::English => Script::Latin,
    }
}

#[cfg(test)]
mod tests;
