//! Signs that are spoken: `%`, `+`, `√`, `<`.

pub(crate) mod electronic;
pub(crate) mod name_parts;

use shruti_lang::Language;

use crate::data;
use crate::data::keywords::Kinds;
use crate::normalize::forms::{numeric, slash};
use crate::normalize::identifier::name;
use crate::normalize::identifier::telephone;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::quantity::equation::{in_equation, number_after, number_before};
use crate::normalize::quantity::units;
use crate::normalize::quantity::{currency, power};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending;
use crate::normalize::spelling::initials;
use crate::normalize::{letters, number};
use crate::script::Script;

/// Number of items before or after a sign that are searched for a word that determines its meaning. Near a cricket
/// word, an asterisk marks a batter who is not out. After a word for a house, a slash may precede the letter of the
/// house number.
const NEAR: usize = 8;
/// Maximum number of words between a conjunction and the next telephone key.
const NEAR_KEY: usize = 2;
/// Minimum number of digits of a telephone number without its area code.
const SHORTEST_SUBSCRIBER: usize = 6;
/// Minimum number of digits of a helpline number.
const SHORTEST_HELPLINE: usize = 3;
/// Maximum number of digits of a telephone extension.
const LONGEST_EXTENSION: usize = 5;
/// Minimum number of digits of a telephone or SMS short code.
const SHORTEST_SHORT_CODE: usize = 5;

/// Reads the sign `c` at `at` if it is spoken. A name that contains `{n}` includes the operand after the sign: `< 5` is
/// read as पाँच से कम.
pub(crate) fn read(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    if is_option(scan, at, c) {
        return Some(Reading::new(scan.data.electronic.hyphen.clone(), 1));
    }
    if matches!(c, '-' | '−' | '–') {
        return (c == '−' || is_minus(scan, at)).then(|| Reading::new(scan.data.number.minus.clone(), 1));
    }
    // a dot before a file name or an extension is spoken: the .env file
    if c == '.' {
        if let Some(extension) = electronic::extension(scan, at) {
            return Some(extension);
        }
        // in " .Contact us", the dot is not spoken, because a sentence starts after it
        let titled = |word: &str| {
            let mut letters = word.chars();
            letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.any(|c| c.is_ascii_lowercase())
        };
        let name = scan.latin(at + 1).is_some_and(|word| word.len() > 1 && !titled(word));
        let file = scan.spaced(at) && scan.joined(at + 1) && name;
        return file.then(|| Reading::new(scan.data.electronic.dot.clone(), 1));
    }
    if let Some(said) = per(scan, at, c)
        .or_else(|| per_noun(scan, at, c))
        .or_else(|| per_currency(scan, at, c))
        .or_else(|| alternative(scan, at, c))
        .or_else(|| house_letter(scan, at, c))
        .or_else(|| star(scan, at, c))
    {
        return Some(said);
    }
    if !is_spoken(scan, at, c) || is_variable(scan, at, c) || is_path(scan, at, c) {
        return None;
    }
    if let Some(share) = scan.data.number.percent_alone.as_ref().filter(|_| c == '%')
        && scan.spaced(at)
        && scan.spaced(at + 1)
        && (at == 0 || scan.is_word(at - 1))
    {
        return Some(Reading::new(share.clone(), 1));
    }
    let product = number_before(scan, at) && number_after(scan, at) && !scan.data.number.literal_asterisk;
    let times = c == '*' && (product || in_equation(scan, at));
    if c == '+'
        && !adds(scan, at)
        && let Some(plus) = &scan.data.number.plus
    {
        return Some(Reading::new(plus.clone(), 1));
    }
    if let Some(name) = scan.data.symbols.get(if times { &'×' } else { &c }) {
        return Some(with_operand(scan, at, name));
    }
    let currency = scan.data.money.currency(c.encode_utf8(&mut [0; 4]), false)?;
    Some(Reading::new(currency.one.clone(), 1))
}

