//! Amounts of money.

use super::currency;
use super::{measure, multiplier};
use crate::chars::{is_mark, lowercase};
use crate::data::Currency;
use crate::data::keywords::Kinds;
use crate::normalize::number::fraction;
use crate::normalize::number::numeral::{self, Numeral};
use crate::normalize::number::{self, System};
use crate::normalize::number::{ordinal, span};
use crate::normalize::scan::calendar;
use crate::normalize::scan::{Reading, Scan};

/// Minimum length of a currency name in an Indian script, in characters. Shorter forms are abbreviations.
const SHORTEST_NAME: usize = 4;
/// Number of initial characters that identify the name of the hundredths in a word with an ending.
const BEGINNING: usize = 2;
/// Number of items before an amount that are searched for a word for a balance.
const NEAR_BALANCE: usize = 8;

/// Reads an amount: `₹1,25,000`, `Rs. 50.50`, `$5 billion`, `500 INR`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dash = matches!(scan.sign(at), Some('-' | '−')) && scan.joined(at + 1);
    // the dash in "Sent-INR 5" joins the words; it is not a minus sign
    let joins = at > 0 && scan.joined(at) && scan.is_word(at - 1);
    if numeral::is_minus(scan, at) || dash && !joins && currency::at(scan, at + 1, false).is_some() {
        let positive = read(scan, at + 1)?;
        return Some(Reading::new(
            format!("{} {}", scan.data.number.minus, positive.words),
            positive.items + 1,
        ));
    }
    if let Some((currency, mut written)) = currency::at(scan, at, false) {
        // the currency may be written twice: Rs INR 500
        if let Some((again, more)) = currency::at(scan, at + written, false)
            && std::ptr::eq(again, currency)
            && scan.spaced(at + written)
        {
            written += more;
        }
        let amount_at = at + written;
        // the minus sign may follow the currency: ₹-200
        if numeral::is_minus(scan, amount_at) && scan.joined(amount_at) {
            let numeral = Numeral::read(scan, amount_at + 1)?;
            let amount = amount(scan, currency, &numeral, amount_at + 1);
            let words = format!("{} {}", scan.data.number.minus, amount.words());
            return Some(Reading::new(words, written + 1 + amount.items));
        }
        let Some(numeral) = Numeral::read(scan, amount_at) else {
            return of_scale_alone(scan, currency, at, amount_at);
        };
        let subject = is_name(scan, at, currency)
            && (is_separate(scan, at, amount_at, &numeral)
                || is_minor(scan, amount_at + numeral.items, currency));
        if subject {
            return None;
        }
        let first = amount(scan, currency, &numeral, amount_at);
        let amount = span(scan, currency, &numeral, amount_at).unwrap_or(first);
        let following = repeated_name_at(scan, currency, at + written + amount.items);
        return Some(match named_after(scan, currency, following) {
            // the name repeats the currency sign: $5 million dollars
            Some(Named::Same) => with_tail(scan, at, Reading::new(amount.words(), following + 1 - at)),
            Some(Named::Inflected) if !amount.name.is_empty() => Reading::new(amount.number, following - at),
            // the ending of the repeated name is added to the hundredths: ₹1,249.50 টাকার
            Some(Named::Inflected) => {
                let ending = scan.word(following).and_then(|word| {
                    [&currency.many, &currency.one]
                        .into_iter()
                        .find_map(|name| word.strip_prefix(name.as_str()))
                });
                let words = match ending {
                    Some(ending) => number::with_ending(&scan.data.number, &amount.number, ending, &[]),
                    None => amount.number,
                };
                Reading::new(words, following - at + usize::from(ending.is_some()))
            }
            _ => {
                let mut amount = amount;
                if amount.name == currency.many && precedes_noun(scan, at, following) {
                    amount.name.clone_from(&currency.one);
                }
                with_tail(scan, at, Reading::new(amount.words(), written + amount.items))
            }
        });
    }
    let numeral = Numeral::read(scan, at)?;
    let multiplied = multiplier::counting_multiplied(scan, &numeral, at + numeral.items, numeral.system());
    // a multiplier letter may precede the currency: 2.5 L rupees
    let letter = multiplied.is_none() && multiplier::of_letter(scan, at + numeral.items).is_some();
    let sign_at =
        at + numeral.items + multiplied.as_ref().map_or(0, |counted| counted.items) + usize::from(letter);
    // a silent /- may precede the currency: 3,640/- रु.
    let silent = if multiplied.is_none() && !letter { numeral::only_sign(scan, sign_at) } else { 0 };
    let sign_at = sign_at + silent;
    let (currency, written) = currency::at(scan, sign_at, true)?;
    // a sign or an abbreviation belongs to the number after it (22K ₹11,415, முருங்கைக்காய் 3 ரூ.20), unless that
    // number counts hundredths (3 ரூ.20 பைசா)
    let leads = scan.sign(sign_at).is_some() || scan.joined(sign_at + written);
    if scan.spaced(sign_at)
        && leads
        && currency::is_sign(scan, sign_at)
        && !is_minor(scan, sign_at + written + 1, currency)
    {
        return None;
    }
    // a currency name after a number is an ordinary word, unless there are hundredths
    if multiplied.is_none() && !letter && numeral.decimals.is_none() && is_name(scan, sign_at, currency) {
        return None;
    }
    let mut amount = amount(scan, currency, &numeral, at);
    amount.items += silent;
    if multiplied.is_some() {
        let inflected = scan.word(sign_at).filter(|word| is_inflected(scan, currency, word));
        inflected.unwrap_or(&currency.many).clone_into(&mut amount.name);
    }
    Some(with_tail(scan, at, Reading::new(amount.words(), amount.items + written)))
}

