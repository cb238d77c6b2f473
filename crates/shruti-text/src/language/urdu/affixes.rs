//! Forms and compounds of words in the lexicon, which has only the most frequent of them.

use super::respelling::join;
use super::{letters, listed};

/// Ending of a word.
struct Ending {
    /// Letters of the ending.
    written: &'static str,
    /// Last letter of the stem, which the ending has replaced.
    instead_of: &'static str,
    /// End of the respelling of the stem, which the ending replaces.
    drop: &'static str,
    /// Respelling of the ending.
    respelled: &'static str,
}

const fn ending(
    written: &'static str,
    instead_of: &'static str,
    drop: &'static str,
    respelled: &'static str,
) -> Ending {
    Ending { written, instead_of, drop, respelled }
}

/// Endings, the longest first.
const ENDINGS: [Ending; 51] = [
    ending("الرحمان", "", "", "उर्रह्मान"),
    ending("الرحمن", "", "", "उर्रह्मान"),
    ending("الدین", "", "", "उद्दीन"),
    ending("اللہ", "", "", "उल्लाह"),
    ending("الحق", "", "", "उल्हक़"),
    ending("ونگا", "", "", "ऊँगा"),
    ending("ونگی", "", "", "ऊँगी"),
    ending("ینگے", "", "", "एँगे"),
    ending("یوں", "ی", "ी", "ियोँ"),
    ending("یوں", "ی", "ई", "इयोँ"),
    ending("یاں", "ی", "ी", "ियाँ"),
    ending("یاں", "ی", "ई", "इयाँ"),
    ending("ئیں", "", "", "एँ"),
    ending("انہ", "", "", "आना"),
    ending("گان", "ہ", "ा", "गान"),
    ending("گان", "", "", "गान"),
    ending("گری", "", "", "गरी"),
    ending("یات", "", "", "इयात"),
    ending("یگا", "", "", "एगा"),
    ending("یگی", "", "", "एगी"),
    ending("تیں", "", "", "तीँ"),
    ending("ؤں", "", "", "ओँ"),
    ending("وں", "", "", "ओँ"),
    ending("وں", "ا", "ा", "ोँ"),
    ending("وں", "ہ", "ा", "ोँ"),
    ending("یں", "", "", "एँ"),
    ending("ئے", "", "", "ए"),
    ending("ئی", "", "", "ई"),
    ending("یت", "", "", "इयत"),
    ending("ات", "", "", "आत"),
    ending("ان", "", "", "आन"),
    ending("گی", "ہ", "ा", "गी"),
    ending("گی", "", "", "गी"),
    ending("گر", "", "", "गर"),
    ending("ور", "", "", "वर"),
    ending("نا", "", "", "ना"),
    ending("نے", "", "", "ने"),
    ending("نی", "", "", "नी"),
    ending("تا", "", "", "ता"),
    ending("تے", "", "", "ते"),
    ending("تی", "", "", "ती"),
    ending("گا", "", "", "गा"),
    ending("گے", "", "", "गे"),
    ending("کے", "", "", "के"),
    ending("سے", "", "", "से"),
    ending("ے", "ہ", "ा", "े"),
    ending("ے", "ا", "ा", "े"),
    ending("ی", "ہ", "ा", "ी"),
    ending("ی", "", "", "ई"),
    ending("ز", "", "", "ज़"),
    ending("س", "", "", "स"),
];

/// Beginnings of words, with their respelling.
const PREFIXES: [(&str, &str); 15] = [
    ("غیر", "ग़ैर"),
    ("خوش", "ख़ुश"),
    ("بے", "बे"),
    ("نا", "ना"),
    ("ہم", "हम"),
    ("بد", "बद"),
    ("کم", "कम"),
    ("نو", "नौ"),
    ("لا", "ला"),
    ("با", "बा"),
    ("پر", "पुर"),
    ("یک", "यक"),
    ("دو", "दो"),
    ("سہ", "से"),
    ("ان", "अन"),
];

/// Minimum number of letters of a stem.
const MIN_STEM: usize = 3;