/// Minimum length of the noun after the slash of `10/plant`, in letters.
const SHORTEST_NOUN: usize = 3;

/// Reads the slash between a number and a noun, together with the noun: `10/plant`.
fn per_noun(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let joined = c == '/' && scan.joined(at) && scan.joined(at + 1);
    let counted = at > 0 && scan.number(at - 1).is_some() && scan.has_case() && !scan.names_address;
    let begins =
        at > 0 && (at == 1 || scan.spaced(at - 1) || matches!(scan.sign(at - 2), Some('.' | '-' | '–')));
    let pattern = scan.data.units.per.strip_prefix("{a} ").filter(|_| joined && counted && begins)?;
    let is_noun = |word: &&str| {
        word.len() >= SHORTEST_NOUN
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !scan.is_function(word)
    };
    // a path or a function call is not an amount per noun: 5/two/three, 1/sqrt(n)
    let goes_on = scan.number(at + 2).is_some()
        || scan.joined(at + 2) && matches!(scan.sign(at + 2), Some('/' | '(' | '_' | '-'));
    let noun = scan.latin(at + 1).filter(is_noun).filter(|_| !goes_on)?;
    let unit = units::at(scan, at + 1).map(|unit| (unit.alone(), unit.items));
    let (noun, items) = unit.unwrap_or_else(|| (noun.to_owned(), 1));
    Some(Reading::new(number::fill(&scan.data.number, pattern, "{b}", &noun), 1 + items))
}

/// Reads the slash between an exchange rate and a currency, together with the currency: `86.41/$`.
fn per_currency(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let joined = c == '/' && scan.joined(at) && scan.joined(at + 1);
    let rate = joined && at > 0 && scan.number(at - 1).is_some() && scan.number(at + 2).is_none();
    let pattern = scan.data.units.per.strip_prefix("{a} ").filter(|_| rate && at + 1 < scan.items.len())?;
    let currency = scan.data.money.currency(scan.raw(at + 1, at + 2), false)?;
    Some(Reading::new(number::fill(&scan.data.number, pattern, "{b}", &currency.one), 2))
}

/// Reads the slash between a counted noun and a unit, together with the unit: `৭২ বার/মিনিট`.
fn per(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let joined = c == '/' && scan.joined(at) && scan.joined(at + 1);
    let counted = at >= 2 && scan.is_word(at - 1) && scan.number(at - 2).is_some();
    let pattern = scan.data.units.per.strip_prefix("{a} ").filter(|_| joined && counted)?;
    let unit = units::at(scan, at + 1).filter(|unit| unit.sign.chars().count() > 1);
    let word =
        || scan.word(at + 1).filter(|word| is_span_of_time(scan, word)).map(|word| (word.to_owned(), 1));
    let (unit, items) = unit.map(|unit| (unit.alone(), unit.items)).or_else(word)?;
    Some(Reading::new(number::fill(&scan.data.number, pattern, "{b}", &unit), 1 + items))
}

/// Reads the slash between a telephone number and an alternative to calling it: `Call 18002586161/SMS BLOCK to …`.
fn alternative(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let or = scan.data.slash.alternative.as_ref().filter(|_| c == '/' && at > 0)?;
    // the slash between a keyword and its number is silent: UPI/429269093079
    let long = scan.number(at + 1).is_some_and(|digits| digits.len() >= name::SHORTEST_TELEPHONE);
    if long && scan.names(at - 1).has(Kinds::NAMES) && scan.joined(at) {
        return Some(Reading::new("", 1));
    }
    // the slash between two telephone extensions means "or": extn 214/215
    let short = |place: usize| {
        scan.number(place).is_some_and(|digits| (2..=LONGEST_EXTENSION).contains(&digits.len()))
    };
    let dot = usize::from(at >= 3 && scan.is_sign(at - 2, '.'));
    let extensions = at >= 2 + dot
        && scan.joined(at)
        && scan.joined(at + 1)
        && short(at - 1)
        && short(at + 1)
        && scan.names(at - 2 - dot).has(Kinds::CODE);
    if extensions {
        return Some(Reading::new(or.clone(), 1));
    }
    // the telephone number may have two groups: 1800 2662/SMS
    let grouped =
        at >= 2 && scan.number(at - 2).is_some() && scan.number(at - 1).is_some_and(|last| last.len() > 3);
    let called = grouped || scan.number(at - 1).is_some_and(|digits| digits.len() >= SHORTEST_SHORT_CODE);
    (called && scan.is_word(at + 1)).then(|| Reading::new(or.clone(), 1))
}

