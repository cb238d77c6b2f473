//! Abbreviations and their expansions.

pub(crate) mod address_label;
pub(crate) mod context;
pub(crate) mod next_word;
pub(crate) mod phrases;

use shruti_lang::Language;

use crate::chars::{is_brahmic, lowercase};
use crate::data::keywords::{self, Kinds};
use crate::data::{self, Data};
use crate::english;
use crate::normalize::number;
use crate::normalize::scan::{MAX_ABBREVIATION, Reading, Scan};
use crate::normalize::spelling::initials;
use crate::normalize::spelling::{self, ending};
use crate::per_language::PerLanguage;
use crate::table::Set;

/// Minimum number of digits of the first part of a telephone number after an abbreviation in brackets.
const SHORTEST_TELEPHONE: usize = 4;

/// Reads an abbreviation at `at`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.is_word(at) || (at > 0 && scan.joined(at) && scan.number(at - 1).is_some()) {
        return None;
    }
    // at the end of a sentence, "no." may be an answer: He said no.
    if keywords::is_last_answer(&scan.items, at) {
        return None;
    }
    // a full stop without a space after it may precede the abbreviation: K P.Avl bal INR 5
    if at > 0 && scan.joined(at) && scan.is_sign(at - 1, '.') {
        // a sentence that ends in a number may precede the abbreviation without a space: till 05-Jun-25.TnC
        let after_number = at > 1 && scan.number(at - 2).is_some();
        let short =
            || scan.data.abbreviation(scan.raw(at, at + 1)).filter(|_| after_number && scan.spaced(at + 1));
        // another abbreviation may precede the abbreviation without a space: ഗവ.മെഡി.കോളേജ്
        let chained = || {
            let follows = at > 1 && scan.data.abbreviations.contains_key(scan.raw(at - 2, at));
            let words = scan.data.abbreviations.get(scan.raw(at, at + 2)).filter(|_| follows)?;
            Some(Reading::new(words.clone(), 2))
        };
        return context::of_amount(scan, at, at + 1)
            .map(String::as_str)
            .or_else(short)
            .map(|words| Reading::new(words, 1))
            .or_else(|| initials::numbers(scan, at))
            .or_else(|| number_word(scan, at))
            .or_else(chained);
    }
    if let Some(account) = run_on_account(scan, at) {
        return Some(account);
    }
    if let Some(number) = number_word(scan, at).or_else(|| possessive(scan, at)) {
        return Some(number);
    }
    // the following items determine the maximum length of the abbreviation
    let most = match scan.sign(at + 1) {
        Some('.' | '/' | '&') => MAX_ABBREVIATION,
        // a hyphen may be part of the abbreviation, even before a number: E-facing, સે-૨૧
        Some('-') if scan.joined(at + 1) => 4,
        Some(':') if scan.joined(at + 1) && !scan.is_sign(at + 2, ':') => 2,
        Some('॥') if scan.joined(at + 1) => MAX_ABBREVIATION,
        // a visarga may replace the dot: বিঃ দ্রঃ, উঃ মাঃ বিঃ
        None if ends_in_visarga(scan, at) && ends_in_visarga(scan, at + 1) => {
            (at..at + MAX_ABBREVIATION).take_while(|&place| ends_in_visarga(scan, place)).count()
        }
        // the abbreviation may include the preceding word, which determines its meaning: थाना को.
        None if scan.is_sign(at + 2, '.') && scan.joined(at + 2) => 3,
        None if scan.is_word(at + 1) && phrases::begin_with(scan, at) => 2,
        _ => 1,
    };
    (1..=most).rev().find_map(|items| of_items(scan, at, items))
}

/// Reads an abbreviation with a possessive ending: `Govt's`, `Govt.'s`.
fn possessive(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at)?;
    let inflected = |words: &str, items: usize| Some(Reading::new(format!("{words}'s"), items));
    if let Some(stem) = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")) {
        let titled = stem.starts_with(|c: char| c.is_ascii_uppercase());
        let listed = || scan.data.abbreviation(&format!("{stem}.")).filter(|_| titled);
        let short = stem.len() > 1 && !english::is_word(&stem.to_ascii_lowercase());
        return scan
            .data
            .abbreviation(stem)
            .or_else(listed)
            .filter(|_| short)
            .and_then(|words| inflected(words, 1));
    }
    let mark = matches!(scan.sign(at + 2), Some('\'' | '’')) && scan.latin(at + 3) == Some("s");
    let joined = (at + 1..=at + 3).all(|place| scan.joined(place)) && scan.spaced(at + 4);
    if !(mark && joined && scan.is_sign(at + 1, '.')) {
        return None;
    }
    scan.data.abbreviation(scan.raw(at, at + 2)).and_then(|words| inflected(words, 4))
}

