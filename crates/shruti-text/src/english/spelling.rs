//! Names of letters and digits in Indian English: H eːtʃ, Z zɛɖ, W ɖʌbəljuː.

use std::sync::LazyLock;

use super::frequent::is_frequent;
use super::word_list::read_ipa;
use super::{EXCEPTIONS, INDIAN, Pronunciation, first_stressed, is_indian_name, is_word};
use crate::table::Table;
use crate::utterance::Stress;

const LETTERS: [&str; 26] = [
    "eː",
    "biː",
    "siː",
    "ɖiː",
    "iː",
    "ɛf",
    "dʒiː",
    "eːtʃ",
    "aɪ",
    "dʒeː",
    "keː",
    "ɛl",
    "ɛm",
    "ɛn",
    "oː",
    "piː",
    "kjuː",
    "aːɹ",
    "ɛs",
    "ʈiː",
    "juː",
    "ʋiː",
    "ˈɖʌbəljuː",
    "ɛks",
    "ʋaɪ",
    "zɛɖ",
];
const DIGITS: [&str; 10] =
    ["ˈziːɾoː", "ʋʌn", "ʈuː", "t̪ʰɾiː", "foːɹ", "faɪʋ", "sɪks", "ˈsɛʋən", "eːʈ", "naɪn"];

/// Returns the name of an ASCII letter or digit, or `None` for any other character.
fn name(letter: char) -> Option<&'static str> {
    let byte = u8::try_from(letter.to_ascii_lowercase()).ok()?;
    match byte {
        b'a'..=b'z' => Some(LETTERS[usize::from(byte - b'a')]),
        b'0'..=b'9' => Some(DIGITS[usize::from(byte - b'0')]),
        _ => None,
    }
}

/// Returns the pronunciation of letters and digits by their names, as in initialisms (`SBI`, `PNR`, `H1`). Other
/// characters are skipped.
///
/// The last letter has the main stress (`ɛsbiːˈaɪ`), and the others have secondary stress.
pub fn spell(letters: &str) -> Pronunciation {
    let mut spelled = Pronunciation::default();
    for letter in letters.chars().filter_map(name) {
        for stress in &mut spelled.stresses {
            if *stress == Stress::Primary {
                *stress = Stress::Secondary;
            }
        }
        // this cannot fail: a test parses the names above
        if let Ok((phones, stresses)) = read_ipa(letter, first_stressed) {
            spelled.phones.extend(phones);
            spelled.stresses.extend(stresses);
        }
    }
    spelled
}

/// Entries of `data/en/capitals.tsv`: words in capitals with their readings.
static CAPITALS: LazyLock<Table<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = crate::files::text!("en/capitals.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});
/// Markers in `capitals.tsv`: [`SPELT`] for a word that is spelled letter by letter, and [`WORD`] for a word that is
/// pronounced like the lower-case word.
const SPELT: &str = "spelt";
const WORD: &str = "word";
/// Maximum length, in letters, of a word in capitals that is spelled letter by letter: TPCODL, WBSEDCL.
const LONGEST_UNSAYABLE: usize = 8;
/// Minimum length, in letters, of a word in capitals that is spelled only if it is unpronounceable and neither a word
/// nor a name.
const LONG_INITIALISM: usize = 6;
/// Maximum numbers of adjacent consonants in a pronounceable word: at its start or end, and inside it.
const MOST_CONSONANTS: (usize, usize) = (2, 3);

/// Returns whether the table of words in capitals lists a word as spelled letter by letter.
pub fn is_listed_initialism(word: &str) -> bool {
    CAPITALS.get(word).is_some_and(|&said| said == SPELT)
}

/// Returns whether a word is a listed initialism in lower case (`otp`) or with an initial capital (`Otp`). With an initial
/// capital, a form that ends in a vowel is more likely a name (`Nia`), unless it starts with two consonants (`Rbi`). The
/// caller excludes listed words and names.
pub(super) fn is_small_initialism(word: &str) -> bool {
    let Some((first, rest)) = word.split_at_checked(1) else { return false };
    if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return false;
    }
    let is_vowel = |c: char| "aeiou".contains(c.to_ascii_lowercase());
    let is_name = first.starts_with(|c: char| c.is_ascii_uppercase())
        && rest.ends_with(is_vowel)
        && (first.starts_with(is_vowel) || rest.starts_with(is_vowel));
    !is_name && is_listed_initialism(&word.to_ascii_uppercase())
}

/// Returns whether `capitals.tsv` lists a word in capitals as pronounced like a word, not spelled: `ISRO`.
pub fn is_spoken_in_capitals(word: &str) -> bool {
    CAPITALS.get(word).is_some_and(|&said| said != SPELT)
}

/// Returns whether `capitals.tsv` contains the IPA of a word in capitals.
pub(super) fn is_capitals_word(word: &str) -> bool {
    CAPITALS.get(word).is_some_and(|&said| said != SPELT && said != WORD)
}

/// Returns the pronunciation of a listed word in capitals, or of the plural or the possessive form of a word that is
/// spelled letter by letter: `RAM`, `YoY`, `MLAs`, `RBI's`. Returns `None` for any other word, and for a listed word
/// with the marker [`WORD`].
pub(super) fn capitals(word: &str) -> Option<Pronunciation> {
    match CAPITALS.get(word) {
        Some(&SPELT) => return Some(spell(word)),
        Some(&WORD) => return None,
        Some(ipa) => {
            let (phones, stresses) = read_ipa(ipa, first_stressed).ok()?;
            return Some(Pronunciation { phones, stresses });
        }
        None => {}
    }
    let stem = word.strip_suffix('s')?;
    let letters = stem.strip_suffix(['\'', '’']).unwrap_or(stem);
    if !is_spelt(letters) {
        return None;
    }
    let mut pronunciation = spell(letters);
    pronunciation.append_s();
    Some(pronunciation)
}

