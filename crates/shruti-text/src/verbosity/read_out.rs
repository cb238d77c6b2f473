//! A text rewritten for a screen reader.

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

/// This many equal signs in a row are counted rather than named one by one.
const COUNTED: usize = 4;

/// A text rewritten as SSML, with the places that its characters had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOut {
    /// The text for the [`Reader`](crate::Reader).
    pub ssml: String,
    /// The `<mark>` elements, in order.
    pub marks: Vec<IndexMark>,
    /// The language that signs are named in: as given, as the document names it, or as found.
    pub language: Language,
    /// For each character of `ssml`, the bytes of the text as sent that it stands for.
    places: Vec<Range<u32>>,
}

/// A `<mark>` of an SSML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexMark {
    /// Its name.
    pub name: String,
    /// Where its tag begins in the text as sent, in bytes.
    pub byte: usize,
}

impl ReadOut {
    /// Rewrites a text. Takes time and memory in proportion to its length: up to about 60 bytes a character where it is
    /// spelled.
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

    /// The bytes of the text as sent that a range of characters of [`Self::ssml`] stands for.
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

/// A [`ReadOut`] in the making.
struct Writer {
    out: ReadOut,
    names: &'static Names,
    verbosity: Verbosity,
    /// How many elements are open whose text is read as one: `say-as`, `sub`, `phoneme`.
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

    /// Writes the character at `at`, or a row of equal signs that begins there; returns how many tokens that were.
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
            // the melody of the sentence needs its mark
            self.character(*c, place.clone());
        }
        1
    }

    /// Writes a character that is read as a text.
    fn alias(&mut self, text: &str, c: char, place: &Range<usize>) {
        // the space parts it from a letter with a sign of its own, which the element does not
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
            // white space makes no word: something must stand for it
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

/// A place as it is kept: no text that is read out has 4 GiB.
fn stored(place: &Range<usize>) -> Range<u32> {
    let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    short(place.start)..short(place.end)
}

/// The language that the first `<speak>` names.
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

/// Whether the sign at `at` is part of a number or a word, whose reading covers it.
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

/// A character as it stands in SSML, in text and in values.
fn escaped(c: char, buffer: &mut [u8; 4]) -> &str {
    match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => c.encode_utf8(buffer),
    }
}
