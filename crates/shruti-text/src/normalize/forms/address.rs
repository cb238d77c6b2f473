//! House, plot and floor numbers, and postal codes.

use crate::chars::lowercase;
use crate::data::keywords::Kinds;
use crate::item::Kind;
use crate::normalize::date;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System, fraction, ordinal, span};
use crate::normalize::quantity::{self, equation, multiplier};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending::{self, is_vowel_letter};
use crate::normalize::spelling::{self, initials};

/// Number of items before and after a number that are searched for an address word.
const NEAR: usize = 8;

/// Maximum number of digits of a part of a house number with slashes.
const LONGEST_PART: usize = 4;

/// Maximum number of items of an abbreviation such as उ.प्र. before its last dot.
const LONGEST_ABBREVIATION: usize = 3;

/// Reads the number of a house or plot, or a postal code, in a segment that contains an address.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let number = scan.number(at)?;
    // a house number has no thousands separator and no decimals: मकान किराया 12,500
    if Numeral::read(scan, at).is_some_and(|numeral| numeral.grouped || numeral.decimals.is_some()) {
        return None;
    }
    // a mixed fraction is an amount: மனை: 5½ சென்ட்
    if fraction::is_mixed(scan, at) {
        return None;
    }
    let suffixed = scan.joined(at + 1) && scan.is_word(at + 1);
    let hyphened = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.is_word(at + 2);
    // an ordinal counts a following noun (पेठ मतदारसंघात २० व्या फेरीत), and a product is the size of a plot (30 x 40)
    let product = equation::is_cross(scan, at + 1) && scan.number(at + 2).is_some();
    if suffixed || hyphened || product || ordinal::read(scan, at).is_some() {
        return None;
    }
    if scan.data.context.address.is_empty() {
        return None;
    }
    // six digits next to a place name are a PIN code: 560001 Bengaluru or Bengaluru - 560001
    let dashed = at >= 2 && matches!(scan.sign(at - 1), Some('-' | '–')) && ends_place(scan, at - 1);
    let after_place = ends_place(scan, at) && (scan.words <= 4 || ends_state(scan, at));
    let says_nothing = |place: usize| {
        scan.sign(place).is_some() || scan.word(place).is_some_and(|word| scan.is_function(word))
    };
    let closed = |mut places: std::ops::Range<usize>| places.all(says_nothing);
    let last = if dashed { at + 2 } else { scan.items.len() };
    let postal = number.len() == 6
        && !number.starts_with('0')
        && (dashed || after_place)
        && closed(at + 1..last.min(scan.items.len()));
    if !postal && (!is_near_street(scan, at) || quantity::counts(scan, at)) {
        return None;
    }
    let counted = || is_counted(scan, at) || starts_amount(scan, at) || counts_unit(scan, at);
    let in_range = || starts_range(scan, at) || at >= 2 && starts_range(scan, at - 2);
    if !postal && (counted() || in_range()) {
        return None;
    }
    let spoken = if number.len() <= 2 && has_letter_after(scan, at + 1) {
        number::plain_cardinal(&scan.data.number, number, System::Indian)
    } else {
        house(scan, number)
    };
    let hyphen = matches!(scan.sign(at + 1), Some('-'))
        && at + 2 < scan.items.len()
        && scan.spaced(at + 1) == scan.spaced(at + 2);
    if hyphen {
        return Some(Reading::new(format!("{spoken} {}", scan.data.electronic.hyphen), 2));
    }
    Some(Reading::new(spoken, 1))
}

