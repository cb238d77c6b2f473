//! Case endings of the language after numbers and letters: `10ರಂದು`, `3 PM-க்கு`.

use super::number;
use super::scan::{Reading, Scan};
use crate::chars::is_mark;
use crate::class::Class;
use crate::item::Kind;
use crate::script::Script;

/// Maximum length of an ending after a space and a hyphen, in characters.
const LONGEST_APART: usize = 3;

/// Adds a case ending of the language that directly follows digits or letters: `10ರಂದು`, `3 PM-க்கு`, `৫টি`.
pub(super) fn with_ending(scan: &Scan<'_>, at: usize, reading: Reading) -> Reading {
    let mut next = at + reading.items;
    // 10:15'টায়; also ২০২১ -এর with a space before the hyphen
    let joins = matches!(scan.sign(next), Some('-' | '–' | '\'' | '’')) && scan.joined(next + 1);
    let short = |word: &str| word.chars().count() <= LONGEST_APART;
    let apart = joins && scan.is_sign(next, '-') && scan.word(next + 1).is_some_and(short);
    let hyphen = joins && (scan.joined(next) || apart);
    next += usize::from(hyphen);
    let apart = scan.spaced(next) && !hyphen;
    // each digit of a code is a separate word
    let by_digits = matches!(reading.class, Class::Digits | Class::Telephone);
    if apart && (by_digits || !is_ending_apart(scan, next))
        || scan.spaced(next) && hyphen
        || next >= scan.items.len()
    {
        return reading;
    }
    let own = scan.script();
    if scan.data.number.endings.apart {
        return reading;
    }
    let Some(item) = scan.item(next) else { return reading };
    let native = own != Script::Latin && item.kind == Kind::Word(Some(own));
    let last = reading.words.chars().next_back();
    let same_script = last.is_some_and(|c| Script::of(c) == Some(own));
    // a hyphen also joins whole words, but those are longer than endings
    let ending = native
        && same_script
        && (number::is_joint(&scan.data.number, &reading.words, &item.text)
            || (!hyphen || item.text.chars().count() <= 5) && !is_whole_word(scan, &item.text));
    if !ending {
        return reading;
    }
    // 10:15'টায়: the time already ends in টা
    let overlap = |words: &str| {
        let ends = item.text.char_indices().map(|(place, c)| place + c.len_utf8());
        ends.filter(|&end| words.ends_with(&item.text[..end])).max()
    };
    let apostrophe = hyphen && matches!(scan.sign(next - 1), Some('\'' | '’'));
    if let Some(end) = overlap(&reading.words).filter(|_| apostrophe) {
        let words = format!("{}{}", reading.words, &item.text[end..]);
        return Reading { words, items: next + 1 - at, ..reading };
    }
    let begins_with_vowel = item.text.chars().next().is_some_and(is_mark);
    let drop: &[String] = if begins_with_vowel { &scan.data.number.endings.drop } else { &[] };
    let words = number::with_ending(&scan.data.number, &reading.words, &item.text, drop);
    Reading { words, items: next + 1 - at, ..reading }
}

/// Returns whether the word is an ending that may be separated from its number because it is not a word itself: `3
/// ಕ್ಕೆ`, `24 ന്`.
fn is_ending_apart(scan: &Scan<'_>, at: usize) -> bool {
    let joints = &scan.data.number.endings.joints;
    scan.word(at).is_some_and(|word| joints.iter().any(|(_, start, _)| start == word))
}

/// Returns whether the text is a word that may follow a number without a space and is not an ending: `5लाख`, `10बजे`.
fn is_whole_word(scan: &Scan<'_>, word: &str) -> bool {
    let data = scan.data;
    // the টা of দশটা is part of the hour
    let joins_hour = data.time.oclock.split_once("{hour}").is_some_and(|(_, suffix)| {
        !suffix.is_empty() && !suffix.starts_with(' ') && word.starts_with(suffix)
    });
    data.number.multipliers.contains_key(word)
        || data.units.words.contains_key(word)
        || !joins_hour && data.time.oclock_words.iter().any(|known| known == word)
        || word.chars().count() > 6
}
