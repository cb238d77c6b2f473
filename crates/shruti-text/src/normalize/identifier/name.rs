//! Keywords that identify a number: a following one, or the nearest preceding one that does not identify another
//! number.

use crate::data::keywords::{self, Kinds};
use crate::normalize::date::year;
use crate::normalize::quantity::{self, currency};
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar;
use crate::normalize::scan::sentence_context::ContextName;

/// Maximum number of words between a number and its keyword, and number of items before or after a number that are
/// searched for other words.
pub(crate) const NEAR: usize = 6;
/// Number of items before and after a number that are searched for a word about trains or flights.
pub(crate) const NEAR_TRAIN: usize = 4;
/// Number of items before a number that are searched for its keyword if the number ends its clause:
/// `OTP for your payment of ₹500 to Ravi is 482913`.
const FAR: usize = 24;
/// Number of items after a word for the last digits that are searched for a keyword such as "account".
const NEAR_END: usize = 3;
/// Minimum number of digits of the numbers in a list.
const SHORTEST_LISTED: usize = 3;
/// Number of items before and after a word for a code that are searched for a word about laws.
const NEAR_LAW: usize = 3;

/// Evidence from a keyword that may identify a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a separate piece of evidence
pub(crate) struct Name {
    pub(crate) kinds: Kinds,
    /// Index of the keyword among the items.
    pub(crate) place: usize,
    /// Number of words between the keyword and the number, not counting linking words and words for "number".
    pub(crate) distance: usize,
    /// Whether a word for "number" directly precedes the number.
    pub(crate) numbered: bool,
    /// Whether the word for "number" may also denote a quantity.
    pub(crate) counts: bool,
    /// Whether a colon or an equals sign directly precedes the number.
    pub(crate) colon: bool,
    /// Whether a linking word directly precedes the number.
    pub(crate) linked: bool,
    /// Whether the clause ends with the number.
    pub(crate) closes: bool,
    /// Whether other numbers of a list are between the keyword and the number.
    pub(crate) listed: bool,
    /// Whether the keyword is part of the name of a law.
    pub(crate) is_law: bool,
    /// Whether a label or an address word precedes the word for "number".
    pub(crate) labelled: bool,
}

/// Returns the keywords before the number at `at` that may identify it, nearest first.
pub(crate) fn before(scan: &Scan<'_>, at: usize) -> Vec<Name> {
    let mut name = Name { closes: closes(scan, at + 1), ..Name::default() };
    let mut names = Vec::new();
    let mut number_word = None;
    // count of the numbers in between that have a keyword of their own
    let mut others: usize = 0;
    let mut place = at;
    while place > at.saturating_sub(FAR) {
        place -= 1;
        let kinds = scan.names(place);
        if scan.number(place).is_some() {
            if name.distance == 0 && number_word.is_none() && is_listed(scan, place, at) {
                name.listed = true;
            } else if is_eligible(scan, place) {
                others += 1;
            } else {
                name.distance += 1;
            }
        } else if kinds.has(Kinds::NAMES) {
            let phrase = phrase(scan, place);
            if others == 0 {
                names.push(Name { kinds: phrase.1, place, is_law: is_law(scan, place), ..name });
            }
            others = others.saturating_sub(1);
            name.distance += 1;
            place = phrase.0;
        } else if kinds.has(Kinds::NUMBER) || kinds.has(Kinds::COUNT) {
            if name.distance == 0 && others == 0 {
                name.numbered = true;
                name.counts |= !kinds.has(Kinds::NUMBER);
                number_word.get_or_insert(place);
            }
        } else {
            pass(scan, place, at, &mut name);
        }
    }
    if place == 0
        && others == 0
        && let Some(sentence_context) = scan.sentence_context.name
    {
        // the comma between the sentence context and the segment counts as a word
        let distance = name.distance + sentence_context.distance + 1;
        let ContextName { kinds, is_law, .. } = sentence_context;
        names.push(Name { kinds, is_law, place: scan.items.len(), distance, ..name });
    }
    if let Some(place) = number_word {
        let labelled = is_labelled(scan, place);
        names.push(Name { place, distance: 0, kinds: scan.names(place), labelled, ..name });
    }
    names
}

/// Records an item between a number and its keyword.
fn pass(scan: &Scan<'_>, place: usize, at: usize, name: &mut Name) {
    match scan.sign(place) {
        Some(':' | '=' | '#' | '№') if name.distance == 0 => {
            name.colon = true;
            name.numbered |= matches!(scan.sign(place), Some('#' | '№')) && place + 1 == at;
        }
        Some(',') if place > 0 && is_listed(scan, place - 1, at) => {}
        None if place > 0 && joins_list(scan, place) && is_listed(scan, place - 1, at) => {}
        Some(',' | ';' | '।' | '(' | ')' | '?') if !name.listed => name.distance += 1,
        Some(_) => {}
        None if scan.names(place).has(Kinds::LINK) => name.linked |= name.distance == 0,
        // a word for the last digits does not add to the distance: a/c ending with 1304
        None if scan.names(place).has(Kinds::LAST) => {}
        None => name.distance += 1,
    }
}