/// Reads the number of a house with slashes between its parts, which the other readings of a slash do not cover: two or
/// more parts with a letter joined to the last one (৭৫/১এ, ৬৫/১ক), or more than two parts in an address (৮৯/২/১ রাজা সুবোধ
/// মল্লিক রোড).
pub(crate) fn of_parts(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let joins = |place: usize| scan.is_sign(place, '/') && scan.joined(place) && scan.joined(place + 1);
    let part =
        |place: usize| scan.number(place).filter(|part| part.len() <= LONGEST_PART && !part.starts_with('0'));
    let following = at > 0 && scan.joined(at) && scan.sign(at - 1).is_some_and(|sign| sign != '(');
    if !joins(at + 1) || following || scan.data.number.slash_between_words {
        return None;
    }
    let mut parts = vec![part(at)?];
    let mut end = at + 1;
    while let Some(next) = part(end + 1).filter(|_| joins(end)) {
        parts.push(next);
        end += 2;
    }
    let own = scan.word(end).filter(|word| scan.data.number.endings.letters.contains(*word));
    let letter = own.or_else(|| ending::letter_name(scan, end)).filter(|_| scan.joined(end));
    // without an address word, the name of a vowel may be an ending (দলের ৩/৪এ), and the numbers may be grades (कक्षा
    // 11/12ए)
    let placed = at == 0 || scan.sign(at - 1).is_some();
    let vowel = letter.is_some_and(|letter| letter.starts_with(is_vowel_letter));
    let other = vowel && !placed || own.is_none() && are_grades(&parts);
    let closed = || scan.item(end + 1).is_none() || scan.is_sign(end + 1, ',');
    let is_house = match letter {
        Some(_) => parts.len() > 1 && (scan.names_address || !other && closed()),
        None => parts.len() > 2 && scan.names_address && !joins(end),
    };
    let dated = || date::read(scan, at).is_some_and(|date| date.items > 1);
    if !is_house || dated() || scan.mentions(&scan.data.context.score, at..end) {
        return None;
    }
    let number = &scan.data.number;
    let words = parts.iter().map(|part| number::plain_cardinal(number, part, System::Indian));
    let joined =
        words.reduce(|words, part| number::between(number, &scan.data.slash.house, &words, &part))?;
    Some(match letter {
        Some(letter) => Reading::new(format!("{joined} {letter}"), end + 1 - at),
        None => Reading::new(joined, end - at),
    })
}

/// Returns whether the parts are two consecutive numbers of two digits, as in 11/12. Smaller numbers may be fractions.
fn are_grades(parts: &[&str]) -> bool {
    let [first, second] = parts else { return false };
    first.len() == 2 && first.parse::<u32>().is_ok_and(|first| second.parse() == Ok(first + 1))
}

/// Returns whether a hyphen or a slash joins a letter to the number before `end`: 23/4-बी, 14/बी.
pub(crate) fn has_letter_after(scan: &Scan<'_>, end: usize) -> bool {
    let joined = matches!(scan.sign(end), Some('-' | '/')) && scan.joined(end) && scan.joined(end + 1);
    joined
        && (scan.latin(end + 1).is_some_and(spelling::is_capital) || initials::is_latin_letter(scan, end + 1))
}

/// Returns whether the number at `at` starts a range whose last number is a quantity: ફ્લેટ 45-50L, flats 45-50 lakh.
fn starts_amount(scan: &Scan<'_>, at: usize) -> bool {
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.number(at + 2).is_some();
    let letter =
        || Numeral::read(scan, at + 2).is_some_and(|n| multiplier::letter(scan, &n, at + 3).is_some());
    dash && (quantity::counts(scan, at + 2) || letter())
}

/// Returns whether the number at `at` starts a range in words, whose two numbers are read in the same way: फ्लैट नं. 101
/// से 140.
fn starts_range(scan: &Scan<'_>, at: usize) -> bool {
    let larger = |from: &str, to: &str| from.len() == to.len() && from < to;
    let to = scan.number(at + 2).filter(|_| span::is_repeated_after(scan, at + 1));
    scan.number(at).zip(to).is_some_and(|(from, to)| larger(from, to))
}

