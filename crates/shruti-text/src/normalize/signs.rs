//! Signs that are said: `%`, `+`, `√`, `<`, raised digits.

use super::number::{self, System};
use super::scan::{Reading, Scan};
use super::{classes, letters, range};

/// The name of the sign `c` at `at`, where it has something to say. A name with `{n}` in it takes what follows with it:
/// `< 5` is पाँच से कम.
pub(super) fn read(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    if matches!(c, '-' | '−' | '–') {
        return (c == '−' || is_minus(scan, at)).then(|| Reading::new(scan.data.number.minus.clone(), 1));
    }
    if !is_spoken(scan, at, c) {
        return None;
    }
    let product = number_before(scan, at) && number_after(scan, at) && !scan.data.number.literal_asterisk;
    let times = c == '*' && (product || range::in_equation(scan, at));
    if let Some(name) = scan.data.symbols.get(if times { &'×' } else { &c }) {
        return Some(with_operand(scan, at, name));
    }
    let currency = scan.data.money.currency(c.encode_utf8(&mut [0; 4]), false)?;
    Some(Reading::new(currency.one.clone(), 1))
}

/// Between numbers of an equation a dash is a minus, elsewhere it joins words.
fn is_minus(scan: &Scan<'_>, at: usize) -> bool {
    let word_before = at > 0 && scan.is_word(at - 1);
    range::in_equation(scan, at)
        && (number_before(scan, at) || word_before)
        && (number_after(scan, at) || scan.is_word(at + 1))
}

fn is_spoken(scan: &Scan<'_>, at: usize, c: char) -> bool {
    let numbers = number_before(scan, at) || number_after(scan, at);
    let alone = scan.spaced(at) && scan.spaced(at + 1);
    let word_before = at > 0 && scan.is_word(at - 1);
    match c {
        // between numbers with units it says nothing: 8GB/512GB
        '/' if !scan.data.number.slash_between_words => number_before(scan, at) && number_after(scan, at),
        '/' => numbers || word_before || scan.is_word(at + 1),
        '*' | '^' => numbers,
        '~' => number_after(scan, at),
        '<' | '>' => numbers || alone && at > 0,
        '|' | '_' | '\\' => false,
        '#' => scan.spaced(at + 1) || !scan.is_word(at + 1) || scan.joined(at),
        '→' => number_before(scan, at) && number_after(scan, at) || alone,
        _ => true,
    }
}

fn number_before(scan: &Scan<'_>, at: usize) -> bool {
    let ends_number = |c| matches!(c, '%' | ')' | '²' | '³' | '°');
    at > 0 && (scan.number(at - 1).is_some() || scan.sign(at - 1).is_some_and(ends_number))
}

fn number_after(scan: &Scan<'_>, at: usize) -> bool {
    let begins_number = matches!(scan.sign(at + 1), Some('-' | '−' | '√' | '(' | '₹' | '$'));
    scan.number(at + 1).is_some() || begins_number && scan.number(at + 2).is_some()
}

fn with_operand(scan: &Scan<'_>, at: usize, name: &str) -> Reading {
    if !name.contains("{n}") {
        return Reading::new(name, 1);
    }
    let word = || letters::read(scan, at + 1).or_else(|| Some(Reading::new(scan.word(at + 1)?, 1)));
    let operand = classes::numeric(scan, at + 1).or_else(word).filter(|_| !scan.is_sign(at + 1, '('));
    match operand {
        Some(operand) => {
            Reading::new(number::fill(&scan.data.number, name, "{n}", &operand.words), 1 + operand.items)
        }
        None => Reading::new(name.replace("{n}", "").trim(), 1),
    }
}

/// Raised digits: a power of what stands before them; behind a word they are the mark of a note, and say nothing.
pub(super) fn power(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let raised = scan.power(at)?;
    let digits = raised.trim_start_matches(['+', '-']);
    let words = number::cardinal(&scan.data.number, digits, System::Indian);
    if at == 0 || scan.spaced(at) {
        return Some(Reading::new(words, 1));
    }
    let single_letter = scan.word(at - 1).is_some_and(|word| word.chars().count() == 1);
    if !(single_letter || number_before(scan, at)) {
        return None;
    }
    let sign = if raised.starts_with('-') { format!("{} ", scan.data.number.minus) } else { String::new() };
    let power = scan.data.symbols.get(&'^')?;
    Some(Reading::new(format!("{power} {sign}{words}"), 1))
}
