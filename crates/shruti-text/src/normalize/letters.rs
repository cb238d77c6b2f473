//! Initialisms, Roman numerals, and letters and digits in one token.

use super::abbreviation;
use super::chat;
use super::date;
use super::electronic;
use super::ending;
use super::identifier;
use super::naming::Kinds;
use super::number::{self, System};
use super::ordinal;
use super::quantity;
use super::scan::{Reading, Scan};
use super::span;
use crate::chars::{is_mark, lowercase};
use crate::class::Class;
use crate::english;
use crate::item::Kind;
use crate::latin;
use crate::script::Script;

/// Minimum length of the word of a coupon, in letters.
const SHORTEST_COUPON: usize = 4;
/// Maximum number of digits of the discount of a coupon.
const LONGEST_DISCOUNT: usize = 4;
/// Maximum number of letters in a series name: the WS of `WS-107-2020`.
const LONGEST_SERIES: usize = 5;
/// Minimum total number of digits in a serial code.
const SHORTEST_SERIAL: usize = 7;

/// Reads letters that are spelled out, or a Roman numeral.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let letters = |spelt: Reading| spelt.of(Class::Letters);
    initials(scan, at)
        .or_else(|| degree(scan, at))
        .or_else(|| dotted(scan, at))
        .map(letters)
        .or_else(|| masked(scan, at).map(|code| code.of(Class::Code)))
        .or_else(|| roman(scan, at).map(|number| number.of(Class::Roman)))
        .or_else(|| mixed(scan, at).map(|code| code.of(Class::Code)))
        .or_else(|| initialism(scan, at).map(letters))
}

/// Reads letters with dots: `U.S.A.`, `A. P. J.`
fn dotted(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let single = |place: usize| scan.latin(place).filter(|word| word.len() == 1);
    let mut written = single(at)?.to_owned();
    if !(at == 0 || scan.spaced(at) || scan.sign(at - 1).is_some_and(|c| c != '.')) {
        return None;
    }
    let mut end = at + 1;
    while scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) {
        let Some(letter) = single(end + 1) else { break };
        written.push_str(letter);
        end += 2;
    }
    if end == at + 1 {
        // an initial before a name
        let initial = scan.is_sign(end, '.') && scan.joined(end) && at + 2 < scan.items.len();
        let spelt = initial.then(|| spelt(scan, &written))?;
        return Some(Reading::new(spelt, 2));
    }
    // the last dot belongs to the abbreviation if more text follows; at the end it also ends the sentence
    let last_dot = scan.is_sign(end, '.') && scan.joined(end) && end + 1 < scan.items.len();
    Some(Reading::new(spelt(scan, &written), end + usize::from(last_dot) - at))
}

/// Reads `आई.ए.एस.` or `மு.க. ஸ்டாலின்`: letters of an Indian script with dots that are not pauses.
fn initials(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dotted = |place: usize| scan.is_sign(place, '.') && scan.joined(place);
    let after_title = at > 1 && abbreviation::is_title(scan, at - 2);
    let inside = at > 0 && scan.joined(at) && scan.sign(at - 1).is_none_or(|c| c == '.') && !after_title;
    if inside || !dotted(at + 1) {
        return None;
    }
    let letter = |place: usize| {
        scan.word(place).filter(|word| !word.is_ascii() && abbreviation::is_letter(scan, word))
    };
    let short =
        |place: usize| scan.word(place).filter(|word| dotted(place + 1) && abbreviation::is_short(word));
    let several = |place: usize| scan.word(place).filter(|word| abbreviation::is_of_letters(scan, word));
    let named = |place: usize| {
        let is_name = |word: &&str| scan.data.latin.letters.iter().any(|name| name == word);
        scan.word(place).filter(is_name).or_else(|| several(place))
    };
    // পিএইচ.ডি.
    let begins = || several(at).filter(|_| scan.joined(at + 2) && named(at + 2).is_some());
    // ਐਮ.ਐਲ.ਏ. spells its letters differently from the letter table
    let first = letter(at)
        .or_else(|| short(at).filter(|_| scan.joined(at + 2) && short(at + 2).is_some()))
        .or_else(begins);
    let mut spoken = vec![first?];
    let mut end = at + 1;
    while dotted(end) && scan.joined(end + 1) {
        // the এড of বি.এড has no dot
        let last = || scan.word(end + 1).filter(|word| !dotted(end + 2) && abbreviation::is_short(word));
        // జి.ఓ.ఎం.ఎస్.నెం. 46
        if abbreviation::numbers(scan, end + 1).is_some() {
            break;
        }
        // ಬಿ.ಜೆ.ಪಿ.ಗೆ
        if !dotted(end + 2)
            && !abbreviation::is_latin_letter(scan, end + 1)
            && ending::is_dotted(scan, end + 1)
        {
            break;
        }
        let Some(next) =
            letter(end + 1).or_else(|| short(end + 1)).or_else(|| several(end + 1)).or_else(last)
        else {
            break;
        };
        spoken.push(next);
        end += 2;
    }
    // at the end of the text, the last dot also ends the sentence
    let followed =
        dotted(end) && (scan.is_word(end + 1) || matches!(scan.sign(end + 1), Some(',' | ')' | '-')));
    (spoken.len() > 1 || followed).then(|| Reading::new(spoken.join(" "), end + usize::from(followed) - at))
}

