//! The tables of one language, as they lie in its file.

use crate::channel::Channel;
use crate::hashed::Hashed;
use crate::lexicon::Lexicon;
use crate::reading::Reading;
use crate::spelling::Spelling;
use crate::units::{self, Unit};

/// What a file begins with.
pub(crate) const MAGIC: [u8; 4] = *b"STL2";

/// The parts of a file, in order; each begins where the table behind [`MAGIC`] says, and ends where the next one
/// begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// [`Weights`], four bytes each.
    Weights,
    /// The Latin strings of the channel.
    Strings,
    /// The contexts of the channel with two letters on each side.
    WideContexts,
    /// Those with fewer.
    NarrowContexts,
    /// The rows of the channel.
    Rows,
    /// The n-grams of letters, as a tree.
    Ngrams,
    /// The slots of the lexicon.
    Slots,
    /// The codes of the lexicon's words.
    Codes,
    /// The words of the lexicon.
    Words,
    /// The pairs of words.
    Pairs,
}

/// How many parts there are.
#[cfg(feature = "train")]
pub(crate) const PARTS: usize = 10;

/// How the costs of a reading are added up, in 64ths where they are factors; fitted on sentences that no table was made
/// of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Of the way that a word is typed.
    pub channel: u32,
    /// The same for a word that the lexicon does not have.
    pub unknown_channel: u32,
    /// Of its letters, for a word that the lexicon does not have.
    pub spelling: u32,
    /// What it costs that the lexicon does not have a word, in steps.
    pub unknown: u32,
    /// Of the word before.
    pub pair: u32,
}

impl Weights {
    /// As they lie in a file.
    #[cfg(feature = "train")]
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [self.channel, self.unknown_channel, self.spelling, self.unknown, self.pair]
            .iter()
            .flat_map(|weight| weight.to_le_bytes())
            .collect()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let at =
            |place: usize| Some(u32::from_le_bytes(*bytes.get(place * 4..)?.first_chunk()?).min(1 << 12));
        Some(Self {
            channel: at(0)?,
            unknown_channel: at(1)?,
            spelling: at(2)?,
            unknown: at(3)?,
            pair: at(4)?,
        })
    }
}

/// A model of how a language is romanised, read where it lies.
#[derive(Debug)]
pub struct Model<'a> {
    /// The first code point of the block of its script.
    pub(crate) block: u32,
    /// How costs are added up.
    pub weights: Weights,
    pub(crate) channel: Channel<'a>,
    pub(crate) spelling: Spelling<'a>,
    pub(crate) lexicon: Lexicon<'a>,
    pub(crate) pairs: Hashed<'a, 1>,
}

impl<'a> Model<'a> {
    /// The native word of a reading.
    pub fn native(&self, reading: &Reading) -> String {
        units::native(&reading.units, self.block)
    }

    /// A native word as a reading of this cost; `None` where it is none in the script of the language.
    pub fn reading(&self, native: &str, cost: u32) -> Option<Reading> {
        Some(Reading { units: units::units(native, self.block)?, cost, is_known: true })
    }

    /// The model in a file of a language whose script's block begins at `block`; `None` where it is no such file.
    pub fn read(file: &'a [u8], block: u32) -> Option<Self> {
        let body = file.strip_prefix(&MAGIC)?;
        let begin = |part: usize| -> Option<usize> {
            Some(u32::from_le_bytes(*body.get(part * 4..)?.first_chunk()?) as usize)
        };
        let part = |part: Part| {
            let part = part as usize;
            file.get(begin(part)?..begin(part + 1)?)
        };
        Some(Self {
            block,
            weights: Weights::read(part(Part::Weights)?)?,
            channel: Channel::new(
                part(Part::Strings)?,
                part(Part::WideContexts)?,
                part(Part::NarrowContexts)?,
                part(Part::Rows)?,
            ),
            spelling: Spelling::new(part(Part::Ngrams)?),
            lexicon: Lexicon::new(part(Part::Slots)?, part(Part::Codes)?, part(Part::Words)?),
            pairs: Hashed::new(part(Part::Pairs)?),
        })
    }
}

/// The key of two words that stand side by side.
pub(crate) fn pair_key(first: &[Unit], second: &[Unit]) -> u64 {
    let hash = |seed: u64, units: &[Unit]| {
        units.iter().fold(seed, |hash, unit| crate::hashed::mix(hash ^ u64::from(*unit)))
    };
    hash(hash(1, first), second)
}

/// A file of these parts.
#[cfg(feature = "train")]
pub(crate) fn write(parts: &[Vec<u8>; PARTS]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    let mut begin = MAGIC.len() + (PARTS + 1) * 4;
    for length in parts.iter().map(Vec::len).chain([0]) {
        file.extend_from_slice(&(begin as u32).to_le_bytes());
        begin += length;
    }
    parts.iter().for_each(|part| file.extend_from_slice(part));
    file
}
