//! Numbers with units: `5 kg`, `60 km/h`, `30°C`.

use std::ops::RangeInclusive;

use shruti_lang::Language;

use super::equation::is_cross;
use super::units::{self, Unit};
use super::{currency, lakh, multiplier, power, primes, purity};
use crate::chars::lowercase;
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::data::{self, UnitWord, is_function_word};
use crate::latin;
use crate::normalize::number::fraction;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::{self, System};
use crate::normalize::scan::calendar;
use crate::normalize::scan::{Reading, Scan};
use crate::script::Script;
use crate::table::Set;

/// Range of values for which `mb` means millibars. Other values are megabytes.
const PRESSURES: RangeInclusive<u32> = 850..=1100;

/// Largest number that may count minutes before an abbreviation that can also mean meters.
const LONGEST_MINUTES: u32 = 90;

/// Reads a number in scientific notation with its unit, because the name of the unit may precede the whole number:
/// `3 × 10⁸ m/s`.
fn scientific(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let factor = Numeral::read(scan, at)?;
    let times = at + factor.items;
    let raised = times + 2;
    if !is_cross(scan, times) || scan.number(times + 1) != Some("10") || scan.spaced(raised) {
        return None;
    }
    let power = power::read(scan, raised)?;
    let unit_at = raised + power.items;
    let unit = units::at(scan, unit_at).filter(|_| scan.spaced(unit_at))?;
    let cross = scan.data.symbols.get(&'×')?;
    let ten = number::plain_cardinal(&scan.data.number, "10", System::Indian);
    let spoken = unit.counted(&format!("{} {cross} {ten} {}", factor.words(scan), power.words), false);
    let end = unit_at + unit.items;
    Some(match per(scan, end) {
        Some((per, more)) => Reading::new(with_per(scan, &spoken, &per), end + more - at),
        None => Reading::new(spoken, end - at),
    })
}

/// Reads a number with a unit.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(special) = primes::read(scan, at).or_else(|| scientific(scan, at)) {
        return Some(special);
    }
    let numeral = Numeral::read(scan, at)?;
    let mut after = at + numeral.items;
    if matches!(scan.sign(after), Some('"' | '″')) && scan.joined(after) && !is_quoted(scan, at) {
        let count = numeral.counting(scan, numeral.system());
        let inches = units::of_sign(scan, "in", 1)?;
        // the unit is singular before a noun: a 12 inch pipe
        // a noun or a resolution follows: a 55" TV, 55" 4K
        let described =
            scan.is_word(after + 1) || scan.spaced(after + 1) && multiplier::is_resolution(scan, after + 1);
        let one = numeral.is_one() || scan.has_case() && described;
        let spoken = inches.counted(&count, one);
        let spoken = if described { number::oblique(&scan.data.number, spoken) } else { spoken };
        return Some(Reading::new(spoken, numeral.items + 1));
    }
    // a power may precede the unit: 10⁸ m/s
    let power = power::read(scan, after).filter(|_| scan.joined(after));
    after += power.as_ref().map_or(0, |power| power.items);
    let multiplied = multiplier::counting_multiplied(scan, &numeral, after, numeral.system());
    after += multiplied.as_ref().map_or(0, |counted| counted.items);
    let hyphen = usize::from(scan.is_sign(after, '-') && scan.joined(after) && scan.joined(after + 1));
    let unit = unit_after(scan, after, hyphen, &numeral)?;
    let in_code = at >= 2 && scan.joined(at) && scan.is_sign(at - 1, '-') && scan.joined(at - 1);
    if in_code && unit.sign.len() == 1 && scan.is_word(at - 2) {
        return None;
    }
    let noun = after + hyphen + unit.items;
    let attributive = scan.is_one_of(&scan.data.units.attributive, noun) && scan.spaced(noun);
    let one = numeral.is_one() || attributive;
    let quarters = if multiplied.is_none() { in_quarters(scan, &numeral, &unit) } else { None };
    let mut spoken = match (&multiplied, quarters) {
        (Some(counted), _) => unit.counted(&counted.words, hyphen > 0 || attributive),
        (None, Some(spoken)) => spoken,
        (None, None) => {
            let power = power.map_or_else(String::new, |power| format!(" {}", power.words));
            let count = format!("{}{power}", numeral.counting(scan, numeral.system()));
            unit.counted(&count, one && power.is_empty() || hyphen > 0)
        }
    };
    let mut total = after + hyphen + unit.items - at;
    // 26°ಡಿಗ್ರಿ contains its unit twice, as a sign and as a word
    if unit.sign.starts_with('°') && scan.word(at + total) == Some(unit.name(false)) {
        total += 1;
    }
    if let Some((per, more)) = per_dose(scan, &unit, at + total).or_else(|| per(scan, at + total)) {
        spoken = with_per(scan, &spoken, &per);
        total += more;
    }
    let compound = !scan.raw(after, after + hyphen + unit.items).ends_with(unit.name(false))
        && scan.number(at + total).is_some()
        && scan.spaced(at + total)
        && Numeral::read(scan, at + total)
            .is_some_and(|next| units::at(scan, at + total + next.items).is_some());
    let spoken = if compound || may_be_english_noun(scan, at + total) {
        oblique(scan, spoken)
    } else {
        before_measured(scan, spoken, at + total)
    };
    Some(Reading::new(spoken, total))
}

