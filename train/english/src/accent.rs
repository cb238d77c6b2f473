//! Converts the General American pronunciations of the CMU dictionary to General Indian English.
//!
//! The dictionary merges and reduces vowels that Indian speakers distinguish. The spelling disambiguates them. A
//! reduced vowel keeps its written quality in *-ment*, *-less*, *-age* or *-ate* (Bansal 1969; Wells 1982, §8.7;
//! Sailaja 2009, ch. 2). The *o* of LOT is ɒ, BATH words have aː, FORCE (oː) differs from NORTH (ɔː), and *tune* is
//! pronounced with j.

use std::ops::Range;

use shruti_text::english::sound::{self, Code};
use shruti_text::utterance::Stress;

use crate::cmudict::{Arpa, Arpabet};

/// Words of the BATH set; `*` marks a prefix.
const BATH: &str = include_str!("../bath.txt");

/// One step of an alignment: its range of letters and its range of phones.
pub type Step = (Range<usize>, Range<usize>);

/// Returns the Indian pronunciation of each step of an aligned word. The steps must cover the whole word.
pub fn convert(word: &str, phones: &Arpabet, steps: &[Step]) -> Vec<Vec<Code>> {
    let context = Context { word, phones };
    steps
        .iter()
        .map(|(letters, range)| {
            range.clone().flat_map(|index| context.sounds(index, letters.clone())).collect()
        })
        .collect()
}

struct Context<'a> {
    word: &'a str,
    phones: &'a Arpabet,
}

