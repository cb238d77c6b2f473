//! Hand-written pronunciations: lines of `word<TAB>IPA`, sorted by word.
//!
//! The IPA of a word is parsed when the word is first looked up, so that loading a list takes little time. Comment
//! lines begin with `#` and are at the top of the file.

use std::sync::OnceLock;

use super::Pronunciation;
use crate::phone::{Phone, UnknownPhone, parse_ipa};
use crate::syllable;
use crate::table::Table;
use crate::utterance::Stress;

/// List of words with their pronunciations in IPA.
pub(super) struct WordList {
    text: &'static str,
    /// Function that assigns the stress of a word without a main stress mark.
    unmarked: fn(&[Phone]) -> Vec<Stress>,
    by_word: OnceLock<Table<&'static str, Entry>>,
}

/// Entry of a list.
struct Entry {
    ipa: &'static str,
    said: OnceLock<Option<Pronunciation>>,
}

impl WordList {
    /// Creates a list; `unmarked` assigns the stress of words without a main stress mark.
    pub(super) const fn new(text: &'static str, unmarked: fn(&[Phone]) -> Vec<Stress>) -> Self {
        Self { text, unmarked, by_word: OnceLock::new() }
    }

    /// Returns all words with their IPA, in the order of the list.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
    }

    fn entry(&self, word: &str) -> Option<&Entry> {
        let entry = |(word, ipa)| (word, Entry { ipa, said: OnceLock::new() });
        self.by_word.get_or_init(|| self.lines().map(entry).collect()).get(word)
    }

    /// Returns the IPA of the word as written in the list.
    pub(super) fn ipa(&self, word: &str) -> Option<&'static str> {
        self.entry(word).map(|entry| entry.ipa)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.entry(word).is_some()
    }

    /// Returns the pronunciation of the word, or `None` if the list does not contain it.
    pub(super) fn get(&self, word: &str) -> Option<Pronunciation> {
        let entry = self.entry(word)?;
        // a test parses every line; if a line were invalid, the word would count as missing
        let read = || {
            let (phones, stresses) = read_ipa(entry.ipa, self.unmarked).ok()?;
            Some(Pronunciation { phones, stresses })
        };
        entry.said.get_or_init(read).clone()
    }
}

/// Parses IPA with stress marks before the syllables (ˈ for main, ˌ for secondary stress), and returns the phones and
/// the stress of each syllable nucleus. If there is no main stress mark, `unmarked` assigns the stress of all
/// syllables.
pub(super) fn read_ipa(
    ipa: &str,
    unmarked: impl FnOnce(&[Phone]) -> Vec<Stress>,
) -> Result<(Vec<Phone>, Vec<Stress>), UnknownPhone> {
    let mut phones: Vec<Phone> = Vec::new();
    // index of the first phone of each stressed syllable, with its stress
    let mut marks: Vec<(usize, Stress)> = Vec::new();
    let mut rest = ipa;
    while !rest.is_empty() {
        let next = rest.find(['ˈ', 'ˌ']).unwrap_or(rest.len());
        phones.extend(parse_ipa(&rest[..next])?);
        let mut after = rest[next..].chars();
        match after.next() {
            Some('ˈ') => marks.push((phones.len(), Stress::Primary)),
            Some('ˌ') => marks.push((phones.len(), Stress::Secondary)),
            _ => {}
        }
        rest = after.as_str();
    }
    if marks.iter().all(|(_, stress)| *stress != Stress::Primary) {
        let stresses = unmarked(&phones);
        return Ok((phones, stresses));
    }
    let mut marks = marks.into_iter().peekable();
    let stresses = syllable::nuclei(&phones)
        .map(|nucleus| match marks.next_if(|(start, _)| *start <= nucleus.start) {
            Some((_, stress)) => stress,
            None => Stress::None,
        })
        .collect();
    Ok((phones, stresses))
}
