//! Codes, reference numbers and account numbers: digit-by-digit readings and the evidence for them.

pub(crate) mod called;
pub(crate) mod candidate;
pub(crate) mod name;
pub(crate) mod telephone;

use self::candidate::Candidate;
use self::name::Name;
use crate::class::Class;
use crate::data::keywords::{self, Kinds, SHORTEST_CODE};
use crate::normalize::evidence::{Reasons, weight};
use crate::normalize::scan::calendar;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::{number, quantity, spelling};

/// Minimum number of digits of an account or telephone number.
const SHORTEST_ACCOUNT: usize = 6;
/// Minimum number of digits of a reference number that has no word for "number" before it.
const SHORTEST_REFERENCE: usize = 7;
/// Minimum number of digits of a code after a word for "number" without a keyword for what it identifies.
const SHORTEST_NUMBERED: usize = 4;
/// Maximum number of digits after a masking asterisk (`a/c *14123461`) or at the end of a list.
const LONGEST_SHOWN: usize = 10;

/// Lengths of the codes that a message asks to use, in digits.
const CODES: std::ops::RangeInclusive<usize> = 4..=8;

/// Number of items before a number that are searched for a word about messages.
const NEAR_SENT: usize = 4;

/// Returns the most likely digit-by-digit reading at `at`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    if let Some(after_mark) = after_mark(scan, at) {
        return Some(after_mark);
    }
    let form = telephone::read(scan, at);
    let named = if scan.names_numbers() { named(scan, at) } else { serial(scan, at) };
    match (named, form) {
        (Some(named), Some(form)) if form.score > named.score || form.reading.items > named.reading.items => {
            let reasons = form.reasons.and(named.reasons);
            Some(Candidate { score: form.score.max(named.score), reasons, name: named.name, ..form })
        }
        (named, form) => named
            .or(form)
            .or_else(|| called::read(scan, at))
            .or_else(|| used(scan, at))
            .or_else(|| of_series(scan, at))
            .or_else(|| sibling(scan, at))
            .or_else(|| ends_list(scan, at)),
    }
}

/// Reads `Use 4816 to log in`, `ಲಾಗಿನ್ ಆಗಲು 4816 ಬಳಸಿ`: a number of the length of a code next to a word for its use, near a
/// word for its purpose. The verb precedes the number in English and follows it in the other languages.
fn used(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    // a round number or a number after a word for money is an amount: Enter 1500 and verify
    let paid = at > 0 && scan.names(at - 1).has(Kinds::AMOUNT);
    let digits =
        scan.number(at).filter(|digits| CODES.contains(&digits.len()) && !digits.ends_with("00") && !paid)?;
    let is_use = |place: usize| scan.names(place).has(Kinds::USE);
    let links =
        |place: usize| scan.word(place).is_some_and(|word| scan.is_function(word) || scan.joined(place));
    let noun = || scan.word(at + 1).is_some_and(|word| scan.spaced(at + 1) && !scan.is_function(word));
    let name = if scan.has_case() {
        at.checked_sub(1).filter(|&before| is_use(before) && !noun())
    } else {
        [at + 1, at + 2]
            .into_iter()
            .find(|&place| is_use(place))
            .filter(|&place| place == at + 1 || links(at + 1))
    };
    let mut near = at.saturating_sub(name::NEAR)..=at + name::NEAR;
    let purpose = name.is_some() && near.any(|place| scan.names(place).has(Kinds::PURPOSE));
    if !purpose || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::NAMED, score: weight::NEAR, name })
}

/// Reads `PU 384726` near a word for a ticket or another reference: an ungrouped number after the capital letters of
/// its series.
fn of_series(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits =
        scan.number(at).filter(|digits| digits.len() == SHORTEST_ACCOUNT && !digits.ends_with("000"))?;
    let series = at.checked_sub(1).and_then(|before| scan.latin(before));
    let is_series = series.is_some_and(|word| word.len() == 2 && spelling::is_capitals(word));
    let begins = at == 1 || at > 1 && scan.spaced(at - 1);
    let near = at.saturating_sub(name::NEAR)..=at + name::NEAR;
    let is_named = near.into_iter().any(|place| scan.names(place).has(Kinds::REFERENCE));
    if !is_series || !begins || !is_named || quantity::counts(scan, at) || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::FORM, score: weight::NEAR, name: at.checked_sub(1) })
}

