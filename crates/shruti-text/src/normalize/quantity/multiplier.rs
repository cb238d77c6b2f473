//! Words and letters that multiply the preceding number: `1.5 लाख`, `3 crore`, `3.2M`. The words may have endings
//! (`5 கோடிக்கு`) and several parts (`2 लाख 50 हज़ार`).

use super::lakh::is_lakh;
use super::purity;
use crate::chars::lowercase;
use crate::data;
use crate::item::Kind;
use crate::normalize::chat;
use crate::normalize::number::fraction;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};

/// Maximum number of parts of a number with multipliers: `1 करोड़ 25 लाख 50 हज़ार`.
const MAX_PARTS: usize = 4;

/// Number with its multipliers, in words.
#[derive(Clone, Debug)]
pub(crate) struct Multiplied {
    /// Words without the ending of the last multiplier.
    pub(crate) words: String,
    /// Ending of the last multiplier, in the form that is added to other nouns; empty if the multiplier has no ending.
    pub(crate) ending: String,
    /// Words with the last multiplier as written, including its ending.
    pub(crate) written: String,
    /// Number of items after the first numeral: its multipliers and all further parts.
    pub(crate) items: usize,
}

/// Returns the word for the multiplier at `at`, without its ending: लाख, crore.
pub(crate) fn multiplier<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    plain(scan, at).or_else(|| inflected(scan, at).map(|(word, _)| word))
}

fn plain<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let word = scan.word(at)?;
    // a Latin word after the dot indicates an abbreviation, not a multiplier: 482 Cr.P.C.
    if scan.is_sign(at + 1, '.') && scan.joined(at + 1) && scan.joined(at + 2) && scan.latin(at + 2).is_some()
    {
        return None;
    }
    let multipliers = &scan.data.number.multipliers;
    // L means a lakh before the word for a crore: 1.96 L cr
    let before_crore =
        || scan.latin(at + 1).is_some_and(|next| matches!(next, "cr" | "Cr" | "crore" | "crores"));
    if word == "L" && before_crore() {
        return multipliers.get("lakh").map(String::as_str);
    }
    if word == "k"
        && purity::is_purity(
            scan,
            at.checked_sub(1).and_then(|before| scan.number(before)).unwrap_or_default(),
            at + 1,
        )
    {
        return None;
    }
    if word == "k" || word == "K" && may_be_thousand(scan, at) {
        return multipliers.get("thousand").map(String::as_str).filter(|_| is_thousand(scan, at));
    }
    let whole = multipliers.get(word).or_else(|| multipliers.get(lowercase(word).as_ref()));
    let dotted = || multipliers.get(scan.raw(at, at + 2)).filter(|_| is_dotted(scan, at));
    whole.or_else(dotted).map(String::as_str)
}

/// Returns whether the multiplier at `at` is an abbreviation whose dot belongs to it: రూ.3.5 కో.
fn is_dotted(scan: &Scan<'_>, at: usize) -> bool {
    let multipliers = &scan.data.number.multipliers;
    let dot = scan.is_sign(at + 1, '.') && scan.joined(at + 1);
    dot && scan.word(at).is_some_and(|word| !word.is_ascii() && !multipliers.contains_key(word))
        && multipliers.contains_key(scan.raw(at, at + 2))
}

/// Returns whether the letter k at `at` means a thousand: `30k`, `1.5k views`, but not the resolution `4k`, nor `5k` in
/// English.
fn is_thousand(scan: &Scan<'_>, at: usize) -> bool {
    // in English, one digit with a k is a distance: a 5k run
    let is_short = |digits: &str| is_of_screen(digits) || scan.has_case() && digits.len() == 1;
    let number = at.checked_sub(1).and_then(|before| scan.number(before)).filter(|_| scan.joined(at));
    let ends = match scan.sign(at + 1) {
        // an ending of the language may follow the hyphen: 20k-യിൽ
        Some('-') => {
            scan.joined(at + 1) && scan.joined(at + 2) && !scan.has_case() && is_own_word(scan, at + 2)
                || starts_range(scan, at + 1)
        }
        Some('–') => starts_range(scan, at + 1),
        Some(_) => true,
        None => scan.spaced(at + 1) || scan.latin(at + 1).is_none() && scan.number(at + 1).is_none(),
    };
    // a number of kilometers before a race: a 10k run
    let race = scan.is_one_of(&scan.data.number.races, at + 1);
    ends && !race && number.is_some_and(|digits| !is_short(digits) || scan.is_sign(at.saturating_sub(2), '.'))
}

/// Returns whether the resolution of a screen is at `at`: 4K.
pub(crate) fn is_resolution(scan: &Scan<'_>, at: usize) -> bool {
    let letter = scan.latin(at + 1).is_some_and(|letter| matches!(letter, "k" | "K"));
    letter && scan.joined(at + 1) && scan.number(at).is_some_and(is_of_screen)
}

fn is_of_screen(digits: &str) -> bool {
    matches!(digits, "4" | "8")
}

