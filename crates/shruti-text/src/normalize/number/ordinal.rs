//! Ordinals: `5वीं`, `2nd`, `৩য়`, `10ஆம்`.

use shruti_lang::Language;

use super::numeral::Numeral;
use crate::data::{self, Data, OrdinalForm};
use crate::normalize::number;
use crate::normalize::scan::{Reading, Scan};

/// Minimum number of digits of a year.
const SHORTEST_YEAR: usize = 4;

/// Returns whether a word is a suffix that turns the preceding number into an ordinal.
pub(crate) fn is_suffix(scan: &Scan<'_>, word: &str) -> bool {
    form(scan, word).is_some()
}

fn form<'a>(scan: &'a Scan<'_>, word: &str) -> Option<&'a OrdinalForm> {
    let matches =
        |written: &String| written == word || (word.is_ascii() && written.eq_ignore_ascii_case(word));
    scan.data.ordinal.forms.iter().find(|form| form.written.iter().any(matches))
}

/// Splits an ordinal suffix with a case ending into the suffix and the ending, if the ordinal takes that ending: the ची
/// of ७ वीची. Returns other words unchanged, with an empty ending.
fn without_ending<'a>(scan: &Scan<'_>, word: &'a str) -> (&'a str, &'a str) {
    let split = |form: &OrdinalForm| {
        let ends = form
            .written
            .iter()
            .filter_map(|suffix| Some((suffix.len(), word.strip_prefix(suffix.as_str())?)));
        ends.filter(|(_, ending)| form.endings.iter().any(|known| known == ending))
            .map(|(length, _)| word.split_at(length))
            .next()
    };
    scan.data.ordinal.forms.iter().find_map(split).unwrap_or((word, ""))
}

/// Reads a number with an ordinal suffix.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let numeral = Numeral::read(scan, at).filter(|numeral| numeral.decimals.is_none())?;
    let mut after = at + numeral.items;
    let hyphen = scan.is_sign(after, '-') && scan.joined(after) && scan.joined(after + 1);
    after += usize::from(hyphen);
    let (word, case_ending) = without_ending(scan, scan.word(after)?);
    if scan.spaced(after) && !scan.data.ordinal.apart.iter().any(|suffix| suffix == word) {
        return None;
    }
    // the ordinal may be possessive: April 29th's
    let possessive = word.strip_suffix("'s").filter(|suffix| form(scan, suffix).is_some());
    let suffix = possessive.unwrap_or(word);
    // the મી. of 100મી. દોડ is a unit with its dot
    let is_unit =
        || scan.is_sign(after + 1, '.') && scan.data.units.words.contains_key(scan.raw(after, after + 2));
    if scan.joined(after + 1) && scan.spaced(after + 2) && after + 2 < scan.items.len() && is_unit() {
        return None;
    }
    // a suffix may also start a dotted unit: 500 મી.લી.
    let is_dotted_unit = |items: usize| scan.data.units.words.contains_key(scan.raw(after, after + items));
    if scan.is_sign(after + 1, '.') && (is_dotted_unit(3) || is_dotted_unit(4)) {
        return None;
    }
    // 4થી is the fourth, but 10થી means "from ten"
    let form = form(scan, suffix).filter(|form| form.allows(suffix, &numeral.whole))?;
    // 2024-ம் means "2024, too" unless a word that is counted with ordinals follows. After a shorter number, any
    // content word is sufficient: 2-ம் பரிசு is the second prize
    let doubtful = hyphen && scan.data.ordinal.doubtful.iter().any(|doubtful| doubtful == suffix);
    let is_rank = |word: &str| {
        numeral.whole.len() < SHORTEST_YEAR && !scan.is_function(word)
            || scan.data.ordinal.ranked.iter().any(|stem| word.starts_with(stem.as_str()))
    };
    if doubtful && !scan.word(after + 1).is_some_and(is_rank) {
        return None;
    }
    // before an English word, the ordinal is English: 2nd half, 1st class
    let borrowed = suffix.is_ascii()
        && !scan.has_case()
        && scan.spaced(after + 1)
        && scan.latin(after + 1).is_some_and(|word| word.len() > 1);
    if borrowed && let Some(english) = english(&numeral.whole) {
        let english = Reading { language: Some(Language::English), ..Reading::new(english, after + 1 - at) };
        return Some(english);
    }
    let cardinal = numeral.words(scan);
    let words = say(scan.data, form, &numeral.whole, &cardinal, suffix);
    let ending = if possessive.is_some() { "'s" } else { case_ending };
    Some(Reading::new(format!("{words}{ending}"), after + 1 - at))
}

/// Returns the English ordinal of a number, passed as ASCII digits.
fn english(digits: &str) -> Option<String> {
    let data = data::of(Language::English);
    let cardinal = number::plain_cardinal(&data.number, digits, number::System::Indian);
    let form = data.ordinal.forms.first()?;
    Some(say(data, form, digits.trim_start_matches('0'), &cardinal, ""))
}

/// Returns the ordinal of a number with the ordinal suffix at `at`, if no space precedes the suffix: the ம் of IV-ம்.
pub(crate) fn with_suffix(scan: &Scan<'_>, digits: &str, at: usize) -> Option<String> {
    let suffix = scan.word(at).filter(|_| scan.joined(at))?;
    let form = form(scan, suffix).filter(|form| form.allows(suffix, digits))?;
    let cardinal = number::plain_cardinal(&scan.data.number, digits, number::System::Indian);
    Some(say(scan.data, form, digits, &cardinal, suffix))
}

/// Returns the plain ordinal of a number, passed as ASCII digits.
pub(crate) fn plain(scan: &Scan<'_>, digits: &str) -> String {
    let cardinal = number::plain_cardinal(&scan.data.number, digits, number::System::Indian);
    match scan.data.ordinal.forms.first() {
        Some(form) => say(scan.data, form, digits.trim_start_matches('0'), &cardinal, ""),
        None => cardinal,
    }
}

fn say(data: &Data, form: &OrdinalForm, digits: &str, cardinal: &str, written: &str) -> String {
    let place = digits.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    if let Some(word) = place.and_then(|place| form.words.get(place)).filter(|word| !word.is_empty()) {
        return word.clone();
    }
    if let Some(word) = form.exact.get(digits) {
        return word.clone();
    }
    let (head, last) = cardinal.rsplit_once(' ').map_or(("", cardinal), |(head, last)| (head, last));
    if let Some(ordinal) = form.last_word.get(last) {
        return if head.is_empty() { ordinal.clone() } else { format!("{head} {ordinal}") };
    }
    let Some(suffix) = &form.suffix else { return number::attach(cardinal, written, &form.drop) };
    let with_stem =
        |(alone, stem): &(String, String)| Some(format!("{}{stem}", cardinal.strip_suffix(alone.as_str())?));
    let stem = data.ordinal.stems.iter().find_map(with_stem);
    number::attach(stem.as_deref().unwrap_or(cardinal), suffix, &form.drop)
}
