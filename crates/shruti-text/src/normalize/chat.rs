//! English chat abbreviations in a text of any language: `plz`, `gr8`, `2moro`, `u r`, `sooo`.

use std::borrow::Cow;
use std::ops::Range;

use shruti_lang::Language;

use crate::chars::is_punctuation;
use crate::class::Class;
use crate::data::{self, is_in};
use crate::english;
use crate::latin;
use crate::normalize::scan::{Reading, Scan};

/// Maximum number of items of an abbreviation: `l8r` has three.
const MAX_ITEMS: usize = 3;
/// Maximum length of a token that is examined, in bytes, including repeated letters.
const LONGEST: usize = 32;
/// Maximum length of a token that may be a Roman numeral because it has no lower-case letters: `III`.
const LONGEST_NUMBER: usize = 4;
/// Number of items before and after a word that are examined to determine whether the context is English.
const AROUND: usize = 4;

/// Reads a chat abbreviation, or a word with repeated letters, at `at`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let is_part = |at: usize| scan.latin(at).is_some() || scan.number(at).is_some();
    if !is_part(at) || !begins(scan, at) {
        return None;
    }
    // one item more than the longest form is enough to reject the token
    let goes_on = |&next: &usize| !scan.spaced(next) && is_part(next);
    let place = at..at + 1 + (at + 1..scan.items.len()).take(MAX_ITEMS).take_while(goes_on).count();
    let end = place.end;
    let written = scan.raw(at, end);
    let words = place.clone().filter(|&at| scan.latin(at).is_some()).count();
    if words == 0
        || place.len() > MAX_ITEMS
        || written.len() > LONGEST
        || !written.is_ascii()
        || !ends(scan, end)
    {
        return None;
    }
    let form = if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(written.to_ascii_lowercase())
    } else {
        Cow::Borrowed(written)
    };
    let english = |said: &str| Reading {
        language: Some(Language::English),
        ..Reading::new(said, place.len()).of(Class::Abbreviation)
    };
    if let Some(said) = stands_for(scan, &form, &place) {
        return Some(english(said));
    }
    // a short word without lower-case letters may be a numeral: III
    let is_number = written.len() <= LONGEST_NUMBER && !written.bytes().any(|byte| byte.is_ascii_lowercase());
    if is_number || !is_drawn_out(&form) {
        return None;
    }
    stands_for(scan, &at_most(&form, 1), &place).map(english).or_else(|| {
        let words = [2, 1].map(|most| at_most(&form, most));
        let word = words.into_iter().find(|word| place.len() == 1 && english::is_frequent(word))?;
        Some(Reading::new(word, 1))
    })
}

/// Returns the name of the table in `data/en/normalize.toml` that contains an abbreviation whose reading starts with
/// the word `first`.
pub(crate) fn english_table(written: &str, first: &str) -> &'static str {
    let data = data::of(Language::English);
    let form = written.to_ascii_lowercase();
    let starts = |reading: &str| reading.split(' ').next() == Some(first);
    let of_topic =
        |topic: &data::Topic| topic.abbreviations.get(&form).is_some_and(|reading| starts(reading));
    if !data.abbreviation(written).is_some_and(starts) && data.topics.iter().any(of_topic) {
        return "[topics]";
    }
    let drawn = at_most(&form, 1);
    match [form.as_str(), drawn.as_str()] {
        forms if forms.iter().any(|form| data.chat.contains_key(*form)) => "chat",
        forms if forms.iter().any(|form| data.chat_in_english.contains_key(*form)) => "chat_in_english",
        _ => "abbreviations",
    }
}

