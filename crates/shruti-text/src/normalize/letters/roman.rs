//! Roman numerals.

use crate::chars::lowercase;
use crate::normalize::date::reign;
use crate::normalize::number::ordinal;
use crate::normalize::number::roman::value_of;
use crate::normalize::number::span;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::{after_hyphen, is_capitals, spelt};
use crate::script::Script;

/// Reads a Roman numeral: `अध्याय IV`, `Chapter IV`, `World War II`, `Elizabeth II`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at).filter(|word| word.len() <= 8 && is_capitals(word))?;
    // the dot of an abbreviation may precede the numeral: Vol. III
    let dot = usize::from(at >= 2 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    // a hyphen may precede the numeral: பகுதி-II
    let hyphen = usize::from(at >= 2 && scan.is_sign(at - 1, '-') && scan.joined(at - 1) && scan.joined(at));
    let adjacent = scan.spaced(at) || hyphen > 0;
    if let Some(section) = section(scan, at, word) {
        return Some(section);
    }
    // a single C, D, L or M is a letter, not a numeral: Part C, Paper D
    if matches!(word, "C" | "D" | "L" | "M") {
        return None;
    }
    let value = value_of(word)?;
    if let Some(ordinal) = with_ordinal(scan, at, value) {
        return Some(ordinal);
    }
    let number = number::words(&scan.data.number, value, System::Indian);
    if ends_span(scan, at, word)
        || starts_list(scan, at, word)
        || hyphen > 0 && follows_name_and_hyphen(scan, at, word)
    {
        return Some(Reading::new(number, 1));
    }
    if let Some(range) = range(scan, at, value) {
        return Some(range);
    }
    let before =
        at.checked_sub(1 + dot.max(hyphen)).and_then(|before| scan.word(before)).filter(|_| adjacent)?;
    let lower = lowercase(before);
    let context = &scan.data.context;
    let reigns = reign::follows_ruler(scan, at);
    let of_ruler = reigns || context.regnal.contains(lower.as_ref());
    let place = usize::try_from(value).ok().and_then(|value| value.checked_sub(1));
    if let Some(ordinal) = place.and_then(|place| context.regnal_ordinals.get(place)).filter(|_| of_ruler) {
        return Some(Reading::new(ordinal.clone(), 1));
    }
    if of_ruler && scan.has_case() && (word != "I" || reigns) {
        return Some(Reading::new(format!("the {}", ordinal::plain(scan, &value.to_string())), 1));
    }
    if !context.roman.contains(lower.as_ref()) && !is_clearly_roman(scan, word, before) {
        return None;
    }
    let before_at = at - 1 - dot.max(hyphen);
    if word == "I" && hyphen + dot == 0 && is_pronoun(scan, at, before_at) {
        return None;
    }
    Some(Reading::new(number, 1))
}

/// Returns whether an I after the noun at `noun` is the pronoun and not a number: the book I read, the articles I like.
fn is_pronoun(scan: &Scan<'_>, at: usize, noun: usize) -> bool {
    let is_small = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let article = scan.data.date.article.as_deref();
    let led = noun > 0
        && article.is_some_and(|article| {
            scan.latin(noun - 1).is_some_and(|word| word.eq_ignore_ascii_case(article))
        });
    let plural = scan.latin(noun).is_some_and(|word| word.ends_with('s') && !word.ends_with("ss"));
    scan.has_case()
        && scan.latin(noun).is_some_and(is_small)
        && scan.latin(at + 1).is_some_and(is_small)
        && (led || plural)
}

/// Returns whether a Roman numeral follows another one with a joining word or sign between them: VI to VIII, VII &
/// VIII. If the second numeral has only one letter, it must be the successor of the first: Classes IX and X.
fn ends_span(scan: &Scan<'_>, at: usize, word: &str) -> bool {
    let plain = |word: &str| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let Some(first) = at.checked_sub(2).and_then(|first| scan.latin(first)) else { return false };
    let joins = scan.is_one_of(&scan.data.date.span_words, at - 1)
        || matches!(scan.sign(at - 1), Some('&' | '/'))
        || scan.is_and(at - 1);
    // a first numeral of one letter needs a word such as "class" before it: Class V & VI
    let clear = first.len() > 1
        || at > 2
            && scan
                .word(at - 3)
                .is_some_and(|before| scan.data.context.roman.contains(lowercase(before).as_ref()));
    // a last numeral of one letter must be the successor of the first: Classes IX and X
    let follows = |first: &str| {
        first.len() > 1 && word != "I" && value_of(first).zip(value_of(word)).is_some_and(|(a, b)| b == a + 1)
    };
    joins
        && clear
        && (word.len() > 1 || follows(first))
        && plain(word)
        && plain(first)
        && value_of(first).is_some()
}

/// Returns whether "and" and the next Roman numeral follow a numeral of several letters: the VII of
/// `Classes VI, VII & VIII`.
fn starts_list(scan: &Scan<'_>, at: usize, word: &str) -> bool {
    let plain = |word: &str| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let joins = scan.is_sign(at + 1, '&') || scan.is_and(at + 1);
    let Some(next) = scan.latin(at + 2).filter(|next| joins && plain(next) && *next != "I") else {
        return false;
    };
    // a last numeral of one letter must be the successor of the first
    let follows = |(first, last): (u128, u128)| last == first + 1 || last > first && next.len() > 1;
    word.len() > 1 && plain(word) && value_of(word).zip(value_of(next)).is_some_and(follows)
}