/// Reads `Ph.D.`, `B.Sc.` or `M.Tech`: a letter and shortened words with dots between them. The parts that contain a
/// vowel are read as words.
fn degree(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let part = |place: usize| {
        let word = scan.latin(place).filter(|word| word.len() <= 4)?;
        let mut letters = word.chars();
        let titled = letters.next()?.is_ascii_uppercase() && letters.all(|c| c.is_ascii_lowercase());
        (titled || is_capitals(word)).then_some(word)
    };
    let is_said = |part: &str| part.len() > 1 && part.contains(['a', 'e', 'i', 'o', 'u']);
    let letters =
        |part: &str| part.chars().map(|c| spelt(scan, c.encode_utf8(&mut [0; 4]))).collect::<Vec<_>>();
    let spoken = |part: &str| if is_said(part) { part.to_owned() } else { letters(part).join(" ") };
    if at > 0 && scan.joined(at) && scan.sign(at - 1).is_none_or(|c| c == '.') {
        return None;
    }
    let first = part(at)?;
    let (mut words, mut end) = (spoken(first), at + 1);
    let (mut letter, mut shortened) = (first.len() == 1, first.len() > 1);
    while scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) {
        // an abbreviation starts the next sentence: K P.Avl bal
        let is_word =
            |part: &str| scan.data.abbreviation(part).is_some() || scan.names(end + 1).has(Kinds::NUMBER);
        // so does the word for the number: W.P.No. 21345
        let Some(next) = part(end + 1).filter(|part| !is_word(part)) else { break };
        letter |= next.len() == 1;
        shortened |= next.len() > 1;
        words = format!("{words} {}", spoken(next));
        end += 2;
    }
    let last_dot = scan.is_sign(end, '.') && scan.joined(end) && end + 1 < scan.items.len();
    (letter && shortened).then(|| Reading::new(words, end + usize::from(last_dot) - at))
}

/// Spells letters. A language in Latin script uses the capitals themselves, which are pronounced by name.
fn spelt(scan: &Scan<'_>, letters: &str) -> String {
    if scan.script() == Script::Latin { letters.to_uppercase() } else { electronic::letters(scan, letters) }
}

/// Spells all characters one by one: Latin letters by name, letters of other scripts as they are, digits, and signs by
/// name.
pub(super) fn one_by_one(scan: &Scan<'_>) -> Option<Reading> {
    let mut spoken: Vec<String> = Vec::new();
    for item in &scan.items {
        match item.kind {
            Kind::Number | Kind::Power => spoken.push(number::one_by_one(&scan.data.number, &item.text)),
            Kind::Word(Some(Script::Latin)) => spoken.push(apart(scan, &item.text)),
            Kind::Word(_) => spoken.extend(clusters(&item.text).map(str::to_owned)),
            Kind::Sign(c) => spoken.extend(
                electronic::sign(scan, c).map(str::to_owned).or_else(|| scan.data.symbols.get(&c).cloned()),
            ),
        }
    }
    let words = spoken.join(" ").replace("{n}", "");
    (!spoken.is_empty()).then(|| Reading::new(words, scan.items.len()).of(Class::Letters))
}