/// Reads the slash between a house or survey number and a letter, which may have an ending: `డోర్ నం. 8-3-191/A`, `సర్వే
/// నం. 214/ఎలో`.
fn house_letter(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let joined = c == '/' && scan.joined(at) && scan.joined(at + 1);
    let is_ending = |word: &str| scan.data.number.endings.after_dot.contains(word);
    let inflected = scan.latin(at + 1).is_some() && scan.word(at + 2).is_some_and(is_ending);
    let goes_on = scan.joined(at + 2)
        && !inflected
        && (scan.sign(at + 2).is_none_or(|c| matches!(c, '/' | '-')) && at + 2 < scan.items.len());
    let numbered = joined && !goes_on && at > 0 && scan.number(at - 1).is_some();
    let name = scan.data.slash.letter.as_ref().filter(|_| numbered)?;
    let letter = if let Some(letter) = scan.latin(at + 1) {
        letter.len() == 1 && letter.as_bytes()[0].is_ascii_uppercase()
    } else {
        let is_letter =
            |word: &str| word.chars().count() == 1 || initials::names_inflected_letter(scan, word);
        scan.word(at + 1).is_some_and(is_letter) || initials::is_latin_letter(scan, at + 1)
    };
    let door = (at.saturating_sub(NEAR)..at).any(|place| scan.names(place).has(Kinds::DOOR));
    let located = door || scan.names_address || slash::is_numbered(scan, at - 1);
    (letter && located).then(|| Reading::new(name.clone(), 1))
}

/// Reads an asterisk after the score of a batter who is not out, an asterisk or a star after the number of stars of a
/// hotel (`4* hotel`), or the asterisk of a telephone key (`press * to repeat`, `* दबाएँ`).
fn star(scan: &Scan<'_>, at: usize, c: char) -> Option<Reading> {
    let score = &scan.data.context.score;
    if c == '*'
        && scan.joined(at)
        && (scan.spaced(at + 1) || matches!(scan.sign(at + 1), Some('.' | ',' | ';' | ')')))
        && number_before(scan, at)
        && let Some(not_out) = &scan.data.slash.not_out
        && ((at.saturating_sub(NEAR)..at + NEAR).any(|place| scan.is_one_of(score, place))
            || (scan.mentions(score, at..at + 1) || slash::is_in_brackets_after_score(scan, at))
                && !(0..at).any(|place| currency::is_sign(scan, place)))
    {
        return Some(Reading::new(not_out.clone(), 1));
    }
    if c == '*' && is_key(scan, at) {
        return Some(Reading::new(scan.data.electronic.star.clone(), 1));
    }
    let word_after = scan.spaced(at + 1) && scan.is_word(at + 1);
    if !matches!(c, '*' | '★') || at == 0 || !word_after {
        return None;
    }
    let rated = scan.number(at - 1).is_some_and(|digits| matches!(digits, "3" | "4" | "5" | "7"));
    let rated = rated && scan.joined(at) && scan.spaced(at - 1);
    rated.then(|| Reading::new(scan.data.electronic.star.clone(), 1))
}

