//! Words that multiply the number before them: `1.5 लाख`, `3 crore`, `3.2M`; with their endings, `5 கோடிக்கு`, and in
//! several parts, `2 लाख 50 हज़ार`.

use super::evidence;
use super::fraction;
use super::number::{self, System};
use super::numeral::Numeral;
use super::scan::{Reading, Scan};
use crate::chars::lowercase;

/// The most parts of a number: `1 करोड़ 25 लाख 50 हज़ार`.
const MOST_PARTS: usize = 4;

/// A number with its multipliers, in words.
#[derive(Clone, Debug)]
pub(super) struct Multiplied {
    /// The words, the ending of the last multiplier left out.
    pub(super) words: String,
    /// The ending of the last multiplier, as other nouns take it; empty where it has none.
    pub(super) ending: String,
    /// The words, the last multiplier as it is written.
    pub(super) written: String,
    /// Over how many items the multipliers, and all parts behind the first numeral, are written.
    pub(super) items: usize,
}

/// The word for a multiplier at `at`: लाख, crore; that of one with an ending has none.
pub(super) fn multiplier<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    plain(scan, at).or_else(|| inflected(scan, at).map(|(word, _)| word))
}

fn plain<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let word = scan.word(at)?;
    let multipliers = &scan.data.number.multipliers;
    multipliers.get(word).or_else(|| multipliers.get(lowercase(word).as_ref())).map(String::as_str)
}

/// The multiplier with an ending at `at`: the word, and the ending.
fn inflected<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let (word, ending) = scan.data.number.inflected_scales.get(scan.word(at)?)?;
    Some((word, ending))
}

/// One number with its multiplier.
struct Part {
    words: String,
    ending: String,
    written: String,
    items: usize,
    scale: String,
}

/// A number with its multipliers, of which two may follow each other: लाख, लाख करोड़. Says डेढ़ लाख where the language
/// does.
fn part(scan: &Scan<'_>, numeral: &Numeral, after: usize, system: System) -> Option<Part> {
    // 3½ लाख
    let mixed = fraction::behind_whole(scan, numeral, after);
    let skipped = mixed.as_ref().map_or(0, |mixed| mixed.items);
    let at = after + skipped;
    // the Rs 2,300-crore project
    let hyphen =
        scan.is_sign(at, '-') && scan.joined(at) && scan.joined(at + 1) && plain(scan, at + 1).is_some();
    let at = at + usize::from(hyphen);
    let (first, mut ending) = match plain(scan, at) {
        Some(word) => (word, ""),
        None => inflected(scan, at)?,
    };
    let mut words = first.to_owned();
    let mut last = at;
    let mut written = if ending.is_empty() { words.clone() } else { scan.word(at)?.to_owned() };
    let second = plain(scan, at + 1).map(|word| (word, "", word));
    let second = second.or_else(|| {
        inflected(scan, at + 1).and_then(|(word, ending)| Some((word, ending, scan.word(at + 1)?)))
    });
    if let Some((second, second_ending, as_written)) = second {
        words = format!("{written} {second}");
        written = format!("{written} {as_written}");
        ending = second_ending;
        last += 1;
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
                .and_then(|scale| number::grown(&scan.data.number, scale, numeral))
                .filter(|_| skipped == 0);
            let plain = grown.unwrap_or_else(|| joined(&words));
            let written = if ending.is_empty() { plain.clone() } else { joined(&written) };
            Part { words: plain, ending: ending.to_owned(), written, items, scale }
        }
    })
}

/// A number with the multipliers that follow it at `after`, and with all the parts behind them.
pub(super) fn multiplied(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Multiplied> {
    let first = part(scan, numeral, after, system)?;
    let mut all =
        Multiplied { words: first.words, ending: first.ending, written: first.written, items: first.items };
    let mut scale = first.scale;
    for parts in 1..MOST_PARTS {
        let at = after + all.items;
        let next = Numeral::read(scan, at)
            .filter(|next| scan.spaced(at) && next.decimals.is_none() && !next.grouped);
        let Some(next) = next else { break };
        let follows = part(scan, &next, at + next.items, system).filter(|part| part.scale != scale);
        let Some(follows) = follows else {
            // 5 लाख 25 हज़ार 500
            if parts > 1 && next.whole.len() <= 3 && all.ending.is_empty() {
                all.words = format!("{} {}", all.written, next.words(scan));
                all.written.clone_from(&all.words);
                all.items += next.items;
            }
            break;
        };
        all.words = format!("{} {}", all.written, follows.words);
        all.written = format!("{} {}", all.written, follows.written);
        all.ending = follows.ending;
        all.items += next.items + follows.items;
        scale = follows.scale;
    }
    Some(all)
}

/// A number with the multipliers that follow it at `after`, as it stands alone.
pub(super) fn with_multiplier(
    scan: &Scan<'_>,
    numeral: &Numeral,
    after: usize,
    system: System,
) -> Option<Reading> {
    let multiplied = multiplied(scan, numeral, after, system)?;
    Some(Reading::new(multiplied.written, multiplied.items))
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

/// The word for the letter behind a number at `at`: beside words of money L is a lakh; one that is joined stands for a million (`3.2M views`) or, behind decimals,
/// for a billion.
pub(super) fn letter<'a>(scan: &'a Scan<'_>, numeral: &Numeral, at: usize) -> Option<&'a str> {
    let written = scan.latin(at)?;
    if written == "L" && evidence::is_lakh(scan, at.saturating_sub(numeral.items)) {
        return scan.data.number.multipliers.get("lakh").map(String::as_str);
    }
    let name = match Some(written).filter(|_| scan.joined(at) && scan.spaced(at + 1))? {
        "M" => "million",
        "B" if numeral.decimals.is_some() => "billion",
        _ => return None,
    };
    scan.data.number.multipliers.get(name).map(String::as_str)
}
