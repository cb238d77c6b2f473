//! Names and words of Indian origin that no list has: whether a spelling looks Indian, and how it is read.
//!
//! The spelling rules are `data/en/indian_spelling.tsv`. Whether a word looks Indian is decided by the likelihood of
//! its letters, three at a time, in the listed Indian words against the English lexicon (Cavnar & Trenkle 1994 use
//! such letter sequences to tell languages); the table is `data/en/indian_trigrams.bin`.

use std::sync::LazyLock;

use shruti_protocol::Language;

use super::{INDIAN, Pronunciation};
use crate::phone::{Phone, parse_ipa};
use crate::syllable;
use crate::utterance::Stress;

/// Symbols of the trigram table: the word's edge and the letters.
const ALPHABET: usize = 27;
/// Log-likelihood ratios of letter trigrams, in units of 1/16 of a nat: `table[(a * 27 + b) * 27 + c]` for the
/// letter c after a and b. Positive where Indian words are likelier.
static TRIGRAMS: &[u8] = include_bytes!("../../data/en/indian_trigrams.bin");
/// How much likelier, in sixteenths of a nat, the letters must be in an Indian word.
const THRESHOLD: i32 = 30;
/// Longer words are not names.
const LONGEST_NAME: usize = 32;

/// Endings that make a listed name into another word: respect, kinship, trade.
const NAME_ENDINGS: &[(&str, &str)] = &[
    ("ji", "dʒiː"),
    ("jee", "dʒiː"),
    ("bhai", "bʱaːiː"),
    ("ben", "bɛn"),
    ("wala", "ʋaːlaː"),
    ("wale", "ʋaːleː"),
];

struct Rules {
    ends: Vec<(&'static str, &'static str)>,
    starts: Vec<(&'static str, &'static str)>,
    any: Vec<(&'static str, &'static str)>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = Rules { ends: Vec::new(), starts: Vec::new(), any: Vec::new() };
    let text = include_str!("../../data/en/indian_spelling.tsv");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(kind), Some(letters), Some(ipa)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        match kind {
            "end" => rules.ends.push((letters, ipa)),
            "start" => rules.starts.push((letters, ipa)),
            _ => rules.any.push((letters, ipa)),
        }
    }
    for list in [&mut rules.ends, &mut rules.starts, &mut rules.any] {
        list.sort_by_key(|(letters, _)| std::cmp::Reverse(letters.len()));
    }
    rules
});

/// The stress of an Indian word in English, by weight as in Hindi.
pub(super) fn stresses(phones: &[Phone]) -> Vec<Stress> {
    syllable::syllables(phones, Language::Hindi).into_iter().map(|syllable| syllable.stress).collect()
}

fn read_ipa(ipa: &str) -> Option<Pronunciation> {
    let mut phones = parse_ipa(ipa).ok()?;
    // the same consonant at the end of one part and the beginning of the next is one geminate
    phones.dedup_by(|next, phone| {
        let same = next.symbol == phone.symbol && !phone.is_vowel();
        phone.long |= same;
        same
    });
    Some(Pronunciation { stresses: stresses(&phones), phones })
}

/// A listed name with an ending, or two listed names written as one (*Ramkumar*).
pub(super) fn derived(word: &str) -> Option<Pronunciation> {
    if word.len() > LONGEST_NAME || !word.is_ascii() {
        return None;
    }
    for (letters, ipa) in NAME_ENDINGS {
        if let Some(name) = word.strip_suffix(letters).and_then(|name| INDIAN.ipa(name)) {
            return read_ipa(&format!("{name}{ipa}"));
        }
    }
    (3..word.len().saturating_sub(2)).rev().find_map(|split| {
        let (first, second) = (INDIAN.ipa(&word[..split])?, INDIAN.ipa(&word[split..])?);
        read_ipa(&format!("{first}{second}"))
    })
}

