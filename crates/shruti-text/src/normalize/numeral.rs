//! A written number: sign, grouping, decimals, a multiplier such as लाख; and the plain classes made of them.

use super::fraction;
use super::number::{self, System};
use super::scan::{Reading, Scan};
use crate::chars::lowercase;
use crate::item::Kind;

/// A number as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numeral {
    /// Digits before the point, in ASCII; empty in `.5`.
    pub(super) whole: String,
    /// Digits behind the point.
    pub(super) decimals: Option<String>,
    /// Grouped as 1,000,000 and not as 10,00,000.
    pub(super) western: bool,
    /// Grouped at all.
    pub(super) grouped: bool,
    /// How many items it spans.
    pub(super) items: usize,
}

impl Numeral {
    /// The number that begins at `at`, without a sign.
    pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Self> {
        if scan.is_sign(at, '.') {
            let decimals = scan.number(at + 1).filter(|_| scan.joined(at + 1))?;
            let free = at == 0 || scan.spaced(at) || !(scan.is_word(at - 1) || scan.number(at - 1).is_some());
            let whole = String::new();
            let decimals = Some(decimals.to_owned());
            return free.then_some(Self { whole, decimals, western: false, grouped: false, items: 2 });
        }
        let first = scan.number(at)?;
        let mut groups = vec![first];
        let mut next = at + 1;
        if first.len() <= 3 {
            while let Some(group) = joined_number(scan, next, ',') {
                if !matches!(group.len(), 2 | 3) {
                    break;
                }
                groups.push(group);
                next += 2;
                // the last group of either way of grouping has three digits, and so has each of the western one
                if group.len() == 3 && joined_number(scan, next, ',').is_none_or(|more| more.len() != 3) {
                    break;
                }
            }
        }
        let last_is_whole = groups.len() == 1 || groups.last().is_some_and(|group| group.len() == 3);
        if !last_is_whole {
            groups.truncate(1);
            next = at + 1;
        }
        // 1,000,000 and 100,000, which would be 1,00,000
        let threes = groups.iter().skip(1).all(|group| group.len() == 3);
        let western = threes && (groups.len() > 2 || groups.len() == 2 && first.len() == 3);
        let grouped = groups.len() > 1;
        let whole = groups.concat();
        let mut decimals = None;
        if let Some(fraction) = joined_number(scan, next, '.') {
            // two points make a version or an address
            if joined_number(scan, next + 2, '.').is_none() {
                decimals = Some(fraction.to_owned());
                next += 2;
            }
        }
        Some(Self { whole, decimals, western, grouped, items: next - at })
    }

    pub(super) fn system(&self) -> System {
        if self.western { System::Western } else { System::Indian }
    }

    /// Whether it is exactly one.
    pub(super) fn is_one(&self) -> bool {
        self.decimals.is_none() && self.whole == "1"
    }

    /// The number in words.
    pub(super) fn words(&self, scan: &Scan<'_>) -> String {
        self.words_in(scan, self.system())
    }

    /// The number in words, counted by `system`.
    pub(super) fn words_in(&self, scan: &Scan<'_>, system: System) -> String {
        let number = &scan.data.number;
        match &self.decimals {
            Some(decimals) => number::decimal(number, &self.whole, decimals, system),
            None => number::cardinal(number, &self.whole, system),
        }
    }

    /// The number in words, before what it counts.
    pub(super) fn counting(&self, scan: &Scan<'_>, system: System) -> String {
        if self.decimals.is_some() {
            return self.words_in(scan, system);
        }
        number::before_noun(&scan.data.number, &self.whole, system)
    }
}

fn joined_number<'a>(scan: &'a Scan<'_>, at: usize, separator: char) -> Option<&'a str> {
    let joined = scan.is_sign(at, separator) && scan.joined(at) && scan.joined(at + 1);
    if joined { scan.number(at + 1) } else { None }
}

/// Whether a sign at `at` makes a number negative: `-5`, but not `10-5`.
pub(super) fn is_minus(scan: &Scan<'_>, at: usize) -> bool {
    let dash = matches!(scan.sign(at), Some('-' | '−' | '–'));
    let free =
        scan.spaced(at) || at == 0 || scan.sign(at - 1).is_some_and(|c| c != ')' && c != ']' && c != '/');
    let begins = scan.number(at + 1).is_some() || scan.is_sign(at + 1, '.');
    dash && free && begins && scan.joined(at + 1)
}

/// The word for a multiplier at `at`: लाख, crore.
pub(super) fn multiplier<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let word = scan.word(at)?;
    let multipliers = &scan.data.number.multipliers;
    multipliers.get(word).or_else(|| multipliers.get(lowercase(word).as_ref())).map(String::as_str)
}