/// Returns the keyword after the number at `at` that identifies it, unless another number follows the keyword.
pub(crate) fn after(scan: &Scan<'_>, at: usize) -> Option<Name> {
    let mut name = Name::default();
    let mut numbered = false;
    let mut last = at + NEAR;
    for place in at + 1..=at + 2 * NEAR {
        if place > last {
            break;
        }
        // a word with a hyphen counts once: e-KYC
        let hyphen = scan.is_sign(place, '-') && scan.joined(place) && scan.joined(place + 1);
        last += 2 * usize::from(hyphen && scan.is_word(place - 1) && scan.is_word(place + 1));
        let kinds = scan.names(place);
        numbered |= kinds.has(Kinds::NUMBER);
        if scan.number(place).is_some() && is_eligible(scan, place) {
            return None;
        }
        // at the start of a segment, a linking word and another keyword may be between the number and the word for a
        // code: 648130 is the Aadhaar update OTP
        let introduces = at == 0
            && name.linked
            && kinds.has(Kinds::NAMES)
            && !kinds.has(Kinds::CODE)
            && code_follows(scan, place);
        if introduces {
            name.distance += 1;
            continue;
        }
        // a number before a building word counts buildings, and one after it is a house number: 1200 नए फ्लैट, फ्लैट
        // 1200
        let is_counted = kinds.has(Kinds::DOOR) && !numbered;
        if !kinds.has(Kinds::NAMES) || is_counted {
            match scan.sign(place) {
                Some(',' | ';' | '(' | ')' | '।' | ':') => name.distance += 2,
                Some(_) => {}
                None if kinds.has(Kinds::LINK) => name.linked = true,
                None => name.distance += 1,
            }
            continue;
        }
        // a keyword before another number identifies that number (OTP 1234) and not the preceding one
        let own =
            (place + 1..=place + NEAR).any(|next| scan.number(next).is_some() && is_eligible(scan, next));
        let ended =
            closes(scan, place + 1) || scan.word(place + 1).is_some_and(|word| scan.is_function(word));
        // if the phrase continues after an adjacent keyword, the keyword may not identify the number: 1860 code of …
        let adjacent = name.distance == 0 && !(name.linked || ended);
        name.distance += usize::from(adjacent);
        return (!own).then_some(Name { kinds, place, is_law: is_law(scan, place), ..name });
    }
    None
}

/// Returns whether a word for a code is shortly after the word at `place`, without a number between them.
fn code_follows(scan: &Scan<'_>, place: usize) -> bool {
    let mut near = (place + 1..=place + NEAR).take_while(|&next| scan.number(next).is_none());
    near.any(|next| scan.names(next).has(Kinds::CODE))
}

/// Returns whether the number at `at` may be a code: it is long enough and not part of a quantity, a date or a time.
pub(crate) fn is_eligible(scan: &Scan<'_>, at: usize) -> bool {
    let Some(digits) = scan.number(at).filter(|digits| keywords::is_long_enough(digits)) else {
        return false;
    };
    let joins = |sign: Option<char>| matches!(sign, Some('.' | ',' | ':'));
    let continued = joins(scan.sign(at + 1))
        && scan.joined(at + 1)
        && scan.joined(at + 2)
        && scan.number(at + 2).is_some();
    let led = at > 1 && scan.joined(at) && joins(scan.sign(at - 1)) && scan.joined(at - 1);
    let led = led && scan.number(at - 2).is_some();
    let month = |place: usize| {
        scan.word(place).is_some_and(|word| calendar::named_month(scan.language, word).is_some())
    };
    let dated = digits.len() == 4 && at > 0 && month(at - 1);
    let priced = at > 0 && currency::is_named(scan, at - 1) && !scan.is_sign(at - 1, '#');
    let percent = scan.is_sign(at + 1, '%');
    // hours are not an identifier: between 0800 and 1200 hours
    let hours = scan.data.time.hour_words.as_ref();
    let timed = hours.is_some_and(|(_, hours)| scan.word(at + 1) == Some(hours.as_str()));
    !(continued || led || dated || priced || percent || timed || quantity::counts(scan, at))
}

/// Returns whether the word at `place` joins the numbers of a list: 1501 to 1750, 112 and 181.
fn joins_list(scan: &Scan<'_>, place: usize) -> bool {
    let joins = |word: &str| match &scan.data.number.and {
        // in English, "of" joins a number and a year
        Some(and) => and == word || scan.data.date.span_words.contains(word),
        None => scan.is_function(word) && !scan.names(place).has(Kinds::LINK),
    };
    scan.word(place).is_some_and(joins)
}

