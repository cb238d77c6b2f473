//! Hand-written pronunciations: lines of `word<TAB>IPA`, sorted by word, read where they lie.
//!
//! Only the line that is asked for is parsed, so that a list costs nothing at start. Comment lines begin with `#` and
//! stand at the head.

use std::sync::OnceLock;

use super::Pronunciation;
use crate::phone::{Phone, UnknownPhone, parse_ipa};
use crate::syllable;
use crate::utterance::Stress;

/// A list of words and their pronunciations in IPA.
pub(super) struct WordList {
    text: &'static str,
    starts: OnceLock<Vec<u32>>,
}

impl WordList {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, starts: OnceLock::new() }
    }

    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| {
            let mut at = 0;
            let mut starts = Vec::new();
            for line in self.text.split_inclusive('\n') {
                if !line.starts_with('#') && !line.trim().is_empty() {
                    starts.push(at as u32);
                }
                at += line.len();
            }
            starts
        })
    }

    fn line(&self, start: u32) -> Option<(&'static str, &'static str)> {
        self.text[start as usize..].lines().next()?.split_once('\t')
    }

    /// The word's IPA as it is written in the list.
    pub(super) fn ipa(&self, word: &str) -> Option<&'static str> {
        let starts = self.starts();
        let bytes = self.text.as_bytes();
        let letters =
            |start: u32| bytes[start as usize..].split(|&byte| byte == b'\t').next().unwrap_or_default();
        let index = starts.binary_search_by(|&start| letters(start).cmp(word.as_bytes())).ok()?;
        self.line(starts[index]).map(|(_, ipa)| ipa)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.ipa(word).is_some()
    }

    /// All words with their IPA, in the order of the list.
    #[cfg(test)]
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.starts().iter().filter_map(|&start| self.line(start))
    }
}

/// Reads IPA with stress marks (ˈ main, ˌ secondary, before the syllable). Without a main stress mark the stress is
/// where `unmarked` puts it.
pub(super) fn read_ipa(
    ipa: &str,
    unmarked: impl FnOnce(&[Phone]) -> Vec<Stress>,
) -> Result<(Vec<Phone>, Vec<Stress>), UnknownPhone> {
    let mut phones: Vec<Phone> = Vec::new();
    // where a stressed syllable begins, in phones
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
        .into_iter()
        .map(|nucleus| match marks.next_if(|(start, _)| *start <= nucleus.start) {
            Some((_, stress)) => stress,
            None => Stress::None,
        })
        .collect();
    Ok((phones, stresses))
}

impl WordList {
    /// The word's pronunciation; `None` if the list does not have it.
    pub(super) fn get(
        &self,
        word: &str,
        unmarked: impl FnOnce(&[Phone]) -> Vec<Stress>,
    ) -> Option<Pronunciation> {
        // a test reads every line, so an unreadable one cannot be shipped; it would count as absent
        let (phones, stresses) = read_ipa(self.ipa(word)?, unmarked).ok()?;
        Some(Pronunciation { phones, stresses })
    }
}