/// Reads the abbreviation that consists of the `items` items from `at`.
fn of_items(scan: &Scan<'_>, at: usize, items: usize) -> Option<Reading> {
    let end = at + items;
    let goes_on = || scan.joined(end) && (scan.is_word(end) || scan.number(end).is_some());
    if end > scan.items.len() || goes_on() && scan.sign(end - 1).is_none() {
        return None;
    }
    // a colon or a double danda may replace the dot: ਡਾ: ਸਿੰਘ, ಚಿ॥ ಕಿರಣ್
    let bars = scan.is_sign(at + 1, '॥');
    let replaced = bars && scan.is_sign(end - 1, '॥') || items == 2 && scan.is_sign(at + 1, ':');
    let colon = replaced && !is_written(scan.raw(at, end), scan.language);
    // brackets may replace the dot before a telephone number: (મો) 98251 40276
    let bracketed = items == 1
        && at > 0
        && scan.is_sign(at - 1, '(')
        && scan.is_sign(end, ')')
        && scan.number(end + 1).is_some_and(|digits| digits.len() >= SHORTEST_TELEPHONE);
    let colon = (colon || bracketed) && !scan.raw(at, at + 1).is_ascii();
    let dotted = match (colon, bars) {
        (true, true) => scan.raw(at, end).replace('॥', "."),
        (true, false) => format!("{}.", scan.raw(at, at + 1)),
        (false, _) => String::new(),
    };
    let raw = if colon { dotted.as_str() } else { scan.raw(at, end) };
    // a slash before more letters is not the end of an abbreviation: the w/ of w/w tiles is not "with"
    let cut = raw.ends_with('/') && scan.joined(end);
    if let Some(role) = context::in_brackets(scan, at, end) {
        return Some(Reading::new(role, items));
    }
    if !colon && !is_written(raw, scan.language) || cut {
        return None;
    }
    // the colon after a label is a pause, not part of the abbreviation
    let items = if items > 1 && raw.ends_with(':') { items - 1 } else { items };
    if let Some(words) = context::in_context(scan, at, end, raw) {
        return Some(Reading::new(words, items));
    }
    // మం.లో is an abbreviation with an ending, not a pair of initials
    let inflected = || scan.joined(end) && ending::is_dotted(scan, end) && !scan.is_sign(end + 1, '.');
    if items == 2 && initials::is_initial(scan, at) && !initials::is_title(scan, at) && !inflected() {
        return None;
    }
    // the table may list the form without its dot: Amt. Rs 500
    let without_dot = || {
        let plain =
            raw.strip_suffix('.').filter(|_| items == 2 && end < scan.items.len() && raw.is_ascii())?;
        scan.data.abbreviation(plain)
    };
    let listed = scan.data.abbreviation(raw).filter(|_| !is_word(scan, scan.data, end, raw));
    let of_road = || raw.len() > 2 && raw.ends_with('.') && at > 0 && initials::is_capitalised(scan, at - 1);
    let of_address =
        || initials::follows_name(scan, at) && (raw.len() > 1 || begins_name(scan, end)) || of_road();
    let address = || scan.data.address.get(raw).filter(|_| of_address()).map(String::as_str);
    if let Some(words) = listed.or_else(without_dot).or_else(address) {
        return Some(Reading::new(words, items));
    }
    let words = english(scan, at, end, raw)?;
    Some(Reading { language: Some(Language::English), ..Reading::new(words, items) })
}

/// Returns whether the word at `at` ends in a visarga, which marks an abbreviation in Bengali and Odia.
fn ends_in_visarga(scan: &Scan<'_>, at: usize) -> bool {
    let last = scan.word(at).and_then(|word| word.chars().next_back());
    last.is_some_and(|c| is_brahmic(c) && c as u32 & 0x7F == 0x03)
}

/// Maximum number of letters of a form in capitals that may be an initialism.
const LONGEST_INITIALISM: usize = 3;

