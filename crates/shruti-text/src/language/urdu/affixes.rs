//! Respelling of inflected forms and compounds of words in the lexicon. The lexicon contains only the most frequent
//! forms and compounds.

use std::sync::LazyLock;

use super::respelling::join;
use super::{letters, listed};
use crate::files::text;

/// Ending of a word.
struct Ending {
    /// Letters of the ending.
    written: &'static str,
    /// Last letter of the stem, if the ending has replaced it.
    instead_of: &'static str,
    /// End of the stem's respelling that the ending's respelling replaces.
    drop: &'static str,
    /// Respelling of the ending.
    respelled: &'static str,
}

/// Contents of `affixes.tsv`, in its order.
struct Affixes {
    endings: Vec<Ending>,
    /// Prefixes with their respellings.
    prefixes: Vec<(&'static str, &'static str)>,
}

static AFFIXES: LazyLock<Affixes> = LazyLock::new(|| Affixes::read(text!("ur/affixes.tsv")));

impl Affixes {
    fn read(table: &'static str) -> Self {
        let mut affixes = Self { endings: Vec::new(), prefixes: Vec::new() };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t').map(|field| if field == "-" { "" } else { field });
            let mut next = || fields.next().unwrap_or_default();
            let (kind, written, instead_of, drop, respelled) = (next(), next(), next(), next(), next());
            match kind {
                "prefix" => affixes.prefixes.push((written, respelled)),
                "ending" => affixes.endings.push(Ending { written, instead_of, drop, respelled }),
                // a test parses the table, so this cannot happen
                _ => unreachable!("ur/affixes.tsv: no kind in '{line}'"),
            }
        }
        affixes
    }
}

/// Minimum number of letters in a stem, or in a member of a compound.
const MIN_STEM: usize = 3;

/// Letters that are doubled after the Arabic article. The l of the article is then silent.
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

/// Returns the respelling of a listed word, with or without a prefix.
fn stem(word: &str) -> Option<String> {
    listed(word).map(str::to_owned).or_else(|| with_prefix(word))
}

fn with_ending(word: &str) -> Option<String> {
    AFFIXES.endings.iter().find_map(|ending| {
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
        // an ending with an initial vowel is written with ئ or ؤ after a stem that ends in a vowel, and only there
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
    AFFIXES.prefixes.iter().find_map(|(prefix, respelled)| {
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

/// Returns the respelling of a word that consists of two words in the lexicon. If it can be divided in several ways,
/// the second word is as long as possible.
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
    fn a_longer_ending_precedes_one_that_it_contains() {
        assert!(AFFIXES.prefixes.len() > 10 && AFFIXES.endings.len() > 40);
        for (at, ending) in AFFIXES.endings.iter().enumerate() {
            assert!(!ending.respelled.is_empty(), "{}", ending.written);
            let shadowed = AFFIXES.endings[..at].iter().find(|earlier| {
                ending.written != earlier.written && ending.written.ends_with(earlier.written)
            });
            assert!(shadowed.is_none(), "{} follows a part of it", ending.written);
        }
    }

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
