//! Morpheme boundaries in a word: prefixes, suffixes, inflectional endings and frequent members of compounds.
//!
//! An inherent vowel before a boundary behaves as at the end of a word, and an inherent vowel after a boundary as at
//! the beginning. An inflectional ending that begins with a vowel has no boundary before it; [`schwa`] determines how
//! the stem is pronounced. Each language lists its morphemes in `data/<code>/morphemes.toml`.

use std::ops::Range;

use serde::Deserialize;

use super::schwa;
use crate::akshara::{self, Akshara, Consonant, Nucleus};
use crate::table::Table;

/// Morphemes of one language that affect schwa deletion.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Morphemes {
    /// Morphemes at the beginning of words.
    prefixes: Affixes,
    /// Morphemes at the end of words.
    suffixes: Affixes,
    /// Inflectional endings that begin with a consonant. A stem before one of them is pronounced as it is in isolation:
    /// बदल and बदलना.
    endings: Affixes,
    /// Vowel signs of the oblique case, which a suffix that ends in a consonant can have: मानधन and मानधना-.
    oblique: Vec<String>,
}

/// Strings that begin or end words, with their numbers of aksharas. An entry with a leading `-` is an exception with
/// the number 0: it forms no boundary, even if a shorter entry matches (`-बदल` and `बद`).
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
struct Affixes {
    aksharas: Table<String, usize>,
    /// Length of the longest entry, in bytes.
    longest: usize,
}

impl From<Vec<String>> for Affixes {
    fn from(written: Vec<String>) -> Self {
        let longest = written.iter().map(String::len).max().unwrap_or(0);
        let count = |affix: String| {
            if let Some(whole) = affix.strip_prefix('-') {
                return (whole.to_owned(), 0);
            }
            let count = akshara::parse(&affix).len();
            (affix, count)
        };
        Self { aksharas: written.into_iter().map(count).collect(), longest }
    }
}

impl Affixes {
    /// Returns the number of aksharas of the longest entry at the start of the word, provided that the rest begins with
    /// a new akshara.
    fn beginning(&self, word: &str) -> Option<usize> {
        let ends = word.char_indices().map(|(end, _)| end).skip(1).take_while(|&end| end <= self.longest);
        let found = ends.filter_map(|end| {
            let count = self.aksharas.get(&word[..end])?;
            (*count == 0 || word[end..].starts_with(akshara::is_letter)).then_some(*count)
        });
        found.last().filter(|&count| count > 0)
    }

    /// Returns the longest entry at the end of the word, unless a virama joins it to the preceding letter: its length
    /// in bytes and its number of aksharas. Only an exception can be the whole word.
    fn end(&self, word: &str) -> Option<(usize, usize)> {
        let starts = word.char_indices().rev().map(|(start, _)| start);
        let starts = starts.take_while(|start| word.len() - start <= self.longest);
        let found = starts.filter_map(|start| {
            let (before, end) = word.split_at(start);
            let &count = self.aksharas.get(end)?;
            let apart = end.starts_with(akshara::is_letter) && !before.ends_with(akshara::is_virama);
            (apart && (start > 0 || count == 0)).then_some((end.len(), count))
        });
        found.last()
    }
}

/// Minimum number of aksharas that remain after a prefix or before a suffix.
const MIN_STEM: usize = 2;

impl Morphemes {
    /// Parses the table of a language. An invalid table counts as empty; a test checks that every table is valid.
    pub(crate) fn read(toml: &str) -> Self {
        toml::from_str(toml).unwrap_or_default()
    }

    /// Returns the suffix at the end of the word, possibly in the oblique case: its length in bytes and its number of
    /// aksharas.
    fn suffix(&self, word: &str) -> Option<(usize, usize)> {
        let in_oblique = |sign: &String| {
            let stem = word.strip_suffix(sign.as_str()).filter(|stem| stem.ends_with(akshara::is_letter))?;
            let (bytes, length) = self.suffixes.end(stem)?;
            Some((bytes + sign.len(), length))
        };
        self.suffixes.end(word).or_else(|| self.oblique.iter().find_map(in_oblique))
    }