/// Reads `0000 or 1234`: a number next to one of the same length that is a code because it starts with a zero.
fn sibling(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits = scan.number(at).filter(|digits| digits.len() >= SHORTEST_NUMBERED)?;
    let is_code = |place: usize| {
        let other = scan.number(place).filter(|other| other.len() == digits.len() && other.starts_with('0'));
        let between = place.min(at) + 1;
        let joins = scan.is_word(between) || matches!(scan.sign(between), Some(',' | '/' | '&'));
        other.is_some() && joins && name::is_eligible(scan, place)
    };
    let adjacent = at.checked_sub(2).is_some_and(is_code) || is_code(at + 2);
    if !adjacent || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::LISTED, score: weight::NEAR, name: None })
}

/// Reads `Delhi, North, 1207229`: a number at the end of a comma-separated list, without other words in its segment.
fn ends_list(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits =
        scan.number(at).filter(|digits| (SHORTEST_ACCOUNT..=LONGEST_SHOWN).contains(&digits.len()))?;
    let alone = scan.words == 0
        && scan.numbers == 1
        && scan.sentence_context.is_present
        && !scan.sentence_context.counts;
    if !alone || digits.ends_with("000") || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    let reasons = Reasons::CLOSES.and(Reasons::LONG);
    Some(Candidate { reading, reasons, score: weight::NEAR, name: None })
}

/// Reads `****2345` or `मो.-9876543210`: a number after signs that are not spoken.
fn after_mark(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let hides = |c: char| matches!(c, '*' | '•' | '●');
    let sign = scan.sign(at)?;
    let run =
        (at..).take_while(|&place| scan.sign(place) == Some(sign) && (place == at || scan.joined(place)));
    let length = run.count();
    let number_at = at + length;
    if let Some(dialled) = dialled(scan, at) {
        return Some(dialled);
    }
    let digits = scan.number(number_at).filter(|_| scan.joined(number_at))?;
    let dots = matches!(sign, '.' | '…') && (length > 1 || sign == '…') && name::shown_before(scan, at);
    // a single asterisk masks an account number: A/c *3618
    let hidden = hides(sign) && (length >= 2 || digits.len() > 2 && name::shown_before(scan, at));
    let most = if hidden && length == 1 { LONGEST_SHOWN } else { 6 };
    if (hidden || dots) && (2..=most).contains(&digits.len()) {
        let words = number::one_by_one(&scan.data.number, digits);
        let reading = Reading::new(words, length + 1).of(Class::Digits);
        return Some(Candidate { reading, reasons: Reasons::MASKED, score: weight::CERTAIN, name: None });
    }
    // a hyphen between a keyword and its number is not a minus sign
    let hyphen = matches!(sign, '-' | '–') && length == 1;
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.'));
    let after_name = || at > dot && scan.names(at - 1 - dot).has(Kinds::NAMES);
    if !hyphen || !after_name() {
        return None;
    }
    let number = read(scan, number_at)?;
    let Reading { words, items, class, .. } = number.reading;
    let score = weight::CERTAIN.min(number.score + weight::NAMED);
    Some(Candidate { reading: Reading::new(words, items + 1).of(class), score, ..number })
}

/// Reads `*86`, `*123*1#` or `*#06#`: a telephone code with its asterisks. It ends in a hash sign, or a nearby word is
/// about calls.
fn dialled(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let opens = at == 0 || scan.spaced(at) || matches!(scan.sign(at - 1), Some('(' | '"' | '“' | '\''));
    if !scan.is_sign(at, '*') || !opens {
        return None;
    }
    let part = |place: usize| match scan.sign(place) {
        Some('*') => Some(scan.data.electronic.star.clone()),
        Some('#') => Some(scan.data.electronic.hash.clone()),
        Some(_) => None,
        None => scan.number(place).map(|digits| number::one_by_one(&scan.data.number, digits)),
    };
    let joined = (at..).take_while(|&place| place == at || scan.joined(place));
    let spoken: Vec<String> = joined.map_while(part).collect();
    let end = at + spoken.len();
    let numbers = (at..end).filter(|&place| scan.number(place).is_some()).count();
    let called = Kinds::CODE.and(Kinds::TELEPHONE);
    let near = (at.saturating_sub(name::NEAR)..at).chain(end..end + name::NEAR);
    let names = near.into_iter().any(|place| scan.names(place).has(called));
    let hash = scan.is_sign(end - 1, '#');
    if numbers == 0 || !hash && (!names || spoken.len() != 2) {
        return None;
    }
    let reading = Reading::new(spoken.join(" "), spoken.len()).of(Class::Telephone);
    Some(Candidate { reading, reasons: Reasons::FORM, score: weight::CERTAIN, name: None })
}