/// Changes the ending of a unit before the measured noun at `at`: 5 కి.మీ. దూరం is read with కిలోమీటర్ల దూరం. Another
/// measure or an adjective may be between the unit and the noun: 10 గ్రా. 24 క్యారెట్ల బంగారం, 5 GB ఉచిత డేటా.
pub(crate) fn before_measured(scan: &Scan<'_>, spoken: String, at: usize) -> String {
    let measures_again = || {
        let unit = at + Numeral::read(scan, at)?.items;
        let ends_alone = |word: &str| {
            scan.data.units.measured_endings.iter().any(|(alone, _)| word.ends_with(alone.as_str()))
        };
        scan.word(unit).filter(|word| scan.spaced(at) && !ends_alone(word))?;
        is_measured(scan, unit + 1).then_some(())
    };
    let described = || {
        let adjective = scan.word(at).is_some_and(|word| scan.data.units.before_measured.has(word));
        adjective && scan.spaced(at) && is_measured(scan, at + 1)
    };
    let measured = is_measured(scan, at) || measures_again().is_some() || described();
    if measured { oblique(scan, spoken) } else { spoken }
}

/// Returns whether the word at `at` is a measured noun.
fn is_measured(scan: &Scan<'_>, at: usize) -> bool {
    // మాత్ర is a tablet, but మాత్రమే is "only"
    let only = |word: &str| scan.data.prosody.focus_before.has(word);
    let measured = |word: &str| scan.data.units.measured.iter().any(|stem| word.starts_with(stem.as_str()));
    scan.word(at).is_some_and(|word| measured(word) && !only(word))
}

/// Returns whether the word at `at` may be an English noun in a text in another script, such as the RAM of 8GB RAM,
/// because it is neither a function word nor one of the words that are never measured.
fn may_be_english_noun(scan: &Scan<'_>, at: usize) -> bool {
    let is_noun = |word: &str| {
        let lower = lowercase(word);
        !is_function_word(&lower, Language::English)
            && !latin::is_listed(&lower, scan.language)
            && !scan.data.units.not_measured.contains(lower.as_ref())
    };
    scan.script() != Script::Latin && scan.spaced(at) && scan.latin(at).is_some_and(is_noun)
}

/// Gives a unit the ending that it has before a measured noun. The larger of two units has the same ending: 2 గం. 10
/// ని. is read as రెండు గంటల పది నిమిషాలు.
pub(crate) fn oblique(scan: &Scan<'_>, spoken: String) -> String {
    let with_ending = |(alone, before): &(String, String)| {
        spoken.strip_suffix(alone.as_str()).map(|stem| format!("{stem}{before}"))
    };
    scan.data.units.measured_endings.iter().find_map(with_ending).unwrap_or(spoken)
}

