//! Compressed words: each letter is encoded with a prefix code that depends on the preceding letter. The codes are
//! canonical Huffman codes (Huffman, 1952), so the code lengths alone define them.

use crate::units::{EDGE, MAX_UNITS, Unit};

/// Prefix codes for the letters of a language, one for each preceding letter. File format: for each preceding letter, a
/// two-byte offset of its code. A code consists of the number of lengths, the number of letters for each length from 1,
/// and the letters in order of length.
#[derive(Debug)]
pub(crate) struct Codes<'a> {
    bytes: &'a [u8],
    /// For each preceding letter and the next [`PEEKED`] bits, the letter whose code is a prefix of the bits, and the
    /// length of this code in bits. The length is 0 if the code is longer than [`PEEKED`] bits.
    short: Vec<[(Unit, u8); 1 << PEEKED]>,
    /// Index of each preceding letter in `short`.
    places: [u8; 128],
}

/// Maximum length of codes in the lookup table, in bits.
const PEEKED: u32 = 7;

/// Bit reader. The most significant bit of each byte is read first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the next `bits` bits, at most 16, without consuming them. Bits after the end of the data are ones.
    #[inline]
    fn peek(&self, bits: u32) -> u32 {
        let from = self.at / 8;
        let window = if let Some(bytes) = self.bytes.get(from..).and_then(<[u8]>::first_chunk) {
            u32::from_be_bytes(*bytes)
        } else {
            let byte = |place: usize| self.bytes.get(from + place).copied().unwrap_or(0xFF);
            u32::from_be_bytes([byte(0), byte(1), byte(2), byte(3)])
        };
        (window << (self.at % 8)) >> (32 - bits)
    }

    /// Reads a number of at most 16 bits. Returns `None` at the end of the data.
    pub(crate) fn number(&mut self, bits: u32) -> Option<u32> {
        let number = self.peek(bits);
        self.at += bits as usize;
        (self.at <= self.bytes.len() * 8).then_some(number)
    }
}

/// Letters of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    units: [Unit; MAX_UNITS],
    length: usize,
}

impl Word {
    pub(crate) const EMPTY: Self = Self { units: [EDGE; MAX_UNITS], length: 0 };

    pub(crate) fn units(&self) -> &[Unit] {
        &self.units[..self.length]
    }
}

