//! Tokens with an irregular reading: `5G`, `24/7`, `CO2`, `T20`, and forms with letter names instead of Latin letters:
//! `5जी`. Other tokens that consist of letter names and numbers are read part by part: `एच3एन2`.

use crate::data::letter_key;
use crate::item::{Item, Kind};
use crate::normalize::number::ordinal;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::units;
use crate::normalize::scan::{Reading, Scan};
use crate::script::Script;

/// Maximum number of items of a token.
const MAX_ITEMS: usize = 5;

/// Reads the token at `at` if the language lists it or if it consists of letter names and numbers.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // only "plus" and a number may have a space between them, and no listed token consists of a single item
    if scan.spaced(at + 1) {
        return class_apart(scan, at);
    }
    let tokens = &scan.data.tokens;
    let begins =
        at == 0 || scan.spaced(at) || scan.sign(at - 1).is_some_and(|c| matches!(c, '(' | '"' | '“' | '\''));
    // ૨જી means "second", not the network
    let ordinal = || ordinal::read(scan, at).is_some_and(|ordinal| ordinal.items > 1);
    if tokens.is_empty() || !begins || ordinal() {
        return None;
    }
    if scan.is_sign(at, '+') && !is_class(scan, at) {
        return None;
    }
    let end = scan.token_end(at).min(at + MAX_ITEMS);
    let listed = (at + 2..=end).rev().find_map(|end| {
        let written: String = scan.items[at..end].iter().map(|item| key(scan, item)).collect();
        let words = tokens.get(&written)?;
        ends(scan, end).then(|| Reading::new(words.clone(), end - at))
    });
    listed.or_else(|| of_letter_names(scan, at))
}

/// Returns whether a plus and a number are a school class (+2 தேர்வு), as opposed to a measure, a sum or the start of a
/// telephone number.
fn is_class(scan: &Scan<'_>, at: usize) -> bool {
    let next = at + 2;
    let degree = scan.data.symbols.get(&'°').is_some_and(|name| scan.word(next) == Some(name));
    let measured = degree || units::at(scan, next).is_some();
    let added = at > 0 && scan.number(at - 1).is_some();
    let followed = scan.is_word(next) || scan.is_sign(next, ',');
    followed && !measured && !added
}

/// Reads a school class whose plus is written as a word, with a space before the number: பிளஸ் 2 தேர்வு. The tokens of
/// the language must contain the form with the word and the form with the sign, with the same reading.
fn class_apart(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let digits = scan.number(at + 1)?;
    let plus = scan.item(at).filter(|item| matches!(item.kind, Kind::Word(_)))?;
    let words = scan.data.tokens.get(&format!("{}{digits}", key(scan, plus)))?;
    let class = scan.data.tokens.get(&format!("+{digits}")) == Some(words) && is_class(scan, at);
    // ஐந்து பிளஸ் 2 is a sum, and ஏ பிளஸ் 2 is a grade and a number
    let operand = |word: &str| {
        scan.data.number.words.iter().any(|number| number == word)
            || scan.data.latin.keys.contains(&letter_key(word))
    };
    let added = at > 0 && scan.word(at - 1).is_some_and(operand);
    (class && !added).then(|| Reading::new(words.clone(), 2))
}

/// Returns the lookup key of an item: letters in lower case, and letter names in a form that all their spellings share.
fn key(scan: &Scan<'_>, item: &Item<'_>) -> String {
    match item.kind {
        Kind::Word(Some(script)) if script != Script::Latin && script == scan.script() => {
            letter_key(&item.text)
        }
        _ => item.text.to_lowercase(),
    }
}

/// Reads alternating letter names and numbers without spaces: `एच3एन2`.
fn of_letter_names(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let is_name = |word: &str| !word.is_ascii() && scan.data.latin.keys.contains(&letter_key(word));
    scan.number(at + 1).filter(|_| scan.joined(at + 1) && scan.word(at).is_some_and(is_name))?;
    let mut spoken: Vec<String> = Vec::new();
    let mut end = at;
    while end < scan.items.len() && (end == at || scan.joined(end)) {
        if let Some(name) = scan.word(end).filter(|word| is_name(word)) {
            spoken.push(name.to_owned());
        } else if let Some(digits) = scan.number(end).filter(|digits| digits.len() <= 3) {
            spoken.push(number::cardinal(&scan.data.number, digits, System::Indian));
        } else {
            break;
        }
        end += 1;
    }
    let is_complete = ends(scan, end) && !scan.is_word(end) || scan.spaced(end);
    (is_complete && end > at + 1).then(|| Reading::new(spoken.join(" "), end - at))
}

/// Returns whether a token may end before `at`, because a space or an item that cannot continue the token follows.
fn ends(scan: &Scan<'_>, at: usize) -> bool {
    let number_follows = scan.sign(at).is_some() && scan.joined(at + 1) && scan.number(at + 1).is_some();
    scan.spaced(at) || !(scan.latin(at).is_some() || scan.number(at).is_some() || number_follows)
}
