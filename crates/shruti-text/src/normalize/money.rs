//! Amounts of money.

use super::data::Currency;
use super::fraction;
use super::number::{self, System};
use super::numeral::{self, Numeral};
use super::scan::{Reading, Scan};
use super::{measure, multiplier, span};

/// `₹1,25,000`, `Rs. 50.50`, `$5 billion`, `500 INR`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if numeral::is_minus(scan, at)
        || (matches!(scan.sign(at), Some('-' | '−')) && currency(scan, at + 1, false).is_some())
    {
        let positive = read(scan, at + 1)?;
        return Some(Reading::new(
            format!("{} {}", scan.data.number.minus, positive.words),
            positive.items + 1,
        ));
    }
    if let Some((currency, written)) = currency(scan, at, false) {
        let amount_at = at + written;
        // ₹-200
        if numeral::is_minus(scan, amount_at) && scan.joined(amount_at) {
            let numeral = Numeral::read(scan, amount_at + 1)?;
            let amount = amount(scan, currency, &numeral, amount_at + 1);
            let words = format!("{} {}", scan.data.number.minus, amount.words);
            return Some(Reading::new(words, written + 1 + amount.items));
        }
        let numeral = Numeral::read(scan, amount_at)?;
        let first = amount(scan, currency, &numeral, amount_at);
        let amount = span(scan, currency, &numeral, amount_at).unwrap_or(first);
        // $5 million dollars
        let behind = at + written + amount.items;
        let again = self::currency(scan, behind, true).filter(|_| scan.is_word(behind));
        let named = again.is_some_and(|(again, _)| std::ptr::eq(again, currency));
        let items = written + amount.items + usize::from(named);
        return Some(with_tail(scan, at, Reading::new(amount.words, items)));
    }
    let numeral = Numeral::read(scan, at)?;
    let multiplied = multiplier::counting_multiplied(scan, &numeral, at + numeral.items, numeral.system());
    let sign_at = at + numeral.items + multiplied.as_ref().map_or(0, |counted| counted.items);
    let (currency, written) = currency(scan, sign_at, true)?;
    // a currency's own name behind a number needs no help, unless there are hundredths
    if multiplied.is_none() && numeral.decimals.is_none() && is_name(scan, sign_at, currency) {
        return None;
    }
    let amount = amount(scan, currency, &numeral, at);
    Some(with_tail(scan, at, Reading::new(amount.words, amount.items + written)))
}

fn is_name(scan: &Scan<'_>, at: usize, currency: &Currency) -> bool {
    scan.word(at).is_some_and(|word| {
        word.chars().count() > 2
            && (!word.is_ascii() || [&currency.one, &currency.many].into_iter().any(|name| name == word))
    })
}

/// Whether a currency's name stands at `at`.
pub(super) fn is_named(scan: &Scan<'_>, at: usize) -> bool {
    currency(scan, at, true).is_some()
}

/// The currency written at `at`, before a number or behind it, and over how many items.
fn currency<'a>(scan: &'a Scan<'_>, at: usize, behind: bool) -> Option<(&'a Currency, usize)> {
    (1..=3).rev().find_map(|items| {
        let end = at + items;
        let joined = end <= scan.items.len() && (at + 1..end).all(|next| scan.joined(next));
        let raw = scan.raw(at, end);
        // "try 5" is no amount in lira
        let any_case = raw.len() > 1 && (behind || !is_code(raw));
        let currency = joined.then(|| scan.data.money.currency(raw, any_case)).flatten()?;
        Some((currency, items))
    })
}

/// Whether it has the shape of a code of ISO 4217.
fn is_code(raw: &str) -> bool {
    raw.len() == 3 && raw.chars().all(|c| c.is_ascii_alphabetic()) && !raw.eq_ignore_ascii_case("inr")
}