/// Letters that double after the Arabic article, whose l is then silent.
const SUN_LETTERS: &str = "تثدذرزسشصضطظلن";

/// Returns the respelling of a word that consists of words in the lexicon and affixes; `None` for any other word.
pub(super) fn respell(word: &str) -> Option<String> {
    let count = word.chars().count();
    if count <= MIN_STEM {
        return None;
    }
    with_ending(word).or_else(|| with_prefix(word)).or_else(|| with_article(word)).or_else(|| compound(word))
}

fn long_enough(stem: &str) -> bool {
    stem.chars().count() >= MIN_STEM
}

/// Returns the respelling of a word that is listed, or of one with a prefix.
fn stem(word: &str) -> Option<String> {
    listed(word).map(str::to_owned).or_else(|| with_prefix(word))
}

fn with_ending(word: &str) -> Option<String> {
    ENDINGS.iter().find_map(|ending| {
        let before = word.strip_suffix(ending.written)?;
        let written = format!("{before}{}", ending.instead_of);
        if !long_enough(&written) {
            return None;
        }
        let respelled = stem(&written)?;
        let kept = respelled.strip_suffix(ending.drop)?;
        if ending.respelled.starts_with(is_vowel_sign) {
            return Some(format!("{kept}{}", ending.respelled));
        }
        // forms of this kind have ئ or ؤ between two vowels
        let begins_in_vowel = ending.respelled.starts_with(super::respelling::is_vowel);
        let has_hamza = ending.written.starts_with(['ئ', 'ؤ']);
        let ends_in_vowel = !kept.ends_with(super::respelling::is_consonant_or_nukta);
        (!begins_in_vowel || has_hamza == ends_in_vowel).then(|| join(kept, ending.respelled))
    })
}

fn is_vowel_sign(c: char) -> bool {
    ('\u{93e}'..='\u{94c}').contains(&c)
}

fn with_prefix(word: &str) -> Option<String> {
    PREFIXES.iter().find_map(|(prefix, respelled)| {
        let rest = word.strip_prefix(prefix).filter(|rest| long_enough(rest))?;
        Some(join(respelled, listed(rest)?))
    })
}

/// Returns the respelling of a word with the Arabic article: الشمس.
fn with_article(word: &str) -> Option<String> {
    let rest = word.strip_prefix("ال").filter(|rest| long_enough(rest))?;
    let respelled = listed(rest).map_or_else(|| letters::respell(rest), str::to_owned);
    let first = rest.chars().next()?;
    if SUN_LETTERS.contains(first) {
        let doubled: String = respelled
            .chars()
            .enumerate()
            .take_while(|&(at, c)| at == 0 || c == '\u{93c}')
            .map(|(_, c)| c)
            .collect();
        return Some(join("अ", &join(&doubled, &respelled)));
    }
    Some(join("अल", &respelled))
}

/// Returns the respelling of a word that consists of two words in the lexicon; the second is as long as possible.
fn compound(word: &str) -> Option<String> {
    word.char_indices().map(|(at, _)| word.split_at(at)).find_map(|(first, second)| {
        if !long_enough(first) || !long_enough(second) {
            return None;
        }
        Some(join(listed(first)?, listed(second)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_compounds_are_respelled() {
        let cases = [
            ("چراغوں", "चराग़ोँ", "plural"),
            ("کمپیوٹرز", "कम्प्यूटर्ज़", "English plural"),
            ("بےروزگاری", "बेरोज़्गारी", "prefix and ending"),
            ("ناہمواری", "नाहम्वारी", "prefix and ending"),
            ("الشمس", "अश्शम्स", "sun letter"),
            ("القمر", "अल्क़मर", "moon letter"),
            ("گلزارنگر", "गुल्ज़ार्नगर", "compound"),
        ];
        for (word, respelled, why) in cases {
            assert_eq!(respell(word).as_deref(), Some(respelled), "{word}: {why}");
        }
    }

    #[test]
    fn other_words_are_not_analysed() {
        for word in ["گر", "ثبخس", "چکم"] {
            assert_eq!(respell(word), None, "{word}");
        }
    }
}