/// Returns whether a noun with a singular currency name before it follows an amount: the $20 million prize. A
/// capitalised noun needs a function word before the amount: the $850,000 Open. The amount starts at `at`, and
/// `following` is the index of the item after it.
fn precedes_noun(scan: &Scan<'_>, at: usize, following: usize) -> bool {
    let led = || at > 0 && scan.word(at - 1).is_some_and(|word| scan.is_function(word));
    let is_noun = |noun: &str| {
        scan.data.money.attributive.contains(noun)
            && (noun.starts_with(|c: char| c.is_ascii_lowercase()) || led())
    };
    scan.spaced(following) && scan.word(following).is_some_and(is_noun)
}

/// Amount of money in words.
#[derive(Debug)]
struct Amount {
    /// Words before the currency name.
    number: String,
    /// Currency name with its ending. It is empty if `number` already contains it: five rupees ten paise.
    name: String,
    items: usize,
}

impl Amount {
    fn words(&self) -> String {
        if self.name.is_empty() { self.number.clone() } else { format!("{} {}", self.number, self.name) }
    }
}

/// Form of a currency name that is repeated after an amount with a currency sign.
enum Named {
    /// Form in which the sign is read.
    Same,
    /// Form with an ending, which is spoken at its written position.
    Inflected,
}

fn named_after(scan: &Scan<'_>, currency: &Currency, at: usize) -> Option<Named> {
    let word = scan.word(at).filter(|_| scan.spaced(at))?;
    let stems = currency.stems.iter().chain([&currency.many, &currency.one]);
    let inflected = || !word.is_ascii() && stems.into_iter().any(|stem| word.starts_with(stem.as_str()));
    let again = currency::at(scan, at, true).is_some_and(|(again, _)| std::ptr::eq(again, currency));
    // a short form is an abbreviation without an ending: ₹45,450 ರೂ
    let short = again && word.chars().count() < SHORTEST_NAME;
    let plain =
        word.is_ascii() || short || [&currency.many, &currency.one].into_iter().any(|name| name == word);
    match (again && plain, again || inflected()) {
        (true, _) => Some(Named::Same),
        (_, true) => Some(Named::Inflected),
        _ => None,
    }
}

