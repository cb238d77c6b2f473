//! Superscript digits.

use super::equation::number_before;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};

/// Reads superscript digits as a power of the preceding letter or number. After a longer word, the digits refer to a
/// footnote and are silent.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    Some(Reading::new(raised_to(scan, &format!("{sign}{words}"))?, 1))
}

/// Returns the words for raising to a power, from the words of the exponent.
pub(crate) fn raised_to(scan: &Scan<'_>, exponent: &str) -> Option<String> {
    let power = scan.data.symbols.get(&'^')?;
    Some(if power.contains("{n}") {
        number::fill(&scan.data.number, power, "{n}", exponent)
    } else {
        format!("{power} {exponent}")
    })
}