/// Spells the letters of a Latin word one by one.
pub(super) fn apart(scan: &Scan<'_>, word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    letters.map(|c| spelt(scan, c.encode_utf8(&mut [0; 4]))).collect::<Vec<_>>().join(" ")
}

/// Splits a word of an Indian script into letters, each with its marks.
fn clusters(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = rest.char_indices().skip(1).find(|&(_, c)| !is_mark(c)).map_or(rest.len(), |(end, _)| end);
        let (cluster, following) = rest.split_at(end);
        rest = following;
        (!cluster.is_empty()).then_some(cluster)
    })
}

/// Reads an initialism like `SBI`, or a single letter other than the words "I" and "a".
fn initialism(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at)?;
    let single = word.len() == 1
        && (!matches!(word, "I" | "A" | "a") || is_next_to_sign(scan, at) || is_grade(scan, at));
    // Section 41A, Plan A: the letter and not the article
    let labelled = || {
        let numbered = at > 1 && scan.number(at - 1).is_some() && chat::follows_label(scan, at - 1);
        let named = numbered
            || chat::follows_label(scan, at) && !scan.word(at - 1).is_some_and(|word| scan.is_function(word));
        scan.script() == Script::Latin && word == "A" && (is_next_to_sign(scan, at) || named)
    };
    if single && scan.script() != Script::Latin && !is_typed_word(scan, at)
        || english::is_spelt(word) && !scan.all_caps
        || labelled()
    {
        return Some(Reading::new(spelt(scan, word), 1));
    }
    None
}

/// Returns whether a capital A among words of an Indian script is the letter and not the article: A ഗ്രേഡ്.
fn is_grade(scan: &Scan<'_>, at: usize) -> bool {
    let is_latin = |place: Option<usize>| place.is_some_and(|place| scan.latin(place).is_some());
    scan.latin(at) == Some("A")
        && scan.script() != Script::Latin
        && !is_latin(Some(at + 1))
        && !is_latin(at.checked_sub(1))
}

/// Returns whether a lower-case letter among Latin words is a romanized word of the language: Bengali `e`, Hindi `h`.
fn is_typed_word(scan: &Scan<'_>, at: usize) -> bool {
    let Some(letter) = scan.latin(at) else { return false };
    let is_word = |at: Option<usize>| at.and_then(|at| scan.latin(at)).is_some_and(|word| word.len() > 1);
    letter.bytes().all(|byte| byte.is_ascii_lowercase())
        && scan.spaced(at)
        && !is_next_to_sign(scan, at)
        && !chat::follows_label(scan, at)
        && (is_word(at.checked_sub(1)) || is_word(Some(at + 1)))
        && latin::is_listed(letter, scan.language)
}

/// Returns whether a letter is joined to a number or next to a sign of a formula: `21A`, `A-1`, `x + y`, `A & B`.
fn is_next_to_sign(scan: &Scan<'_>, at: usize) -> bool {
    let open = scan.joined(at) || scan.script() != Script::Latin;
    if at > 0 && open && scan.number(at - 1).is_some() {
        return true;
    }
    let hyphened = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
    if hyphened && scan.number(at + 2).is_some() {
        return true;
    }
    let of_formula = |c| "&+=<>≤≥≠×÷^²³/".contains(c);
    let before = at.checked_sub(1).and_then(|before| scan.sign(before));
    before.is_some_and(of_formula) || scan.sign(at + 1).is_some_and(of_formula)
}

/// Reads a masked number together with its mask letters: `XX1234`, `XXXX-5678`, `X5334`.
fn masked(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let mask = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'x' | 'X')))?;
    let number_at = if mask.len() > 2 { after_hyphen(scan, at + 1) } else { at + 1 };
    let digits = scan.number(number_at).filter(|_| scan.joined(number_at))?;
    // X5334, but not the model X12
    if mask.len() == 1 && (digits.len() != 4 || scan.joined(at) && at > 0) {
        return None;
    }
    let hidden = vec![spelt(scan, &mask[..1]); mask.len()].join(" ");
    let shown = number::one_by_one(&scan.data.number, digits);
    Some(Reading::new(format!("{hidden} {shown}"), number_at + 1 - at))
}