impl Context<'_> {
    fn phone(&self, index: usize) -> &'static str {
        self.phones.get(index).map_or("", |(arpa, _)| arpa.name())
    }

    fn is_vowel(&self, index: usize) -> bool {
        self.phones.get(index).is_some_and(|(arpa, _)| Arpa::is_vowel(*arpa))
    }

    fn sounds(&self, index: usize, letters: Range<usize>) -> Vec<Code> {
        let (arpa, digit) = self.phones[index];
        if arpa.is_vowel() {
            let stress = match digit {
                1 => Stress::Primary,
                2 => Stress::Secondary,
                _ => Stress::None,
            };
            return self.vowel(index, stress, letters);
        }
        let names: &[&str] = match arpa.name() {
            "T" => &["ʈ"],
            "D" => &["ɖ"],
            "TH" => &["t̪ʰ"],
            "DH" => &["d̪"],
            "V" | "W" => &["ʋ"],
            "CH" => &["tʃ"],
            "JH" => &["dʒ"],
            "SH" => &["ʃ"],
            "ZH" => &["ʒ"],
            "HH" => &["h"],
            "NG" if self.phone(index + 1) == "G" && self.is_vowel(index + 2) => &["ŋ"],
            "NG" => &["ŋ"],
            // omitted here, because `sound::phones` inserts a ɡ after an ŋ before a vowel, both in `finger` and in
            // `singer`
            "G" if index > 0 && self.phone(index - 1) == "NG" && self.is_vowel(index + 1) => &[],
            "G" => &["ɡ"],
            "R" => &["ɹ"],
            "Y" => &["j"],
            "B" => &["b"],
            "F" => &["f"],
            "K" => &["k"],
            "L" => &["l"],
            "M" => &["m"],
            "N" => &["n"],
            "P" => &["p"],
            "S" => &["s"],
            "Z" => &["z"],
            other => unreachable!("{other} is not a consonant of ARPAbet"),
        };
        names
            .iter()
            .map(|name| sound::consonant(name).expect("the names above are in the inventory"))
            .collect()
    }

    fn vowel(&self, index: usize, stress: Stress, letters: Range<usize>) -> Vec<Code> {
        let (names, stress) = self.quality(index, stress, &letters);
        names
            .iter()
            .map(|name| {
                sound::consonant(name)
                    .or_else(|| sound::nucleus(name, stress))
                    .expect("the names below are in the inventory")
            })
            .collect()
    }

    #[allow(clippy::too_many_lines)] // a table of the vowels, one arm per vowel
    fn quality(
        &self,
        index: usize,
        stress: Stress,
        letters: &Range<usize>,
    ) -> (&'static [&'static str], Stress) {
        let written = &self.word[letters.clone()];
        let after = &self.word[letters.end..];
        let before = &self.word[..letters.start];
        let next = self.phone(index + 1);
        let before_r = next == "R";
        let has = |letter: char| written.contains(letter);
        let after_w = before.ends_with('w') || before.ends_with("wh") || before.ends_with("qu");
        let ends = |endings: &[&str]| endings.contains(&after);
        let plain = |names: &'static [&'static str]| (names, stress);
        match self.phone(index) {
            "AA" if before_r && !has('o') => plain(&["aː"]),
            "AA" if has('o') || has('e') && !before_r || has('a') && after_w => plain(&["ɒ"]),
            "AA" if written == "au" || written == "aw" || has('a') && after.starts_with(['u', 'w']) => {
                plain(&["ɔː"])
            }
            "AA" => plain(&["aː"]),
            "AE" if has('a') && self.is_bath(letters.start) => plain(&["aː"]),
            "AE" => plain(&["æ"]),
            "AH" if stress == Stress::None => (self.reduced(index, letters), stress),
            "AH" if has('a') && after_w => plain(&["ɒ"]),
            "AH" => plain(&["ʌ"]),
            "AO" if before_r => {
                let weak_ory = stress != Stress::Primary && after.starts_with("ry");
                if weak_ory {
                    return (&["ə"], Stress::None);
                }
                let force = matches!(written, "oa" | "oo" | "ou")
                    || after.starts_with("re")
                    || after.starts_with("ar")
                    || after.starts_with("ur")
                    || after.starts_with("or")
                    || after.starts_with("ry")
                    || after.starts_with("ria");
                plain(if has('o') && force { &["oː"] } else { &["ɔː"] })
            }
            "AO" if has('a') && after_w && matches!(next, "N" | "SH" | "CH" | "S") => plain(&["ɒ"]),
            "AO" => {
                let broad = written != "o" || after.starts_with(['u', 'a']);
                plain(if broad { &["ɔː"] } else { &["ɒ"] })
            }
            "AW" => plain(&["aʊ"]),
            "AY" => plain(&["aɪ"]),
            "OY" => plain(&["ɔɪ"]),
            "EH" if before_r => self.before_r_mid(index, stress, letters),
            "EH" => plain(&["ɛ"]),
            "ER" => {
                let short = has('u') || has('o') || written == "r" && before.ends_with(['u', 'o']);
                let inflected =
                    ["ing", "ed", "er", "ers", "ings", "able"].iter().any(|ending| after.ends_with(ending));
                match stress {
                    Stress::None => plain(&["ə", "ɹ"]),
                    _ if self.is_vowel(index + 1) && short && !inflected => plain(&["ʌ", "ɹ"]),
                    _ => plain(&["əː", "ɹ"]),
                }
            }
            "EY" => plain(&["eː"]),
            "IH" if before_r => {
                let lax = written.starts_with(['i', 'y']) && written != "ie" && !after.starts_with('e');
                plain(if lax { &["ɪ"] } else { &["iː"] })
            }
            "IH" if stress == Stress::None => (self.reduced(index, letters), stress),
            "IH" if has('a') && (ends(&["ge", "ges", "ged"])) => (&["eː"], Stress::None),
            "IH" => plain(&["ɪ"]),
            // *-day* in the names of the days of the week
            "IY" if written == "ay" => plain(&["eː"]),
            "IY" => plain(&["iː"]),
            "OW" => plain(&["oː"]),
            "UH" | "UW" => {
                let long = self.phone(index) == "UW" || before_r;
                let coronal = index > 0 && matches!(self.phone(index - 1), "T" | "D" | "N");
                let written_u =
                    written.starts_with('u') || written.starts_with("eu") || written.starts_with("ew");
                let yod = coronal && written_u && long;
                plain(match (yod, long) {
                    (true, _) => &["j", "uː"],
                    (false, true) => &["uː"],
                    (false, false) => &["ʊ"],
                })
            }
            other => unreachable!("{other} is not a vowel of ARPAbet"),
        }
    }

    /// Returns the vowel for American ɛ before r: `care` eː, `various` eː, `carry` æ, `very` ɛ.
    fn before_r_mid(
        &self,
        index: usize,
        stress: Stress,
        letters: &Range<usize>,
    ) -> (&'static [&'static str], Stress) {
        let written = &self.word[letters.clone()];
        let after = &self.word[letters.end..];
        if stress != Stress::Primary && written == "a" && after == "ry" {
            return (&["ə"], Stress::None);
        }
        let open =
            matches!(written, "ai" | "ay" | "ea" | "ei" | "ey" | "ae" | "hei") || after.starts_with("ir");
        let free = !self.is_vowel(index + 2);
        let long = match written {
            _ if open || free => true,
            "a" => {
                !after.starts_with("rr") && {
                    let rest = after.trim_start_matches('r');
                    ["e", "y", "io", "ia", "iu", "ing"].iter().any(|start| rest.starts_with(start))
                }
            }
            _ => false,
        };
        let name: &[&str] = match (long, written.starts_with('a')) {
            (true, _) => &["eː"],
            (false, true) => &["æ"],
            (false, false) => &["ɛ"],
        };
        (name, stress)
    }

    /// Returns the vowel for an unstressed ə or ɪ of the dictionary. Where Indian speakers keep the quality of the
    /// written letter, the vowel has that quality.
    fn reduced(&self, index: usize, letters: &Range<usize>) -> &'static [&'static str] {
        let written = &self.word[letters.clone()];
        let after = &self.word[letters.end..];
        let before = &self.word[..letters.start];
        let is_ih = self.phone(index) == "IH";
        let next = self.phone(index + 1);
        let is_last = index + 1 == self.phones.len();
        let ends = |endings: &[&str]| endings.contains(&after);
        match written {
            // suffixes whose vowel is pronounced as spelled: village, private, palace
            "a" if next == "JH" && ends(&["ge", "ges", "ged"]) => &["eː"],
            "a" if next == "T" && ends(&["te", "tes", "tely", "teness"]) => &["eː"],
            "a" if next == "S" && ends(&["ce", "ces"]) => &["eː"],
            "a" if is_last && !before.is_empty() => &["a"],
            "ai" if is_ih => &["ɛ"],
            "a" if is_ih => &["ə"],
            "e" => self.reduced_e(index, before, after),
            "i" | "y" | "ie" | "ui" if next == "L" && ends(&["le", "les"]) => &["aɪ"],
            "i" if next == "Z" && (after.starts_with("zation") || after.starts_with("sation")) => &["aɪ"],
            "i" | "y" | "ui" | "ey" | "ee" => &["ɪ"],
            "o" if before.is_empty() => &["ɒ"],
            "o" if before == "pr" => &["oː"],
            "u" if before.is_empty() => &["ʌ"],
            "u" if before.ends_with('f') && after.starts_with('l') => &["ʊ"],
            "u" if index > 0 && matches!(self.phone(index - 1), "Y" | "JH" | "CH") => &["ʊ"],
            _ if is_ih => &["ɪ"],
            _ => &["ə"],
        }
    }

    fn reduced_e(&self, index: usize, before: &str, after: &str) -> &'static [&'static str] {
        let is_ih = self.phone(index) == "IH";
        let next = self.phone(index + 1);
        let is_vowel_letter = |letter: char| "aeiouy".contains(letter);
        let mut letters = after.chars();
        let open = letters.next().is_some_and(|c| !is_vowel_letter(c))
            && letters.next().is_some_and(is_vowel_letter);
        let first_syllable = !self.phones[..index].iter().any(|(arpa, _)| arpa.is_vowel());
        if first_syllable {
            let closed = before.is_empty() && after.starts_with(['x', 'n', 'm']);
            return if closed && !after.starts_with("nou") {
                &["ɛ"]
            } else if is_ih || open {
                &["ɪ"]
            } else {
                &["ɛ"]
            };
        }
        if matches!(after, "s" | "s'") {
            return &["ɪ"];
        }
        if next == "R"
            || matches!(after, "n" | "ns" | "l" | "ls" | "ned" | "led" | "ning" | "ling")
            || after.is_empty()
        {
            return &["ə"];
        }
        if before.ends_with('i') && after.starts_with('n') {
            return &["ə"];
        }
        if open { &["ɪ"] } else { &["ɛ"] }
    }

    fn is_bath(&self, position: usize) -> bool {
        BATH.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).any(|entry| {
            match entry.strip_suffix('*') {
                Some(stem) => self.word.starts_with(stem) && position < stem.len(),
                None => self.word == entry,
            }
        })
    }
}