/// Reads a currency before a scale word without a number (`రూ.కోటి`) or before an amount in words
/// (`Rs. five thousand only`).
fn of_scale_alone(scan: &Scan<'_>, currency: &Currency, at: usize, amount_at: usize) -> Option<Reading> {
    let word = scan.word(amount_at)?;
    // in English, an amount in words may follow the currency: Rs. five thousand only
    let spelt = scan.latin(amount_at).is_some_and(|word| {
        let lower = lowercase(word);
        scan.data.number.words.iter().any(|number| number == lower.as_ref())
    });
    let sign = scan.word(at).is_none_or(|word| word.len() < SHORTEST_NAME);
    if spelt && scan.spaced(amount_at) && scan.has_case() && sign {
        return Some(Reading::new(currency.many.clone(), amount_at - at));
    }
    let word = Some(word).filter(|word| !word.is_ascii())?;
    let inflected = scan.data.number.inflected_scales.get(word);
    let (scale, ending) = match inflected {
        Some((scale, ending)) => (scale.as_str(), ending.as_str()),
        None => (multiplier::multiplier(scan, amount_at)?, ""),
    };
    let name = with_ending(scan, currency, ending);
    Some(Reading::new(format!("{scale} {name}"), amount_at + 1 - at))
}

/// Returns the plural name of a currency with an ending.
fn with_ending(scan: &Scan<'_>, currency: &Currency, ending: &str) -> String {
    if ending.is_empty() {
        return currency.many.clone();
    }
    let stem = currency.oblique.as_ref().unwrap_or(&currency.many);
    let drop: &[String] = if ending.starts_with(is_mark) { &scan.data.number.endings.drop } else { &[] };
    number::with_ending(&scan.data.number, stem, ending, drop)
}

/// Returns whether a currency name has an ending and is therefore spoken as written: रुपयांची, ଟଙ୍କାର, రూపాయల.
fn is_inflected(scan: &Scan<'_>, currency: &Currency, word: &str) -> bool {
    let many = &currency.many;
    let plain = [many, &currency.one].into_iter().any(|name| name == word);
    let longer = word.starts_with(many.as_str()) || word.chars().count() >= many.chars().count() + 2;
    let oblique = || number::oblique(&scan.data.number, many.clone()) == word;
    !word.is_ascii() && !plain && (longer || oblique())
}

/// Returns the index of a name that repeats the currency after a silent /- at `at` (₹200/- টাকা), or `at` if there is no
/// such name. The sign of another amount is not such a name: Rs 500/- Rs 50.
fn repeated_name_at(scan: &Scan<'_>, currency: &Currency, at: usize) -> usize {
    let name = at + numeral::only_sign(scan, at);
    let abbreviated = scan.is_sign(name + 1, '.') && scan.item(name + 2).is_some();
    let other = abbreviated || scan.latin(name).is_some() && scan.number(name + 1).is_some();
    if !other && named_after(scan, currency, name).is_some() { name } else { at }
}

/// Returns whether the currency name at `at` does not belong to the number after it: the name ends an amount, or the
/// number belongs to the words that follow: টাকা ৫-৭ দিনের, रुपये 10 बजे.
fn is_separate(scan: &Scan<'_>, at: usize, number_at: usize, numeral: &Numeral) -> bool {
    // a silent /- may precede the name: 200/- টাকা 10 তারিখের মধ্যে
    let before = match at.checked_sub(2) {
        Some(sign) if numeral::only_sign(scan, sign) > 0 => sign,
        _ => at,
    };
    let is_amount = before > 0
        && scan.spaced(at)
        && (scan.number(before - 1).is_some() || multiplier::multiplier(scan, before - 1).is_some());
    let mut end = number_at + numeral.items;
    if scan.is_sign(end, '-') && scan.joined(end) && scan.number(end + 1).is_some() {
        end += 2;
    }
    let counts = |word: &str| {
        let begins = |unit: &String| unit.chars().count() > 2 && word.starts_with(unit.as_str());
        scan.data.time.oclock_words.iter().any(|known| known == word)
            || scan.data.context.durations.iter().any(begins)
            || calendar::named_month(scan.language, word).is_some()
    };
    is_amount || scan.word(end).is_some_and(counts) || ordinal::read(scan, number_at).is_some()
}

/// Returns whether the word at `at` names the hundredths of a currency: రూపాయి 12 పైసలు బలపడింది.
fn is_minor(scan: &Scan<'_>, at: usize, currency: &Currency) -> bool {
    // the name may have an ending: पैशांनी
    let begins = |word: &str, name: &str| word.chars().take(BEGINNING).eq(name.chars().take(BEGINNING));
    let mut names = [&currency.minor, &currency.minor_one].into_iter().flatten();
    scan.word(at).is_some_and(|word| names.any(|name| name == word || !word.is_ascii() && begins(word, name)))
}

