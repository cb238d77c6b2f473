//! Telephone, card and order numbers that are recognised by their form and read digit by digit, in groups.

use super::candidate::Candidate;
use super::name;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::item::{Item, Kind};
use crate::normalize::evidence::{Reasons, weight};
use crate::normalize::number::numeral::only_sign;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::{number, quantity, spelling};

/// Number of digits from which an ungrouped number is treated as an identifier and not as a quantity.
const LONG: usize = 9;
/// Sequence of zeros that marks a number of any length as round.
const ROUND: &str = "00000";
/// Number of items before and after a number that are searched for a word about telephones.
const NEAR: usize = 6;
/// Maximum number of digits that replace the end of a telephone number.
const LONGEST_LAST: usize = 2;
/// Minimum number of digits of a telephone number after which such digits may follow.
const SHORTEST_LINE: usize = 7;
/// Number of items before a number that are searched for a quantity word.
const NEAR_QUANTITY: usize = 4;

/// Reads a number at `at` whose form requires a digit-by-digit reading.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let of = |score: i32, reason: Reasons| {
        move |reading: Reading| Candidate {
            reading: reading.of(Class::Telephone),
            reasons: reason,
            score,
            name: None,
        }
    };
    international(scan, at)
        .map(of(weight::CERTAIN, Reasons::FORM))
        .or_else(|| unmistakable(scan, at).map(of(weight::FORM, Reasons::FORM)))
        .or_else(|| long(scan, at).map(|(reading, weight)| of(weight, Reasons::LONG)(reading)))
        .or_else(|| train_pair(scan, at).map(of(weight::CERTAIN, Reasons::FORM)))
        .or_else(|| grouped(scan, at).map(of(weight::NEAR, Reasons::FORM)))
        .or_else(|| postal(scan, at).map(of(weight::NEAR, Reasons::FORM)))
        .or_else(|| listed(scan, at).map(of(weight::NEAR, Reasons::LISTED)))
        .map(|candidate| Candidate { reading: with_last_digits(scan, at, candidate.reading), ..candidate })
}

/// Adds the last digits of further lines, which a slash separates from a telephone number: `2234 5678 / 79`. These digits
/// replace as many digits at the end of the number.
fn with_last_digits(scan: &Scan<'_>, at: usize, mut telephone: Reading) -> Reading {
    let numbers = scan.items[at..at + telephone.items].iter().filter(|item| item.kind == Kind::Number);
    let length: usize = numbers.map(|item| item.text.len()).sum();
    let last_at = |slash: usize| {
        let even = scan.spaced(slash) == scan.spaced(slash + 1);
        let closed = scan.item(slash + 2).is_none() || scan.sign(slash + 2).is_some();
        let joins = scan.is_sign(slash, '/') && even && closed && length >= SHORTEST_LINE;
        scan.number(slash + 1).filter(|last| joins && last.len() <= LONGEST_LAST)
    };
    while let Some(last) = last_at(at + telephone.items) {
        let last = number::one_by_one(&scan.data.number, last);
        telephone.words = format!("{} {} {last}", telephone.words, scan.data.electronic.slash);
        telephone.items += 2;
    }
    telephone
}

/// Reads digits that are a code in any context, even if they look like years: `1800 11 2345`, `1234 5678 9012 3456`.
fn unmistakable(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = scan.number(at).filter(|digits| digits.len() == 4)?;
    let (end, lengths) = groups(scan, at);
    let total: usize = lengths.iter().sum();
    let toll_free = matches!(first, "1800" | "1860") && lengths.len() >= 2 && (10..=11).contains(&total);
    let year = |item: &Item| matches!(item.text.get(..2), Some("19" | "20"));
    let numbers = || scan.items[at..end].iter().filter(|item| item.kind == Kind::Number);
    let card = lengths.len() >= 3 && lengths.iter().all(|&length| length == 4) && !numbers().all(year);
    (toll_free || card).then(|| Reading::new(digits(scan, at, end), end - at))
}

