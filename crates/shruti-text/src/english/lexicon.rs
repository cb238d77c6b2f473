//! Pronouncing lexicon: sorted words, front-coded in blocks, used in place.
//!
//! | bytes | contents |
//! | --- | --- |
//! | 4 | `SLX1` |
//! | 4 | number of blocks B, little-endian |
//! | 4 × (B + 1) | start of each block after this table, and the end |
//! | … | blocks of [`BLOCK`] entries (the last may be shorter) |
//!
//! An entry is the number of letters it shares with the previous entry in its block, its other letters, then its sounds
//! ([`super::sound::Code`]). The last letter and the last sound have bit 7 set. Every entry adds at least one letter,
//! because words are distinct and sorted.

use super::sound::Code;

/// Number of entries per block.
pub const BLOCK: usize = 16;
/// Magic bytes at the start of a lexicon.
pub const MAGIC: &[u8; 4] = b"SLX1";

const LAST: u8 = 0x80;
const LONGEST_WORD: usize = 64;

/// Error for a lexicon that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pronouncing lexicon is damaged")]
pub struct DamagedLexicon;

/// Pronouncing lexicon, used in place.
#[derive(Clone, Debug)]
pub struct Lexicon<'a> {
    starts: &'a [u8],
    blocks: &'a [u8],
    /// First eight letters of the first word of each block, as a number ([`beginning`]).
    beginnings: Vec<u64>,
}

/// Returns the first eight letters of a word as a number with the same sort order as the words.
fn beginning(letters: impl Iterator<Item = u8>) -> u64 {
    letters.chain(std::iter::repeat(0)).take(8).fold(0, |number, letter| number << 8 | u64::from(letter))
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    let word = bytes.get(at..at + 4).and_then(|slice| slice.try_into().ok()).unwrap_or([0; 4]);
    u32::from_le_bytes(word) as usize
}

impl<'a> Lexicon<'a> {
    /// Reads the tables of a lexicon; the entries are decoded when words are looked up.
    pub fn read(bytes: &'a [u8]) -> Result<Self, DamagedLexicon> {
        if bytes.get(..4) != Some(MAGIC.as_slice()) {
            return Err(DamagedLexicon);
        }
        let count = u32_at(bytes, 4);
        let table = 4 * (count + 1);
        let starts = bytes.get(8..8 + table).ok_or(DamagedLexicon)?;
        let blocks = &bytes[8 + table..];
        let bounds_ascend = (0..count).all(|block| u32_at(starts, 4 * block) < u32_at(starts, 4 * block + 4));
        if !bounds_ascend || u32_at(starts, 4 * count) != blocks.len() {
            return Err(DamagedLexicon);
        }
        let mut lexicon = Self { starts, blocks, beginnings: Vec::new() };
        lexicon.beginnings = (0..count).map(|block| beginning(lexicon.first_word(block))).collect();
        Ok(lexicon)
    }

    fn block(&self, index: usize) -> &'a [u8] {
        let range = u32_at(self.starts, 4 * index)..u32_at(self.starts, 4 * index + 4);
        self.blocks.get(range).unwrap_or_default()
    }

    /// Returns the letters of the first word of a block.
    fn first_word(&self, index: usize) -> impl Iterator<Item = u8> {
        let block = self.block(index).get(1..).unwrap_or_default();
        let letters = block.split_inclusive(|byte| byte & LAST != 0).next().unwrap_or_default();
        letters.iter().map(|byte| byte & !LAST)
    }

    /// Returns the block that would contain a word, or `None` if the word sorts before the first block.
    fn block_of(&self, word: &[u8]) -> Option<&'a [u8]> {
        let sought = beginning(word.iter().copied());
        let mut after = self.beginnings.partition_point(|&beginning| beginning < sought);
        // words with the same first eight letters are compared in full
        while self.beginnings.get(after) == Some(&sought)
            && self.first_word(after).cmp(word.iter().copied()).is_le()
        {
            after += 1;
        }
        Some(self.block(after.checked_sub(1)?))
    }

    /// Returns the sounds of a lower-case word. Bit 7, which is set only in storage, is cleared.
    pub fn get(&self, word: &str) -> Option<Vec<Code>> {
        let mut codes = Vec::with_capacity(16);
        self.find(word, |sounds| codes.extend(sounds.iter().map(|byte| byte & !LAST))).then_some(codes)
    }

    /// Returns whether a lower-case word has an entry.
    pub fn contains(&self, word: &str) -> bool {
        self.find(word, |_| ())
    }

    fn find(&self, word: &str, take: impl FnOnce(&[u8])) -> bool {
        let word = word.as_bytes();
        if word.is_empty() || word.len() > LONGEST_WORD {
            return false;
        }
        let Some(mut rest) = self.block_of(word) else { return false };
        // number of initial letters that `word` and the previous entry share
        let mut matched = 0;
        let mut complete;
        while let Some((&shared, after)) = rest.split_first() {
            let Some((added, after)) = split_run(after) else { return false };
            let Some((sounds, after)) = split_run(after) else { return false };
            let shared = usize::from(shared);
            if shared < matched {
                // this and all further entries sort after the word
                return false;
            }
            if shared == matched {
                let same = added
                    .iter()
                    .zip(word[matched..].iter())
                    .take_while(|(byte, letter)| (**byte & !LAST) == **letter)
                    .count();
                matched += same;
                complete = same == added.len();
                if complete && matched == word.len() {
                    take(sounds);
                    return true;
                }
            }
            rest = after;
        }
        false
    }
}