/// Returns the expansion of the chat abbreviation `form` in the item range `place`. Returns `None` if the context
/// indicates a letter or a code.
fn stands_for(scan: &Scan<'_>, form: &str, place: &Range<usize>) -> Option<&'static str> {
    let data = data::of(Language::English);
    let in_english = || data.chat_in_english.get(form).filter(|_| is_among_english(scan, place));
    let spoken = data.chat.get(form).or_else(in_english)?;
    // a capital after the first character indicates an initialism or a name
    let rest = scan.raw(place.start, place.end).get(1..)?;
    // a letter in parentheses is a label: the captain (c)
    let enclosed = place.start > 0 && scan.is_sign(place.start - 1, '(') && scan.is_sign(place.end, ')');
    // b and c before a name stand for the bowler and the catcher of a dismissal: c Gill b Varun
    let in_score = matches!(form, "b" | "c")
        && scan.latin(place.end).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    // a letter before a bracket labels a list item: b) Define GDP
    let is_label = form.len() == 1 && scan.is_sign(place.end, ')') && scan.joined(place.end);
    // a letter after a number is a unit: 1 c. rice
    let counted =
        matches!(form, "b" | "c" | "y") && place.start > 0 && scan.number(place.start - 1).is_some();
    let is_code = enclosed && form.len() < 3
        || counted
        || is_label
        || in_score
        || rest.bytes().any(|byte| byte.is_ascii_uppercase())
        || form.len() < 3 && scan.raw(place.start, place.end) != form && !begins_sentence(scan, place)
        || form.len() < 3 && (follows_label(scan, place.start) || names_a_quantity(scan, place.end));
    (!is_code).then_some(spoken)
}

/// Returns whether a form of two letters with an initial capital starts an English sentence, before a word in lower
/// case: Ur order is ready.
fn begins_sentence(scan: &Scan<'_>, place: &Range<usize>) -> bool {
    let small = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    place.start == 0
        && scan.language == Language::English
        && scan.raw(place.start, place.end).len() == 2
        && scan.sentence_before().is_empty()
        && scan.latin(place.end).is_some_and(|word| small(word) && english::is_frequent(word))
}

/// Returns whether the word before `at` is typically followed by a letter or a code: `vitamin c`, `room b4`.
pub(crate) fn follows_label(scan: &Scan<'_>, at: usize) -> bool {
    let context = &data::of(Language::English).context;
    let lists = [&context.before_letters, &context.roman, &context.address];
    let before = at.checked_sub(1).and_then(|before| scan.latin(before));
    before.is_some_and(|word| lists.into_iter().any(|list| is_in(list, word)))
}

/// Returns whether the word at `at` assigns a value to the letter before it: `let n be`.
fn names_a_quantity(scan: &Scan<'_>, at: usize) -> bool {
    let after = &data::of(Language::English).context.after_letters;
    scan.latin(at).is_some_and(|word| is_in(after, word))
}

/// Returns whether the words around `place` are English and the form at `place` is not a single letter that is used as
/// a symbol, as in `a, b and c` and `a ≠ b`.
fn is_among_english(scan: &Scan<'_>, place: &Range<usize>) -> bool {
    let is_lone = scan.raw(place.start, place.end).len() == 1;
    let data = data::of(Language::English);
    let is_letter =
        |word: &str| word.len() == 1 && !matches!(word, "i" | "I" | "a" | "A" | "u" | "U" | "r" | "d");
    let is_you = |at: usize| scan.spaced(at) && scan.latin(at) == Some("u");
    // an abbreviation next to "u" (you) is not a symbol: c u
    let next_to_you = |at: usize| {
        let short = scan.latin(at).is_some_and(|word| data.chat_in_english.contains_key(word));
        short && scan.spaced(at) && (is_you(at + 1) || at.checked_sub(1).is_some_and(is_you))
    };
    let in_formula = |at: usize| scan.sign(at).is_some_and(|c| !is_punctuation(c) || "=+-/&%".contains(c));
    if is_lone && (in_formula(place.end) || place.start.checked_sub(1).is_some_and(in_formula)) {
        return false;
    }
    let around = place.start.saturating_sub(AROUND)..(place.end + AROUND).min(scan.items.len());
    let is_part = |at: usize| {
        at > 0 && scan.joined(at) && scan.number(at - 1).is_some()
            || scan.joined(at + 1) && scan.number(at + 1).is_some()
    };
    let latin_words = around.filter(|&at| !place.contains(&at) && !is_part(at));
    let latin_words: Vec<usize> = latin_words.filter(|&at| scan.latin(at).is_some()).collect();
    let words: Vec<&str> = latin_words.iter().filter_map(|&at| scan.latin(at)).collect();
    let has_letter = latin_words.iter().any(|&at| scan.latin(at).is_some_and(is_letter) && !next_to_you(at));
    if words.is_empty() {
        return !is_lone && scan.language == Language::English;
    }
    let is_short = |word: &str| {
        let form = word.to_ascii_lowercase();
        word.len() > 1 && (data.chat.contains_key(&form) || data.chat_in_english.contains_key(&form))
    };
    let known = words.iter().filter(|word| english::is_word(word) || is_short(word)).count();
    let whole: Vec<&str> = words.iter().copied().filter(|word| !is_short(word)).collect();
    known * 2 >= words.len()
        && !has_letter
        && latin::identify(&whole, Language::English).iter().all(|&language| language == Language::English)
}

/// Returns whether a token starts at `at`.
fn begins(scan: &Scan<'_>, at: usize) -> bool {
    let opens = |c| matches!(c, '(' | '"' | '“' | '\'' | '‘' | ',' | '!' | '?' | '…');
    at == 0 || scan.spaced(at) || scan.sign(at - 1).is_some_and(opens)
}

/// Returns whether a token ends before `at`.
fn ends(scan: &Scan<'_>, at: usize) -> bool {
    let closes = |c| match c {
        ',' | '!' | '?' | ')' | '"' | '”' | ';' | '…' => true,
        '.' | ':' | '\'' | '’' => {
            !(scan.joined(at + 1) && (scan.word(at + 1).is_some() || scan.number(at + 1).is_some()))
        }
        _ => false,
    };
    scan.spaced(at) || scan.sign(at).is_some_and(closes)
}

/// Returns whether a letter occurs three times in a row.
fn is_drawn_out(form: &str) -> bool {
    form.as_bytes().windows(3).any(|three| three[0].is_ascii_alphabetic() && three == [three[0]; 3])
}

/// Shortens each run of the same character to at most `most` occurrences.
fn at_most(form: &str, most: usize) -> String {
    let mut letters = String::with_capacity(form.len());
    let mut times = 0;
    for c in form.chars() {
        times = if letters.ends_with(c) { times + 1 } else { 1 };
        if times <= most {
            letters.push(c);
        }
    }
    letters
}