/// The words for the multipliers from `at` on, of which two may follow each other: लाख, लाख करोड़; and how many there are.
fn multipliers(scan: &Scan<'_>, at: usize) -> Option<(String, usize)> {
    let first = multiplier(scan, at)?;
    Some(match multiplier(scan, at + 1) {
        Some(second) => (format!("{first} {second}"), 2),
        None => (first.to_owned(), 1),
    })
}

/// A number with the multipliers that follow it at `after`, in words, and how many of these there are: `1.5 लाख`.
/// Says डेढ़ लाख where the language does.
pub(super) fn with_multiplier(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Reading> {
    let (words, items) = multipliers(scan, after)?;
    let counted =
        fraction::counted(scan, numeral).filter(|_| !numeral.whole.trim_start_matches('0').is_empty());
    let scale = scan.data.number.scales.iter().find(|scale| scale.alone == words);
    let one = scale.and_then(|scale| scale.one_final.as_ref()).filter(|_| numeral.is_one());
    let words = one.cloned().unwrap_or_else(|| {
        let count = counted.unwrap_or_else(|| numeral.counting(scan, system));
        format!("{count} {words}")
    });
    Some(Reading::new(words, items))
}

/// As [`with_multiplier`], before what it counts.
pub(super) fn counting_multiplied(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Reading> {
    let counted = with_multiplier(scan, numeral, after, system)?;
    Some(Reading::new(number::oblique(&scan.data.number, counted.words), counted.items))
}

/// The word for the letter joined to a number at `at`, that stands for a million (`3.2M views`) or, behind decimals, for
/// a billion.
fn letter<'a>(scan: &'a Scan<'_>, numeral: &Numeral, at: usize) -> Option<&'a str> {
    let name = match scan.latin(at).filter(|_| scan.joined(at) && scan.spaced(at + 1))? {
        "M" => "million",
        "B" if numeral.decimals.is_some() => "billion",
        _ => return None,
    };
    scan.data.number.multipliers.get(name).map(String::as_str)
}

/// A plain number, with a sign, decimals or a multiplier.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if is_minus(scan, at) {
        let positive = super::classes::numeric(scan, at + 1)?;
        let words = format!("{} {}", scan.data.number.minus, positive.words);
        return Some(Reading { words, items: positive.items + 1, ..positive });
    }
    let numeral = Numeral::read(scan, at)?;
    let after = at + numeral.items;
    let own = scan.script();
    let counts_at = |place: usize| {
        scan.spaced(place) && scan.item(place).is_some_and(|next| next.kind == Kind::Word(Some(own)))
    };
    if let Some(counted) = with_multiplier(scan, &numeral, after, numeral.system()) {
        let end = after + counted.items;
        let words =
            if counts_at(end) { number::oblique(&scan.data.number, counted.words) } else { counted.words };
        return Some(Reading::new(words, end - at));
    }
    if let Some(word) = letter(scan, &numeral, after) {
        let words = format!("{} {word}", numeral.counting(scan, System::Western));
        return Some(Reading::new(words, numeral.items + 1));
    }
    let counts = counts_at(after);
    if counts && is_currency_name(scan, after) {
        let name = scan.word(after).unwrap_or_default();
        let words = format!("{} {name}", numeral.counting(scan, numeral.system()));
        return Some(Reading::new(words, numeral.items + 1));
    }
    let quartered = |word: &str| scan.data.units.quartered.iter().any(|known| known == word);
    if counts
        && scan.word(after).is_some_and(quartered)
        && let Some(words) = fraction::counted(scan, &numeral)
    {
        return Some(Reading::new(words, numeral.items));
    }
    // ஒரு புத்தகம், but அத்தியாயம் ஒன்று
    if counts
        && numeral.is_one()
        && !is_label(scan, at)
        && !scan.word(after).is_some_and(|word| scan.is_function(word))
    {
        return Some(Reading::new(numeral.counting(scan, numeral.system()), numeral.items));
    }
    let words = numeral.words(scan);
    let words = if counts { number::oblique(&scan.data.number, words) } else { words };
    Some(Reading::new(words, numeral.items + only_sign(scan, after)))
}

/// Whether the word before `at` is one that numbers label: chapter, part.
fn is_label(scan: &Scan<'_>, at: usize) -> bool {
    let labels = |word: &str| {
        let lower = word.to_lowercase();
        scan.data.context.roman.contains(&lower) || scan.data.number.number_sign == lower
    };
    at > 0 && scan.word(at - 1).is_some_and(labels)
}

/// The items of the `/-` that closes a written amount and says nothing.
pub(super) fn only_sign(scan: &Scan<'_>, at: usize) -> usize {
    let slash = scan.is_sign(at, '/') && scan.joined(at) && scan.joined(at + 1);
    let dash = matches!(scan.sign(at + 1), Some('-' | '–' | '—' | '=')) && scan.spaced(at + 2);
    if slash && dash { 2 } else { 0 }
}

/// Whether a currency's own name stands at `at`: 1 രൂപ.
fn is_currency_name(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| scan.data.money.currency(word, false).is_some())
}
