//! Pronunciation of Indian English.
//!
//! [`pronounce`] looks a word up in the hand-written lists (`data/en/exceptions.tsv`, `indian.tsv`, `names.tsv`), then
//! in a lexicon built from the CMU Pronouncing Dictionary. If none of them contains the word, [`morphology`] derives
//! the pronunciation from known words. Otherwise a letter-to-sound model predicts it: the model of Indian names if the
//! word looks like one, and the model of English words if not. The accent is General Indian English: see [`sound`].
//!
//! The program under `train/english` builds the binary data; the lists are used without conversion.

mod frequent;
pub mod heteronym;
pub mod indian;
pub mod letter_to_sound;
pub mod lexicon;
pub mod morphology;
mod name_list;
pub mod sound;
mod spelling;
mod word_list;

use std::borrow::Cow;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use self::letter_to_sound::Model;
use self::lexicon::Lexicon;
use self::name_list::NameList;
use self::sound::Code;
use self::word_list::WordList;
use crate::files::{bytes, text};
use crate::phone::{Manner, Phonation, Phone, Symbol};
use crate::syllable::{self, Onsets};
use crate::utterance::{Stress, Syllable};

pub(crate) use self::frequent::is_frequent;
pub use self::indian::looks_indian;
pub use self::spelling::{is_listed_initialism, is_spelt, is_spoken_in_capitals, spell};

static EXCEPTIONS: LazyLock<WordList> =
    LazyLock::new(|| WordList::new(text!("en/exceptions.tsv"), first_stressed));
static INDIAN: LazyLock<WordList> = LazyLock::new(|| WordList::new(text!("en/indian.tsv"), indian::stresses));

static NAMES: LazyLock<NameList> = LazyLock::new(|| NameList::new(text!("en/names.tsv")));

static LEXICON: LazyLock<Lexicon<'static>> = LazyLock::new(|| {
    // this cannot fail: the bytes are part of the program, and a test parses them
    #[allow(clippy::expect_used)]
    Lexicon::read(bytes!("en/lexicon.bin")).expect("the embedded lexicon is valid")
});
static LETTERS: LazyLock<Model<'static>> = LazyLock::new(|| {
    // this cannot fail: the bytes are part of the program, and a test parses them
    #[allow(clippy::expect_used)]
    Model::read(bytes!("en/letters.bin")).expect("the embedded model is valid")
});

/// Maximum number of letters that the letter-to-sound model reads at a time; longer words are split into pieces of this
/// length.
const LONGEST_RUN: usize = 48;
/// Maximum length, in letters, of a word without vowel letters that is spelled letter by letter, such as `pdf`.
const LONGEST_SPELLED: usize = 5;

/// Loads the letter-to-sound model, which predicts the pronunciation of words that are in no list.
pub(crate) fn warm_up() {
    LazyLock::force(&LETTERS);
}

/// Phones of `the` before a vowel; `data/en/exceptions.tsv` has the phones before a consonant.
pub(crate) const THE_BEFORE_VOWEL: [Phone; 2] = [Phone::new(Symbol::D), Phone::new(Symbol::I).long()];

/// Pronunciation of a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pronunciation {
    /// Phones of the word.
    pub phones: Vec<Phone>,
    /// Stress of each syllable nucleus ([`syllable::nuclei`]), in order.
    pub stresses: Vec<Stress>,
}

impl Pronunciation {
    /// Returns the syllables with their stress.
    pub fn syllables(&self) -> Vec<Syllable> {
        syllable::with_stresses(&self.phones, Onsets::English, &self.stresses)
    }

    fn from_codes(codes: &[Code]) -> Self {
        Self { phones: sound::phones(codes), stresses: sound::stresses(codes) }
    }

    /// Appends another part of the same word. The main stress of the part becomes a secondary stress if the word
    /// already has a main stress.
    fn append(&mut self, other: Self) {
        let stressed = self.stresses.contains(&Stress::Primary);
        self.phones.extend(other.phones);
        self.stresses.extend(other.stresses.into_iter().map(|stress| match stress {
            Stress::Primary if stressed => Stress::Secondary,
            stress => stress,
        }));
    }

    /// Appends the -s ending of the plural and the possessive.
    fn append_s(&mut self) {
        if append_s(&mut self.phones) {
            self.stresses.push(Stress::None);
        }
    }
}

/// Appends the -s ending of the plural and the possessive to the phones of a word. Returns whether the ending is a
/// separate syllable.
pub(crate) fn append_s(phones: &mut Vec<Phone>) -> bool {
    let Some(last) = phones.last() else { return false };
    let voiceless = matches!(last.symbol.phonation(), Phonation::Voiceless | Phonation::Aspirated);
    let sibilant = last.symbol.manner() == Manner::Affricate
        || matches!(last.symbol, Symbol::S | Symbol::Z | Symbol::Sh | Symbol::Zh | Symbol::Ss);
    if sibilant {
        phones.push(Symbol::IShort.into());
    }
    phones.push(if voiceless && !sibilant { Symbol::S } else { Symbol::Z }.into());
    sibilant
}