/// Reads a number with more digits than quantities usually have: `919876543210`, `18001234567`, `509307996753`. Returns
/// the weight as well. The weight is low for a number that is alone in its segment and does not have the form of a
/// telephone number, since it is probably an example of a large number.
fn long(scan: &Scan<'_>, at: usize) -> Option<(Reading, i32)> {
    let digits = scan.number(at).filter(|digits| digits.len() >= LONG && !digits.contains(ROUND))?;
    let joined_number =
        |sign: usize| scan.joined(sign) && scan.joined(sign + 1) && scan.number(sign + 1).is_some();
    let continued = matches!(scan.sign(at + 1), Some('.' | ',' | ':')) && joined_number(at + 1);
    let following = at > 0
        && scan.joined(at)
        && (scan.word(at - 1).is_some_and(|word| !scan.is_function(word))
            || matches!(scan.sign(at - 1), Some('.' | '₹' | '$')));
    let amount = only_sign(scan, at + 1) > 0;
    let counted = (at.saturating_sub(NEAR_QUANTITY)..at).any(|place| scan.names(place).has(Kinds::QUANTITY));
    if continued || following || amount || counted {
        return None;
    }
    let mobile = |number: &str| number.len() == 10 && number.starts_with(['6', '7', '8', '9']);
    let lengths: &[usize] = match digits.len() {
        12 if digits.strip_prefix("91").is_some_and(mobile) => &[2, 10],
        11 if digits.starts_with("1800") || digits.starts_with("1860") => &[4, 3, 4],
        length => &[length],
    };
    let called = lengths.len() > 1 || mobile(digits) || digits.len() >= 10 && digits.starts_with('0');
    let weight = if called || scan.words > 0 { weight::FORM } else { weight::ALONE };
    let mut rest = digits;
    let groups = lengths.iter().map(|&length| {
        let (group, following) = rest.split_at(length);
        rest = following;
        number::in_groups(&scan.data.number, group)
    });
    Some((Reading::new(number::join_groups(groups), 1), weight))
}

/// Reads a pair of train numbers, one for each direction: `12627/28`.
fn train_pair(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let there = scan.number(at).filter(|digits| digits.len() == name::TRAIN)?;
    let back = scan.number(at + 2).filter(|digits| (1..=2).contains(&digits.len()))?;
    let joined =
        scan.is_sign(at + 1, '/') && scan.joined(at + 1) && scan.joined(at + 2) && scan.spaced(at + 3);
    let next = there.parse::<u32>().ok()? + 1;
    let follows = joined && next.to_string().ends_with(back);
    let one_by_one = |digits: &str| number::one_by_one(&scan.data.number, digits);
    let words = format!("{} {} {}", one_by_one(there), scan.data.electronic.slash, one_by_one(back));
    follows.then(|| Reading::new(words, 3))
}

/// Reads a PIN code in two groups of three digits: `Delhi - 110 001`. A word and a dash precede it, or its second group
/// starts with a zero.
fn postal(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (first, second) = (scan.number(at)?, scan.number(at + 1)?);
    let shaped =
        first.len() == 3 && second.len() == 3 && !first.starts_with('0') && scan.number(at + 2).is_none();
    let dashed = at >= 2 && matches!(scan.sign(at - 1), Some('-' | '–' | '—')) && scan.is_word(at - 2);
    let led = at > 0 && scan.number(at - 1).is_some();
    let fits = shaped && !led && (dashed || second.starts_with('0')) && !quantity::counts(scan, at + 1);
    fits.then(|| Reading::new(digits(scan, at, at + 2), 2))
}

/// Returns the number of items of a subscriber number without its area code: `2234568`, `4123 5567`.
fn subscriber(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let digits = scan.number(at)?.len();
    if (6..=8).contains(&digits) {
        return Some(1);
    }
    let halves = digits == 4 && scan.number(at + 1).is_some_and(|half| half.len() == 4);
    (halves && scan.number(at + 2).is_none()).then_some(2)
}

/// Reads a number in a list after a telephone number: `0522-2234567, 2234568`, `080-4123 5566 / 4123 5567`.
fn listed(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let items = subscriber(scan, at)?;
    let end = at + items;
    let joins = |place: usize| matches!(scan.sign(place), Some(',' | '/' | '&'));
    if at < 3
        || !joins(at - 1)
        || scan.joined(end)
            && scan.sign(end).is_some_and(|c| c == ',' || c == '.')
            && scan.number(end + 1).is_some()
    {
        return None;
    }
    let is_part = |place: usize| scan.number(place).is_some() || scan.is_sign(place, '-');
    let first = (0..at - 1).rev().take_while(|&place| is_part(place)).last()?;
    let national = || grouped(scan, first).map(|telephone| first + telephone.items);
    let abroad = first.checked_sub(1).and_then(|plus| Some(plus + international(scan, plus)?.items));
    let before = abroad.or_else(national).is_some_and(|end| end == at - 1 && end > first + 1);
    before.then(|| Reading::new(digits(scan, at, end), items))
}

