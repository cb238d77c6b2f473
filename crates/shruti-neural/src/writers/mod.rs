//! Utterances as the symbols that packs read.
//!
//! A [`Writer`] is made for one pack, by the `kind` and `dialect` of its `[input]`. It turns each word into symbols and
//! says what stands between two words: a space, the marks of a clause, or nothing. There is a module for each kind.

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

/// The symbols of a word, and what stands behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenWord {
    /// Its symbols.
    pub symbols: Vec<String>,
    /// The marks between it and the next word or behind the last one. A pack does not have to have them, and they
    /// belong to no word.
    pub marks: Vec<&'static str>,
}

/// An utterance as symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// A word for each of the utterance's.
    pub words: Vec<WrittenWord>,
    /// Whether a space stands between words, where the pack has one.
    pub spaces: bool,
}

/// A pack reads what nothing here writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriterError {
    /// Its dialect is none of those known.
    #[error("`input.dialect` is {found:?}; for this `input.kind` it must be one of {known}")]
    Dialect {
        /// What it is.
        found: String,
        /// What it may be.
        known: String,
    },
}

/// Writes utterances as a pack's symbols.
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
    /// A writer for what a pack reads, in the languages that it speaks; the first of them is that of what is in none.
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

    /// A writer for a pack.
    pub fn of_pack(manifest: &Manifest) -> Result<Self, WriterError> {
        let mut languages: Vec<Language> = Vec::new();
        for &language in manifest.voices.iter().flat_map(|voice| &voice.languages) {
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
        Self::new(&manifest.input, &languages)
    }

    /// The symbols of an utterance. `knows` tells which symbols the pack has: where there are several ways of writing
    /// the same, one that it knows is taken.
    pub fn write(&self, utterance: &Utterance, knows: &dyn Fn(&str) -> bool) -> Written {
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
                        at.checked_sub(1).filter(|&before| Close::behind(utterance, before).is_none());
                    let before = before.and_then(|before| utterance.words[before].phones.last().copied());
                    espeak::write(word, before, *dialect)
                }
            };
            let close = Close::behind(utterance, at);
            let marks = match (&self.kind, close) {
                (Kind::Phones, _) | (_, None) => Vec::new(),
                (Kind::Characters(stop), Some(close)) => stop.mark(close, knows).into_iter().collect(),
                (Kind::Labels(_), Some(_)) => labels::marks(at + 1 == utterance.words.len()),
                (Kind::Espeak(_) | Kind::Kokoro, Some(close)) => vec![close.mark()],
            };
            WrittenWord { symbols, marks }
        };
        let words = utterance.words.iter().enumerate().map(written).collect();
        Written { words, spaces: !matches!(self.kind, Kind::Labels(_)) }
    }
}

/// What closes a clause.
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
    /// What stands behind a word. An utterance that goes on, cut for its length, has nothing behind its last word; a
    /// statement that the text ends without a mark has a full stop, as models know the ends of sentences.
    fn behind(utterance: &Utterance, at: usize) -> Option<Self> {
        let is_last = at + 1 == utterance.words.len();
        match (utterance.words.get(at)?.break_after, utterance.contour) {
            (Break::Comma, _) => Some(Self::Comma),
            // models know from commas that a number has groups, and breathe by themselves
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

    /// Its usual mark.
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

/// The script of a language's words.
const fn script(language: Language) -> Script {
    match language {
        Language::Hindi | Language::Marathi => Script::Devanagari,
        Language::Bengali => Script::Bengali,
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