/// Returns the Indian English pronunciation of an English word or an Indian name.
///
/// Accents are ignored. Case matters only for listed words in capitals (`RAM`), plurals and possessive forms of
/// initialisms (`MLAs`, `RBI's`), words with a capital after a lower-case letter (`iPhone`) and listed initialisms
/// (`otp`). Apostrophes and hyphens
/// are allowed inside a word, and all other characters that are not Latin letters are skipped. A word without Latin
/// letters has no phones. Time is linear in the length of the word.
pub fn pronounce(word: &str) -> Pronunciation {
    if let Some(spoken) = spelling::capitals(word) {
        return spoken;
    }
    let mut joined = Pronunciation::default();
    let written = word;
    let word = fold(word);
    let small_before_capital = written
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    if small_before_capital && look_up(&word).is_none() {
        for part in camel_case(written) {
            let single = part.len() == 1;
            let spoken = if single || is_spelt(part) { spell(part) } else { pronounce_part(&fold(part)) };
            joined.append(spoken);
        }
        return joined;
    }
    if spelling::is_small_initialism(written) && look_up(&word).is_none() {
        return spell(&word);
    }
    if word.contains('-')
        && let Some(listed) = listed(&word)
    {
        return listed;
    }
    for part in word.split('-').filter(|part| !part.is_empty()) {
        let spoken = pronounce_part(part);
        if joined.phones.is_empty() {
            joined = spoken;
        } else {
            joined.append(spoken);
        }
    }
    joined
}

/// Splits a name such as `ChatGPT`, `iPhone` or `BharatPe` at its inner capitals into parts that are pronounced
/// separately. A word that is not all ASCII letters or is longer than [`LONGEST_RUN`] is not split.
fn camel_case(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    if !bytes.iter().all(u8::is_ascii_alphabetic) || word.len() > LONGEST_RUN {
        return vec![word];
    }
    let begins = |at: &usize| {
        let after_small = bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase();
        let last_capital = bytes[at - 1].is_ascii_uppercase()
            && bytes[*at].is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        after_small || last_capital
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for end in (1..bytes.len()).filter(begins).chain([bytes.len()]) {
        parts.push(&word[start..end]);
        start = end;
    }
    parts
}

/// Returns the file in `data/en` that determines the pronunciation of a word, or `None` for a word that is spelled
/// letter by letter.
pub(crate) fn file_of(word: &str) -> Option<&'static str> {
    let written = word;
    let word = fold(word);
    let base = word.strip_suffix("'s").unwrap_or(&word);
    let is_derived = || morphology::derive(base, &known).is_some();
    Some(match base {
        _ if spelling::is_capitals_word(written) => "capitals.tsv",
        _ if heteronym::is_one(base) => "heteronyms.toml",
        _ if EXCEPTIONS.contains(base) => "exceptions.tsv",
        _ if INDIAN.contains(base) => "indian.tsv",
        _ if NAMES.contains(base) => "names.tsv",
        _ if is_spelt(written) => return None,
        _ if LEXICON.contains(base) || !indian::surely_indian(base) && is_derived() => "lexicon.bin",
        _ if indian::looks_indian(base) => "names.bin",
        _ => "letters.bin",
    })
}

/// Returns whether the word is in the exceptions, the list of words of Indian origin or the lexicon, or can be derived
/// from words of the lexicon.
///
/// The lexicon contains many names of people and places from all over the world, so a word of one or two letters is
/// likely to match by chance.
pub fn is_word(word: &str) -> bool {
    let word = fold(word);
    let listed = EXCEPTIONS.contains(&word) || INDIAN.contains(&word);
    listed || LEXICON.contains(&word) || morphology::derive(&word, &known).is_some()
}

/// Returns whether a list or the lexicon contains the whole word; derived words do not count.
pub(crate) fn is_listed(word: &str) -> bool {
    let word = fold(word);
    EXCEPTIONS.contains(&word) || INDIAN.contains(&word) || NAMES.contains(&word) || LEXICON.contains(&word)
}

/// Returns whether the word is in the list of frequent names and words of Indian origin, `data/en/indian.tsv`.
pub fn is_indian_word(word: &str) -> bool {
    INDIAN.contains(&fold(word))
}

/// Returns whether the word is in `data/en/indian.tsv` ([`is_indian_word`]) or in the list of names,
/// `data/en/names.tsv`.
pub fn is_indian_name(word: &str) -> bool {
    let word = fold(word);
    INDIAN.contains(&word) || NAMES.contains(&word)
}