/// Reads the number at `at` digit by digit, if a nearby keyword indicates this.
fn named(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits = scan.number(at)?;
    let form = parts(scan, at).or_else(|| serial(scan, at)).or_else(|| before_direction(scan, at));
    if let Some(form) = form {
        return Some(form);
    }
    if !name::is_eligible(scan, at) {
        return None;
    }
    let hidden = at > 1 && is_hidden(scan, at);
    if hidden || is_end_of_account(scan, at) {
        let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
        return Some(Candidate { reading, reasons: Reasons::MASKED, score: weight::ENDING, name: None });
    }
    if let Some(sent) = sent(scan, at) {
        return Some(sent);
    }
    let names = name::before(scan, at).into_iter().chain(name::after(scan, at));
    let candidates = names.filter_map(|name| of_name(scan, at, &name));
    candidates.max_by_key(|candidate| candidate.score)
}

/// Reads the number of a train before its direction: ৩৭২১১ আপ হাওড়া-ব্যান্ডেল লোকাল.
fn before_direction(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits = scan.number(at).filter(|digits| digits.len() == name::TRAIN && !digits.ends_with("000"))?;
    if !scan.names(at + 1).has(Kinds::DIRECTION) || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::NEAR, score: weight::NEAR, name: Some(at + 1) })
}

/// Reads `SMS BLOCK 646 to 9215676766`: digits that are sent to a telephone number.
fn sent(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let digits = scan.number(at)?;
    let to = scan.latin(at + 1).is_some_and(|word| word.eq_ignore_ascii_case("to"));
    let called = scan.number(at + 2).is_some_and(|number| number.len() >= name::SHORTEST_TELEPHONE);
    let name = (at.saturating_sub(NEAR_SENT)..at).find(|&place| scan.names(place).has(Kinds::TELEPHONE))?;
    if !to || !called {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::NEAR, score: weight::NEAR, name: Some(name) })
}

/// Reads the number at `at` digit by digit, based on the keyword `name`.
fn of_name(scan: &Scan<'_>, at: usize, name: &Name) -> Option<Candidate> {
    let digits = scan.number(at)?;
    // neither the number of a case nor its year is read digit by digit after a word that also has another meaning: CA
    // No. 3344/2022
    let slash = |place: usize| scan.is_sign(place, '/') && scan.joined(place) && scan.joined(place + 1);
    let is_year = |place: usize| scan.number(place).is_some_and(calendar::is_year);
    let of_year = slash(at + 1) && is_year(at + 2) || at > 1 && slash(at - 1) && is_year(at);
    if name.kinds.has(Kinds::LABEL) && of_year {
        return None;
    }
    // a case has a number and a year: No. 1043 of 2024
    let is_case = name.distance == 0
        && digits.len() >= SHORTEST_NUMBERED
        && (name.numbered || name.kinds.has(Kinds::NUMBER))
        && scan.is_one_of(&scan.data.date.of_year, at + 1)
        && scan.number(at + 2).is_some_and(calendar::is_year);
    let (score, own) = if is_case { (weight::NUMBERED, Reasons::NAMED) } else { score(digits, name)? };
    let round =
        digits.ends_with("00") && digits.trim_start_matches('0').len() < 7 && score < weight::NUMBERED;
    let long = name.distance > 0 && digits.len() >= SHORTEST_ACCOUNT;
    let linked = name.distance > 0 && name.linked;
    let closes = name.distance > 0 && name.closes;
    let extra =
        [(round, weight::ROUND), (long, weight::LONG), (linked, weight::LINKED), (closes, weight::CLOSES)];
    let extra: i32 = extra.into_iter().filter(|&(holds, _)| holds).map(|(_, weight)| weight).sum();
    let reasons = own
        .and(Reasons::NUMBERED.only_if(name.numbered))
        .and(Reasons::LINKED.only_if(name.linked))
        .and(Reasons::CLOSES.only_if(closes))
        .and(Reasons::LONG.only_if(long))
        .and(Reasons::LISTED.only_if(name.listed))
        .and(Reasons::ROUND.only_if(round));
    let reading = telephone::cluster(scan, at).of(Class::Digits);
    Some(Candidate { reading, reasons, score: score + extra, name: Some(name.place) })
}