/// Reads a Roman numeral: `अध्याय IV`, `Chapter IV`, `World War II`, `Elizabeth II`.
fn roman(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at).filter(|word| word.len() <= 8 && is_capitals(word))?;
    // the dot of an abbreviation may precede it: Vol. III
    let dot = usize::from(at >= 2 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    // a hyphen before the numeral: பகுதி-II
    let hyphen = usize::from(at >= 2 && scan.is_sign(at - 1, '-') && scan.joined(at - 1) && scan.joined(at));
    let adjacent = scan.spaced(at) || hyphen > 0;
    if let Some(section) = roman_section(scan, at, word) {
        return Some(section);
    }
    let value = roman_value(word)?;
    if let Some(ordinal) = roman_ordinal(scan, at, value) {
        return Some(ordinal);
    }
    let number = number::words(&scan.data.number, value, System::Indian);
    if let Some(range) = roman_range(scan, at, value) {
        return Some(range);
    }
    let before =
        at.checked_sub(1 + dot.max(hyphen)).and_then(|before| scan.word(before)).filter(|_| adjacent)?;
    let lower = lowercase(before);
    let context = &scan.data.context;
    let of_ruler = context.regnal.contains(lower.as_ref());
    let place = usize::try_from(value).ok().and_then(|value| value.checked_sub(1));
    if let Some(ordinal) = place.and_then(|place| context.regnal_ordinals.get(place)).filter(|_| of_ruler) {
        return Some(Reading::new(ordinal.clone(), 1));
    }
    if of_ruler && scan.has_case() && word != "I" {
        return Some(Reading::new(format!("the {}", ordinal::plain(scan, &value.to_string())), 1));
    }
    if !context.roman.contains(lower.as_ref()) && !is_clearly_roman(scan, word, before) {
        return None;
    }
    Some(Reading::new(number, 1))
}

/// Reads a range of Roman numerals, the first of which is `from`: `VI-X`, `I-V`.
fn roman_range(scan: &Scan<'_>, at: usize, from: u128) -> Option<Reading> {
    let word = |at: usize| scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')));
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.joined(at + 1) && scan.joined(at + 2);
    let (first, last) = (word(at)?, word(at + 2).filter(|_| dash)?);
    // not the letters X-X
    let clear = first.len() + last.len() > 2 && (at == 0 || scan.spaced(at));
    let to = roman_value(last).filter(|&to| clear && from < to)?;
    let [from, to] = [from, to].map(|value| number::words(&scan.data.number, value, System::Indian));
    Some(Reading::new(span::between(scan, &from, &to), 3))
}

/// Reads a class or a paper with its section: `XII-B`, `पेपर-IIA`.
fn roman_section(scan: &Scan<'_>, at: usize, word: &str) -> Option<Reading> {
    /// Highest class of a school.
    const HIGHEST: u128 = 12;
    let section = |letter: &str| letter.len() == 1 && matches!(letter.as_bytes()[0], b'A'..=b'F');
    let hyphened = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
    let (numeral, letter, items) = match scan.latin(at + 2).filter(|letter| hyphened && section(letter)) {
        Some(letter) => (word, letter, 3),
        // a hyphen before the numeral: Paper-IIA
        None if at >= 2 && scan.is_sign(at - 1, '-') && scan.joined(at) && scan.is_word(at - 2) => {
            let (numeral, letter) = word.split_at_checked(word.len() - 1)?;
            (numeral, letter, 1)
        }
        None => return None,
    };
    let clear = numeral.len() > 1 && numeral.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let value = roman_value(numeral).filter(|&value| clear && section(letter) && value <= HIGHEST)?;
    let number = number::words(&scan.data.number, value, System::Indian);
    Some(Reading::new(format!("{number} {}", spelt(scan, letter)), items))
}