/// Converts a word to the letters `a`–`z`, straight apostrophes and hyphens. Accents are removed, letters such as `æ`
/// and `ß` are replaced, and all other characters are dropped.
fn fold(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut folded = String::with_capacity(word.len());
    for c in word.nfd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '\'' | '-' => folded.push(c),
            '\u{2019}' | '\u{2018}' | '\u{2bc}' => folded.push('\''),
            '\u{2010}'..='\u{2015}' => folded.push('-'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ß' => folded.push_str("ss"),
            'ð' | 'đ' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            _ => {}
        }
    }
    Cow::Owned(folded)
}

fn listed(word: &str) -> Option<Pronunciation> {
    EXCEPTIONS.get(word).or_else(|| INDIAN.get(word)).or_else(|| NAMES.get(word))
}

/// Returns the stresses of the nuclei in `phones`: main stress on the first, and none on the others.
fn first_stressed(phones: &[Phone]) -> Vec<Stress> {
    let mut stresses = vec![Stress::None; syllable::nuclei(phones).count()];
    if let Some(first) = stresses.first_mut() {
        *first = Stress::Primary;
    }
    stresses
}

fn known(word: &str) -> Option<Vec<Code>> {
    LEXICON.get(word)
}

fn pronounce_part(word: &str) -> Pronunciation {
    if let Some(found) = look_up(word) {
        return found;
    }
    let bare = word.trim_matches('\'');
    if bare.len() < word.len() {
        // outer apostrophes, which are quotation marks or mark an omission, are dropped: `boys'`, `rock 'n' roll`
        return if bare.is_empty() { Pronunciation::default() } else { pronounce_part(bare) };
    }
    if let Some(owner) = word.strip_suffix("'s") {
        let mut owner = pronounce_part(owner);
        owner.append_s();
        return owner;
    }
    if let Some((before, after)) = word.split_once('\'') {
        // the parts before and after the apostrophe are pronounced separately: O'Brien, D'Souza
        let mut parts = pronounce_part(before);
        parts.append(pronounce_part(&after.replace('\'', "")));
        return parts;
    }
    let has_vowel_letter = word.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if !has_vowel_letter && word.len() <= LONGEST_SPELLED {
        return spell(word);
    }
    if let Some(name) = indian::derived(word) {
        return name;
    }
    if indian::looks_indian(word) {
        return indian::read(word);
    }
    read_letters(word)
}

fn look_up(word: &str) -> Option<Pronunciation> {
    // the lexicon contains the possessive forms of some names, but not their Indian pronunciation: Delhi's
    let owner = || listed(word.strip_suffix("'s")?);
    if let Some(found) = listed(word) {
        return Some(found);
    }
    if let Some(mut found) = owner() {
        found.append_s();
        return Some(found);
    }
    if let Some(codes) = known(word) {
        return Some(Pronunciation::from_codes(&codes));
    }
    // a listed name may have a possessive -'s but no plural -s: a word such as `pants` is rarely the plural of a name
    let words = |word: &str| EXCEPTIONS.get(word).or_else(|| INDIAN.get(word));
    let singular = word.strip_suffix('s').filter(|singular| singular.len() > 3);
    if let Some(mut found) = singular.and_then(words) {
        found.append_s();
        return Some(found);
    }
    if indian::surely_indian(word) {
        return None;
    }
    morphology::derive(word, &known).map(|codes| Pronunciation::from_codes(&codes))
}

/// Returns the pronunciation that the letter-to-sound model predicts, with exactly one main stress per word.
fn read_letters(word: &str) -> Pronunciation {
    let mut codes: Vec<Code> = Vec::with_capacity(word.len() + 4);
    for run in word.as_bytes().chunks(LONGEST_RUN) {
        codes.extend(LETTERS.transcribe(run));
    }
    let mut main_stress = None;
    for (index, code) in codes.iter_mut().enumerate() {
        if sound::stress(*code) == Stress::Primary {
            if main_stress.is_some() {
                *code = sound::with_stress(*code, Stress::Secondary);
            }
            main_stress = main_stress.or(Some(index));
        }
    }
    if main_stress.is_none() {
        let secondary = codes.iter().position(|&code| sound::stress(code) == Stress::Secondary);
        let full = || codes.iter().position(|&code| sound::is_nucleus(code) && sound::name(code) != "ə");
        let any = || codes.iter().position(|&code| sound::is_nucleus(code));
        if let Some(index) = secondary.or_else(full).or_else(any) {
            codes[index] = sound::with_stress(codes[index], Stress::Primary);
        }
    }
    Pronunciation::from_codes(&codes)
}

#[cfg(test)]
mod tests;
