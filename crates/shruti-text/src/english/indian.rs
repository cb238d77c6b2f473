//! Recognition and pronunciation of names and words of Indian origin that are in no list.
//!
//! A joint n-gram model predicts the pronunciation, as for English words ([`super::letter_to_sound`]). The model,
//! `data/en/names.bin`, is trained on names whose native spelling determines their pronunciation. Whether a
//! word looks Indian depends on the likelihood of its letter trigrams in those names and in the English lexicon (Cavnar
//! & Trenkle 1994 use letter sequences to identify languages). The trigram table is `data/en/indian_trigrams.bin`. The
//! program under `train/english` builds both files.

use std::sync::LazyLock;

use super::letter_to_sound::Model;
use super::{INDIAN, Pronunciation};
use crate::files::bytes;
use crate::phone::{Phone, parse_ipa};
use crate::syllable;
use crate::utterance::Stress;

/// Number of symbols of the trigram table: the word boundary and the 26 letters.
const ALPHABET: usize = 27;
/// Log-likelihood ratios of letter trigrams, in units of 1/16 of a nat: `table[(a * 27 + b) * 27 + c]` for the letter c
/// after a and b. A ratio is positive if the trigram is more likely in Indian words.
static TRIGRAMS: LazyLock<&[u8]> = LazyLock::new(|| bytes!("en/indian_trigrams.bin"));
/// Minimum log-likelihood ratio, in units of 1/16 of a nat, for an unlisted word to count as Indian. It is negative
/// because Indian names are the largest group of unlisted words.
const THRESHOLD: i32 = -20;
/// Equivalent of [`THRESHOLD`] for a word that English rules could also derive from other words.
const SURE: i32 = 40;
/// Maximum length, in letters, of a name or word that can count as Indian.
const LONGEST_NAME: usize = 32;

/// Endings of respect, kinship or occupation that may follow a listed name, with their IPA transcriptions.
const NAME_ENDINGS: &[(&str, &str)] = &[
    ("ji", "dʒiː"),
    ("jee", "dʒiː"),
    ("bhai", "bʱaːiː"),
    ("ben", "bɛn"),
    ("wala", "ʋaːlaː"),
    ("wale", "ʋaːleː"),
];

/// Sounds of the name model in IPA. The index of a sound is its code in the model. The last two entries are marks: ː
/// lengthens the preceding consonant, and the tilde nasalises the preceding vowel.
pub const SOUNDS: &[&str] = &[
    "p", "pʰ", "b", "bʱ", "t̪", "t̪ʰ", "d̪", "d̪ʱ", "ʈ", "ʈʰ", "ɖ", "ɖʱ", "tʃ", "tʃʰ", "dʒ", "dʒʱ", "k", "kʰ",
    "ɡ", "ɡʱ", "m", "n̪", "n", "ɳ", "ɲ", "ŋ", "f", "s", "z", "ʃ", "ʒ", "ɦ", "h", "ʋ", "j", "ɾ", "ɽ", "ɽʱ",
    "ɻ", "ɹ", "l", "ɭ", "ə", "a", "aː", "ɪ", "iː", "ʊ", "uː", "eː", "ɛ", "ɛː", "æ", "æː", "oː", "ɔ", "ɔː",
    "ɒ", "ː", "\u{303}",
];

static NAMES: LazyLock<Model<'static>> = LazyLock::new(|| {
    // this cannot fail: the bytes are part of the program, and a test parses them
    #[allow(clippy::expect_used)]
    Model::read(bytes!("en/names.bin")).expect("the embedded model is valid")
});

/// Returns the stress of each syllable of an Indian word in English, which depends on syllable weight as in Hindi.
pub(super) fn stresses(phones: &[Phone]) -> Vec<Stress> {
    syllable::syllables(phones, syllable::Rules::INDIAN_WORDS)
        .into_iter()
        .map(|syllable| syllable.stress)
        .collect()
}

