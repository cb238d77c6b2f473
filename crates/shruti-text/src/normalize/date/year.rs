//! Standalone years, ranges of years, and decades.

use shruti_lang::Language;

use super::reign;
use crate::data::keywords::Kinds;
use crate::data::{self, Data};
use crate::normalize::number::{self, System};
use crate::normalize::number::{ordinal, span};
use crate::normalize::quantity::currency;
use crate::normalize::quantity::measure;
use crate::normalize::scan::calendar::{self, is_year, value};
use crate::normalize::scan::{Reading, Scan};
use crate::script::Script;

/// Maximum number of items of the abbreviation of an era: `ਈ.ਪੂ.`, `వి.క్రీ.పూ.`
const MAX_ABBREVIATION: usize = 6;
/// Range of years that may end a file number.
const FILE_YEARS: std::ops::Range<u32> = 1950..2100;

/// Reads a standalone year, a range of years or a decade.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let digits = scan.number(at)?;
    // an ordinal before a word that is counted with ordinals is not a plain year: 2024-ம் ஆண்டு
    if !scan.data.ordinal.doubtful.is_empty() && ordinal::read(scan, at).is_some_and(|rank| rank.items > 2) {
        return None;
    }
    let after_apostrophe = at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some('\'' | '’' | '‘'));
    let decade = |place: usize| scan.joined(place) && scan.latin(place) == Some("s");
    // an apostrophe may precede the s of a decade: the 1970's
    let apostrophe = usize::from(matches!(scan.sign(at + 1), Some('\'' | '’')) && scan.joined(at + 1));
    let named = scan.word(at + 2).is_some_and(|word| scan.data.date.decade_followers.contains(word));
    let short = named && digits.len() == 2 && digits.ends_with('0') && value(digits) >= 40;
    let led = digits.len() == 2 && digits.ends_with('0') && follows_decade_leader(scan, at);
    if (short || led || is_decade(scan, digits)) && decade(at + 1 + apostrophe) {
        let mut items = 2 + apostrophe;
        // in languages other than English, a decade followed by a Latin-script word is read in English: 90s kids
        if !scan.has_case()
            && scan.spaced(at + items)
            && scan.latin(at + items).is_some_and(|word| word.len() > 2)
        {
            let words = decade_words(data::of(Language::English), digits);
            return Some(Reading { language: Some(Language::English), ..Reading::new(words, items) });
        }
        let mut words = decade_words(scan.data, digits);
        if let Some(second) = joined_after_dash(scan, at + items)
            .filter(|second| is_decade(scan, second) && decade(at + items + 2))
        {
            words = span::between(scan, &words, &decade_words(scan.data, second));
            items += 3;
        }
        return Some(Reading::new(words, items));
    }
    if digits.len() == 4 && !digits.starts_with('0') && is_in_era(scan, at) {
        return Some(Reading::new(number::year(scan.data, digits), 1));
    }
    if let Some(reign) = reign::read(scan, at, digits) {
        return Some(reign);
    }
    if after_apostrophe || !is_year(digits) || (at > 0 && scan.joined(at) && scan.is_word(at - 1)) {
        return None;
    }
    if let Some(second) = joined_after_dash(scan, at + 1) {
        let later = is_year(second) && value(second) > value(digits);
        let short = second.len() == 2 && value(second) > value(&digits[2..]);
        let plausible = (1500..2100).contains(&value(digits));
        if plausible && (later || short) && scan.sign(at + 3) != Some('-') {
            let from = number::year(scan.data, digits);
            let to = if later {
                number::year(scan.data, second)
            } else {
                number::plain_cardinal(&scan.data.number, second, System::Indian)
            };
            // consecutive years are a financial or school year, which is read without a range word: वित्त वर्ष 2023-24
            let is_next = short && value(second) == value(&digits[2..]) + 1;
            let words = if is_next && scan.script() != Script::Latin {
                format!("{from} {to}")
            } else {
                span::between(scan, &from, &to)
            };
            return Some(Reading::new(words, 3));
        }
    }
    is_plain_year(scan, at, digits).then(|| Reading::new(number::year(scan.data, digits), 1))
}

/// Returns whether two digits are the last digits of the year after `year`: 2025-26.
pub(crate) fn is_followed_by(year: &str, next: &str) -> bool {
    is_year(year) && next.len() == 2 && value(next) == value(&year[2..]) + 1
}

pub(super) fn joined_after_dash<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let joined = matches!(scan.sign(at), Some('-' | '–' | '—')) && scan.joined(at) && scan.joined(at + 1);
    if joined { scan.number(at + 1) } else { None }
}

/// Returns whether a word before the number at `at` indicates that the number is a decade: in the 30s, mid-30s.
fn follows_decade_leader(scan: &Scan<'_>, at: usize) -> bool {
    let hyphen = usize::from(at > 1 && scan.is_sign(at - 1, '-') && scan.joined(at));
    at > hyphen && scan.is_one_of(&scan.data.date.decade_leaders, at - 1 - hyphen)
}