/// Returns whether a form that the table contains in another case is not an abbreviation, so that its dot ends the
/// sentence. In lower case at the end of the segment, the form may be a word (tini aboddho hon). In capitals, it is an
/// initialism (my PF. Then) unless more capitals or a number follow.
fn is_word(scan: &Scan<'_>, data: &Data, end: usize, raw: &str) -> bool {
    if data.abbreviations.contains_key(raw) {
        return false;
    }
    let ends = end >= scan.items.len() && raw.ends_with('.');
    let capitals = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    let initialism = raw
        .strip_suffix('.')
        .is_some_and(|word| capitals(word) && (2..=LONGEST_INITIALISM).contains(&word.len()));
    let continues = || scan.number(end).is_some() || scan.latin(end).is_some_and(capitals);
    ends && raw.starts_with(|c: char| c.is_ascii_lowercase()) || initialism && !continues()
}

/// Expands an English abbreviation for which the language has no expansion: `txn`, `Govt.`, `Tab.` before a Latin name
/// or before a medicine with its dose, `Std` before a number, and `Bal` before an amount.
fn english<'a>(scan: &Scan<'_>, at: usize, end: usize, raw: &str) -> Option<&'a str> {
    let data = data::of(Language::English);
    let doses = || context::precedes_dose(scan, at, end);
    let titled = || (scan.latin(end).is_some() || doses()) && initials::precedes_name(scan, at, end);
    let title = data.before_name.get(raw).filter(|_| raw.len() > 3 && titled()).map(String::as_str);
    let numbered = || data.before_number.get(raw).filter(|_| raw.len() > 2 && scan.number(end).is_some());
    let dosed = || data.before_dose.get(raw).filter(|_| doses());
    let title = title.or_else(|| numbered().or_else(dosed).map(String::as_str));
    // an expansion into single letters is not used, because the language has its own letter names
    let of_letters = |words: &str| words.split(' ').all(|word| word.len() == 1);
    let listed = data.abbreviation(raw).filter(|words| !of_letters(words));
    let paid = || context::of_amount_in_english(scan, at, end);
    title.or_else(paid).or_else(|| listed.filter(|_| raw.len() > 2 && !is_word(scan, data, end, raw)))
}

/// Reads a Latin "no" that means "number": Policy no 1234, W.P.No. 21345.
fn number_word(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let named = scan.names(at).has(Kinds::NUMBER);
    let no = scan.latin(at).is_some_and(|word| word.eq_ignore_ascii_case("no")) && named;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    no.then(|| Reading::new(scan.data.number.number_sign.clone(), 1 + dot))
}

/// Returns whether one of the tables that [`read`] consults contains a written form, regardless of case. This check
/// excludes most words early.
fn is_written(form: &str, language: Language) -> bool {
    static FORMS: PerLanguage<Set<String>> = PerLanguage::new();
    let forms = FORMS.get(language, || {
        let data = data::of(language);
        let english = data::of(Language::English);
        let by_context = data.abbreviations_by_context().map(|(_, table)| table);
        let others = [
            &data.abbreviations,
            &data.address,
            &english.abbreviations,
            &english.before_name,
            &english.before_number,
            &english.before_amount,
            &english.before_dose,
        ];
        let topics = data.topics.iter().map(|topic| &topic.abbreviations);
        let before_stems = data.before_stems.iter().map(|group| &group.abbreviations);
        let keys = by_context
            .into_iter()
            .chain(others)
            .chain(topics)
            .chain(before_stems)
            .flat_map(|table| table.keys());
        keys.map(|key| lowercase(key).into_owned()).collect()
    });
    let lower = lowercase(form);
    let without_dot = || lower.strip_suffix('.').filter(|plain| plain.is_ascii());
    forms.contains(lower.as_ref()) || without_dot().is_some_and(|plain| forms.contains(plain))
}

/// Reads `A/cX0763`: an abbreviation of "account" that is joined to the visible last digits of the account number.
fn run_on_account(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.is_sign(at + 1, '/') {
        return None;
    }
    let mask = scan.latin(at + 2)?.chars().next_back().filter(|c| matches!(c, 'x' | 'X'))?;
    let raw = scan.raw(at, at + 3);
    let digits = scan.number(at + 3).filter(|digits| scan.joined(at + 3) && digits.len() > 2)?;
    let account = raw.contains('/').then(|| scan.data.abbreviation(raw.strip_suffix(mask)?)).flatten()?;
    let shown = number::one_by_one(&scan.data.number, digits);
    Some(Reading::new(format!("{account} {} {shown}", spelling::apart(scan, "X")), 4))
}

/// Returns whether a name or a number starts at `at`.
fn begins_name(scan: &Scan<'_>, at: usize) -> bool {
    scan.number(at).is_some() || initials::is_capitalised(scan, at)
}