/// Returns whether a place name may end before `end`: बस्ती, बस्ती (उ.प्र.), ಮಂಡ್ಯ ಜಿ||.
fn ends_place(scan: &Scan<'_>, end: usize) -> bool {
    let Some(last) = end.checked_sub(1) else { return false };
    let abbreviated =
        |from: usize| scan.is_word(from) && scan.data.abbreviations.contains_key(scan.raw(from, end));
    match scan.sign(last) {
        Some(')') => ends_state(scan, end) || ends_place(scan, last),
        Some('.' | '॥') => (last.saturating_sub(LONGEST_ABBREVIATION)..last).any(abbreviated),
        _ => scan.is_word(last),
    }
}

/// Returns whether the abbreviation of a state in brackets ends before `end`: Mohali (Pb.).
fn ends_state(scan: &Scan<'_>, end: usize) -> bool {
    let Some(close) = end.checked_sub(1).filter(|&last| scan.is_sign(last, ')')) else { return false };
    let open = (0..close).rev().find(|&place| scan.is_sign(place, '('));
    open.is_some_and(|open| scan.data.in_brackets.contains_key(scan.raw(open + 1, close)))
}

/// Returns whether the name of a unit that is counted in halves or quarters follows the number at `at`: 30 फुट रोड.
fn counts_unit(scan: &Scan<'_>, at: usize) -> bool {
    let units = &scan.data.units;
    let is_unit =
        |word: &str| [&units.quartered, &units.halved].into_iter().flatten().any(|unit| unit == word);
    scan.spaced(at + 1) && scan.word(at + 1).is_some_and(is_unit)
}

/// Returns whether one of the three items before a number is a word for a place whose number is read as a cardinal:
/// sector 62, ward no. 12.
fn is_counted(scan: &Scan<'_>, at: usize) -> bool {
    let numbered = &scan.data.context.numbered;
    (at.saturating_sub(3)..at)
        .rev()
        .take_while(|&place| scan.number(place).is_none())
        .any(|place| scan.is_one_of(numbered, place))
}

/// Returns the words of a house number. One or two digits are read as a number, unless the language reads them one by
/// one. Three or four digits are read in pairs ("one twenty three") in languages that do so. Other numbers are read
/// digit by digit.
fn house(scan: &Scan<'_>, digits: &str) -> String {
    let data = &scan.data;
    let words = |digits: &str| number::plain_cardinal(&data.number, digits, System::Indian);
    let (head, tail) = digits.split_at(digits.len().saturating_sub(2));
    let paired = !digits.starts_with('0') && !tail.starts_with('0');
    match digits.len() {
        1 | 2 if !data.number.house_digits => words(digits),
        3 | 4 if data.number.house_number_pairs && paired => format!("{} {}", words(head), words(tail)),
        _ => number::in_groups(&data.number, digits),
    }
}

/// Returns whether an address word is near the number at `at`, with only names between them.
fn is_near_street(scan: &Scan<'_>, at: usize) -> bool {
    if !scan.names_address {
        return false;
    }
    // a number before a building word counts buildings, and one after it is a house number: 1200 नए फ्लैट, फ्लैट 1200
    let following = at + 1..(at + 1 + NEAR).min(scan.items.len());
    find_street(scan, following.filter(|&place| !scan.names(place).has(Kinds::DOOR)))
        || find_street(scan, (at.saturating_sub(NEAR)..at).rev())
}

/// Returns whether an address word is found in `places` before any word that is not part of a name.
fn find_street(scan: &Scan<'_>, places: impl Iterator<Item = usize>) -> bool {
    for place in places {
        let Some(item) = scan.item(place) else { return false };
        let Kind::Word(_) = item.kind else { continue };
        let lower = lowercase(&item.text);
        let listed = item.spaced && scan.data.address.contains_key(item.text.as_ref()) && item.text.len() > 1;
        if listed || scan.data.context.address.contains(lower.as_ref()) {
            return true;
        }
        let suffix = scan.joined(place) && scan.number(place - 1).is_some();
        let in_name = !scan.has_case() || suffix || item.text != lower;
        if !in_name || scan.is_function(&lower) {
            return false;
        }
    }
    false
}