fn is_name(scan: &Scan<'_>, at: usize, currency: &Currency) -> bool {
    scan.word(at).is_some_and(|word| {
        word.chars().count() > 2
            && (!word.is_ascii() || [&currency.one, &currency.many].into_iter().any(|name| name == word))
    })
}

/// Reads a range after a currency sign: `10-15 लाख` or `5,000-₹10,000`.
fn span(scan: &Scan<'_>, currency: &Currency, from: &Numeral, at: usize) -> Option<Amount> {
    let alone = self::amount(scan, currency, from, at);
    let letter = multiplier::of_letter(scan, at + from.items).is_some();
    let dash = at + if letter { alone.items } else { from.items };
    let joins =
        matches!(scan.sign(dash), Some('-' | '–' | '—')) && scan.spaced(dash) == scan.spaced(dash + 1);
    let again = match currency::at(scan, dash + 1, false) {
        Some((second, written)) if std::ptr::eq(second, currency) => written,
        _ => 0,
    };
    let to_at = dash + 1 + again;
    let to = Numeral::read(scan, to_at).filter(|_| joins)?;
    let amount = amount(scan, currency, &to, to_at);
    let hundredths = from.decimals.is_some() && alone.name.is_empty();
    // two equal numbers are the same amount for each of several things or people: ₹2-2 लाख
    let same = from.whole == to.whole && from.decimals == to.decimals;
    // the multiplier of the second number applies to both: ₹2.5-2.5 लाख
    let counted = multiplier::multiplier(scan, to_at + to.items).and_then(|_| fraction::counted(scan, from));
    let from = if let Some(counted) = counted.filter(|_| hundredths) {
        counted
    } else if letter || hundredths {
        alone.number
    } else {
        from.words(scan)
    };
    let number =
        if same { format!("{from} {}", amount.number) } else { span::between(scan, &from, &amount.number) };
    Some(Amount { number, name: amount.name, items: dash + 1 + again - at + amount.items })
}

/// Returns the words of an amount of rupees, without a multiplier.
pub(crate) fn rupees(scan: &Scan<'_>, numeral: &Numeral) -> String {
    let Some(rupee) = scan.data.money.currencies.first() else { return numeral.words(scan) };
    amount(scan, rupee, numeral, scan.items.len()).words()
}

/// Returns the words of the amount at `at`, including its multiplier.
fn amount(scan: &Scan<'_>, currency: &Currency, numeral: &Numeral, at: usize) -> Amount {
    let western = currency.western && (!numeral.grouped || numeral.western);
    let system = if western || numeral.western { System::Western } else { System::Indian };
    let after = at + numeral.items;
    let counted = multiplier::multiplied(scan, numeral, after, system);
    if let Some(counted) = counted.filter(|_| !is_side_of_balance(scan, at, numeral)) {
        let counted_words = without_plural(scan, counted.words);
        let number = number::oblique(&scan.data.number, counted_words);
        let name = with_ending(scan, currency, &counted.ending);
        return Amount { number, name, items: numeral.items + counted.items };
    }
    if let Some(letter) = multiplier::of_letter(scan, after) {
        let count = fraction::counted(scan, numeral).unwrap_or_else(|| numeral.counting(scan, system));
        let number = number::oblique(&scan.data.number, format!("{count} {letter}"));
        return Amount { number, name: currency.many.clone(), items: numeral.items + 1 };
    }
    let trimmed = numeral.decimals.as_deref().map(|decimals| {
        // zeros after two decimals are ignored: 20.500 is read as twenty and a half, but 20.506 has no hundredths
        if decimals.len() > 2 && decimals[2..].chars().all(|c| c == '0') { &decimals[..2] } else { decimals }
    });
    let integer = numeral.whole.trim_start_matches('0');
    let many = || currency.many.clone();
    let (number, name) = match trimmed.map(|decimals| (decimals, &currency.minor)) {
        Some((decimals, _)) if decimals.chars().all(|c| c == '0') => {
            whole_amount(scan, currency, &numeral.whole, system)
        }
        Some((decimals, Some(minor))) if decimals.len() <= 2 && !is_rounded(scan, currency, decimals) => {
            let padded = format!("{decimals:0<2}");
            let hundredths = padded.trim_start_matches('0');
            let name = match &currency.minor_one {
                Some(one) if hundredths == "1" => one,
                _ => minor,
            };
            let counted = number::before_noun(&scan.data.number, hundredths, System::Indian);
            let minor = format!("{counted} {name}");
            let spoken = if integer.is_empty() {
                minor
            } else {
                let (number, name) = whole_amount(scan, currency, &numeral.whole, system);
                let whole = number::oblique(&scan.data.number, format!("{number} {name}"));
                format!("{whole} {minor}")
            };
            (spoken, String::new())
        }
        Some(_) => (numeral.words_in(scan, system), many()),
        None => whole_amount(scan, currency, &numeral.whole, system),
    };
    Amount { number, name, items: numeral.items }
}