/// Returns whether a telephone number in groups ends before `at`.
pub(crate) fn ends_before(scan: &Scan<'_>, at: usize) -> bool {
    let is_part = |place: usize| scan.number(place).is_some() || scan.is_sign(place, '-');
    let first = (0..at).rev().take_while(|&place| is_part(place)).last();
    first.is_some_and(|first| grouped(scan, first).is_some_and(|telephone| first + telephone.items == at))
}

/// Reads the digits at `at` with the following groups that belong to them.
pub(crate) fn cluster(scan: &Scan<'_>, at: usize) -> Reading {
    let (end, lengths) = groups(scan, at);
    let apart = (at + 1..end).any(|place| scan.spaced(place));
    let short = lengths.iter().any(|&length| length < 3);
    let counts = |place: usize| scan.number(place).is_some() && quantity::counts(scan, place);
    let is_complete = lengths.len() > 1 && !(apart && short) && !(at + 1..end).any(counts);
    let end = if is_complete { end } else { at + 1 };
    Reading::new(digits(scan, at, end), end - at)
}

/// Finds the groups of digits from `at` on, with their separators. Returns their end and the length of each group.
fn groups(scan: &Scan<'_>, at: usize) -> (usize, Vec<usize>) {
    let mut lengths = Vec::new();
    let mut end = at;
    let mut next = at;
    loop {
        let open = scan.is_sign(next, '(') && scan.number(next + 1).is_some() && scan.is_sign(next + 2, ')');
        let number_at = next + usize::from(open);
        let Some(digits) = scan.number(number_at) else { break };
        lengths.push(digits.len());
        end = number_at + 1;
        end += usize::from(open);
        let separated =
            matches!(scan.sign(end), Some('-' | '.' | '–')) && scan.joined(end) && scan.joined(end + 1);
        next = end + usize::from(separated);
    }
    (end, lengths)
}

/// Returns the names of the digits of the items in `from..to`, with a pause between groups.
fn digits(scan: &Scan<'_>, from: usize, to: usize) -> String {
    let numbers =
        || scan.items[from..to].iter().filter(|item| item.kind == Kind::Number).map(|item| &item.text);
    // single digits with separators do not form groups
    if numbers().all(|digits| digits.len() == 1) {
        return number::in_groups(&scan.data.number, &numbers().map(AsRef::as_ref).collect::<String>());
    }
    number::join_groups(numbers().map(|digits| number::in_groups(&scan.data.number, digits)))
}

/// Reads text that markup declares to be a telephone number: digits in their written groups, letters one by one.
pub(crate) fn declared(scan: &Scan<'_>) -> Option<Reading> {
    let spelt = (0..scan.items.len()).any(|at| scan.latin(at).is_some());
    let groups = (0..scan.items.len()).filter_map(|at| match scan.number(at) {
        Some(group) => Some(number::in_groups(&scan.data.number, group)),
        None => scan.latin(at).map(|word| spelling::apart(scan, word)),
    });
    let spoken = number::join_groups(groups);
    let words = if scan.is_sign(0, '+') { format!("{} {spoken}", scan.data.electronic.plus) } else { spoken };
    let class = if spelt { Class::Letters } else { Class::Telephone };
    (scan.numbers > 0).then(|| Reading::new(words, scan.items.len()).of(class))
}