/// Returns the weight that a keyword gives to a digit-by-digit reading, and the reasons for it. Returns `None` if the
/// keyword is not sufficient evidence.
fn score(digits: &str, name: &Name) -> Option<(i32, Reasons)> {
    let Name { kinds, distance, numbered, colon, .. } = *name;
    let length = digits.len();
    let round = digits.ends_with("000");
    let zero = digits.starts_with('0');
    let adjacent = distance == 0;
    let apart = i32::try_from(distance).unwrap_or(i32::from(i16::MAX)) * weight::DISTANCE;
    let near = |score: i32| Some((score + apart, Reasons::NEAR));
    let named = |score: i32| Some((score, Reasons::NAMED));
    if kinds.has(Kinds::CODE) || kinds.has(Kinds::WEAK) && adjacent && (numbered || colon) {
        return match () {
            () if adjacent && !name.is_law => named(weight::NAMED),
            () if name.is_law => near(weight::WEAK),
            () if distance <= name::NEAR => near(weight::NEAR),
            () if (4..=8).contains(&length) && name.closes => Some((weight::FAR, Reasons::NEAR)),
            () => None,
        };
    }
    if kinds.has(Kinds::WEAK) && adjacent {
        return named(weight::WEAK + if length > 4 { weight::LONG } else { 0 });
    }
    let several = kinds.has(Kinds::ACCOUNT) || kinds.has(Kinds::TELEPHONE);
    // सदस्य संख्या 224 is a quantity
    if name.counts && length <= SHORTEST_CODE {
        return None;
    }
    if adjacent && numbered && (several || kinds.has(Kinds::REFERENCE)) {
        return named(if name.counts && round { weight::WEAK } else { weight::NUMBERED });
    }
    if several && (length >= SHORTEST_ACCOUNT || zero) && distance <= name::NEAR {
        return near(weight::NEAR);
    }
    // four digits next to a word for an account weigh slightly more than a year before a function word: a/c 2034
    if kinds.has(Kinds::ACCOUNT) && adjacent && length == 4 && !round {
        return named(weight::ACCOUNT);
    }
    if kinds.has(Kinds::REFERENCE) && adjacent {
        let enough = if colon { length >= SHORTEST_ACCOUNT } else { length >= SHORTEST_REFERENCE };
        return if enough && !round { named(weight::NEAR) } else { None };
    }
    if kinds.has(Kinds::TRAIN) && length == name::TRAIN && distance <= name::NEAR_TRAIN && !round {
        return near(weight::NEAR + weight::LONG);
    }
    // after a word such as "room", a number of up to three digits is not read digit by digit (room no. 12), but a
    // longer number is, and is not a year
    if kinds.has(Kinds::LABEL) && adjacent && (numbered || kinds.has(Kinds::NUMBER)) && length > SHORTEST_CODE
    {
        return named(if name.counts && round { weight::WEAK } else { weight::NUMBERED });
    }
    let only_number = adjacent && numbered && !name.counts && !kinds.has(Kinds::NAMES);
    match length {
        // no. 1947 is not a year; other short numbers are read as cardinals
        SHORTEST_NUMBERED if only_number && !name.labelled && ("1100".."2100").contains(&digits) => {
            named(weight::NUMBER)
        }
        _ if only_number && length > SHORTEST_NUMBERED => named(weight::NEAR),
        _ => None,
    }
}