/// `10-15 लाख` or `5,000-₹10,000` behind a currency's sign.
fn span(scan: &Scan<'_>, currency: &Currency, from: &Numeral, at: usize) -> Option<Reading> {
    let dash = at + from.items;
    let joins =
        matches!(scan.sign(dash), Some('-' | '–' | '—')) && scan.spaced(dash) == scan.spaced(dash + 1);
    let again = match self::currency(scan, dash + 1, false) {
        Some((second, written)) if std::ptr::eq(second, currency) => written,
        _ => 0,
    };
    let to_at = dash + 1 + again;
    let to = Numeral::read(scan, to_at).filter(|_| joins)?;
    let amount = amount(scan, currency, &to, to_at);
    let words = span::between(scan, &from.words(scan), &amount.words);
    Some(Reading::new(words, from.items + 1 + again + amount.items))
}

/// The amount that begins at `at`, with its multiplier, in words.
fn amount(scan: &Scan<'_>, currency: &Currency, numeral: &Numeral, at: usize) -> Reading {
    let western = currency.western && (!numeral.grouped || numeral.western);
    let system = if western || numeral.western { System::Western } else { System::Indian };
    let after = at + numeral.items;
    if let Some(counted) = multiplier::counting_multiplied(scan, numeral, after, system) {
        return Reading::new(format!("{} {}", counted.words, currency.many), numeral.items + counted.items);
    }
    if let Some(letter) = multiplier_letter(scan, after) {
        let count = fraction::counted(scan, numeral).unwrap_or_else(|| numeral.counting(scan, system));
        let words = format!("{count} {letter} {}", currency.many);
        return Reading::new(words, numeral.items + 1);
    }
    let trimmed = numeral.decimals.as_deref().map(|decimals| {
        // 20.500 is twenty and a half, 20.506 is not an amount of cents
        if decimals.len() > 2 && decimals[2..].chars().all(|c| c == '0') { &decimals[..2] } else { decimals }
    });
    let whole = numeral.whole.trim_start_matches('0');
    let number = &scan.data.number;
    let words = match trimmed.map(|decimals| (decimals, &currency.minor)) {
        Some((decimals, _)) if decimals.chars().all(|c| c == '0') => {
            whole_amount(scan, currency, &numeral.whole, system)
        }
        Some((decimals, Some(minor))) if decimals.len() <= 2 => {
            let padded = format!("{decimals:0<2}");
            let hundredths = padded.trim_start_matches('0');
            let name = match &currency.minor_one {
                Some(one) if hundredths == "1" => one,
                _ => minor,
            };
            let minor = format!("{} {name}", number::before_noun(number, hundredths, System::Indian));
            if whole.is_empty() {
                minor
            } else {
                format!("{} {minor}", whole_amount(scan, currency, &numeral.whole, system))
            }
        }
        Some(_) => format!("{} {}", numeral.words_in(scan, system), currency.many),
        None => whole_amount(scan, currency, &numeral.whole, system),
    };
    Reading::new(words, numeral.items)
}

/// The `M` of `$1.5M` and the `L` of `₹5L`, which stand for multipliers only beside a currency.
fn multiplier_letter<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let name = match scan.latin(at).filter(|_| scan.joined(at))? {
        "K" | "k" => "thousand",
        "L" => "lakh",
        "M" | "m" => "million",
        "B" | "b" => "billion",
        "T" | "t" => "trillion",
        _ => return None,
    };
    scan.data.number.multipliers.get(name).map(String::as_str)
}

fn whole_amount(scan: &Scan<'_>, currency: &Currency, digits: &str, system: System) -> String {
    let trimmed = digits.trim_start_matches('0');
    let digits = if trimmed.is_empty() { "0" } else { trimmed };
    let name = if digits == "1" { &currency.one } else { &currency.many };
    format!("{} {name}", number::before_noun(&scan.data.number, digits, system))
}

/// What may follow an amount: `/-`, which says nothing, or `/month`.
fn with_tail(scan: &Scan<'_>, at: usize, amount: Reading) -> Reading {
    let after = at + amount.items;
    if !scan.is_sign(after, '/') || scan.spaced(after) {
        return amount;
    }
    let silent = numeral::only_sign(scan, after);
    if silent > 0 {
        return Reading::new(amount.words, amount.items + silent);
    }
    match measure::per(scan, after) {
        Some((unit, items)) => {
            let words = measure::with_per(scan, &amount.words, &unit);
            Reading::new(words, amount.items + items)
        }
        None => amount,
    }
}