/// Returns an amount whose last English multiplier is singular before the name of the currency: five lakh rupees for
/// Rs 5 lakhs.
fn without_plural(scan: &Scan<'_>, words: String) -> String {
    let last = words.rsplit(' ').next().unwrap_or_default();
    let singular = last.strip_suffix('s').filter(|_| scan.has_case());
    match singular.filter(|singular| scan.data.number.multipliers.contains_key(*singular)) {
        Some(_) => words[..words.len() - 1].to_owned(),
        None => words,
    }
}

/// Returns whether one decimal of a foreign currency is a decimal fraction, not hundredths: $74.2.
fn is_rounded(scan: &Scan<'_>, currency: &Currency, decimals: &str) -> bool {
    let money = &scan.data.money;
    let rupee = money.currencies.first().is_some_and(|first| std::ptr::eq(first, currency));
    decimals.len() == 1 && !rupee && !money.tenths_as_hundredths
}

/// Returns whether the CR after an amount marks a credit balance, not crores: `Total Bal: Rs.6114.76CR`.
fn is_side_of_balance(scan: &Scan<'_>, at: usize, numeral: &Numeral) -> bool {
    let balance = |place: usize| scan.names(place).has(Kinds::BALANCE);
    let paise = numeral.decimals.is_some();
    paise
        && scan.latin(at + numeral.items).is_some_and(|word| word.eq_ignore_ascii_case("cr"))
        && (at.saturating_sub(NEAR_BALANCE)..at).any(balance)
}

/// Returns the words of a whole amount and the currency name.
fn whole_amount(scan: &Scan<'_>, currency: &Currency, digits: &str, system: System) -> (String, String) {
    let trimmed = digits.trim_start_matches('0');
    let digits = if trimmed.is_empty() { "0" } else { trimmed };
    let name = if digits == "1" { &currency.one } else { &currency.many };
    (number::before_noun(&scan.data.number, digits, system), name.clone())
}

/// Adds the text that may follow an amount: a `/-`, which is silent, or a unit after a slash: `/month`.
fn with_tail(scan: &Scan<'_>, at: usize, amount: Reading) -> Reading {
    let after = at + amount.items;
    let silent = numeral::only_sign(scan, after);
    if !scan.is_sign(after, '/') || scan.spaced(after) && silent == 0 {
        return amount;
    }
    if silent > 0 {
        return Reading::new(amount.words, amount.items + silent);
    }
    // a quantity may follow the slash: ₹500/10 ग्राम
    let counted = || {
        let number = Numeral::read(scan, after + 1).filter(|_| scan.joined(after + 1))?;
        if let Some(counted) = measure::read(scan, after + 1) {
            return Some((counted.words, counted.items + 1));
        }
        let noun_at = after + 1 + number.items;
        let noun = scan.word(noun_at).filter(|_| scan.spaced(noun_at))?;
        Some((format!("{} {noun}", number.counting(scan, number.system())), number.items + 2))
    };
    match measure::per(scan, after).or_else(counted) {
        Some((unit, items)) => {
            let words = measure::with_per(scan, &amount.words, &unit);
            Reading::new(words, amount.items + items)
        }
        None => amount,
    }
}
