//! Names in URLs and email addresses: splitting a name without spaces into words and initials, and checks whether a
//! name can be pronounced as a word.

use crate::english;

/// Minimum length of a name that may be a compound of words, in letters.
const SHORTEST_JOINED: usize = 8;
/// Maximum number of consecutive consonants in a pronounceable word.
const MAX_CONSONANTS: usize = 4;
/// Maximum length of a name that may be a compound of words, in letters.
const LONGEST_JOINED: usize = 32;
/// Minimum length of a word in a compound, in letters.
const SHORTEST_PART: usize = 3;
/// Minimum length of an infrequent word in a compound, in letters.
const SHORTEST_RARE: usize = 4;
/// Maximum number of initials before or after the words of a name.
const LONGEST_INITIALS: usize = 4;
/// Minimum total length of the words after initials, in letters.
const SHORTEST_AFTER_INITIALS: usize = 5;
/// Minimum number of initials before a word. A single e is an exception: `echallan`.
const MIN_INITIALS: usize = 2;
/// Minimum length of an infrequent word after initials, in letters.
const SHORTEST_RARE_AFTER_INITIALS: usize = 6;
/// Minimum length of an unlisted Indian name before a word, in letters. Shorter letter sequences are initials.
const SHORTEST_HEAD: usize = LONGEST_INITIALS + 1;
/// Minimum length of an infrequent word after an unlisted Indian name, in letters.
const SHORTEST_TAIL: usize = 5;
/// Maximum number of words in a compound.
const MAX_JOINED: usize = 4;
/// Abbreviations of "versus".
const VERSUS: [&str; 2] = ["vs", "v"];

/// Splits a lower-case name into two to four initials, which cannot begin a syllable, and the known words after them,
/// separated by spaces: `wbresults`, `tpodisha`.
pub(crate) fn after_initials(name: &str) -> Option<(&str, String)> {
    if !name.bytes().all(|byte| byte.is_ascii_lowercase())
        || english::is_word(name)
        || english::is_indian_name(name)
    {
        return None;
    }
    (2..=LONGEST_INITIALS).find_map(|end| {
        let (initials, rest) = name.split_at_checked(end)?;
        let fits = rest.len() >= SHORTEST_AFTER_INITIALS
            && !initials.contains(is_vowel)
            && !begins_syllable(initials);
        let words = split(rest, MAX_JOINED).filter(|_| fits)?;
        Some((initials, words.join(" ")))
    })
}

/// Splits a name into the initials of an organisation and a word that satisfies `is_known` or is English: `cetonline`,
/// `hdfcbank`, `tgbus`.
pub(crate) fn before_word(name: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    if !name.is_ascii() {
        return None;
    }
    let is_frequent = |(initials, word): (&str, &str)| {
        is_known(word) && word.len() >= SHORTEST_PART
            || english::is_frequent(word) && word.len() >= SHORTEST_RARE
            || english::is_frequent(word) && word.len() >= SHORTEST_PART && !initials.contains(is_vowel)
    };
    let is_rare = |word: &str| word.len() >= SHORTEST_RARE_AFTER_INITIALS && english::is_word(word);
    // a single e may be the initial: e-challan
    let fewest = if name.starts_with('e') { 1 } else { MIN_INITIALS };
    let ends = fewest..=LONGEST_INITIALS.min(name.len());
    let end = ends.clone().find(|&end| is_frequent(name.split_at(end)));
    let end = end.or_else(|| ends.into_iter().find(|&end| is_rare(&name[end..])))?;
    Some(name.split_at(end))
}

/// Returns whether a pronounceable lower-case name ends in `com`, the abbreviation of "company": `bescom`, `sitecom`.
pub(crate) fn is_company(name: &str) -> bool {
    let start = name.strip_suffix("com").unwrap_or_default();
    start.len() >= SHORTEST_PART && start.contains(is_vowel) && has_syllables(name)
}

/// Splits a lower-case name into a word and three or four initials without a vowel: `mahadbt`, `digitalghmc`. The word
/// satisfies `is_known`, is a frequent English word or is an Indian name.
pub(crate) fn before_initials(name: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    if !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let fits = |word: &str| {
        is_known(word)
            || word.len() >= SHORTEST_RARE && (english::is_frequent(word) || english::is_indian_name(word))
    };
    let lengths = SHORTEST_PART..=LONGEST_INITIALS;
    let mut splits = lengths.filter_map(|length| name.split_at_checked(name.len().checked_sub(length)?));
    splits.find(|(word, initials)| !initials.contains(is_vowel) && fits(word))
}

/// Returns whether consonants may begin a syllable of an English or Indian name: `st`, `bh`, `kr`, `sw`.
fn begins_syllable(consonants: &str) -> bool {
    let glides = consonants.ends_with(['r', 'l', 'h', 'w', 'v', 'j'])
        && !consonants.starts_with(['r', 'l', 'h', 'w', 'm', 'n']);
    glides || consonants.starts_with('s') || ["kn", "ts", "ps", "ks", "gn", "dn", "mc"].contains(&consonants)
}