/// Reads a Roman numeral as an ordinal: with an ordinal suffix (`IV-ம் வகுப்பு`), or before a word for a class or a part in a
/// language with ordinals of one form (`VI తరగతి`, `II PUC`).
fn roman_ordinal(scan: &Scan<'_>, at: usize, value: u128) -> Option<Reading> {
    // longer numbers are initialisms
    let letters = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')))?;
    let digits = value.to_string();
    let suffix_at = after_hyphen(scan, at + 1);
    if let Some(ordinal) = ordinal::with_suffix(scan, &digits, suffix_at) {
        return Some(Reading::new(ordinal, suffix_at + 1 - at));
    }
    let context = &scan.data.context;
    let alone = scan.spaced(at) && scan.spaced(at + 1) && (letters.len() > 1 || !scan.has_case());
    let classes = alone && scan.is_one_of(&context.roman_before, at + 1);
    classes.then(|| Reading::new(ordinal::plain(scan, &digits), 1))
}

/// Reads a list item in lower-case Roman numerals: `(iii)`.
pub(super) fn listed_roman(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at).filter(|word| word.chars().all(|c| matches!(c, 'i' | 'v' | 'x')))?;
    let closed = scan.is_sign(at + 1, ')') && scan.joined(at + 1) && word != "x";
    let opened = at > 0 && scan.is_sign(at - 1, '(') && scan.joined(at);
    let first = word == "i"
        && (at + 2..scan.items.len())
            .any(|place| scan.latin(place) == Some("ii") && scan.is_sign(place + 1, ')'));
    let is_item = closed && (opened || first || word.len() > 1);
    let value = roman_value(&word.to_ascii_uppercase()).filter(|_| is_item)?;
    Some(Reading::new(number::words(&scan.data.number, value, System::Indian), 1))
}

/// Returns whether a word of two or more letters after a name is a Roman numeral and not an initialism: Schedule VI,
/// अनुसूची VI. `IV` may also mean intravenous.
fn is_clearly_roman(scan: &Scan<'_>, word: &str, before: &str) -> bool {
    let capital = before.chars().next().is_some_and(|c| c.is_ascii_uppercase()) && before.len() > 1;
    let own = scan.script() != Script::Latin && !before.is_ascii() && word != "IV";
    word.len() > 1 && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')) && (capital || own)
}

