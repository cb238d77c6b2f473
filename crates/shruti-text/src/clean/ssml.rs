//! SSML: tags, comments, CDATA. [`crate::ssml`] describes the meaning of the elements.

use super::{BYTE_ORDER_MARK, Cleaner, LOOK_AHEAD, Markup, Step};
use crate::ssml::{Region, Tag};

/// Start of a document. White space, `>` or `/` must follow.
const BEGINNING: &str = "<speak";

/// Returns whether a text is SSML: its first content, after white space, is a `<speak` tag.
pub fn is_ssml(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    let mut cleaner = Cleaner::default();
    for (c, offset) in text.chars().take(BEGINNING.len() + 1).zip(0..) {
        cleaner.push(c, offset);
    }
    cleaner.begins_document(true) == Some(true)
}

impl Cleaner {
    /// Returns whether the text is SSML. The first buffered character must not be white space. Returns `None` if more
    /// text is needed to decide.
    pub(super) fn begins_document(&self, all: bool) -> Option<bool> {
        if !self.stands_at(0, BEGINNING, all)? {
            return Some(false);
        }
        let following = self.peek(BEGINNING.len(), all)?;
        Some(following.is_some_and(|c| c.is_whitespace() || matches!(c, '>' | '/')))
    }

    /// Returns whether the buffered characters from `at` on equal `wanted`, or `None` if more text is needed to decide.
    fn stands_at(&self, at: usize, wanted: &str, all: bool) -> Option<bool> {
        for (place, wanted) in (at..).zip(wanted.chars()) {
            if self.peek(place, all)? != Some(wanted) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Processes the first buffered character of a document.
    pub(super) fn document_step(&mut self, region: Region, c: char, all: bool) -> Step {
        match region {
            Region::Text => match c {
                '<' => self.markup(all),
                '&' => self.entity(all),
                '|' => self.danda(all),
                _ => self.plain_step(c),
            },
            Region::Comment => self.pass_to("-->", all),
            Region::Instruction => self.pass_to("?>", all),
            Region::Cdata => match self.stands_at(0, "]]>", all) {
                None => Step::NeedMore,
                Some(true) => self.enter(Region::Text, 3),
                Some(false) => self.plain_step(c),
            },
            Region::Declaration { open, quote } => {
                let (open, quote) = match (quote, c) {
                    (Some(mark), c) => (open, Some(mark).filter(|&mark| mark != c)),
                    (None, '"' | '\'') => (open, Some(c)),
                    (None, '<') => (open.saturating_add(1), None),
                    (None, '>') => (open - 1, None),
                    (None, _) => (open, None),
                };
                let within = Region::Declaration { open, quote };
                self.enter(if open == 0 { Region::Text } else { within }, 1)
            }
            // an attribute value cannot contain `<`, so the tag is malformed
            Region::LongTag { .. } if c == '<' => self.enter(Region::Text, 0),
            Region::LongTag { quote: None } if c == '>' => self.enter(Region::Text, 1),
            Region::LongTag { quote } => {
                let quote = match quote {
                    Some(mark) => Some(mark).filter(|&mark| mark != c),
                    None => Some(c).filter(|c| matches!(c, '"' | '\'')),
                };
                self.enter(Region::LongTag { quote }, 1)
            }
        }
    }

    fn plain_step(&mut self, c: char) -> Step {
        self.plain(c);
        Step::Consumed(1)
    }

    fn enter(&mut self, region: Region, length: usize) -> Step {
        if let Some(document) = self.document() {
            document.region = region;
        }
        Step::Consumed(length)
    }

    /// Skips one character, or leaves the region if `end` is next.
    fn pass_to(&mut self, end: &str, all: bool) -> Step {
        match self.stands_at(0, end, all) {
            None => Step::NeedMore,
            Some(true) => self.enter(Region::Text, end.len()),
            Some(false) => Step::Consumed(1),
        }
    }

    /// Handles a `<`: the start of markup or a literal `<`.
    fn markup(&mut self, all: bool) -> Step {
        match self.peek(1, all) {
            None => Step::NeedMore,
            Some(Some('?')) => self.enter(Region::Instruction, 2),
            Some(Some('!')) => self.declaration(all),
            Some(Some(c)) if c.is_ascii_alphabetic() || c == '/' => self.document_tag(all),
            Some(_) => self.literal('<'),
        }
    }

    /// Handles `<!`: the start of a comment, a CDATA section or a declaration, or a literal `<`.
    fn declaration(&mut self, all: bool) -> Step {
        let regions = [("<!--", Region::Comment), ("<![CDATA[", Region::Cdata)];
        for (begin, region) in regions {
            match self.stands_at(0, begin, all) {
                None => return Step::NeedMore,
                Some(true) => return self.enter(region, begin.len()),
                Some(false) => {}
            }
        }
        match self.peek(2, all) {
            None => Step::NeedMore,
            Some(Some(c)) if c.is_ascii_alphabetic() => {
                self.enter(Region::Declaration { open: 1, quote: None }, 2)
            }
            Some(_) => self.literal('<'),
        }
    }

    /// Handles a tag. A `>` inside an attribute value does not end the tag. If the tag does not end within
    /// [`LOOK_AHEAD`] characters, the `<` is literal unless an attribute value is open.
    fn document_tag(&mut self, all: bool) -> Step {
        let mut at = self.searched.max(1);
        let searched = self.searched > 0;
        let mut quote = self.document().and_then(|document| document.quote).filter(|_| searched);
        loop {
            match self.peek(at, all) {
                None => {
                    self.searched = at;
                    if let Some(document) = self.document() {
                        document.quote = quote;
                    }
                    return Step::NeedMore;
                }
                Some(Some('<') | None) => return self.literal('<'),
                Some(Some('>')) if quote.is_none() => break,
                Some(Some(c)) if Some(c) == quote => quote = None,
                Some(Some(c @ ('"' | '\''))) if quote.is_none() && self.follows_equals(at) => quote = Some(c),
                Some(Some(_)) => {}
            }
            at += 1;
            if at >= LOOK_AHEAD {
                if quote.is_none() {
                    return self.literal('<');
                }
                // the open attribute value is most likely a long address; apply the attributes that are complete
                self.apply_document_tag(at);
                return self.enter(Region::LongTag { quote }, at);
            }
        }
        self.apply_document_tag(at);
        Step::Consumed(at + 1)
    }

    /// Returns whether an attribute value starts at `at`.
    fn follows_equals(&self, at: usize) -> bool {
        let before = self.raw.range(..at).rev().map(|&(c, _)| c);
        before.into_iter().find(|c| !c.is_whitespace()) == Some('=')
    }

    /// Applies the tag that ends before the buffered character at `end`.
    fn apply_document_tag(&mut self, end: usize) {
        let inside: String = self.raw.range(1..end).map(|&(c, _)| c).collect();
        let start = self.raw.front().map_or(0, |&(_, offset)| offset);
        let place = start..start.saturating_add(end as u32 + 1);
        let tag = Tag::parse(&inside);
        let Markup::Document(document) = &mut self.markup else { return };
        let Some(alias) = document.apply(&tag, place, &mut self.clean) else { return };
        document.source = Some(alias.source);
        for c in alias.text.chars() {
            self.plain(c);
        }
        if let Some(document) = self.document() {
            document.end_alias();
        }
    }
}