/// Returns the unit after a number that ends at `after`, with an optional hyphen between them.
fn unit_after(scan: &Scan<'_>, after: usize, hyphen: usize, numeral: &Numeral) -> Option<Unit> {
    // a small k may denote the purity of gold in carats: 22k gold
    if scan.latin(after) == Some("k")
        && scan.joined(after)
        && purity::is_purity(scan, &numeral.whole, after + 1)
    {
        return units::of_sign(scan, "ct", 1);
    }
    let mut unit = units::at(scan, after + hyphen)?;
    // a year before a word for years is not a measure: 2019 సం.లో
    let of_year = || scan.data.date.year_words.iter().any(|word| unit.sign.starts_with(word.as_str()));
    let year =
        numeral.decimals.is_none() && !numeral.grouped && calendar::is_year(&numeral.whole) && of_year();
    // capitals before a word for a law are not a unit: Section 184 MV Act
    let capitals = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    let law = scan.names(after + hyphen + unit.items).has(Kinds::STATUTE)
        && scan.spaced(after)
        && scan.latin(after).is_some_and(capitals);
    let noun = after + hyphen + unit.items;
    let service = scan.spaced(after)
        && scan.is_one_of(&scan.data.units.after_service, noun)
        && scan.latin(after).is_some_and(|word| capitals(word) && word.len() > 1 && word != unit.sign);
    if year || law || service {
        return None;
    }
    // a capital K may denote the purity of gold in carats: 22K
    if unit.sign == "K" && purity::is_purity(scan, &numeral.whole, after + unit.items) {
        return units::of_sign(scan, "ct", unit.items);
    }
    let end = after + hyphen + unit.items;
    // another measure may follow the unit: 15 h 32 m
    let goes_on = scan.number(end).is_some() && units::at(scan, end + 1).is_some();
    // "in" is a preposition between a score and a duration: won 21-16 in 54 min
    let goes_on = goes_on && unit.sign != "in"
        || unit.sign == "s" && follows_minutes(scan, after.saturating_sub(numeral.items));
    if scan.data.units.before_other.contains(&unit.sign) && !goes_on {
        return None;
    }
    let doubtful = if scan.spaced(after) {
        !goes_on
            && (is_word_of_sentence(scan, &unit.sign, end) || is_initialism(scan, &unit.sign, after, end))
    } else {
        // in a segment about electric current, a joined A means amperes, not a letter: a 3A supply
        let ampere = unit.sign == "A" && speaks_of_current(scan);
        numeral.decimals.is_none() && is_letter_of_code(&unit.sign) && !ampere || unit.sign == "st"
    };
    let labelled = scan.spaced(after) && hyphen == 0 && is_letter(scan, after, numeral, &unit.sign);
    let lakh = unit.sign == "L" && lakh::is_lakh(scan, after.saturating_sub(numeral.items));
    if labelled
        || lakh
        || doubtful
        || is_prefix(scan, &unit.sign, end)
        || scan.data.units.not_alone.contains(&unit.sign)
    {
        return None;
    }
    if unit.sign == "mb" {
        let pressure = numeral.whole.parse().is_ok_and(|value: u32| PRESSURES.contains(&value));
        unit = units::of_sign(scan, if pressure { "mbar" } else { "MB" }, unit.items)?;
    }
    // m after hours means minutes: 1h 30m
    let after_hours = after >= 3 && matches!(scan.latin(after - 2), Some("h" | "hr" | "hrs"));
    if unit.sign == "m" && after_hours && scan.number(after - 3).is_some() {
        let items = unit.items;
        unit = units::of_sign(scan, "min", items)?;
    }
    if is_timed(scan, after.saturating_sub(numeral.items), numeral, end)
        && let Some(name) = scan.data.units.timed.get(&unit.sign)
    {
        unit = unit.named(name);
    }
    Some(unit)
}

/// Returns whether minutes precede the number at `at`: 8 min 20 s.
fn follows_minutes(scan: &Scan<'_>, at: usize) -> bool {
    let Some(minute) = units::of_sign(scan, "min", 1) else { return false };
    at > 1
        && scan.number(at - 2).is_some()
        && units::at(scan, at - 1).is_some_and(|unit| unit.name(false) == minute.name(false))
}