/// Returns whether the dash at `at` is before the last number of a range of thousands: 25k-35k.
fn starts_range(scan: &Scan<'_>, at: usize) -> bool {
    let number = scan.number(at + 1).is_some() && scan.joined(at + 2);
    number && scan.latin(at + 2).is_some_and(|letter| matches!(letter, "k" | "K"))
}

fn is_own_word(scan: &Scan<'_>, at: usize) -> bool {
    scan.item(at).is_some_and(|item| item.kind == Kind::Word(Some(scan.script())))
}

/// Returns whether a capital K after a number may mean a thousand: `60K`, but not the carats of gold or the kelvins of
/// `6500K`.
fn may_be_thousand(scan: &Scan<'_>, at: usize) -> bool {
    let digits = at.checked_sub(1).and_then(|before| scan.number(before)).unwrap_or_default();
    let labelled = at > 1 && chat::follows_label(scan, at - 1);
    // after one or two decimals, K means a thousand: 2.5K
    let decimals = at > 2 && scan.is_sign(at - 2, '.') && scan.joined(at - 1) && digits.len() < 3;
    (decimals || (2..=3).contains(&digits.len())) && !labelled && !purity::is_purity(scan, digits, at + 1)
}

/// Returns the word and the ending of the inflected multiplier at `at`.
fn inflected<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let (word, ending) = scan.data.number.inflected_scales.get(scan.word(at)?)?;
    Some((word, ending))
}

/// Single number with its multipliers.
struct Part {
    words: String,
    ending: String,
    written: String,
    items: usize,
    scale: String,
}

/// Reads a number with one or two multipliers: लाख, लाख करोड़. The number 1.5 becomes डेढ़ if the language has such
/// words: डेढ़ लाख.
fn part(scan: &Scan<'_>, numeral: &Numeral, after: usize, system: System) -> Option<Part> {
    // a fraction may precede the multiplier: 3½ लाख
    let mixed = fraction::after_whole(scan, numeral, after);
    let skipped = mixed.as_ref().map_or(0, |mixed| mixed.items);
    let at = after + skipped;
    // a hyphen may precede the multiplier: the Rs 2,300-crore project
    let hyphen =
        scan.is_sign(at, '-') && scan.joined(at) && scan.joined(at + 1) && plain(scan, at + 1).is_some();
    let at = at + usize::from(hyphen);
    let (first, mut ending) = match plain(scan, at) {
        Some(word) => (word, ""),
        None => inflected(scan, at)?,
    };
    let mut words = first.to_owned();
    let mut last = at + usize::from(ending.is_empty() && is_dotted(scan, at));
    let mut written = if ending.is_empty() { words.clone() } else { scan.word(at)?.to_owned() };
    let next = last + 1;
    let second = plain(scan, next).map(|word| (word, "", word));
    let second = second
        .or_else(|| inflected(scan, next).and_then(|(word, ending)| Some((word, ending, scan.word(next)?))));
    if let Some((second, second_ending, as_written)) = second {
        words = format!("{written} {second}");
        written = format!("{written} {as_written}");
        ending = second_ending;
        last = next + usize::from(ending.is_empty() && is_dotted(scan, next));
    }
    let items = last + 1 - after;
    let counted =
        fraction::counted(scan, numeral).filter(|_| !numeral.whole.trim_start_matches('0').is_empty());
    let scale = scan.data.number.scales.iter().find(|scale| scale.alone == words);
    let one = scale.and_then(|scale| scale.one_final.as_ref()).filter(|_| numeral.is_one() && skipped == 0);
    let of_scale = |scale: &str| words == scale;
    let count = mixed.map(|mixed| mixed.words).or(counted);
    let count = count.unwrap_or_else(|| numeral.counting(scan, system));
    let scale = first.to_owned();
    Some(match one {
        Some(one) if ending.is_empty() => {
            Part { words: one.clone(), ending: String::new(), written: one.clone(), items, scale }
        }
        _ => {
            let joined = |last: &str| format!("{count} {last}");
            let grown = scan.data.number.scales.iter().find(|scale| of_scale(&scale.alone));
            let grown = grown.filter(|scale| scale.attach_final.is_some() && numeral.decimals.is_none());
            let grown = grown
                .and_then(|scale| number::grown(&scan.data.number, scale, &numeral.whole))
                .filter(|_| skipped == 0);
            let plain = grown.unwrap_or_else(|| joined(&words));
            let written = match ending {
                "" => plain.clone(),
                _ => fused(&plain, &words, &written).unwrap_or_else(|| joined(&written)),
            };
            Part { words: plain, ending: ending.to_owned(), written, items, scale }
        }
    })
}

/// Returns a count that is fused with its scale word, with the ending of the written scale word: ஐயாயிரம் and
/// ஆயிரத்துக்கு become ஐயாயிரத்துக்கு. Returns `None` if the count is a separate word.
fn fused(plain: &str, scale: &str, written: &str) -> Option<String> {
    let rest = |word: &str| word.char_indices().nth(1).map_or(word.len(), |(end, _)| end);
    let count = plain.strip_suffix(&scale[rest(scale)..]).filter(|_| !plain.ends_with(scale))?;
    Some(format!("{count}{}", &written[rest(written)..]))
}