/// Returns whether a hyphen joins I or V to a name: Aizawl East-I, Type-V. An X after a hyphen is a letter: Gen-X.
fn follows_name_and_hyphen(scan: &Scan<'_>, at: usize, word: &str) -> bool {
    /// Minimum length of the name, in letters.
    const SHORTEST_NAME: usize = 3;
    let titled = |name: &str| {
        name.len() >= SHORTEST_NAME
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.ends_with(|c: char| c.is_ascii_lowercase())
    };
    matches!(word, "I" | "V") && at >= 2 && scan.latin(at - 2).is_some_and(titled)
}

/// Reads a range of Roman numerals, the first of which is `from`: `VI-X`, `I-V`.
fn range(scan: &Scan<'_>, at: usize, from: u128) -> Option<Reading> {
    let word = |at: usize| scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')));
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.joined(at + 1) && scan.joined(at + 2);
    let (first, last) = (word(at)?, word(at + 2).filter(|_| dash)?);
    // X-X is two letters, not a range
    let clear = first.len() + last.len() > 2 && (at == 0 || scan.spaced(at));
    let to = value_of(last).filter(|&to| clear && from < to)?;
    let [from, to] = [from, to].map(|value| number::words(&scan.data.number, value, System::Indian));
    Some(Reading::new(span::between(scan, &from, &to), 3))
}

/// Reads a class or a paper with its section: `XII-B`, `पेपर-IIA`.
fn section(scan: &Scan<'_>, at: usize, word: &str) -> Option<Reading> {
    /// Highest school class.
    const HIGHEST: u128 = 12;
    let section = |letter: &str| letter.len() == 1 && matches!(letter.as_bytes()[0], b'A'..=b'F');
    let hyphened = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
    let (numeral, letter, items) = match scan.latin(at + 2).filter(|letter| hyphened && section(letter)) {
        Some(letter) => (word, letter, 3),
        // a joined letter is a section only if a hyphen precedes the numeral: Paper-IIA
        None if at >= 2 && scan.is_sign(at - 1, '-') && scan.joined(at) && scan.is_word(at - 2) => {
            let (numeral, letter) = word.split_at_checked(word.len() - 1)?;
            (numeral, letter, 1)
        }
        None => return None,
    };
    let clear = numeral.len() > 1 && numeral.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let value = value_of(numeral).filter(|&value| clear && section(letter) && value <= HIGHEST)?;
    let number = number::words(&scan.data.number, value, System::Indian);
    Some(Reading::new(format!("{number} {}", spelt(scan, letter)), items))
}

/// Reads a Roman numeral as an ordinal: with an ordinal suffix (`IV-ம் வகுப்பு`), or before a listed word, for example
/// the word for a class (`VI తరగతి`, `II PUC`).
fn with_ordinal(scan: &Scan<'_>, at: usize, value: u128) -> Option<Reading> {
    // numerals that contain letters other than I, V and X are initialisms
    let letters = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')))?;
    let digits = value.to_string();
    let suffix_at = after_hyphen(scan, at + 1);
    if let Some(ordinal) = ordinal::with_suffix(scan, &digits, suffix_at) {
        return Some(Reading::new(ordinal, suffix_at + 1 - at));
    }
    let context = &scan.data.context;
    let alone = scan.spaced(at) && scan.spaced(at + 1) && (letters.len() > 1 || !scan.has_case());
    let classes = alone && scan.is_one_of(&context.roman_before, at + 1);
    classes.then(|| Reading::new(ordinal::plain(scan, &digits), 1))
}

/// Reads a list item in lower-case Roman numerals: `(iii)`.
pub(crate) fn listed(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'i' | 'v' | 'x')))?;
    let closed = scan.is_sign(at + 1, ')') && scan.joined(at + 1) && word != "x";
    let opened = at > 0 && scan.is_sign(at - 1, '(') && scan.joined(at);
    let first = word == "i"
        && (at + 2..scan.items.len())
            .any(|place| scan.latin(place) == Some("ii") && scan.is_sign(place + 1, ')'));
    let is_item = closed && (opened || first || word.len() > 1);
    let value = value_of(&word.to_ascii_uppercase()).filter(|_| is_item)?;
    Some(Reading::new(number::words(&scan.data.number, value, System::Indian), 1))
}

/// Returns whether a word of two or more letters is a Roman numeral, not an initialism, because a capitalised Latin
/// word or a word in an Indian script precedes it: Schedule VI, अनुसूची VI. After a word in an Indian script, `IV` is
/// excluded, because it may also mean intravenous.
fn is_clearly_roman(scan: &Scan<'_>, word: &str, before: &str) -> bool {
    let capital = before.chars().next().is_some_and(|c| c.is_ascii_uppercase()) && before.len() > 1;
    let own = scan.script() != Script::Latin && !before.is_ascii() && word != "IV";
    word.len() > 1 && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')) && (capital || own)
}