/// Returns whether the words around a measure indicate that it is a duration, not a length: 45 ମି. ପରେ, ২ ঘণ্টা ৩০ মি.
/// The number is at `at`, and `end` is the index of the item after the unit.
fn is_timed(scan: &Scan<'_>, at: usize, numeral: &Numeral, end: usize) -> bool {
    let units = &scan.data.units;
    let short = numeral.whole.parse().is_ok_and(|value: u32| value <= LONGEST_MINUTES);
    if units.timed.is_empty() || !short {
        return false;
    }
    let hours = || {
        let hour = units.words.get("h").map(|word| units::names(word).0)?;
        let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.'));
        let before = at.checked_sub(1 + dot)?;
        let named = units::at(scan, before).is_some_and(|unit| unit.name(true) == hour);
        let oclock = scan.data.time.oclock_words.iter().any(|word| Some(word.as_str()) == scan.word(before));
        Some(named || scan.word(before) == Some(hour) || oclock)
    };
    let follows = at.checked_sub(1).and_then(|before| scan.word(before));
    follows.is_some_and(|word| units.before_timed.contains(word))
        || scan.word(end).is_some_and(|word| units.after_timed.contains(word))
        || hours().unwrap_or(false)
}

/// Returns whether a unit in the script of the language is the prefix of the following unit: ৫০০০ মিলি সেকেন্ড.
fn is_prefix(scan: &Scan<'_>, sign: &str, after: usize) -> bool {
    let prefixes = || scan.data.units.prefixes.values().any(|prefix| prefix == sign);
    let name = |word: &UnitWord| {
        let (one, many) = units::names(word);
        scan.word(after).is_some_and(|word| word == one || word == many)
    };
    !sign.is_ascii() && prefixes() && scan.data.units.words.values().any(name)
}

/// Returns whether a capital after a number is a letter, not a unit: class 5 B, seat 12 A, house 27 G. An A means
/// amperes only in a segment about electric current.
fn is_letter(scan: &Scan<'_>, at: usize, numeral: &Numeral, sign: &str) -> bool {
    let capital = sign.len() == 1 && sign.as_bytes()[0].is_ascii_uppercase() && numeral.decimals.is_none();
    if !capital || scan.latin(at) != Some(sign) {
        return false;
    }
    let number_at = at.saturating_sub(numeral.items);
    let lists = |list: &Set<String>, place: usize| scan.is_one_of(list, place);
    let labels = &scan.data.context.labels;
    let near = number_at.saturating_sub(3)..number_at;
    if near.chain(at + 1..at + 3).any(|place| lists(labels, place)) {
        return true;
    }
    sign == "A" && scan.words > 1 && !speaks_of_current(scan)
}

/// Returns whether the segment contains a word about electric current.
fn speaks_of_current(scan: &Scan<'_>) -> bool {
    (0..scan.items.len()).any(|place| scan.is_one_of(&scan.data.units.current, place))
}

/// Returns a measure with a half or a quarter, if the unit is counted that way: डेढ़ साल, साढ़े तीन घंटे.
fn in_quarters(scan: &Scan<'_>, numeral: &Numeral, unit: &Unit) -> Option<String> {
    let units = &scan.data.units;
    let is_in = |list: &[String]| list.contains(&unit.sign);
    let count = if is_in(&units.quartered) {
        fraction::counted(scan, numeral)
    } else if is_in(&units.halved) {
        fraction::counted_half(scan, numeral)
    } else {
        None
    }?;
    Some(match units.after_half.get(&unit.sign) {
        Some(name) => format!("{count} {name}"),
        None => unit.counted(&count, numeral.whole == "0"),
    })
}