/// Returns whether a word in capitals, in a text that is not all in capitals, is spelled letter by letter: `OTP`, `SBI`
/// and `IT`, not `ISRO` or `FREE`.
pub fn is_spelt(word: &str) -> bool {
    if !(2..=LONGEST_UNSAYABLE).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return false;
    }
    if let Some(&said) = CAPITALS.get(word) {
        return said == SPELT;
    }
    let lower = word.to_ascii_lowercase();
    if is_frequent(&lower) {
        return false;
    }
    let vowels = lower.bytes().filter(|byte| b"aeiou".contains(byte)).count();
    match word.len() {
        2 => true,
        LONG_INITIALISM.. => !(is_sayable(&lower) || is_word(&lower) || is_indian_name(&lower)),
        3 => !(EXCEPTIONS.contains(&lower) || INDIAN.contains(&lower)),
        _ => vowels * 3 < word.len() && !is_word(&lower),
    }
}

/// Returns whether a lower-case word has enough vowels among its consonants to be pronounceable. In each group of
/// consonants, one pair counts as a single consonant if it ends in h (`sh`, `bh`), begins with s or is a double letter.
fn is_sayable(word: &str) -> bool {
    let is_vowel = |c: char| "aeiouy".contains(c);
    let weight = |letters: &str| {
        let bytes = letters.as_bytes();
        let joins = |pair: &&[u8]| pair[1] == b'h' || pair[0] == b's' || pair[0] == pair[1];
        bytes.len() - bytes.windows(2).filter(joins).count().min(1)
    };
    let parts: Vec<usize> = word.split(is_vowel).map(weight).collect();
    let (ends, within) = MOST_CONSONANTS;
    let [first, inner @ .., last] = parts.as_slice() else { return false };
    *first <= ends && *last <= ends && inner.iter().all(|&consonants| consonants <= within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn every_letter_and_digit_has_a_name() {
        for letter in ('a'..='z').chain('0'..='9').chain('A'..='Z') {
            let spelled = spell(&letter.to_string());
            assert!(!spelled.phones.is_empty() && spelled.stresses.contains(&Stress::Primary), "{letter}");
        }
    }

    #[test]
    fn spells_capitals_except_words() {
        for word in [
            "OTP", "UPI", "KYC", "SBI", "IIT", "EMI", "IRCTC", "NEFT", "HDFC", "ICICI", "IT", "US", "AI",
            "GST", "TPCODL", "WBSEDCL", "APEPDCL", "TGSRTC", "UPSSSC",
        ] {
            assert!(is_spelt(word), "{word}");
        }
        for word in [
            "ISRO",
            "PAN",
            "AIIMS",
            "FREE",
            "NOW",
            "NOT",
            "STOP",
            "RAJ",
            "SMART",
            "TANGEDCO",
            "BESCOM",
            "LAKSHMI",
            "KRISHNA",
            "MADHYASTHA",
            "STRENGTH",
            "DELIVERED",
            "Otp",
            "otp",
            "I",
            "",
        ] {
            assert!(!is_spelt(word), "{word}");
        }
    }

    #[test]
    fn capitals_table_is_valid() {
        for (word, said) in CAPITALS.iter() {
            let readable = [SPELT, WORD].contains(said) || read_ipa(said, first_stressed).is_ok();
            assert!(readable, "{word}: '{said}'");
        }
    }

    #[test]
    fn pronounces_plurals_of_initialisms() {
        for (word, ipa) in [
            ("MLAs", "ɛ m ɛ l eː z"),
            ("NGOs", "ɛ n dʒ iː oː z"),
            ("ATMs", "eː ʈ iː ɛ m z"),
            ("FIRs", "ɛ f aɪ aːɹ z"),
            ("OTPs", "oː ʈ iː p iː z"),
            ("RBI's", "aːɹ b iː aɪ z"),
            ("CBI’s", "s iː b iː aɪ z"),
            ("IDBI", "aɪ ɖ iː b iː aɪ"),
            ("DRDO", "ɖ iː aːɹ ɖ iː oː"),
            ("JEE", "dʒ eː iː iː"),
            ("FICCI", "f ɪ k iː"),
            ("RAM", "ɹ æ m"),
            ("YoY", "ʋ aɪ oː ʋ aɪ"),
        ] {
            let actual = to_ipa(&super::super::pronounce(word).phones);
            assert_eq!(actual.replace(' ', ""), ipa.replace(' ', ""), "{word}");
        }
        for word in ["Ram", "ram", "FREEs", "Cats", "As", "IS"] {
            assert!(capitals(word).is_none(), "{word}");
        }
    }

    #[test]
    fn spells_initialisms() {
        for (letters, ipa) in [
            ("SBI", "ɛ s b iː a ɪ"),
            ("pnr", "p iː ɛ n a ɹ"),
            ("H", "eː tʃ"),
            ("z", "z ɛ ɖ"),
            ("G-20", "dʒ iː ʈ uː z iː ɾ oː"),
            ("ಕ", ""),
        ] {
            assert_eq!(to_ipa(&spell(letters).phones).replace("aː ɹ", "a ɹ"), ipa, "{letters}");
        }
        assert_eq!(spell("SBI").stresses, [Stress::Secondary, Stress::Secondary, Stress::Primary]);
    }
}