/// Reads an international number: `+91 98765 43210`.
fn international(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.is_sign(at, '+')
        || scan.spaced(at + 1)
        || (at > 0 && scan.joined(at) && scan.number(at - 1).is_some())
    {
        return None;
    }
    let (end, lengths) = groups(scan, at + 1);
    let digits_in_all = lengths.iter().sum::<usize>();
    // near a word for a code, a country code may be alone: +91
    let country = digits_in_all <= 3 && name::is_code_near(scan, at, end);
    if digits_in_all < 8 && !country {
        return None;
    }
    // the country code is a separate group, even if it is written without a space
    let full_number = scan.number(at + 1).filter(|digits| digits.len() == 12 && at + 2 == end);
    let spoken = match full_number.and_then(|digits| digits.split_at_checked(2)) {
        Some((country, number)) => {
            let parts = [country, number].map(|part| number::in_groups(&scan.data.number, part));
            number::join_groups(parts.into_iter())
        }
        None => digits(scan, at + 1, end),
    };
    let words = format!("{} {spoken}", scan.data.electronic.plus);
    Some(Reading::new(words, end - at))
}

/// Reads a number that is written in groups: `98765 43210`, `022-29411128`, `(555) 123-4567`, `1234 5678 9012`.
fn grouped(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let bracketed = scan.is_sign(at, '(');
    if !bracketed && scan.number(at).is_none() || (at > 0 && scan.joined(at) && scan.is_word(at - 1)) {
        return None;
    }
    let (end, lengths) = groups(scan, at);
    let total: usize = lengths.iter().sum();
    let first = scan.number(at + usize::from(bracketed))?;
    let before_time = scan.is_sign(end, ':') && scan.joined(end) && scan.number(end + 1).is_some();
    if lengths.len() == 1 || before_time {
        return None;
    }
    let joined = (at + 1..end).all(|place| scan.joined(place));
    // a trunk code with an area code of one digit needs a long subscriber number: 02-9876543
    let coded =
        first.len() > 2 || first.len() == 2 && joined && lengths.get(1).is_some_and(|&length| length >= 6);
    let trunk = first.starts_with('0') && coded && (8..=13).contains(&total);
    let split = lengths == [5, 5] || lengths == [4, 6] && joined || lengths == [3, 7] && joined;
    let mobile = split && first.starts_with(['6', '7', '8', '9']);
    // the country code 1 may precede a local number: 1-800-555-1234
    let parts = lengths.strip_prefix(&[1]).unwrap_or(&lengths);
    let local = parts.len() >= 3
        && total >= 9
        && parts.iter().all(|&length| (2..=4).contains(&length))
        && lengths.last() == Some(&4);
    let card = lengths.len() >= 3 && lengths.iter().all(|&length| length == 4);
    // groups of three and four digits are a telephone number (555-1234), unless the last digit is a zero, as in most
    // ranges
    let last = scan.number(end.saturating_sub(1)).unwrap_or_default();
    let exchange = lengths == [3, 4] && scan.joined(at + 1) && scan.joined(at + 2) && !last.ends_with('0');
    let area = bracketed && scan.is_sign(at + 2, ')') && lengths.len() >= 2 && total >= 7;
    let called = total >= 6 && is_called(scan, at, end);
    // two groups after the name of something with a long number: సర్వీస్ సంఖ్య 1123 45678
    let counted = usize::from(at > 0 && scan.names(at - 1).has(Kinds::NUMBER.and(Kinds::COUNT)));
    let names = at > counted && scan.names(at - 1 - counted).has(Kinds::REFERENCE) && !bracketed;
    let service = names
        && lengths.len() == 2
        && total >= 8
        && lengths.iter().all(|&length| length >= 4)
        && lengths.contains(&5)
        && (at..end).filter_map(|place| Some((place, scan.number(place)?))).all(|(place, digits)| {
            // a round number is an amount: లోన్ 12500 15500
            !digits.ends_with("00") && !quantity::counts(scan, place)
        });
    // an order number has at least three groups: 405-1234567-8901234
    let order = lengths.len() >= 3 && total >= 10 && joined;
    (trunk || mobile || local || card || exchange || area || order || called || service)
        .then(|| Reading::new(digits(scan, at, end), end - at))
}

/// Returns whether a word near the items `from..to` indicates that they are a telephone number, an account number or a
/// code.
fn is_called(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    let names = Kinds::CODE.and(Kinds::ACCOUNT).and(Kinds::TELEPHONE);
    let counts = |place: usize| scan.number(place).is_some() && quantity::counts(scan, place);
    let near = (from.saturating_sub(NEAR)..from).chain(to..to + NEAR);
    scan.names_numbers()
        && near.into_iter().any(|place| scan.names(place).has(names))
        && !(from..to).any(counts)
}