fn read_ipa(ipa: &str) -> Option<Pronunciation> {
    let mut phones = parse_ipa(ipa).ok()?;
    // two equal consonants where two parts of the word meet become one geminate
    phones.dedup_by(|next, phone| {
        let same = next.symbol == phone.symbol && !phone.is_vowel();
        phone.long |= same;
        same
    });
    Some(Pronunciation { stresses: stresses(&phones), phones })
}

/// Returns the pronunciation of a listed name with an ending, or of two listed names written as one word (*Ramkumar*).
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

/// Returns the log-likelihood ratio of the letters of a lower-case word in Indian and in English words, in units of
/// 1/16 of a nat. The ratio is negative if English is more likely.
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

/// Returns whether the letters of an unlisted word look like a name or word of Indian origin.
pub fn looks_indian(word: &str) -> bool {
    (3..=LONGEST_NAME).contains(&word.len()) && evidence(&word.to_ascii_lowercase()) >= THRESHOLD
}

/// Returns whether the letters of a lower-case word look so Indian that the word should not be split into English
/// parts: `Rajkumar`, `Madhusudan`.
pub(super) fn surely_indian(word: &str) -> bool {
    (3..=LONGEST_NAME).contains(&word.len()) && evidence(word) >= SURE
}

/// Returns the pronunciation that the name model predicts for a word that consists of the letters `a`–`z`.
pub(super) fn read(word: &str) -> Pronunciation {
    let codes = word.as_bytes().chunks(super::LONGEST_RUN).flat_map(|run| NAMES.transcribe(run));
    let mut ipa = String::with_capacity(3 * word.len());
    let mut before = ["", ""];
    for sound in codes.filter_map(|code| SOUNDS.get(usize::from(code)).copied()) {
        // a glide is inserted after ɪ or iː, as in `Haldia`, unless that vowel ends a diphthong such as `ai`
        let glides = matches!(before, [first, "ɪ" | "iː"] if !matches!(first, "a" | "ə" | "aː"));
        if glides && sound.starts_with(['ə', 'a', 'o', 'u', 'e', 'ʊ']) {
            ipa.push('j');
        }
        ipa.push_str(sound);
        before = [before[1], sound];
    }
    read_ipa(&ipa).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn unlisted_names_follow_indian_spelling() {
        for (word, ipa) in [
            ("bhimpur", "bʱ iː m p ʊ ɾ"),
            ("ramanpally", "ɾ aː m ə n p ə lː iː"),
            ("chhatarwal", "tʃʰ ə t̪ ə ɾ ʋ aː l"),
            ("thirumalai", "t̪ ɪ ɾ ʊ m ə l a ɪ"),
            ("harivallabh", "ɦ ə ɾ ɪ ʋ ə lː ə bʱ"),
            ("shankarganj", "ʃ ə ŋ k ə ɾ ɡ ə n dʒ"),
            ("haldiapur", "ɦ ə l d̪ ɪ j aː p ʊ ɾ"),
            ("jagdeep", "dʒ ə ɡ d̪ iː p"),
            ("kizhakkode", "k ɪ ɻ ə kː oː ɖ"),
        ] {
            assert_eq!(to_ipa(&read(word).phones), ipa, "{word}");
        }
    }

    #[test]
    fn every_sound_of_the_model_is_a_phone() {
        for sound in SOUNDS {
            // a length mark and a tilde modify the preceding phone
            assert!(parse_ipa(&format!("a{sound}")).is_ok(), "{sound}");
        }
        let codes = NAMES.transcribe(b"abcdefghijklmnopqrstuvwxyz");
        assert!(codes.iter().all(|&code| usize::from(code) < SOUNDS.len()));
        assert_eq!(TRIGRAMS.len(), ALPHABET.pow(3));
    }

    #[test]
    fn any_letters_have_a_reading() {
        for word in ["", "y", "yyyy", "aeiou", "qxz", "ia", "pur", "puram", &"bh".repeat(200)] {
            let reading = read(word);
            assert_eq!(reading.phones.is_empty(), word.is_empty(), "{word}");
        }
    }
}
