//! Rewriting of texts for screen readers.

use std::ops::Range;

use shruti_lang::Language;

use super::names::{Names, character_name, plain};
use super::scan::{self, Token};
use super::{Punctuation, Verbosity};
use crate::clean::is_ssml;
use crate::language::{default_of, spec};
use crate::script::Script;
use crate::ssml::Tag;
use crate::text_language::language_of;

/// Minimum length of a run of identical marks that is read as a count and a name.
const COUNTED: usize = 4;

/// Text rewritten as SSML, with the original position of each character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOut {
    /// Input for the [`Reader`](crate::Reader).
    pub ssml: String,
    /// Index marks, in order.
    pub marks: Vec<IndexMark>,
    /// Language of the names: the given language, the language of the document, or the detected language.
    pub language: Language,
    /// Byte range in the original text for each character of `ssml`.
    places: Vec<Range<u32>>,
}

/// Index mark: a `<mark>` element of an SSML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexMark {
    /// Name of the mark.
    pub name: String,
    /// Start of the tag in the original text, in bytes.
    pub byte: usize,
}

impl ReadOut {
    /// Rewrites a text. Time and memory are proportional to its length: up to about 60 bytes per character when the
    /// text is spelled.
    pub fn new(text: &str, language: Option<Language>, verbosity: Verbosity) -> Self {
        let is_document = is_ssml(text);
        let tokens: Vec<Token<'_>> =
            if is_document { scan::ssml(text).collect() } else { scan::plain(text).collect() };
        let language = language.or_else(|| document_language(&tokens)).unwrap_or_else(|| {
            let letters = |token: &Token<'_>| match token {
                Token::Char(c, _) => Some(*c),
                Token::Tag(..) => None,
            };
            language_of(&tokens.iter().filter_map(letters).collect::<String>())
        });
        let mut writer = Writer {
            out: Self {
                ssml: String::with_capacity(text.len() + 32),
                marks: Vec::new(),
                language,
                places: Vec::new(),
            },
            names: Names::of(language),
            verbosity,
            verbatim: 0,
        };
        if !is_document {
            writer.markup("<speak>", 0..0);
        }
        let mut at = 0;
        while at < tokens.len() {
            at += match &tokens[at] {
                Token::Tag(tag, inside, start) => {
                    writer.tag(tag, inside, *start);
                    1
                }
                Token::Char('\n', place) if !is_document => {
                    writer.markup("<p/>", place.clone());
                    1
                }
                Token::Char(..) => writer.characters(&tokens, at),
            };
        }
        if !is_document {
            writer.markup("</speak>", text.len()..text.len());
        }
        writer.out
    }

    /// Returns the byte range in the original text for a range of characters of [`Self::ssml`].
    pub fn source(&self, chars: Range<u32>) -> Range<usize> {
        let chars = chars.start as usize..(chars.end as usize).min(self.places.len());
        let places = self.places.get(chars).unwrap_or_default();
        let start = places.iter().map(|place| place.start).min().unwrap_or(0);
        let end = places.iter().map(|place| place.end).max().unwrap_or(start);
        start as usize..end as usize
    }

    #[cfg(test)]
    pub(super) fn places_len(&self) -> usize {
        self.places.len()
    }
}

/// Builder for a [`ReadOut`].
struct Writer {
    out: ReadOut,
    names: &'static Names,
    verbosity: Verbosity,
    /// Number of open elements whose text is read as a unit: `say-as`, `sub`, `phoneme`.
    verbatim: u32,
}

impl Writer {
    fn markup(&mut self, markup: &str, place: Range<usize>) {
        let place = stored(&place);
        self.out.places.extend(markup.chars().map(|_| place.clone()));
        self.out.ssml.push_str(markup);
    }

    fn character(&mut self, c: char, place: Range<usize>) {
        let mut buffer = [0; 4];
        self.markup(escaped(c, &mut buffer), place);
    }

    fn tag(&mut self, tag: &Tag, inside: &str, start: usize) {
        let place = start..start + inside.len() + 2;
        match tag.name.as_str() {
            "mark" => {
                if let Some(name) = tag.attribute("name").filter(|_| !tag.closes) {
                    self.out.marks.push(IndexMark { name: name.to_owned(), byte: start });
                }
                return;
            }
            "say-as" | "sub" | "phoneme" if tag.closes => self.verbatim = self.verbatim.saturating_sub(1),
            "say-as" | "sub" | "phoneme" if !tag.is_empty => self.verbatim += 1,
            _ => {}
        }
        self.markup("<", place.start..place.start + 1);
        for (at, c) in inside.char_indices() {
            let at = place.start + 1 + at;
            self.out.places.push(stored(&(at..at + c.len_utf8())));
            self.out.ssml.push(c);
        }
        self.markup(">", place.end - 1..place.end);
    }