    /// Returns the morphemes of a word, as ranges of its aksharas.
    pub(crate) fn of(&self, word: &str, aksharas: &[Akshara]) -> Vec<Range<usize>> {
        let count = aksharas.len();
        let mut end = count;
        let prefix = self.prefixes.beginning(word);
        let start = prefix.filter(|length| length + MIN_STEM <= count).unwrap_or(0);
        let mut seams = Vec::new();
        let mut rest = word;
        let fits = |end: usize, length| length > 0 && end >= start + length + MIN_STEM;
        let echo = is_echo(&aksharas[start..]);
        let inflects = |end: usize, length| {
            !echo
                && fits(end, length)
                && takes_ending(&aksharas[start..end - length], &aksharas[end - length..end])
        };
        loop {
            let suffix = self.suffix(rest).filter(|&(_, length)| fits(end, length));
            let ending = || self.endings.end(rest).filter(|&(_, length)| inflects(end, length));
            let Some((bytes, length)) = suffix.or_else(ending) else { break };
            end -= length;
            seams.push(end);
            rest = &rest[..rest.len() - bytes];
        }
        if start > 0 {
            seams.push(start);
        }
        if let Some(half) = half_of_repeated(aksharas).filter(|_| seams.is_empty()) {
            seams.push(half);
        }
        if echo && end >= start + 2 * MIN_STEM {
            seams.push(start + MIN_STEM);
        }
        seams.sort_unstable();
        let mut ranges = Vec::with_capacity(seams.len() + 1);
        let mut from = 0;
        for seam in seams {
            ranges.push(from..seam);
            from = seam;
        }
        ranges.push(from..count);
        ranges
    }
}

/// Returns whether an ending can follow a stem. A stem that ends in a consonant must close its last syllable, with a
/// single consonant or an English cluster (टेस्टमध्ये, but not कल्पना), and the ending must have a written vowel (करते, but
/// not करत), or follow an English cluster that ends in s or v (बॅलन्सवर).
fn takes_ending(stem: &[Akshara], ending: &[Akshara]) -> bool {
    let [.., before, last] = stem else { return false };
    let loan = is_loan(before, last);
    let english = loan || schwa::ends_in_retroflex(&last.consonants);
    let single = last.nucleus == Nucleus::Inherent && (last.consonants.len() == 1 || english);
    let nasal = last.anusvara || before.anusvara && !loan;
    let closes = single && !nasal && before.nucleus != Nucleus::None;
    // an anusvara counts as a written vowel: the last vowel of केलं is spoken
    let voiced =
        ending.iter().any(|akshara| matches!(akshara.nucleus, Nucleus::Vowel(_)) || akshara.anusvara);
    matches!(last.nucleus, Nucleus::Vowel(_)) || closes && (voiced || loan && ending.len() > 1)
}

/// Returns whether the last two aksharas of a stem indicate that it is English: it ends in a cluster with s, or in व्ह,
/// the Marathi spelling of v (लाइव्ह, सर्व्ह). After an inherent vowel, native stems have क्स and व्ह as well: नक्सली, नव्हता.
fn is_loan(before: &Akshara, last: &Akshara) -> bool {
    use Consonant::{Ha, Ka, Sa, Va};
    match last.consonants.as_slice() {
        [Ka, Sa] | [Va, Ha] => before.nucleus != Nucleus::Inherent,
        cluster => schwa::ends_in_loan(cluster) || matches!(cluster, [.., Va, Ha]),
    }
}

/// Returns the number of aksharas of the part that a word consists of twice: ढसाढसा.
fn half_of_repeated(aksharas: &[Akshara]) -> Option<usize> {
    let half = aksharas.len() / 2;
    let (first, second) = aksharas.split_at(half);
    (half >= MIN_STEM && first == second).then_some(half)
}

/// Returns whether a word begins with a reduplicated pair of syllables: चमचमाना, लड़खड़ाना. In a word of more than four
/// aksharas, the repeated pair may begin with a different consonant.
fn is_echo(aksharas: &[Akshara]) -> bool {
    let [first, second, third, fourth, ..] = aksharas else { return false };
    let bare = |akshara: &Akshara| akshara.nucleus == Nucleus::Inherent && akshara.consonants.len() == 1;
    [first, second, third].into_iter().all(|akshara| bare(akshara) && !akshara.anusvara)
        && second.consonants == fourth.consonants
        && (first.consonants == third.consonants || aksharas.len() > 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tables_named;

    #[test]
    fn tables_are_valid() {
        for (path, table) in tables_named("morphemes.toml") {
            let read: Result<Morphemes, _> = toml::from_str(&table);
            assert!(read.is_ok(), "{path}: {:?}", read.err());
        }
    }
}