/// Returns whether a mask precedes the last digits of an account number: dots (`A/c ...2345`) or a group of the letter
/// x (`XXXX XXXX 1234`).
fn is_hidden(scan: &Scan<'_>, at: usize) -> bool {
    /// Minimum number of letters in a group that masks digits.
    const MASK: usize = 3;
    let mask = |word: &str| word.len() >= MASK && word.bytes().all(|byte| matches!(byte, b'x' | b'X'));
    if scan.latin(at - 1).is_some_and(mask) {
        return true;
    }
    let dots = scan.is_sign(at - 1, '…') || scan.is_sign(at - 1, '.') && scan.is_sign(at - 2, '.');
    dots && scan.joined(at) && name::shown_before(scan, at)
}

/// Returns whether a number consists of the last digits of a card or account number: `card ending 7291`,
/// `कार्ड के अंतिम 4 अंक 7291`, `4821 என முடியும் கணக்கு`.
fn is_end_of_account(scan: &Scan<'_>, at: usize) -> bool {
    let digits = scan.number(at).unwrap_or_default();
    let before = || name::last_before(scan, at) && name::shown_before(scan, at);
    digits.len() == 4 && (before() || name::ends_account_after(scan, at))
}

/// Reads the numbers of `12-3-45` or `12/3/45` one after another, after a word for a house.
fn parts(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let sign = scan.sign(at + 1).filter(|c| matches!(c, '-' | '/'))?;
    if at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some('-' | '/')) {
        return None;
    }
    let mut places = vec![at];
    let mut end = at + 1;
    let joins = |place: usize| matches!(scan.sign(place), Some('-' | '/')) && scan.joined(place);
    while joins(end) && scan.joined(end + 1) && scan.number(end + 1).is_some_and(|part| part.len() <= 4) {
        places.push(end + 1);
        end += 2;
    }
    let name = name::before(scan, at).into_iter().find(|name| name.kinds.has(Kinds::DOOR))?;
    // the word for "number" may be part of the keyword: H.No. 4-112
    let own = scan.word(name.place).is_some_and(|word| keywords::ends_in_number(word, scan.language));
    let plain = places.len() > 2 || sign == '-' && (name.numbered || own);
    if name.distance > 1 || places.len() < 2 || !plain || quantity::counts(scan, *places.last()?) {
        return None;
    }
    let mut words = String::new();
    for &place in &places {
        let part = scan.number(place)?;
        let part = if part.len() > 3 || part.starts_with('0') {
            number::one_by_one(&scan.data.number, part)
        } else {
            number::cardinal(&scan.data.number, part, number::System::Indian)
        };
        words = match scan.sign(place - 1) {
            _ if place == at => part,
            Some('/') => number::between(&scan.data.number, &scan.data.slash.house, &words, &part),
            _ => format!("{words} {part}"),
        };
    }
    let reading = Reading::new(words, end - at).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::PARTS, score: weight::DOOR, name: Some(name.place) })
}

/// Reads `২০২৩/০৪৫৬`: two numbers with a slash, at least one of which starts with a zero and has at least three digits,
/// so that they cannot be a fraction. Also reads two numbers if the first has at least six digits and follows a
/// keyword.
fn serial(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let (first, second) = (scan.number(at)?, scan.number(at + 2)?);
    let joined = scan.is_sign(at + 1, '/') && scan.joined(at + 1) && scan.joined(at + 2);
    let alone = !(at > 0 && scan.joined(at)) && (scan.spaced(at + 3) || scan.sign(at + 3) != Some('/'));
    let zeros = |digits: &str| digits.len() > 2 && digits.starts_with('0');
    // a keyword may precede a long serial number: Folio 91023344/12
    let named = first.len() >= SHORTEST_ACCOUNT && at > 0 && scan.names(at - 1).has(Kinds::NAMES);
    if !joined || !alone || !(zeros(first) || zeros(second) || named) {
        return None;
    }
    let [first, second] = [first, second].map(|digits| number::one_by_one(&scan.data.number, digits));
    let reading =
        Reading::new(format!("{first} {} {second}", scan.data.electronic.slash), 3).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::PARTS, score: weight::DOOR, name: None })
}