fn is_vowel(c: char) -> bool {
    "aeiouy".contains(c)
}

/// Returns whether a lower-case name can be pronounced as a word, because it has at most four consonants in a row:
/// `translatewiki`.
pub(crate) fn is_sayable(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase())
        && name.split(is_vowel).all(|consonants| consonants.len() <= MAX_CONSONANTS)
}

/// Returns whether a lower-case name has the syllable structure of a name: it starts with at most one vowel (not
/// `uidai`) and has at most two consonants at its start and at its end (not `mahadbt`).
pub(crate) fn has_syllables(name: &str) -> bool {
    let mut parts = name.split(is_vowel);
    let (first, last) = (parts.next().unwrap_or_default(), parts.next_back().unwrap_or_default());
    let open = name.starts_with(is_vowel) && name.chars().nth(1).is_some_and(is_vowel);
    is_sayable(name) && !open && first.len() <= 2 && last.len() <= 2
}

/// Splits a compound name of 8 to 32 letters into words, which are separated by spaces in the result: `keralarescue`,
/// `FreeTamilEbooks`.
pub(crate) fn as_words(word: &str) -> Option<String> {
    if !(SHORTEST_JOINED..=LONGEST_JOINED).contains(&word.len()) || !word.is_ascii() {
        return None;
    }
    let camel = camel_words(word);
    if camel.contains(' ') && camel.split(' ').all(|part| part.len() > 2 && part.len() < word.len()) {
        return Some(camel);
    }
    let lower = word.to_ascii_lowercase();
    let parts = split(&lower, MAX_JOINED)?;
    (parts.len() > 1).then(|| parts.join(" "))
}

/// Splits a name into an Indian name and an English word, in either order: `sharmastores`. The rules for English
/// compounds would treat the whole name as one English word.
pub(crate) fn with_indian_name(word: &str) -> Option<(&str, &str)> {
    if word.len() < SHORTEST_JOINED || !word.is_ascii() || english::is_listed(word) {
        return None;
    }
    let named = |part: &str| part.len() >= SHORTEST_RARE && english::is_indian_name(part);
    let known = |part: &str| part.len() >= SHORTEST_RARE && english::is_word(part);
    let ends = SHORTEST_RARE..=word.len().saturating_sub(SHORTEST_RARE);
    let mut splits = ends.rev().filter_map(|end| word.split_at_checked(end));
    splits.find(|(head, tail)| named(head) && known(tail) || known(head) && named(tail))
}

/// Splits a name into an unlisted Indian name and the English word after it: `nilavupress`, `amuthabooks`.
pub(crate) fn name_and_word(name: &str) -> Option<(&str, &str)> {
    let is_tail =
        |word: &str| english::is_frequent(word) || word.len() >= SHORTEST_TAIL && english::is_word(word);
    let ends = SHORTEST_HEAD..=name.len().checked_sub(SHORTEST_RARE)?;
    let parts = ends.filter_map(|end| name.split_at_checked(end));
    parts
        .filter(|(head, _)| has_syllables(head) && english::looks_indian(head))
        .find(|(_, tail)| is_tail(tail))
}

/// Splits a name into at most `most` known words. Tries long first words before short ones.
fn split(word: &str, most: usize) -> Option<Vec<String>> {
    let known = |part: &str| {
        let long = part.len() >= SHORTEST_RARE && english::is_word(part);
        long || english::is_frequent(part) || english::is_indian_name(part)
    };
    if known(word) {
        return Some(vec![word.to_owned()]);
    }
    if most < 2 || !word.is_ascii() {
        return None;
    }
    let heads = (SHORTEST_PART..=word.len().saturating_sub(SHORTEST_PART)).rev();
    heads.filter(|&end| known(&word[..end])).find_map(|end| {
        let mut parts = vec![word[..end].to_owned()];
        parts.extend(split(&word[end..], most - 1)?);
        Some(parts)
    })
}

/// Inserts spaces between the words of a camel-case word: `SwachhBharat`. A lower-case v or vs between capitals is a
/// separate word: `SRHvsMI`.
pub(crate) fn camel_words(word: &str) -> String {
    let mut words = String::new();
    let mut previous_lower = false;
    for c in word.chars() {
        if c.is_uppercase() && previous_lower {
            if let Some(start) = start_of_versus(&words) {
                words.insert(start, ' ');
            }
            words.push(' ');
        }
        previous_lower = c.is_lowercase();
        words.push(c);
    }
    words
}

/// Returns the byte index of the v or vs at the end of a text, if at least two capitals precede it.
fn start_of_versus(text: &str) -> Option<usize> {
    let before = VERSUS.into_iter().find_map(|versus| text.strip_suffix(versus))?;
    let capitals = before.bytes().rev().take_while(u8::is_ascii_uppercase).count();
    (capitals > 1).then_some(before.len())
}

/// Returns whether a part of a camel-case word is an abbreviation of "versus".
pub(crate) fn is_versus(word: &str) -> bool {
    VERSUS.into_iter().any(|versus| word.eq_ignore_ascii_case(versus))
}