/// Returns whether digits before an s are a decade. A smaller two-digit number may count seconds: 30s.
fn is_decade(scan: &Scan<'_>, digits: &str) -> bool {
    let short = digits.len() == 2 && value(digits) >= scan.data.date.decades_from;
    digits.ends_with('0') && (is_year(digits) || short)
}

/// Returns the words for `1990s` or `90s`: nineteen nineties, उन्नीस सौ नब्बे के दशक.
fn decade_words(data: &Data, digits: &str) -> String {
    let year = if digits.len() == 4 {
        number::year(data, digits)
    } else {
        number::plain_cardinal(&data.number, digits, System::Indian)
    };
    if let Some(pattern) = &data.date.decade {
        return number::fill(&data.number, pattern, "{year}", &year);
    }
    let Some((head, last)) = year.rsplit_once(' ').or(Some(("", year.as_str()))) else { return year };
    let plural = data.date.decade_last_word.get(last).cloned().unwrap_or_else(|| format!("{last}s"));
    format!("{head} {plural}").trim().to_owned()
}

/// Returns whether four digits without a month or a dash are read like a year. The nearby words or the value of the
/// digits must indicate this, or the digits must be a time of day (1730 hours) or the end of a file number.
fn is_plain_year(scan: &Scan<'_>, at: usize, digits: &str) -> bool {
    if is_time(scan, at, digits) {
        return true;
    }
    if ends_file_number(scan, at) {
        return true;
    }
    if is_part_of_number(scan, at) || is_measured(scan, at) {
        return false;
    }
    let size = value(digits);
    let ended = scan.joined(at + 1)
        && scan.word(at + 1).is_some_and(|word| scan.data.date.year_endings.contains(word));
    if ended && (1100..2100).contains(&size) {
        return true;
    }
    let lone = scan.words == 0 && scan.numbers == 1;
    let latest = if scan.data.date.year_pairs { 1999 } else { 1099 };
    if lone {
        return (1100..=latest).contains(&size);
    }
    let statute = at == 0 && scan.sentence_context.ends_in_statute;
    if statute || at > 0 && is_named(scan, at - 1) || is_named(scan, at + 1) || is_named_before(scan, at) {
        return true;
    }
    let led_by_number = at > 0 && scan.number(at - 1).is_some() && scan.spaced(at - 1);
    if scan.number(at + 1).is_some() || led_by_number {
        return false;
    }
    let before_function_word =
        scan.spaced(at + 1) && scan.word(at + 1).is_some_and(|word| scan.is_function(word));
    let in_hundreds = is_in_hundreds(scan, at + 1, size);
    let earliest = if scan.data.date.year_pairs || before_function_word || in_hundreds { 1100 } else { 1700 };
    (earliest..2100).contains(&size) && (in_hundreds || !is_count(scan, at + 1, size))
}

/// Returns whether a function word or an ending at `at` indicates that the preceding number is a point in time.
pub(crate) fn is_before_function_word(scan: &Scan<'_>, at: usize) -> bool {
    let Some(word) = scan.word(at) else { return false };
    if scan.spaced(at) {
        scan.is_function(word) && !scan.names(at).has(Kinds::LINK)
    } else {
        !word.is_ascii()
    }
}

/// Returns whether a year, or a date with the name of its month, starts at `at`: d. 1707, b. 14 Nov 1889.
pub(crate) fn begins(scan: &Scan<'_>, at: usize) -> bool {
    let Some(digits) = scan.number(at) else { return false };
    let goes_on = scan.joined(at + 1)
        && (scan.is_word(at + 1)
            || matches!(scan.sign(at + 1), Some('.' | ',' | '/'))
                && scan.joined(at + 2)
                && scan.number(at + 2).is_some());
    let alone = digits.len() == 4 && (1000..2100).contains(&value(digits)) && !goes_on;
    let suffix =
        usize::from(scan.joined(at + 1) && ordinal::is_suffix(scan, scan.word(at + 1).unwrap_or_default()));
    let month = scan.word(at + 1 + suffix);
    // a number of up to four digits before an era is a year: c. 300 BCE
    let era = || scan.word(at + 1).is_some_and(|word| scan.data.date.eras.iter().any(|era| era == word));
    alone
        || digits.len() <= 4 && !goes_on && era()
        || digits.len() <= 2
            && month.is_some_and(|month| calendar::named_month(scan.language, month).is_some())
}

/// Returns whether an era, spelled out or abbreviated, is next to the number at `at`. Four digits such as 3400 are then
/// a year.
pub(crate) fn is_in_era(scan: &Scan<'_>, at: usize) -> bool {
    let is_era = |word: &str| scan.data.date.eras.iter().any(|era| era == word);
    let abbreviated = abbreviated(scan, at + 1).is_some_and(|(words, _)| words.split(' ').any(is_era));
    let near = at.saturating_sub(2)..=at + 1;
    abbreviated || near.into_iter().filter_map(|place| scan.word(place)).any(is_era)
}

