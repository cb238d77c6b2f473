//! SSML: instructions for speaking a text that starts with `<speak`.
//!
//! Supports a subset of W3C's Speech Synthesis Markup Language 1.1. The text is read as it arrives and never rejected:
//! unknown elements are ignored, and broken markup is closed or read as text. `docs/ssml.md` lists the elements and all
//! limits.
//!
//! The cleaner ([`crate::clean`]) finds the tags. [`Document`] keeps track of the elements. It determines the
//! [`SpeakingStyle`] of each character that is kept, the characters that form one [`Reading`], and the position of
//! pauses. The segmenter passes these instructions on with the text ([`MarkupSpan`]), and the reader applies them to
//! the words.

mod document;
mod element;
mod pause;
mod prosody;
mod say_as;
mod tag;

use std::sync::Arc;

use shruti_lang::Language;

pub(crate) use document::{Document, Region};
pub use pause::LONGEST_PAUSE_MS;
pub(crate) use say_as::{DateOrder, SayAs};
pub(crate) use tag::Tag;

use crate::phone::Transcription;
use crate::utterance::Delivery;

/// Maximum nesting depth. Elements that are nested deeper have no effect.
pub const MAX_DEPTH: usize = 32;

/// Maximum number of characters in `<say-as>`, `<sub>` or `<phoneme>`. Longer content is read as plain text.
pub const LONGEST_READING: usize = 200;

/// Speaking style of a stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SpeakingStyle {
    /// Language of the stretch, if markup inside the text declares one.
    pub(crate) language: Option<Language>,
    /// Rate, pitch and volume.
    pub(crate) delivery: Delivery,
    /// Level of the enclosing `<emphasis>` element.
    pub(crate) emphasis: Option<Emphasis>,
}

/// Level of `<emphasis>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    Strong,
    Moderate,
    None,
    Reduced,
}

/// Reading that markup prescribes for the characters of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Phones of the element.
    Phones(Transcription),
    /// Kind of written form of the element.
    As(SayAs),
}

/// Markup instructions that apply from a position in the text up to that of the next `MarkupSpan`.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkupSpan {
    /// Start, in Unicode scalar values of the source text.
    pub(crate) from: u32,
    pub(crate) style: SpeakingStyle,
    /// Reading of the element at this position. All characters of an element share the same reading.
    pub(crate) reading: Option<Arc<Reading>>,
}

impl MarkupSpan {
    /// Returns whether there are no instructions.
    pub(crate) fn is_plain(&self) -> bool {
        self.reading.is_none() && self.style == SpeakingStyle::default()
    }
}

#[cfg(test)]
mod tests;