/// Returns whether the asterisk at `at` is a telephone key. In English, a word for pressing precedes it: `press * to
/// repeat`. In Indian languages, such a word or the other key with a sign follows it, with an optional function word
/// between them: `* दबाएँ`, `* का बटन`, `* या # दबाएँ`. After a conjunction, the word for pressing may also follow the
/// next key: `* અને પછી 9 દબાવો`, but not `* અને નિયમો વાંચીને બટન દબાવો`.
fn is_key(scan: &Scan<'_>, at: usize) -> bool {
    let pressing = &scan.data.electronic.pressing;
    let after = at + 1;
    let before_word = scan.spaced(after) && scan.is_word(after);
    // at the beginning of a sentence, the asterisk is the bullet of a list
    let begins = at == 0 && scan.sentence_before().trim().is_empty();
    if begins || at > 0 && !scan.spaced(at) {
        return false;
    }
    if scan.has_case() {
        let ends = after >= scan.items.len() || matches!(scan.sign(after), Some('.' | ',' | ';'));
        return (before_word || ends) && at > 0 && scan.is_one_of(pressing, at - 1);
    }
    let joins = scan.word(after).is_some_and(|word| scan.data.prosody.clause_before.has(word));
    let grammar = joins || scan.word(after).is_some_and(|word| scan.is_function(word));
    let next = after + usize::from(grammar);
    let is_pressed = |key: usize| scan.number(key).is_some() && scan.is_one_of(pressing, key + 1);
    let key_after = || joins && (next..=next + NEAR_KEY).any(is_pressed);
    before_word && (scan.is_one_of(pressing, next) || grammar && scan.is_sign(next, '#') || key_after())
}

/// Returns whether a word is a unit of time: a unit that is counted in quarters, or a word for the minutes or seconds
/// of a time of day.
fn is_span_of_time(scan: &Scan<'_>, word: &str) -> bool {
    let of_times = || scan.data.time.seconds.split(' ').any(|part| part == word);
    scan.data.units.quartered.iter().any(|known| known == word) || of_times()
}

/// Returns whether a currency sign starts the name of a variable: `$x`.
fn is_variable(scan: &Scan<'_>, at: usize, c: char) -> bool {
    c == '$' && scan.joined(at + 1) && scan.latin(at + 1).is_some()
}

/// Returns whether a comparison sign between words separates the steps of a path: `Settings > Account`.
fn is_path(scan: &Scan<'_>, at: usize, c: char) -> bool {
    let word = |place: usize| scan.word(place).is_some_and(|word| word.chars().count() > 1);
    c == '>' && scan.spaced(at) && scan.spaced(at + 1) && at > 0 && word(at - 1) && word(at + 1)
}

/// Returns whether a hyphen starts an option of a command: `pip install -r`, `ls -la`.
fn is_option(scan: &Scan<'_>, at: usize, c: char) -> bool {
    let starts = c == '-' && at > 0 && scan.spaced(at) && scan.joined(at + 1) && scan.spaced(at + 2);
    let commands = &data::of(Language::English).electronic.commands;
    let is_command = |place: usize| scan.latin(place).is_some_and(|word| commands.contains(word));
    starts && scan.latin(at + 1).is_some_and(|word| word.len() <= 3) && (0..at).any(is_command)
}

/// Returns whether a dash is a minus sign, because it is between numbers or words in an equation. Elsewhere it joins
/// words.
fn is_minus(scan: &Scan<'_>, at: usize) -> bool {
    let word_before = at > 0 && scan.is_word(at - 1);
    // a dash directly after a word and before a space follows a label: গ্রাম+পোস্ট- সুতাহাটা
    let after_label = word_before && scan.joined(at) && scan.spaced(at + 1);
    // a plus sign may also join the parts of a quantity after its name: വെളിച്ചെണ്ണ - 1 ടീസ്പൂൺ + 1 കപ്പ്
    let before_quantity = || {
        at > 0
            && scan.word(at - 1).is_some_and(|name| name.chars().count() > 1)
            && scan.number(at + 1).is_some()
            && !scan.has_sign(&['=', '×', '÷'])
    };
    in_equation(scan, at)
        && !after_label
        && !before_quantity()
        && (number_before(scan, at) || word_before)
        && (number_after(scan, at) || scan.is_word(at + 1))
}