/// Returns whether the word or abbreviation at `at` indicates that a number next to it is a year.
pub(crate) fn is_named(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.date.is_year_word(word)) || abbreviated(scan, at).is_some()
}

/// Returns whether an abbreviation that ends before `at` indicates that the following number is a year: ई. 1191, इ.स.
/// 1277.
fn is_named_before(scan: &Scan<'_>, at: usize) -> bool {
    (at.saturating_sub(MAX_ABBREVIATION)..at).any(|start| {
        scan.spaced(start) && abbreviated(scan, start).is_some_and(|(_, items)| start + items == at)
    })
}

/// Returns the words of the abbreviation of a year or an era at `at`, and its number of items.
fn abbreviated<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    scan.abbreviated(&scan.data.year_abbreviations, at, MAX_ABBREVIATION)
}

/// Returns whether the number before the noun at `at` is read in hundreds, because the language reads years that way:
/// 1983 विश्व कप.
fn is_in_hundreds(scan: &Scan<'_>, at: usize, size: u32) -> bool {
    scan.data.date.year_hundreds
        && (1100..2000).contains(&size)
        && !scan.names_address
        && !size.is_multiple_of(100)
        && scan.spaced(at)
        && scan.is_word(at)
        && !currency::is_named(scan, at)
}

/// Returns whether the preceding four digits count the word at `at`.
fn is_count(scan: &Scan<'_>, at: usize, size: u32) -> bool {
    let Some(word) = scan.word(at).filter(|_| scan.spaced(at)) else { return false };
    if calendar::named_month(scan.language, word).is_some() {
        return false;
    }
    if !scan.data.date.year_pairs {
        return !scan.is_function(word);
    }
    // a plural noun is counted unless the year is recent: 1550 people, but not the 2019 elections
    let plural = word.ends_with('s') && !word.ends_with("ss") && word.chars().all(|c| c.is_ascii_lowercase());
    let recent = (1900..2050).contains(&size);
    !recent && (plural || scan.data.date.counted_words.contains(word))
}

/// Returns whether the digits are a time of day, which is read like a year: 1730 hours.
fn is_time(scan: &Scan<'_>, at: usize, digits: &str) -> bool {
    let hours = scan.spaced(at + 1) && matches!(scan.latin(at + 1), Some("hours" | "hrs"));
    hours && scan.data.date.year_pairs && value(digits) < 2400 && value(&digits[2..]) < 60
}

/// Returns whether a unit follows the number at `at`: 1200 sq ft.
fn is_measured(scan: &Scan<'_>, at: usize) -> bool {
    measure::read(scan, at).is_some()
}

/// Returns whether four digits are the year at the end of a file number with letters: 27/Estt./2025, 1123/A3/2025.
fn ends_file_number(scan: &Scan<'_>, at: usize) -> bool {
    let slash = at > 1 && scan.is_sign(at - 1, '/') && scan.joined(at - 1) && scan.joined(at);
    let ends = scan.spaced(at + 1)
        || matches!(scan.sign(at + 1), Some(',' | '.' | ';' | ')' | '-' | '–' | '(' | ':'));
    if !slash || !ends || !FILE_YEARS.contains(&scan.number(at).map_or(0, value)) {
        return false;
    }
    let token = (0..at).rev().find(|&place| scan.spaced(place)).unwrap_or(0);
    (token..at).any(|place| scan.is_word(place)) && (token..at - 1).any(|place| scan.is_sign(place, '/'))
}

/// Returns whether the context of four digits rules out a year.
fn is_part_of_number(scan: &Scan<'_>, at: usize) -> bool {
    let sign = |place: usize, signs: &[char]| scan.sign(place).is_some_and(|c| signs.contains(&c));
    let joins = ['.', ',', ':', '/', '-', '–', '×', '*', '+', '=', '%', '°'];
    // a hyphen may join an ending to a year: ১৯৪৭-এ
    let ending = matches!(scan.sign(at + 1), Some('-' | '–'))
        && scan.word(at + 2).is_some_and(|word| !word.is_ascii() && word.chars().count() <= 4);
    let joined = scan.joined(at + 1) && scan.joined(at + 2) && at + 2 < scan.items.len();
    let continued = joined && sign(at + 1, &joins) && !ending;
    let reckoned = sign(at + 1, &['%', '°', '+', '×', '=', '*', '/', '₹', '$']);
    // a joined word rules out a year unless it is a case ending of the language: 1947માં
    let suffixed = scan.joined(at + 1)
        && scan.word(at + 1).is_some_and(|word| {
            word.is_ascii()
                || ordinal::is_suffix(scan, word)
                || scan.data.units.words.contains_key(word)
                || scan.data.number.multipliers.contains_key(word)
        });
    let led = at > 0
        && (sign(at - 1, &['#', '+', '-', '−', '×', '=', '*', '/', '₹', '$', '€', '£'])
            || (scan.joined(at) && sign(at - 1, &['.', ',', ':'])));
    continued || reckoned || suffixed || led
}