/// Adds the unit after a fraction: `4 1/2 lbs`, `3/8"`.
pub(crate) fn of_fraction(scan: &Scan<'_>, at: usize, fraction: Reading) -> Reading {
    let after = at + fraction.items;
    let inches = matches!(scan.sign(after), Some('"' | '″')) && scan.joined(after) && !is_quoted(scan, at);
    let unit = if inches {
        units::of_sign(scan, "in", 1)
    } else {
        units::at(scan, after)
            .filter(|unit| !(scan.spaced(after) && is_word_of_sentence(scan, &unit.sign, after + unit.items)))
            .filter(|unit| !(scan.joined(after) && is_letter_of_code(&unit.sign)))
            // outside English, an A means amperes only in a segment about electric current: house 8/412 A
            .filter(|unit| unit.sign != "A" || scan.has_case() || speaks_of_current(scan))
    };
    let Some(unit) = unit else { return fraction };
    let proper = fraction.items == 1 || fraction.items == 3 && scan.number(at) < scan.number(at + 2);
    let items = fraction.items + unit.items;
    let spoken = before_measured(scan, unit.counted(&fraction.words, proper), at + items);
    Reading::new(spoken, items).of(Class::Measure)
}

/// Returns whether a quotation mark is open before `at`.
fn is_quoted(scan: &Scan<'_>, at: usize) -> bool {
    (0..at).filter(|&place| scan.is_sign(place, '"')).count() % 2 == 1
}

/// Returns the unit after a slash that follows a unit or an amount (`/hr`, `/किलो`, `/person`), and its number of items
/// including the slash.
pub(crate) fn per(scan: &Scan<'_>, at: usize) -> Option<(String, usize)> {
    if !scan.is_sign(at, '/') || scan.spaced(at) || scan.spaced(at + 1) {
        return None;
    }
    if let Some(unit) = units::at(scan, at + 1) {
        return (!is_in_code(scan, at + 1 + unit.items)).then(|| (unit.alone(), unit.items + 1));
    }
    let own = scan.script();
    let word = scan.word(at + 1)?;
    let is_native_word = word.chars().count() > 2 && word.chars().next().and_then(Script::of) == Some(own);
    is_native_word.then(|| (word.to_owned(), 2))
}

/// Returns the volume after a slash that follows a mass, and its number of items including the slash: 125 mg/5 ml.
fn per_dose(scan: &Scan<'_>, mass: &Unit, at: usize) -> Option<(String, usize)> {
    let units = &scan.data.units;
    let joined = scan.is_sign(at, '/') && scan.joined(at) && scan.joined(at + 1);
    let numeral = Numeral::read(scan, at + 1).filter(|_| joined && units.dosed.contains(&mass.sign))?;
    let volume = units::at(scan, at + 1 + numeral.items).filter(|unit| units.doses.contains(&unit.sign))?;
    let count = numeral.counting(scan, numeral.system());
    Some((volume.counted(&count, numeral.is_one()), 1 + numeral.items + volume.items))
}

/// Returns whether letters that end before `at` belong to a file number: the HR of 1234/HR/2025.
pub(crate) fn is_in_code(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_sign(at, '/') && scan.joined(at) && scan.joined(at + 1) && scan.number(at + 1).is_some()
}

/// Reads a unit after the word for "per": प्रति ली., প্রতি কেজি.
pub(crate) fn after_per(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let units = &scan.data.units;
    let of_pattern = || units.per.strip_prefix("{a} ")?.strip_suffix(" {b}");
    let per = units.before.as_deref().or_else(of_pattern)?;
    if at == 0 || scan.joined(at) || scan.word(at - 1) != Some(per) {
        return None;
    }
    let unit = units::at(scan, at)?;
    let items = unit.items
        + usize::from(scan.is_sign(at + unit.items, '.') && !scan.raw(at, at + unit.items).ends_with('.'));
    Some(Reading::new(unit.alone(), items))
}