/// Returns the value of an integer below 1000 with a single multiplier that is a scale word: 15000 for 15 ஆயிரத்து.
fn value(scan: &Scan<'_>, numeral: &Numeral, scale: &str, items: usize) -> Option<u128> {
    let scales = &scan.data.number.scales;
    let known =
        scales.iter().find(|known| known.alone == scale || known.joining.as_deref() == Some(scale))?;
    let is_plain = items == 1 && numeral.decimals.is_none();
    let count = numeral.whole.parse::<u128>().ok().filter(|count| is_plain && *count < 1000)?;
    Some(count * 10_u128.pow(known.power))
}

/// Returns whether a scale word is in the form used before a smaller number, and `digits` are few enough to be that
/// number: the ஆயிரத்து of 15 ஆயிரத்து 500.
fn is_before_rest(scan: &Scan<'_>, scale: &str, digits: &str) -> bool {
    let mut scales = scan.data.number.scales.iter();
    let joins = |known: &&data::Scale| known.joining.as_deref() == Some(scale) && known.alone != scale;
    scales.find(joins).is_some_and(|known| digits.len() <= known.power as usize)
}

/// Reads the multipliers of a number at `after`, and all parts after them.
pub(crate) fn multiplied(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Multiplied> {
    let first = part(scan, numeral, after, system)?;
    let mut all =
        Multiplied { words: first.words, ending: first.ending, written: first.written, items: first.items };
    let mut total = value(scan, numeral, &first.scale, first.items);
    let mut scale = first.scale;
    for parts in 1..MAX_PARTS {
        let at = after + all.items;
        let next = Numeral::read(scan, at)
            .filter(|next| scan.spaced(at) && next.decimals.is_none() && !next.grouped);
        let Some(next) = next else { break };
        let follows = part(scan, &next, at + next.items, system).filter(|part| part.scale != scale);
        let Some(follows) = follows else {
            // the last part may be a number below 1000 without a multiplier: 5 लाख 25 हज़ार 500, 15 ஆயிரத்து 500
            let is_last = parts > 1 && next.whole.len() <= 3 || is_before_rest(scan, &scale, &next.whole);
            if is_last && all.ending.is_empty() {
                let sum = total.and_then(|total| Some(total + next.whole.parse::<u128>().ok()?));
                let sum =
                    sum.map(|sum| number::cardinal(&scan.data.number, &sum.to_string(), System::Indian));
                all.words = sum.unwrap_or_else(|| format!("{} {}", all.written, next.words(scan)));
                all.written.clone_from(&all.words);
                all.items += next.items;
            }
            break;
        };
        all.words = format!("{} {}", all.written, follows.words);
        all.written = format!("{} {}", all.written, follows.written);
        all.ending = follows.ending;
        all.items += next.items + follows.items;
        total = total.zip(value(scan, &next, &follows.scale, follows.items)).map(|(sum, part)| sum + part);
        scale = follows.scale;
    }
    Some(all)
}

/// Reads a number with the multipliers at `after`, in the form used without a noun.
pub(crate) fn with_multiplier(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Reading> {
    let multiplied = multiplied(scan, numeral, after, system)?;
    Some(Reading::new(multiplied.written, multiplied.items))
}

/// Reads a number with the multipliers at `after`, in the form used before a noun.
pub(crate) fn counting_multiplied(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Reading> {
    let counted = with_multiplier(scan, numeral, after, system)?;
    Some(Reading::new(number::oblique(&scan.data.number, counted.words), counted.items))
}

/// Returns the word for the multiplier letter at `at`, after a number. L means a lakh near words about money. A joined
/// M means a million (`3.2M views`). A joined B means a billion after decimals or before a plus sign.
pub(crate) fn letter<'a>(scan: &'a Scan<'_>, numeral: &Numeral, at: usize) -> Option<&'a str> {
    let written = scan.latin(at)?;
    if written == "L" && is_lakh(scan, at.saturating_sub(numeral.items)) {
        return scan.data.number.multipliers.get("lakh").map(String::as_str);
    }
    let ends = scan.spaced(at + 1) || scan.is_sign(at + 1, '+');
    let name = match Some(written).filter(|_| scan.joined(at) && ends)? {
        "M" => "million",
        "B" if numeral.decimals.is_some() || scan.is_sign(at + 1, '+') => "billion",
        _ => return None,
    };
    scan.data.number.multipliers.get(name).map(String::as_str)
}

/// Returns the word for a multiplier letter that is valid only next to a currency: the `M` of `$1.5M`, the `L` of
/// `₹5 L`.
pub(crate) fn of_letter<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let written = scan.latin(at).filter(|word| scan.joined(at) || word.as_bytes()[0].is_ascii_uppercase())?;
    let name = match written {
        "K" | "k" => "thousand",
        "L" => "lakh",
        "M" | "m" => "million",
        "B" | "b" => "billion",
        "T" | "t" => "trillion",
        _ => return None,
    };
    scan.data.number.multipliers.get(name).map(String::as_str)
}