/// Returns whether a slash, a word that is not Latin and a number directly precede the sign at `at`, as in a file
/// number: 3812/ஆ2/2026.
fn follows_section(scan: &Scan<'_>, at: usize) -> bool {
    at > 3
        && scan.number(at - 1).is_some()
        && scan.is_word(at - 2)
        && scan.latin(at - 2).is_none()
        && scan.is_sign(at - 3, '/')
        && (at - 2..=at).all(|place| scan.joined(place))
}

/// Returns whether a plus sign is an addition, because it is between numbers or the segment contains an equals sign.
/// The plus signs of `3+`, `Ctrl+C` and `B.Com + Tally` are not additions.
fn adds(scan: &Scan<'_>, at: usize) -> bool {
    let numbers = number_before(scan, at) && number_after(scan, at);
    numbers || scan.has_sign(&['='])
}

fn is_between_telephones(scan: &Scan<'_>, at: usize) -> bool {
    let long = |place: usize| scan.number(place).is_some_and(|digits| digits.len() >= SHORTEST_SUBSCRIBER);
    let silent = !scan.data.number.slash_between_words;
    let trunk = scan.number(at + 1).is_some_and(|digits| digits.len() > 2 && digits.starts_with('0'));
    // both numbers may be in groups: 033-2359 8170 / 94340 22658. In a language that speaks slashes between words, the
    // slash before a trunk code is spoken: 080-26677118/080-26677113
    let grouped = || {
        let second = || telephone::read(scan, at + 1).is_some_and(|number| number.reading.items > 1);
        (silent || !trunk) && telephone::ends_before(scan, at) && second()
    };
    // a short number may precede a number with a trunk code: 1912 / 080-22954417
    let short = at > 0 && scan.number(at - 1).is_some_and(|digits| digits.len() >= SHORTEST_HELPLINE);
    at > 0 && (long(at - 1) && long(at + 1) || grouped() || silent && short && trunk)
}

/// Returns whether a slash between spaces separates two lines of verse: a word follows it, and the first line ends in
/// punctuation or was in an earlier segment, or a lower-case word is before the slash and a capitalised word after it.
fn ends_verse(scan: &Scan<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return !scan.sentence_before().is_empty() && scan.is_word(at + 1);
    };
    let begins_line = initials::is_capitalised(scan, at + 1);
    let in_lower_case =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase()) && !scan.is_function(word);
    let cased = || begins_line && scan.latin(before).is_some_and(in_lower_case);
    scan.is_word(at + 1)
        && (matches!(scan.sign(before), Some(',' | ';' | ':' | '.' | '!' | '?' | '।' | '—')) || cased())
}