/// Reads the unit of a label or of a column of a table, in brackets: a unit with dots in it (সে.মি.), or two units with a
/// slash between them (kg/একর), (টাকা/কুইন্টাল). The second is a unit by which rates are stated, because other pairs are
/// alternatives: (kg/lb).
pub(crate) fn in_brackets(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let opens = at > 0 && scan.is_sign(at - 1, '(') && scan.number(at).is_none();
    let measured = || units::at(scan, at).map(|unit| (unit.alone(), unit.items, false));
    let paid = || currency::at(scan, at, false).map(|(currency, items)| (currency.many.clone(), items, true));
    let (first, items, is_paid) = if opens { measured().or_else(paid)? } else { return None };
    let slash = at + items;
    // the slash may be part of the unit (km/h); M/s is an abbreviation
    let written = scan.raw(at, slash);
    let capital = written.starts_with(|c: char| c.is_ascii_uppercase());
    if !is_paid && !capital && written.contains('/') && scan.is_sign(slash, ')') {
        return Some(Reading::new(first, items));
    }
    // a unit of several letter groups is not another abbreviation: ଉଚ୍ଚତା (ସେ.ମି.)
    let dot = usize::from(scan.is_sign(slash, '.') && scan.joined(slash));
    if !is_paid && written.trim_end_matches('.').contains('.') && scan.is_sign(slash + dot, ')') {
        return Some(Reading::new(first, items + dot));
    }
    let rated = |place: usize| scan.data.units.rates.contains(scan.raw(place, place + 1));
    let (per, more) =
        per(scan, slash).filter(|_| rated(slash + 1) || is_paid && units::at(scan, slash + 1).is_some())?;
    let end = slash + more;
    scan.is_sign(end, ')').then(|| Reading::new(with_per(scan, &first, &per), end - at))
}

/// Reads a unit after a number in words or another word for an amount: आधा kg, दो kg, कुछ km.
pub(crate) fn after_amount(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let sign = scan.latin(at).filter(|_| at > 0 && scan.spaced(at) && !scan.has_case())?;
    if !data::of(Language::English).units.after_words.contains(sign) {
        return None;
    }
    let count = scan.word(at - 1)?;
    let number = &scan.data.number;
    let several = number.words.iter().skip(2).chain(&number.hundreds).any(|number| number == count)
        || number.multipliers.contains_key(count);
    let counted = several || scan.data.units.counted_by.contains(count);
    let unit = units::at(scan, at).filter(|_| counted)?;
    Some(Reading::new(unit.name(!several).replace("{n}", "").trim(), unit.items))
}

/// Returns the words for an amount or a number per unit: पचास रुपए प्रति किलोग्राम.
pub(crate) fn with_per(scan: &Scan<'_>, amount: &str, unit: &str) -> String {
    let pattern = scan.data.units.per.replace("{a}", amount);
    number::fill(&scan.data.number, &pattern, "{b}", unit)
}

/// Returns whether a unit symbol after a space may be an ordinary word: `5 in the morning`, `5 a day`.
fn is_word_of_sentence(scan: &Scan<'_>, sign: &str, after: usize) -> bool {
    let whole_word = matches!(sign, "day" | "month" | "week" | "year");
    let one_letter = sign.len() == 1 && sign.chars().all(|c| c.is_ascii_alphabetic());
    let latin_follows = scan.latin(after).is_some();
    if scan.script() == Script::Latin {
        let followed = scan.is_word(after) || scan.number(after).is_some();
        let measured = matches!(sign, "g" | "m" | "l" | "L");
        return whole_word || (one_letter && !measured || sign == "in") && followed;
    }
    (whole_word || one_letter || sign == "in") && latin_follows
}

/// Returns whether an apparent unit is an initialism in a street name: 5 MG Road. A unit that is itself written in
/// capitals remains a unit before any name: 8 GB RAM.
fn is_initialism(scan: &Scan<'_>, sign: &str, at: usize, end: usize) -> bool {
    let name = |word: &str| word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let capitals = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let other_case = end == at + 1 && scan.latin(at).is_some_and(|word| capitals(word) && word != sign);
    let street = |word: &str| scan.data.context.address.contains(lowercase(word).as_ref());
    let before_name = scan.latin(end).is_some_and(name) || scan.word(end).is_some_and(street);
    other_case && scan.names_address && before_name
}

/// Returns whether a unit symbol that is joined to a whole number may be a letter of a code: Section 498A, 4K.
fn is_letter_of_code(sign: &str) -> bool {
    matches!(sign, "A" | "B" | "C" | "J" | "K" | "N" | "Q" | "b" | "d" | "q")
}
