//! Amounts of money.

use super::data::Currency;
use super::item::{Reading, Scan};
use super::measure;
use super::number::{self, System};
use super::numeral::{self, Numeral};

/// `₹1,25,000`, `Rs. 50.50`, `$5 billion`, `500 INR`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if numeral::is_minus(scan, at)
        || (matches!(scan.sign(at), Some('-' | '−')) && currency(scan, at + 1).is_some())
    {
        let positive = read(scan, at + 1)?;
        return Some(Reading::new(
            format!("{} {}", scan.data.number.minus, positive.words),
            positive.items + 1,
        ));
    }
    if let Some((currency, written)) = currency(scan, at) {
        let amount_at = at + written;
        let numeral = Numeral::read(scan, amount_at)?;
        let first = amount(scan, currency, &numeral, amount_at);
        let amount = span(scan, currency, &numeral, amount_at).unwrap_or(first);
        let items = written + amount.items;
        return Some(with_tail(scan, at, Reading::new(amount.words, items)));
    }
    let numeral = Numeral::read(scan, at)?;
    let multiplied = numeral::multiplier(scan, at + numeral.items).is_some();
    let sign_at = at + numeral.items + usize::from(multiplied);
    let (currency, written) = currency(scan, sign_at)?;
    // a currency's own name behind a number needs no help, unless there are hundredths
    if !multiplied && numeral.decimals.is_none() && is_name(scan, sign_at, currency) {
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

/// The currency written at `at`, and over how many items.
fn currency<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a Currency, usize)> {
    let first = scan.item(at)?;
    let head = first.text.chars().next()?;
    for items in (1..=3).rev() {
        let joined = (at + 1..at + items).all(|next| scan.joined(next)) && at + items <= scan.items.len();
        if !joined {
            continue;
        }
        let raw = scan.raw(at, at + items);
        let matches = |written: &String| {
            written.chars().next().is_some_and(|c| c.eq_ignore_ascii_case(&head))
                && (*written == raw
                    || (raw.len() > 1 && raw.is_ascii() && written.eq_ignore_ascii_case(&raw)))
        };
        let found = scan.data.money.currencies.iter().find(|currency| currency.written.iter().any(matches));
        if let Some(found) = found {
            return Some((found, items));
        }
    }
    None
}

/// `10-15 लाख` behind a currency's sign.
fn span(scan: &Scan<'_>, currency: &Currency, from: &Numeral, at: usize) -> Option<Reading> {
    let dash = at + from.items;
    let joins =
        matches!(scan.sign(dash), Some('-' | '–' | '—')) && scan.spaced(dash) == scan.spaced(dash + 1);
    let to = Numeral::read(scan, dash + 1).filter(|_| joins)?;
    let amount = amount(scan, currency, &to, dash + 1);
    let words = scan.data.number.range.replace("{a}", &from.words(scan)).replace("{b}", &amount.words);
    Some(Reading::new(words, from.items + 1 + amount.items))
}

/// The amount that begins at `at`, with its multiplier, in words.
fn amount(scan: &Scan<'_>, currency: &Currency, numeral: &Numeral, at: usize) -> Reading {
    let western = currency.western && (!numeral.grouped || numeral.western);
    let system = if western || numeral.western { System::Western } else { System::Indian };
    let after = at + numeral.items;
    if let Some(counted) = numeral::with_multiplier(scan, numeral, after, system) {
        return Reading::new(format!("{} {}", counted.words, currency.many), numeral.items + 1);
    }
    if let Some(letter) = multiplier_letter(scan, after) {
        let words = format!("{} {letter} {}", numeral.counting(scan, system), currency.many);
        return Reading::new(words, numeral.items + 1);
    }
    let trimmed = numeral.decimals.as_deref().map(|decimals| {
        // 20.500 is twenty and a half, 20.506 is not an amount of cents
        if decimals.len() > 2 && decimals[2..].chars().all(|c| c == '0') { &decimals[..2] } else { decimals }
    });
    let whole = numeral.whole.trim_start_matches('0');
    let number = &scan.data.number;
    let words = match trimmed {
        Some(decimals) if decimals.chars().all(|c| c == '0') => {
            whole_amount(scan, currency, &numeral.whole, system)
        }
        Some(decimals) if decimals.len() <= 2 => {
            let padded = format!("{decimals:0<2}");
            let hundredths = padded.trim_start_matches('0');
            let name = match &currency.minor_one {
                Some(one) if hundredths == "1" => one,
                _ => &currency.minor,
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

/// The `M` of `$1.5M`, which stands for a million only beside a currency.
fn multiplier_letter<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let name = match scan.latin(at).filter(|_| scan.joined(at))? {
        "K" | "k" => "thousand",
        "M" => "million",
        "B" => "billion",
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
    match measure::unit_name(scan, after + 1, true) {
        Some((unit, items)) if scan.joined(after + 1) => {
            let words = scan.data.units.per.replace("{a}", &amount.words).replace("{b}", &unit);
            Reading::new(words, amount.items + 1 + items)
        }
        _ => amount,
    }
}