    /// Writes the character at `at`, or a run of identical marks that starts there. Returns the number of tokens
    /// written.
    fn characters(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        let Some(Token::Char(c, place)) = tokens.get(at) else { return 1 };
        if self.verbatim > 0 {
            self.character(*c, place.clone());
            return 1;
        }
        if self.verbosity.spelling {
            self.spell(*c, place);
            return 1;
        }
        let named = Punctuation::of(plain(*c)).is_some_and(|level| level <= self.verbosity.punctuation);
        let Some(name) = self.names.sign(*c).filter(|_| named && !is_part(tokens, at)) else {
            self.character(*c, place.clone());
            return 1;
        };
        let row = tokens[at..]
            .iter()
            .take_while(|token| matches!(token, Token::Char(next, _) if next == c))
            .count();
        if row >= COUNTED {
            let end = place_of(&tokens[at + row - 1]).end;
            self.alias(&format!("{row} {name}"), *c, &(place.start..end));
            return row;
        }
        self.alias(name, *c, place);
        let closes = matches!(*c, '.' | ',' | '!' | '?' | ';' | ':' | '।' | '॥');
        if closes
            && char_at(tokens, at + 1).is_none_or(|next| next.is_whitespace() || !next.is_alphanumeric())
        {
            // the mark is also kept, because it determines the intonation of the sentence
            self.character(*c, place.clone());
        }
        1
    }

    /// Writes a character as a `<sub>` element whose alias is the text to read for it.
    fn alias(&mut self, text: &str, c: char, place: &Range<usize>) {
        // the space separates the name from a preceding letter; the element alone does not end a word
        self.markup(" <sub alias=\"", place.clone());
        for c in text.chars() {
            self.character(c, place.clone());
        }
        self.markup("\">", place.clone());
        self.character(c, place.clone());
        self.markup("</sub> ", place.clone());
    }

    fn spell(&mut self, c: char, place: &Range<usize>) {
        if let Some(name) = character_name(c, self.out.language) {
            // white space is not a word, so an underscore replaces it
            let shown = if c.is_whitespace() { '_' } else { c };
            self.alias(&name, shown, place);
            return;
        }
        if c.is_uppercase() && self.verbosity.capitals {
            let before = self.names.capital.split("{c}").next().unwrap_or_default();
            self.alias(before.trim(), c, place);
        }
        // a letter of another script is spelled in a language of that script
        let script = Script::of(c).filter(|&script| script != Script::Latin);
        let other = script.map(default_of).filter(|_| script != Some(spec(self.out.language).script));
        if let Some(other) = other {
            self.markup(&format!("<lang xml:lang=\"{}\">", other.code()), place.clone());
        }
        self.markup("<say-as interpret-as=\"characters\">", place.clone());
        self.character(c, place.clone());
        self.markup("</say-as> ", place.clone());
        if other.is_some() {
            self.markup("</lang>", place.clone());
        }
    }
}

/// Converts a range to `u32`. A text is always shorter than 4 GiB.
fn stored(place: &Range<usize>) -> Range<u32> {
    let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    short(place.start)..short(place.end)
}

/// Returns the language of the first `<speak>` element.
fn document_language(tokens: &[Token<'_>]) -> Option<Language> {
    let speak = tokens.iter().find_map(|token| match token {
        Token::Tag(tag, ..) if tag.name == "speak" => Some(tag),
        _ => None,
    });
    Language::from_code(speak?.attribute("xml:lang")?.split(['-', '_']).next()?)
}

fn char_at(tokens: &[Token<'_>], at: usize) -> Option<char> {
    match tokens.get(at) {
        Some(Token::Char(c, _)) => Some(*c),
        _ => None,
    }
}

fn place_of(token: &Token<'_>) -> Range<usize> {
    match token {
        Token::Char(_, place) => place.clone(),
        Token::Tag(_, inside, start) => *start..start + inside.len() + 2,
    }
}

/// Returns whether the mark at `at` is part of a number, an amount or a word and is read with it.
fn is_part(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| char_at(tokens, before));
    let after = char_at(tokens, at + 1);
    let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    match char_at(tokens, at).map(plain) {
        Some('.' | ',' | ':' | '/' | '-') => digit(before) && digit(after),
        Some('\'') => letter(before) && letter(after),
        Some('₹' | '$') => digit(after),
        Some('%') => digit(before),
        _ => false,
    }
}

/// Escapes a character for SSML text and attribute values.
fn escaped(c: char, buffer: &mut [u8; 4]) -> &str {
    match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => c.encode_utf8(buffer),
    }
}