/// Returns whether the numbers at `place` and `at` belong to a list, with only a sign or a function word between them.
fn is_listed(scan: &Scan<'_>, place: usize, at: usize) -> bool {
    let length = |place: usize| scan.number(place).map_or(0, str::len);
    let alike = length(place).abs_diff(length(at)) <= 1 && length(at) >= SHORTEST_LISTED;
    let between = place + 1..at;
    let joins = |between: usize| {
        let grammar = |word: &str| scan.is_function(word) && !scan.names(between).has(Kinds::LINK);
        matches!(scan.sign(between), Some(',' | '/' | '&')) || scan.word(between).is_some_and(grammar)
    };
    alike && between.len() == 1 && between.into_iter().all(joins)
}

/// Returns the index of the first of the keywords that end at `place`, with only signs between them, and all their
/// kinds.
fn phrase(scan: &Scan<'_>, place: usize) -> (usize, Kinds) {
    let mut first = place;
    let mut kinds = scan.names(place);
    let mut at = place;
    while at > 0 {
        at -= 1;
        if scan.names(at).has(Kinds::NAMES) {
            first = at;
            kinds = kinds.and(scan.names(at));
        } else if scan.sign(at).is_none() {
            break;
        }
    }
    (first, kinds)
}

/// Returns whether a word about laws near the word for a code at `place` indicates a law: the Penal Code, 1860.
fn is_law(scan: &Scan<'_>, place: usize) -> bool {
    let near = place.saturating_sub(NEAR_LAW)..=place + NEAR_LAW;
    near.into_iter().any(|place| scan.names(place).has(Kinds::LAW))
}

/// Returns whether one of the three items before the word for "number" at `place` is a label, such as the word for a
/// house or a seat.
fn is_labelled(scan: &Scan<'_>, place: usize) -> bool {
    let context = &scan.data.context;
    let lists = [&context.labels, &context.numbered, &context.address];
    let label = |place: usize| lists.iter().any(|list| scan.is_one_of(list, place));
    (place.saturating_sub(3)..place).any(label)
}

/// Returns whether a word for the last digits is shortly before `at`.
pub(crate) fn last_before(scan: &Scan<'_>, at: usize) -> bool {
    (at.saturating_sub(NEAR)..at).any(|place| scan.names(place).has(Kinds::LAST))
}

/// Returns whether a keyword for something that is identified by its last digits, such as an account, is before `at`.
pub(crate) fn shown_before(scan: &Scan<'_>, at: usize) -> bool {
    (at.saturating_sub(FAR)..at).any(|place| scan.names(place).has(Kinds::SHOWN_BY_ITS_END))
}

/// Returns whether a word for the last digits follows the number at `at`, with only its ending or function words
/// between them, and a keyword for something that is identified by these digits comes next: 4821 என முடியும் கணக்கு.
pub(crate) fn ends_account_after(scan: &Scan<'_>, at: usize) -> bool {
    let passes = |place: usize| {
        scan.is_sign(place, '-') && scan.joined(place)
            || scan.word(place).is_some_and(|word| scan.joined(place) || scan.is_function(word))
    };
    let last = (at + 1..at + NEAR).find(|&place| !passes(place));
    let is_last = |last: &usize| *last > at + 1 && scan.names(*last).has(Kinds::LAST);
    last.filter(is_last).is_some_and(|last| {
        // 2024 என முடியும் ஆண்டு கணக்கு denotes the accounts of the year 2024, not an account number
        let mut after = (last + 1..=last + NEAR_END).take_while(|&place| !year::is_named(scan, place));
        after.any(|place| scan.names(place).has(Kinds::SHOWN_BY_ITS_END))
    })
}

/// Returns whether the clause may end before `at`, because a sign, a linking word or the end of the segment is there.
fn closes(scan: &Scan<'_>, at: usize) -> bool {
    (scan.word(at).is_none() || scan.names(at).has(Kinds::LINK)) && scan.number(at).is_none()
}

/// Returns whether a word near the items `from..to` indicates that they are a code.
pub(crate) fn is_code_near(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    let near = (from.saturating_sub(NEAR)..from).chain(to..to + NEAR);
    scan.names_numbers() && near.into_iter().any(|place| scan.names(place).has(Kinds::CODE))
}

/// Returns whether a word close to a number is about trains or flights, and the number does not end in three zeros.
pub(crate) fn is_train(scan: &Scan<'_>, at: usize) -> bool {
    let round = scan.number(at).is_some_and(|digits| digits.ends_with("000"));
    let near = (at.saturating_sub(NEAR_TRAIN)..at).chain(at + 1..=at + NEAR_TRAIN);
    scan.names_numbers() && !round && near.into_iter().any(|place| scan.names(place).has(Kinds::TRAIN))
}

/// Returns whether a number with the length of a train number is shortly before `at`.
pub(crate) fn follows_train_number(scan: &Scan<'_>, at: usize) -> bool {
    let before = at.saturating_sub(NEAR_TRAIN)..at;
    before.into_iter().any(|place| scan.number(place).is_some_and(|digits| digits.len() == TRAIN))
}

/// Number of digits of a train number.
pub(crate) const TRAIN: usize = 5;

/// Minimum number of digits of a telephone number or a payment reference.
pub(crate) const SHORTEST_TELEPHONE: usize = 8;
