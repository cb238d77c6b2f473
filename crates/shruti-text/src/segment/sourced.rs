//! Text with the source position of each character.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::typing_faults;
use crate::chars::{is_mark, is_nfc};
use crate::clean_char::CleanChar;
use crate::ssml::MarkupSpan;

/// Cleaned text with the position of each character in the source text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourcedText {
    /// Text in Unicode normal form C.
    pub text: String,
    /// For each character of `text`, the start of its source, in Unicode scalar values of the source text.
    pub offsets: Vec<u32>,
    /// For each character of `text`, the end of its source, in the same unit.
    pub ends: Vec<u32>,
    /// For each character of `text`, whether it is emphasised.
    pub emphasis: Vec<bool>,
    /// Markup instructions by position; empty if there are none.
    pub marked: Vec<MarkupSpan>,
}

impl SourcedText {
    /// Appends a character whose source is at `offset`.
    pub fn push(&mut self, c: char, offset: u32) {
        self.push_clean(CleanChar { c, start: offset, end: offset + 1, emphasis: false, whole: false });
    }

    fn push_clean(&mut self, clean: CleanChar) {
        // the Devanagari abbreviation sign is a full stop that does not end a sentence: डॉ॰
        self.text.push(if clean.c == '॰' { '.' } else { clean.c });
        self.offsets.push(clean.start);
        self.ends.push(clean.end);
        self.emphasis.push(clean.emphasis);
    }

    /// Returns the source range of a range of characters (not bytes).
    pub fn source(&self, chars: Range<usize>) -> Range<u32> {
        let first = self.offsets.get(chars.start);
        let last = self.ends.get(chars).and_then(<[u32]>::last);
        match (first, last) {
            (Some(&first), Some(&last)) => first..last,
            _ => 0..0,
        }
    }

    /// Returns the markup instructions at a position in the source text.
    pub(crate) fn marked_at(&self, place: u32) -> Option<&MarkupSpan> {
        let following = self.marked.partition_point(|marked| marked.from <= place);
        following.checked_sub(1).and_then(|at| self.marked.get(at))
    }

    /// Returns the markup instructions between two positions in the source text; `to` is `None` for the end of the
    /// text.
    pub(crate) fn marked_within(&self, from: u32, to: Option<u32>) -> Vec<MarkupSpan> {
        let first = self.marked.partition_point(|marked| marked.from <= from).saturating_sub(1);
        let end = to.map_or(self.marked.len(), |to| self.marked.partition_point(|marked| marked.from < to));
        self.marked.get(first..end).unwrap_or_default().to_vec()
    }

    /// Returns a part of the text without its markup instructions. The range is in characters.
    pub(crate) fn slice(&self, chars: Range<usize>) -> Self {
        Self {
            text: self.text.chars().skip(chars.start).take(chars.len()).collect(),
            offsets: self.offsets.get(chars.clone()).unwrap_or_default().to_vec(),
            ends: self.ends.get(chars.clone()).unwrap_or_default().to_vec(),
            emphasis: self.emphasis.get(chars).unwrap_or_default().to_vec(),
            marked: Vec::new(),
        }
    }

    /// Returns the characters with typing faults repaired and in normal form C. A composed letter covers the source of
    /// all its parts.
    pub(super) fn composed(characters: &[CleanChar]) -> Self {
        let repaired = typing_faults::repaired(characters);
        let characters = repaired.as_deref().unwrap_or(characters);
        let mut text = Self {
            text: String::with_capacity(characters.iter().map(|clean| clean.c.len_utf8()).sum()),
            offsets: Vec::with_capacity(characters.len()),
            ends: Vec::with_capacity(characters.len()),
            emphasis: Vec::with_capacity(characters.len()),
            marked: Vec::new(),
        };
        if text.take_composed(characters) {
            return text;
        }
        let mut rest = characters;
        while !rest.is_empty() {
            let marks = rest[1..].iter().take_while(|clean| is_mark(clean.c)).count();
            let cluster;
            (cluster, rest) = rest.split_at(1 + marks);
            if text.take_composed(cluster) {
                continue;
            }
            let normal: Vec<char> = cluster.iter().map(|clean| clean.c).nfc().collect();
            for (place, &c) in normal.iter().enumerate() {
                let from = cluster[place.min(cluster.len() - 1)];
                let last = if place + 1 == normal.len() { cluster[cluster.len() - 1] } else { from };
                text.push_clean(CleanChar { c, end: last.end, ..from });
            }
        }
        text
    }

    /// Appends characters that are already in normal form C. Returns `false` without appending anything if they may not
    /// be.
    fn take_composed(&mut self, characters: &[CleanChar]) -> bool {
        let composed = is_nfc(characters.iter().map(|clean| clean.c));
        if composed {
            for &clean in characters {
                self.push_clean(clean);
            }
        }
        composed
    }
}