impl<'a> Codes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut codes = Self { bytes, short: Vec::new(), places: [u8::MAX; 128] };
        for before in 0..128 {
            let letter = |bits: u32| {
                let bits = (bits << (16 - PEEKED)) as u16;
                let (unit, length) = codes.long(before, bits)?;
                (length <= PEEKED).then_some((unit, length as u8))
            };
            let begin = codes.code(before).filter(|code| !code.is_empty());
            if begin.is_some() {
                let letters = std::array::from_fn(|bits| letter(bits as u32).unwrap_or_default());
                codes.places[usize::from(before)] = codes.short.len() as u8;
                codes.short.push(letters);
            }
        }
        codes
    }

    /// Reads a word into `word`. Returns `None` if the bits do not encode a word.
    pub(crate) fn read(&self, bits: &mut Bits<'_>, word: &mut Word) -> Option<()> {
        word.length = 0;
        let mut before = EDGE;
        loop {
            let unit = self.letter(before, bits)?;
            if unit == EDGE {
                return Some(());
            }
            *word.units.get_mut(word.length)? = unit;
            word.length += 1;
            before = unit;
        }
    }

    #[inline]
    fn letter(&self, before: Unit, bits: &mut Bits<'_>) -> Option<Unit> {
        let short = self.short.get(usize::from(self.places[usize::from(before) % 128]))?;
        let (unit, length) = short[bits.peek(PEEKED) as usize];
        let (unit, length) = match length {
            0 => self.long(before, bits.peek(16) as u16)?,
            length => (unit, u32::from(length)),
        };
        bits.at += length as usize;
        (bits.at <= bits.bytes.len() * 8).then_some(unit)
    }

    /// Returns the description of the code after a letter.
    fn code(&self, before: Unit) -> Option<&'a [u8]> {
        let begin = u16::from_le_bytes(*self.bytes.get(usize::from(before) * 2..)?.first_chunk()?);
        self.bytes.get(usize::from(begin)..).filter(|_| begin > 0)
    }

    /// Returns the letter whose code is a prefix of the bits, and the length of this code in bits.
    fn long(&self, before: Unit, bits: u16) -> Option<(Unit, u32)> {
        let (lengths, code) = self.code(before)?.split_first()?;
        let (counts, letters) = code.split_at_checked(usize::from(*lengths))?;
        // first code of the current length, number of letters with shorter codes, and code so far
        let (mut first, mut index, mut code) = (0, 0, 0);
        for (count, length) in counts.iter().zip(1..=16) {
            code |= u32::from(bits >> (16 - length) & 1);
            let count = u32::from(*count);
            if code - first < count {
                return Some((*letters.get((index + code - first) as usize)?, length));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

#[cfg(any(test, feature = "train"))]
pub(crate) mod write {
    //! Builds codes and encodes words.

    use std::collections::{BTreeMap, BinaryHeap};

    use super::{EDGE, Unit};

    /// Encoder: the code of each letter after each preceding letter, as the bits of the code and their number.
    pub(crate) struct Coder {
        codes: BTreeMap<(Unit, Unit), (u32, u32)>,
        /// Codes in the format that [`super::Codes`] reads.
        pub(crate) bytes: Vec<u8>,
    }

    /// Bit writer.
    #[derive(Default)]
    pub(crate) struct Writer {
        pub(crate) bytes: Vec<u8>,
        free: u32,
    }

    impl Writer {
        pub(crate) fn number(&mut self, number: u32, bits: u32) {
            for bit in (0..bits).rev() {
                if self.free == 0 {
                    self.bytes.push(0);
                    self.free = 8;
                }
                self.free -= 1;
                if let Some(last) = self.bytes.last_mut() {
                    *last |= ((number >> bit & 1) as u8) << self.free;
                }
            }
        }

        /// Pads the last byte with ones.
        pub(crate) fn end(&mut self) {
            let free = self.free;
            self.number(u32::MAX, free);
        }
    }

    impl Coder {
        /// Creates the codes for `words`. Each word is given with the number of times that it will be encoded.
        pub(crate) fn new<'w>(words: impl Iterator<Item = (&'w Vec<Unit>, usize)>) -> Self {
            let mut counts: BTreeMap<Unit, BTreeMap<Unit, usize>> = BTreeMap::new();
            for (units, times) in words {
                let mut before = EDGE;
                for &unit in units.iter().chain(&[EDGE]) {
                    *counts.entry(before).or_default().entry(unit).or_default() += times;
                    before = unit;
                }
            }
            let mut coder = Self { codes: BTreeMap::new(), bytes: vec![0; 256] };
            for (before, counts) in counts {
                let mut letters: Vec<(u32, Unit)> =
                    lengths(&counts).into_iter().map(|(unit, length)| (length, unit)).collect();
                letters.sort_unstable();
                let begin = coder.bytes.len() as u16;
                coder.bytes[usize::from(before) * 2..][..2].copy_from_slice(&begin.to_le_bytes());
                let longest = letters.last().map_or(0, |(length, _)| *length);
                coder.bytes.push(longest as u8);
                for length in 1..=longest {
                    coder.bytes.push(letters.iter().filter(|(of, _)| *of == length).count() as u8);
                }
                coder.bytes.extend(letters.iter().map(|(_, unit)| *unit));
                let (mut code, mut last) = (0_u32, 0);
                for (place, &(length, unit)) in letters.iter().enumerate() {
                    code = if place == 0 { 0 } else { (code + 1) << (length - last) };
                    last = length;
                    coder.codes.insert((before, unit), (code, length));
                }
            }
            coder
        }

        pub(crate) fn word(&self, units: &[Unit], to: &mut Writer) {
            let mut before = EDGE;
            for &unit in units.iter().chain(&[EDGE]) {
                let (code, length) = self.codes[&(before, unit)];
                to.number(code, length);
                before = unit;
            }
        }
    }

    /// Returns the code length of each letter.
    fn lengths(counts: &BTreeMap<Unit, usize>) -> BTreeMap<Unit, u32> {
        if let (1, Some(unit)) = (counts.len(), counts.keys().next()) {
            return BTreeMap::from([(*unit, 1)]);
        }
        let mut heap: BinaryHeap<(std::cmp::Reverse<usize>, Vec<Unit>)> =
            counts.iter().map(|(unit, count)| (std::cmp::Reverse(*count), vec![*unit])).collect();
        let mut lengths: BTreeMap<Unit, u32> = BTreeMap::new();
        while let (Some((one, mut units)), Some((other, others))) = (heap.pop(), heap.pop()) {
            units.extend(others);
            for unit in &units {
                *lengths.entry(*unit).or_default() += 1;
            }
            if heap.is_empty() {
                break;
            }
            heap.push((std::cmp::Reverse(one.0 + other.0), units));
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use super::write::{Coder, Writer};
    use super::*;

    #[test]
    fn encoded_words_round_trip() {
        let words: Vec<Vec<Unit>> =
            (0..500_u32).map(|n| (0..=n % 9).map(|k| (n * 7 + k * k * 3) as u8 % 40 + 5).collect()).collect();
        let coder = Coder::new(words.iter().map(|units| (units, 1)));
        let mut writer = Writer::default();
        for units in &words {
            writer.number(21, 6);
            coder.word(units, &mut writer);
        }
        writer.end();
        let (codes, mut bits, mut word) = (Codes::new(&coder.bytes), Bits::new(&writer.bytes), Word::EMPTY);
        for units in &words {
            assert_eq!(bits.number(6), Some(21));
            assert_eq!(codes.read(&mut bits, &mut word), Some(()));
            assert_eq!(word.units(), units);
        }
    }

    #[test]
    fn invalid_bits_decode_to_none() {
        let mut word = Word::EMPTY;
        assert_eq!(Codes::new(&[]).read(&mut Bits::new(&[1, 2, 3]), &mut word), None);
        assert_eq!(Codes::new(&[0; 600]).read(&mut Bits::new(&[]), &mut word), None);
        assert_eq!(Codes::new(&[3; 600]).read(&mut Bits::new(&[0; 90]), &mut word), None);
    }
}