/// Splits bytes after the first byte that is marked as the last letter or sound of its run. Returns `None` if no byte
/// is marked.
fn split_run(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    // nearly all runs fit in eight bytes, which are checked in one operation
    let marks =
        bytes.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight) & u64::from_ne_bytes([LAST; 8]));
    let last = if marks == 0 {
        bytes.iter().position(|byte| byte & LAST != 0)?
    } else {
        (marks.trailing_zeros() / u8::BITS) as usize
    };
    Some(bytes.split_at(last + 1))
}

/// Returns a lexicon in the format above. The words must be in ascending byte order, and each must have at least one
/// sound.
pub fn write<'w>(entries: impl IntoIterator<Item = (&'w str, &'w [Code])>) -> Vec<u8> {
    let mut starts: Vec<u32> = Vec::new();
    let mut blocks: Vec<u8> = Vec::new();
    let mut before: &str = "";
    for (index, (word, sounds)) in entries.into_iter().enumerate() {
        if index % BLOCK == 0 {
            starts.push(blocks.len() as u32);
            before = "";
        }
        let shared = before.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
        blocks.push(shared as u8);
        for part in [&word.as_bytes()[shared..], sounds] {
            blocks.extend_from_slice(part);
            if let Some(last) = blocks.last_mut() {
                *last |= LAST;
            }
        }
        before = word;
    }
    let count = starts.len() as u32;
    starts.push(blocks.len() as u32);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(count.to_le_bytes());
    bytes.extend(starts.iter().flat_map(|start| start.to_le_bytes()));
    bytes.extend(blocks);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_exactly_the_stored_words() {
        let words: Vec<String> = (0..200)
            .flat_map(|i| [format!("a{}", "b".repeat(i % 23)), format!("w{i:03}"), format!("w{i:03}x")])
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let sounds = |word: &str| vec![(word.len() % 90) as u8, word.as_bytes()[word.len() - 1] & 0x3f];
        let coded: Vec<_> = words.iter().map(|word| sounds(word)).collect();
        let bytes = write(words.iter().map(String::as_str).zip(coded.iter().map(Vec::as_slice)));
        let lexicon = Lexicon::read(&bytes).unwrap();
        for word in &words {
            assert_eq!(lexicon.get(word), Some(sounds(word)), "{word}");
        }
        for absent in ["", "b", "w", "w0", "w0010", "w001xx", "zzz", "abbba", &"b".repeat(500)] {
            assert!(!lexicon.contains(absent), "{absent}");
        }
    }

    #[test]
    fn corrupt_data_is_rejected_or_returns_nothing() {
        let good = write([("ab", [1_u8, 2].as_slice()), ("ac", [3].as_slice())]);
        assert!(Lexicon::read(&good[..good.len() - 1]).is_err());
        assert!(Lexicon::read(b"nonsense").is_err());
        let mut unterminated = good.clone();
        for byte in unterminated.iter_mut().skip(16) {
            *byte &= !LAST;
        }
        assert_eq!(Lexicon::read(&unterminated).unwrap().get("ab"), None);
    }
}