/// Returns the value of a Roman numeral in capitals, or `None` if it is not a valid one.
pub(super) fn roman_value(word: &str) -> Option<u128> {
    const STEPS: [(u128, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut rest = word;
    let mut value = 0;
    for (step, letters) in STEPS {
        let mut times = 0;
        while let Some(shorter) = rest.strip_prefix(letters) {
            rest = shorter;
            value += step;
            times += 1;
            if times > 3 {
                return None;
            }
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

/// Reads a code: a vehicle, flight or serial number, or a mix of letters and digits that starts with digits,
/// `27ABCDE1234F1Z5`.
pub(super) fn code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(vehicle) = vehicle(scan, at) {
        return Some(vehicle);
    }
    if let Some(flight) = flight(scan, at) {
        return Some(flight);
    }
    if let Some(serial) = serial_code(scan, at) {
        return Some(serial);
    }
    // a code that mixes letters and digits is not an amount: kr5208
    let mixes = scan.latin(at).is_some() && scan.number(at + 1).is_some() && scan.joined(at + 1);
    // a postal item: RP482913IN
    let encloses = mixes
        && scan.number(at + 1).is_some_and(|digits| digits.len() > 4)
        && [at, at + 2].into_iter().all(|place| scan.latin(place).is_some_and(is_capitals))
        && scan.joined(at + 2);
    if encloses || mixes && identifier::is_code_near(scan, at, at + 2) {
        return mixed(scan, at);
    }
    if scan.number(at).is_none() || scan.joined(at) && at > 0 {
        return None;
    }
    let run = (at..scan.token_end(at))
        .take_while(|&place| scan.number(place).is_some() || scan.latin(place).is_some_and(is_capitals));
    let length = run.count();
    // 7X8 is seven by eight, 20NOV24 is a date
    if length == 3 && date::read(scan, at).is_some_and(|date| date.items == 3) {
        return None;
    }
    if length == 3 && scan.number(at + 2).is_some() && scan.latin(at + 1) == Some("X") {
        return None;
    }
    if length >= 3 { mixed(scan, at).filter(|reading| reading.items == length) } else { None }
}

/// Reads `WS-107-2020` or `RA2021-22/00000576`: capitals and numbers with hyphens and slashes, which are too long for
/// years.
fn serial_code(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let letters = scan.latin(at).filter(|word| is_capitals(word) && word.len() <= LONGEST_SERIES)?;
    if at > 0 && scan.joined(at) {
        return None;
    }
    let mut groups: Vec<&str> = Vec::new();
    let mut end = at + 1;
    while end < scan.items.len() && scan.joined(end) {
        let sign = usize::from(matches!(scan.sign(end), Some('-' | '/')));
        let Some(digits) = scan.number(end + sign).filter(|_| scan.joined(end + sign)) else { break };
        groups.push(digits);
        end += sign + 1;
    }
    let total: usize = groups.iter().map(|digits| digits.len()).sum();
    let year = |digits: &&str| digits.len() == 2 || digits.len() == 4 && matches!(&digits[..2], "19" | "20");
    let goes_on = scan.joined(end) && scan.is_word(end);
    if groups.len() < 2 || total < SHORTEST_SERIAL || groups.iter().all(year) || goes_on {
        return None;
    }
    let spoken = groups.into_iter().map(|digits| number::one_by_one(&scan.data.number, digits));
    let spoken = std::iter::once(spelt(scan, letters)).chain(spoken).collect::<Vec<_>>().join(" ");
    Some(Reading::new(spoken, end - at))
}

/// Reads a flight number: `6E-2341`, `AI 764`.
fn flight(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(airline) = scan.latin(at).filter(|word| word.len() == 2 && is_capitals(word)) {
        let number_at = after_hyphen(scan, at + 1);
        let digits = scan.number(number_at).filter(|digits| (3..=4).contains(&digits.len()))?;
        let spoken = number::one_by_one(&scan.data.number, digits);
        let words = format!("{} {spoken}", spelt(scan, airline));
        return identifier::is_train(scan, at).then(|| Reading::new(words, number_at + 1 - at));
    }
    let first = scan.number(at).filter(|digits| digits.len() == 1)?;
    let letter =
        scan.latin(at + 1).filter(|word| word.len() == 1 && is_capitals(word) && scan.joined(at + 1))?;
    let number_at = after_hyphen(scan, at + 2);
    // the fare of a class: 3A 710 रुपये
    let is_amount = scan.spaced(number_at) && quantity::counts(scan, number_at);
    let last = scan.number(number_at).filter(|digits| (3..=4).contains(&digits.len()) && !is_amount)?;
    let digits = |digits: &str| number::one_by_one(&scan.data.number, digits);
    let words = format!("{} {} {}", digits(first), spelt(scan, letter), digits(last));
    Some(Reading::new(words, number_at + 1 - at))
}

/// State and territory codes of India, which start vehicle registration numbers.
const STATES: [&str; 42] = [
    "AN", "AP", "AR", "AS", "BR", "CG", "CH", "DD", "DL", "DN", "GA", "GJ", "HP", "HR", "JH", "JK", "KA",
    "KL", "LA", "LD", "MH", "ML", "MN", "MP", "MZ", "NL", "OD", "OR", "PB", "PY", "RJ", "SK", "TG", "TN",
    "TR", "TS", "UA", "UK", "UP", "WB", "CT", "TL",
];

/// Reads a vehicle registration number: `MH 12 AB 1234`, `DL-3C-AB-1234`.
fn vehicle(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let state = scan.latin(at).filter(|word| word.len() == 2 && STATES.contains(word))?;
    let district_at = after_hyphen(scan, at + 1);
    let district = scan.number(district_at).filter(|digits| digits.len() <= 2)?;
    let district = if district.starts_with('0') {
        number::one_by_one(&scan.data.number, district)
    } else {
        number::cardinal(&scan.data.number, district, System::Indian)
    };
    let mut spoken = vec![spelt(scan, state), district];
    let mut next = after_hyphen(scan, district_at + 1);
    let mut series = 0;
    while let Some(word) = scan.latin(next).filter(|word| is_capitals(word) && word.len() <= 3 && series < 2)
    {
        spoken.push(spelt(scan, word));
        series += 1;
        next = after_hyphen(scan, next + 1);
    }
    let last = scan.number(next).filter(|digits| digits.len() == 4 && series > 0)?;
    spoken.push(number::one_by_one(&scan.data.number, last));
    Some(Reading::new(spoken.join(" "), next + 1 - at))
}

/// Returns `at`, or the next index if the item at `at` is a joining hyphen.
fn after_hyphen(scan: &Scan<'_>, at: usize) -> usize {
    at + usize::from(scan.is_sign(at, '-') && scan.joined(at) && scan.joined(at + 1))
}

pub(super) fn is_capitals(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase())
}

/// Returns whether capitals alternate with single lower-case letters, which does not occur in words: the letters of
/// `HbA1c` and `IKEv2`.
fn is_of_letters(word: &str) -> bool {
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let small_pair = word.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_lowercase));
    capitals > 1 && capitals < word.len() && !small_pair
}

/// Reads a known word in capitals and a number, as in the coupon `DIWALI300`.
fn coupon(scan: &Scan<'_>, items: std::ops::Range<usize>) -> Option<Reading> {
    let length = items.len();
    let word = scan
        .latin(items.start)
        .filter(|word| length == 2 && word.len() >= SHORTEST_COUPON && is_capitals(word))?;
    let digits = scan.number(items.start + 1).filter(|digits| digits.len() <= LONGEST_DISCOUNT)?;
    let lower = word.to_ascii_lowercase();
    let known = english::is_word(&lower) || english::is_indian_word(&lower);
    let number = number::cardinal(&scan.data.number, digits, System::Indian);
    (known && !digits.starts_with('0')).then(|| Reading::new(format!("{lower} {number}"), length))
}

/// Reads `B12`, `4G` or `MH12AB1234`: spells letters, and reads a single digit by its English name, other short numbers
/// as numbers, and long ones digit by digit.
fn mixed(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // on2025-06-22: a function word without a space after it
    if scan.latin(at).is_some_and(|word| word.len() > 1 && scan.is_function(word)) {
        return None;
    }
    let mut end = at;
    let mut letters = 0;
    let mut numbers = 0;
    while end < scan.items.len() && (end == at || scan.joined(end)) {
        match scan.latin(end) {
            Some(word) if word.len() <= 4 || word.chars().all(|c| c.is_ascii_uppercase()) || end == at => {
                letters += 1;
            }
            None if scan.number(end).is_some() => numbers += 1,
            _ => break,
        }
        end += 1;
    }
    let decimals =
        scan.is_sign(end, '.') && scan.joined(end) && scan.joined(end + 1) && scan.number(end + 1).is_some();
    if letters == 0 || numbers == 0 || decimals || (at > 0 && scan.joined(at) && scan.sign(at - 1).is_none())
    {
        return None;
    }
    let length: usize = scan.items[at..end].iter().map(|item| item.text.len()).sum();
    let named = identifier::is_code_near(scan, at, end);
    let code = end - at > 2 || length > 7 || named;
    let single = numbers == 1;
    let english = |digits: &str| {
        let digit = digits.parse::<usize>().ok().filter(|_| single && digits.len() == 1)?;
        scan.data.latin.digits.get(digit).cloned()
    };
    if let Some(coupon) = coupon(scan, at..end) {
        return Some(coupon);
    }
    let mut spoken = Vec::new();
    for place in at..end {
        if let Some(digit) = scan.number(place).and_then(english) {
            spoken.push(digit);
        } else if let Some(digits) = scan.number(place) {
            let one_by_one = digits.len() > 4 || (code && digits.len() > 2) || digits.starts_with('0');
            spoken.push(if one_by_one {
                number::one_by_one(&scan.data.number, digits)
            } else {
                number::cardinal(&scan.data.number, digits, System::Indian)
            });
        } else if let Some(word) = scan.latin(place) {
            let capitals = word.chars().all(|c| c.is_ascii_uppercase());
            let vowel = word.chars().any(|c| "aeiouyAEIOUY".contains(c));
            let spell = named
                || capitals && word.len() <= 5 && !english::is_spoken_in_capitals(word)
                || word.len() <= 2
                || !vowel;
            spoken.push(if is_of_letters(word) {
                apart(scan, word)
            } else if named || spell && scan.script() != Script::Latin {
                spelt(scan, word)
            } else {
                word.to_owned()
            });
        }
    }
    Some(Reading::new(spoken.join(" "), end - at))
}