fn is_spoken(scan: &Scan<'_>, at: usize, c: char) -> bool {
    let numbers = number_before(scan, at) || number_after(scan, at);
    let alone = scan.spaced(at) && scan.spaced(at + 1);
    let word_before = at > 0 && scan.is_word(at - 1);
    match c {
        // the slash between two telephone numbers is silent: 0232-255411 / 255412
        '/' if is_between_telephones(scan, at) => false,
        // the slash after the section of a file number is silent: 3812/ஆ2/2026
        '/' if follows_section(scan, at) => false,
        // the slash between two lines of verse is silent
        '/' if alone && ends_verse(scan, at) => false,
        // in a language that does not speak slashes between words, only a slash between two numbers is spoken: not
        // 8GB/512GB
        '/' if !scan.data.number.slash_between_words => number_before(scan, at) && number_after(scan, at),
        '/' => numbers || word_before || scan.is_word(at + 1),
        // an asterisk directly after a word or a price, before a space, marks a footnote
        '*' if scan.joined(at) && scan.spaced(at + 1) => false,
        '*' => number_after(scan, at) || numbers && scan.spaced(at),
        '^' => numbers,
        // a triangle is spoken before its vertices (△ABC) and between words, but not as an ornament or an arrow
        '△' => {
            let between_words = || word_before && !initials::is_capitalised(scan, at + 1);
            scan.is_word(at + 1) && (scan.joined(at + 1) || between_words())
        }
        // before an amount, a tilde without a space before it separates the parts of a message: Deposited~INR 500
        '~' => number_after(scan, at) || scan.spaced(at) && currency::is_sign(scan, at + 1),
        '<' | '>' => numbers || alone && at > 0,
        '|' | '_' | '\\' => false,
        // a star is spoken directly after a number, 4.3★, but not as an ornament
        '★' => number_before(scan, at) && scan.joined(at),
        '#' => scan.spaced(at + 1) || !scan.is_word(at + 1) || scan.joined(at),
        // an arrow between steps or menu items is spoken only in English, which has a word for it
        '→' if number_before(scan, at) && number_after(scan, at) => true,
        '→' => scan.script() == Script::Latin && (alone || joins_places(scan, at)),
        _ => true,
    }
}

/// Returns whether an arrow without spaces joins two capitalized words or codes of places: BLR→DEL, Pune→Mumbai.
fn joins_places(scan: &Scan<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).is_some_and(|before| initials::is_capitalised(scan, before));
    before && scan.joined(at) && scan.joined(at + 1) && initials::is_capitalised(scan, at + 1)
}

/// Returns the operand of a comparison with its ending, without the sign.
fn operand_alone(scan: &Scan<'_>, at: usize, operand: Reading) -> Reading {
    let operand = ending::with_ending(scan, at + 1, operand);
    Reading::new(operand.words, 1 + operand.items)
}

/// Reads `^` and the number after it, before the name of a unit: 10^-3 m.
fn exponent(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let minus = scan.is_sign(at + 1, '-') && scan.joined(at + 2);
    let start = at + 1 + usize::from(minus);
    let number = Numeral::read(scan, start).filter(|_| scan.is_sign(at, '^'))?;
    let sign = if minus { format!("{} ", scan.data.number.minus) } else { String::new() };
    let words = power::raised_to(scan, &format!("{sign}{}", number.words(scan)))?;
    let end = start + number.items;
    Some(match units::at(scan, end) {
        Some(unit) => Reading::new(unit.counted(&words, false), end + unit.items - at),
        None => Reading::new(words, end - at),
    })
}

fn with_operand(scan: &Scan<'_>, at: usize, name: &str) -> Reading {
    if !name.contains("{n}") {
        return Reading::new(name, 1);
    }
    if let Some(power) = exponent(scan, at) {
        return power;
    }
    let word = || letters::read(scan, at + 1).or_else(|| Some(Reading::new(scan.word(at + 1)?, 1)));
    // the blood pressure <140/90 is not a fraction
    let pair = slash::read(scan, at + 1);
    let operand =
        pair.or_else(|| numeric::read(scan, at + 1)).or_else(word).filter(|_| !scan.is_sign(at + 1, '('));
    // "<5 ಗಿಂತ ಕಡಿಮೆ" already contains the words for the sign
    let repeated_after = |operand: &Reading| {
        scan.word(at + 1 + operand.items).is_some_and(|word| scan.data.number.than.contains(word))
    };
    match operand {
        Some(operand) if repeated_after(&operand) => operand_alone(scan, at, operand),
        Some(operand) => {
            Reading::new(number::fill(&scan.data.number, name, "{n}", &operand.words), 1 + operand.items)
        }
        None => Reading::new(name.replace("{n}", "").trim(), 1),
    }
}