/// How much likelier the letters of a word in lower case are in an Indian word than in an English one, in sixteenths
/// of a nat; negative if they are less likely.
fn evidence(word: &str) -> i32 {
    let symbol = |byte: u8| usize::from(byte - b'a') + 1;
    let letters = word.bytes().filter(u8::is_ascii_lowercase).map(symbol).chain([0]);
    let (mut before_last, mut last) = (0, 0);
    let mut sum = 0;
    for letter in letters {
        let index = (before_last * ALPHABET + last) * ALPHABET + letter;
        sum += i32::from(TRIGRAMS.get(index).copied().unwrap_or_default().cast_signed());
        (before_last, last) = (last, letter);
    }
    sum
}

/// Whether a word that no list has looks like a name or a word of Indian origin by its letters.
pub fn looks_indian(word: &str) -> bool {
    (3..=LONGEST_NAME).contains(&word.len()) && evidence(&word.to_ascii_lowercase()) >= THRESHOLD
}

/// Reads a word of letters `a`–`z` by the Indian spelling rules.
pub(super) fn read(word: &str) -> Pronunciation {
    let is_vowel = |c: char| "aeiou".contains(c);
    let mut rest = word;
    let mut end_ipa = "";
    // an ending may not eat the whole word or leave it without a vowel
    let fits = |rest: &str| rest.contains(is_vowel);
    for (letters, ipa) in &RULES.ends {
        let Some(before) = rest.strip_suffix(letters) else { continue };
        let vowel_letter_alone = matches!(*letters, "y" | "ia" | "a" | "i" | "u");
        let hiatus = vowel_letter_alone && before.ends_with(is_vowel);
        if !hiatus && (fits(before) || vowel_letter_alone) {
            (rest, end_ipa) = (before, ipa);
            break;
        }
    }
    let mut ipa = String::with_capacity(3 * word.len());
    for (letters, start_ipa) in &RULES.starts {
        // `rajesh` is no raj + esh, but reads the same
        if let Some(after) = rest.strip_prefix(letters) {
            ipa.push_str(start_ipa);
            rest = after;
            break;
        }
    }
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let rule = RULES.any.iter().find(|(letters, _)| rest.starts_with(letters));
        let (letters, sounds) = rule.copied().unwrap_or((&rest[..first.len_utf8()], ""));
        let consonant_before = before.is_some_and(|c| !is_vowel(c));
        let consonant_after = rest[letters.len()..].chars().next().is_none_or(|c| !is_vowel(c));
        if letters == "y" && consonant_before && consonant_after {
            ipa.push('ɪ');
        } else if letters.len() == 1 && before == Some(first) && !is_vowel(first) {
            ipa.push('ː');
        } else {
            ipa.push_str(sounds);
        }
        before = letters.chars().last();
        rest = &rest[letters.len()..];
    }
    ipa.push_str(end_ipa);
    read_ipa(&ipa).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn names_that_no_list_has_are_read_as_indians_write_them() {
        for (word, ipa) in [
            ("bhimpur", "bʱ ɪ m p ʊ ɾ"),
            ("lakhanpally", "l ə kʰ ə n p ə lː iː"),
            ("chhatarwal", "tʃʰ ə t̪ ə ɾ ʋ aː l"),
            ("sridevi", "ʃ ɾ iː d̪ eː ʋ iː"),
            ("jagdeep", "dʒ ə ɡ d̪ iː p"),
            ("kizhakkode", "k ɪ ɻ ə kː oː ɖ"),
        ] {
            assert_eq!(to_ipa(&read(word).phones), ipa, "{word}");
        }
    }

    #[test]
    fn every_rule_is_readable_ipa() {
        for (letters, ipa) in RULES.ends.iter().chain(&RULES.starts).chain(&RULES.any) {
            // a length mark lengthens what stands before it
            assert!(parse_ipa(&format!("k{ipa}")).is_ok(), "{letters}: {ipa}");
            assert!(!ipa.is_empty(), "{letters}");
        }
        assert_eq!(TRIGRAMS.len(), ALPHABET.pow(3));
    }

    #[test]
    fn any_letters_give_a_reading() {
        for word in ["", "y", "yyyy", "aeiou", "qxz", "ia", "pur", "puram", &"bh".repeat(200)] {
            let reading = read(word);
            assert_eq!(reading.phones.is_empty(), word.is_empty(), "{word}");
        }
    }
}
