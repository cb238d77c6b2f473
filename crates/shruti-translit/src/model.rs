//! Tables of one language, used in the format in which the file stores them.

use crate::channel::Channel;
use crate::hashed::Hashed;
use crate::lexicon::Lexicon;
use crate::reading::Reading;
use crate::spelling::Spelling;
use crate::units::{self, Unit};

/// Magic bytes at the start of a file.
pub(crate) const MAGIC: [u8; 4] = *b"STL2";

/// Parts of a file, in order. The table after [`MAGIC`] contains the start of each part; a part ends where the next one
/// begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The [`Weights`], four bytes each.
    Weights,
    /// The Latin strings of the channel.
    Strings,
    /// The channel contexts with two letters on each side.
    WideContexts,
    /// The narrower channel contexts.
    NarrowContexts,
    /// The rows of the channel.
    Rows,
    /// The n-grams of letters, as a tree.
    Ngrams,
    /// The slots of the lexicon.
    Slots,
    /// The codes for the words of the lexicon.
    Codes,
    /// The words of the lexicon.
    Words,
    /// The word pairs.
    Pairs,
}

/// Number of parts.
#[cfg(feature = "train")]
pub(crate) const PARTS: usize = 10;

/// Weights of the costs of a reading. Factors are in units of 1/64. The weights were fitted on sentences that were not
/// used to build any table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Factor for the channel cost.
    pub channel: u32,
    /// Factor for the channel cost of a word that is not in the lexicon.
    pub unknown_channel: u32,
    /// Factor for the letter cost of a word that is not in the lexicon.
    pub spelling: u32,
    /// Cost of a word that is not in the lexicon, in steps.
    pub unknown: u32,
    /// Factor for the gain from the preceding word.
    pub pair: u32,
}

impl Weights {
    /// Returns the weights, encoded for a file.
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

/// Romanisation model of a language. Its tables are used in place.
#[derive(Debug)]
pub struct Model<'a> {
    /// First code point of the block of the language's script.
    pub(crate) block: u32,
    /// Weights of the costs.
    pub weights: Weights,
    pub(crate) channel: Channel<'a>,
    pub(crate) spelling: Spelling<'a>,
    pub(crate) lexicon: Lexicon<'a>,
    pub(crate) pairs: Hashed<'a, 1>,
}

impl<'a> Model<'a> {
    /// Returns the native word of a reading.
    pub fn native(&self, reading: &Reading) -> String {
        units::native(&reading.units, self.block)
    }

    /// Creates a reading of a native word with the given cost. Returns `None` if the word is not in the script of the
    /// language.
    pub fn reading(&self, native: &str, cost: u32) -> Option<Reading> {
        Some(Reading { units: units::units(native, self.block)?, cost, is_known: true })
    }

    /// Reads the model of a language. `block` is the first code point of the Unicode block of its script. Returns `None`
    /// if the format of the file is wrong.
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

/// Returns the key of two adjacent words.
pub(crate) fn pair_key(first: &[Unit], second: &[Unit]) -> u64 {
    let hash = |seed: u64, units: &[Unit]| {
        units.iter().fold(seed, |hash, unit| crate::hashed::mix(hash ^ u64::from(*unit)))
    };
    hash(hash(1, first), second)
}

/// Returns the content of a file with the given parts.
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
