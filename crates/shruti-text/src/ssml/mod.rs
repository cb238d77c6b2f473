//! SSML: what a text that begins with `<speak` asks for, beside its words.
//!
//! A subset of W3C's Speech Synthesis Markup Language 1.1, read as it arrives and never refused: what is not known is
//! passed over, what is broken is closed or read as text. `docs/ssml.md` has the elements and every limit.
//!
//! The cleaner ([`crate::clean`]) finds the tags. [`Document`] follows the elements and says which [`Manner`] is in
//! force for each character that stays, which characters are one [`Reading`], and where a pause stands. The segmenter
//! hands that on with the text ([`Marked`]), the reader puts it on the words.

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

/// Elements nested deeper than this have no effect.
pub const MOST_DEPTH: usize = 32;

/// The most characters that `<say-as>`, `<sub>` or `<phoneme>` may hold: longer ones are read as they stand.
pub const LONGEST_READING: usize = 200;

/// How a stretch of text is to be spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Manner {
    /// The language of the stretch, where markup within the text names one.
    pub(crate) language: Option<Language>,
    /// Rate, pitch and volume.
    pub(crate) delivery: Delivery,
    /// What `<emphasis>` asks for.
    pub(crate) emphasis: Option<Emphasis>,
}

/// The levels of `<emphasis>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    Strong,
    Moderate,
    None,
    Reduced,
}

/// How the characters of one element are to be read, whatever they would be without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// With these phones.
    Phones(Transcription),
    /// As a kind of written form.
    As(SayAs),
}

/// What holds from a place in the text up to that of the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// The place, in Unicode scalar values of the text as sent.
    pub(crate) from: u32,
    pub(crate) manner: Manner,
    /// The reading of the element there; the same one for all of its characters.
    pub(crate) reading: Option<Arc<Reading>>,
}

impl Marked {
    /// Whether it asks for nothing.
    pub(crate) fn is_plain(&self) -> bool {
        self.reading.is_none() && self.manner == Manner::default()
    }
}

#[cfg(test)]
mod tests;
