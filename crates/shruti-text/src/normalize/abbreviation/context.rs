//! Context of abbreviations that have several readings: the adjacent words and numbers, or the topic of the sentence.

use std::ops::Range;

use shruti_lang::Language;

use super::next_word;
use crate::chars::lowercase;
use crate::data::kept_marks::{is_month, precedes_letter};
use crate::data::keywords::{self, Kinds};
use crate::data::{self, AbbreviationContext, Data, Topic, is_in};
use crate::normalize::date::year;
use crate::normalize::identifier::name;
use crate::normalize::number::roman;
use crate::normalize::quantity::{currency, units};
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::is_day;
use crate::normalize::spelling::initials;
use crate::normalize::{date, time};

/// Number of items after an abbreviation that are searched for an amount.
const NEAR_AMOUNT: usize = 4;
/// Maximum number of items between an abbreviation and its date: `Exp. Dt.: 05/27`.
const MAX_BEFORE_DATE: usize = 4;
/// Exclusive upper limit of the distance, in items, from the end of a title to a word that indicates the name of a
/// company.
const NEAR_FIRM: usize = 6;
/// Number of items before and after an abbreviation that are searched for a unit of a duration.
const NEAR_DURATION: usize = 6;
/// Maximum distance, in items, between the parts of the day at the start and at the end of a time range.
const NEAR_DAY_PART: usize = 6;
/// Number of digits of a PIN code.
const POSTAL: usize = 6;
/// Maximum distance, in items, from an abbreviated direction to an address word.
const NEAR_ADDRESS: usize = 8;
/// Largest number of a stage. A larger digit is more likely something else: the Ph 7 of water.
const LAST_STAGE: &str = "5";
/// Maximum number of words in the name of a player after the first one.
const LONGEST_REST: usize = 2;
/// Number of items after the form of a medicine that are searched for the number of its dose.
const NEAR_DOSE: usize = 5;
/// Number of items before `p.m.` that are searched for the currency of an amount: `Rs. 1,500/- p.m.`
const NEAR_PAID: usize = 9;

/// Expands an abbreviation whose reading depends on the words next to it, or on the topic of its sentence.
pub(crate) fn in_context<'a>(scan: &'a Scan<'_>, at: usize, end: usize, raw: &str) -> Option<&'a str> {
    let by_context = |outranks_topic: bool| {
        let tables = scan.data.abbreviations_by_context().into_iter();
        let tables = tables.filter(|(context, _)| context.outranks_topic() == outranks_topic);
        let mut readings = tables.filter_map(|(context, table)| Some((context, table.get(raw)?)));
        readings.find(|&(context, words)| holds(scan, context, at..end, raw, words)).map(|(_, words)| words)
    };
    next_word::expand(scan, at..end, raw)
        .or_else(|| by_context(true))
        .or_else(|| of_topic(scan, at, end, raw))
        .or_else(|| by_context(false))
        .map(String::as_str)
}

/// Returns whether the abbreviation in the item range `place` is in the given context. `raw` is its written form, and
/// `words` is its reading in that context.
fn holds(scan: &Scan<'_>, context: AbbreviationContext, place: Range<usize>, raw: &str, words: &str) -> bool {
    let Range { start: at, end } = place;
    match context {
        AbbreviationContext::AloneInBrackets => is_alone_in_brackets(scan, at, end),
        AbbreviationContext::NearDuration => is_near_duration(scan, at, end),
        AbbreviationContext::BeforeAccount => precedes_account(scan, end),
        AbbreviationContext::BeforeYear => year::begins(scan, end),
        AbbreviationContext::BeforeNumber => {
            is_before_number(scan, at, end, raw) || is_era_after_number(scan, at, words)
        }
        AbbreviationContext::BeforeAmount => precedes_amount(scan, scan.data, at, end),
        AbbreviationContext::NearTrain => name::is_train(scan, at) || name::follows_train_number(scan, at),
        AbbreviationContext::NearFirm => is_near_firm(scan, end),
        AbbreviationContext::BeforeDate => precedes_date(scan, end),
        AbbreviationContext::BeforeStage => {
            // without its dot or hyphen, Ph is also the acidity of water
            let marked = raw.ends_with(['.', '-']);
            let of_place = || {
                let place = at.checked_sub(1).filter(|&place| initials::is_capitalised(scan, place));
                place
                    .and_then(|place| scan.word(place))
                    .is_some_and(|word| !scan.is_function(&lowercase(word)))
            };
            (marked || of_place()) && precedes_stage(scan, end)
        }
        AbbreviationContext::BetweenPlayers => {
            let labelled = || scan.word(at - 1).is_some_and(|word| precedes_letter(word, scan.language));
            is_between_names(scan, at, end) && !labelled() && precedes_score(scan, end + 1)
        }
        AbbreviationContext::BeforeDose => precedes_dose(scan, at, end),
        AbbreviationContext::BetweenNames => is_between_names(scan, at, end),
        AbbreviationContext::AfterAmount => follows_amount(scan, at),
        AbbreviationContext::BeforeName => {
            initials::precedes_name(scan, at, end) && !is_among_initials(scan, at, end)
        }
    }
}

/// Returns whether only the abbreviation is between brackets. A letter must not follow a word that letters name, and
/// without a dot, it must follow a word: ठाणे (प), but not धारा (प) and खंड (उ.).
fn is_alone_in_brackets(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let enclosed = at > 0 && scan.is_sign(at - 1, '(') && scan.is_sign(end, ')');
    let dotted = end == at + 2 && scan.is_sign(at + 1, '.');
    let is_letter =
        (dotted || end == at + 1) && scan.word(at).is_some_and(|word| initials::is_letter(scan, word));
    let before = || at.checked_sub(2).and_then(|before| scan.word(before));
    let names_place = || before().map_or(dotted, |word| !precedes_letter(word, scan.language));
    enclosed && (!is_letter || names_place())
}

/// Returns whether an abbreviation is one of several initials: ਬੀ. ਜੇ. ਪੀ., र. ना. पाटील.
fn is_among_initials(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let letter = |place: usize| scan.word(place).is_some_and(|word| initials::is_letter(scan, word));
    // initials may also have spaces between them
    let dotted_after = || {
        let native = scan.word(end).is_some_and(|word| !word.is_ascii());
        native && letter(end) && scan.is_sign(end + 1, '.') && scan.joined(end + 1) && letter(at)
    };
    let after_initial = || at >= 2 && scan.is_sign(at - 1, '.') && scan.joined(at - 1) && letter(at - 2);
    (scan.joined(end) || dotted_after() || after_initial()) && initials::is_initial(scan, at)
}

/// Returns whether a number follows an abbreviation that has a separate meaning before numbers. If the abbreviation
/// also has a general meaning, it must not follow a label or a keyword: ಮನೆ ಸಂ. 42.
fn is_before_number(scan: &Scan<'_>, at: usize, end: usize, raw: &str) -> bool {
    let labelled =
        at > 0 && (scan.is_one_of(&scan.data.context.labels, at - 1) || scan.names(at - 1).has(Kinds::NAMES));
    let otherwise = scan.data.abbreviation(raw).is_some();
    let hyphen = usize::from(scan.is_sign(end, '-') && scan.joined(end) && scan.joined(end + 1));
    // a Roman numeral of one letter needs a word that such a numeral may follow: Std V, but not Q. I think
    let counts = || {
        let words = scan.data.before_number.get(raw);
        words.is_some_and(|words| scan.data.context.roman.contains(words.as_str()))
    };
    let roman = scan.latin(end + hyphen).is_some_and(|word| {
        word.len() > 1 && roman::value_of(word).is_some()
            || matches!(word, "I" | "V" | "X") && !is_pronoun(scan, end + hyphen) && counts()
    });
    let bracket = usize::from(at > 0 && scan.is_sign(at - 1, '(') && scan.is_sign(end, ')'));
    let of_number =
        || scan.data.abbreviation(raw).is_some_and(|words| keywords::is_number(words, scan.language));
    let of_day =
        || scan.data.before_number.get(raw).is_some_and(|words| is_in(&scan.data.time.day_words, words));
    let is_verb = || at > 0 && scan.data.time.only_before_digits.contains(raw);
    let spoken =
        || of_day() && !is_verb() && !is_among_initials(scan, at, end) && time::is_spoken_hour(scan, end);
    let timed = || time::abbreviated_before(scan, end).is_some() || spoken();
    // a plus sign may precede the country code: ਮੋ. +91 94176 30582
    let plus = usize::from(scan.is_sign(end, '+') && scan.joined(end + 1));
    // a hyphen may follow the dot of the abbreviation: સે.-૨૧
    let hyphened = hyphen > 0 && !raw.is_ascii() && raw.ends_with('.') && scan.number(end + hyphen).is_some();
    let numbered = scan.number(end + bracket + plus).is_some()
        || hyphened
        || scan.names(end).has(Kinds::NUMBER)
        || timed()
        || roman;
    // a PIN code is not a day of the month: ಮಾಗಡಿ ತಾ. 562120
    let long = || scan.number(end).is_some_and(|digits| digits.len() == POSTAL);
    let same = scan.data.abbreviation(raw) == scan.data.before_number.get(raw).map(String::as_str);
    let otherwise = otherwise && !same;
    numbered
        && !(otherwise && (labelled || long() || of_number() && of_day() && !precedes_clock(scan, at, end)))
}

/// Returns whether the I at `at` is a pronoun, because a word in lower case follows it.
fn is_pronoun(scan: &Scan<'_>, at: usize) -> bool {
    scan.latin(at) == Some("I") && scan.latin(at + 1).is_some_and(|next| next.starts_with(char::is_lowercase))
}

/// Returns whether a part of the day, in full or abbreviated, is at `at` and a number follows it.
fn is_part_of_day(scan: &Scan<'_>, at: usize) -> bool {
    let time = &scan.data.time;
    let short = scan.data.before_number.get(scan.raw(at, at + 2)).map(String::as_str);
    let numbered = |place: usize| scan.number(place).is_some();
    short.is_some_and(|words| is_in(&time.day_words, words)) && numbered(at + 2)
        || scan.word(at).is_some_and(|word| is_in(&time.day_words, word)) && numbered(at + 1)
}

/// Returns whether a time of day follows an abbreviation that may mean "number": ಸಂ. 6 ಗಂಟೆಗೆ, but ಆದೇಶ ಸಂ. 45/2020.
fn precedes_clock(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let digits = scan.number(end).filter(|digits| digits.len() <= 2);
    let hour = digits.and_then(|digits| digits.parse::<u32>().ok()).filter(|hour| (1..=12).contains(hour));
    if hour.is_none() || scan.is_sign(end + 1, '/') {
        return time::abbreviated_before(scan, end).is_some() || time::is_spoken_hour(scan, end);
    }
    let minutes = ['.', ':', '-'].iter().any(|&sign| time::minutes_at(scan, end + 1, sign).is_some());
    let span = matches!(scan.sign(end + 1), Some('-' | '–')) && scan.number(end + 2).is_some();
    let inflected = scan.joined(end + 1) && scan.is_word(end + 1);
    let named = scan.word(end + 1).is_some_and(|word| {
        let time = &scan.data.time;
        time.oclock_stems.iter().any(|stem| word.starts_with(stem.as_str()))
            || time.hour_abbreviations.contains_key(word)
            || time.dotted_endings.contains(word)
    });
    // an earlier part of the day starts a range that ends here: ಬೆ.9ರಿಂದ ಸಂ.5
    let ends_span =
        (at.saturating_sub(NEAR_DAY_PART)..at.saturating_sub(1)).any(|place| is_part_of_day(scan, place));
    // no word directly precedes the abbreviation, so the number cannot belong to another word
    let alone = ends_span || at == 0 || scan.number(at - 1).is_some() || scan.sign(at - 1).is_some();
    minutes || span || inflected || named || alone
}

/// Returns whether an account number, masked or of at least four digits, or the word for "number" is at `at`:
/// `Ac XX2536`, `AC no.`
fn precedes_account(scan: &Scan<'_>, at: usize) -> bool {
    let mask = scan.latin(at).is_some_and(|word| word.chars().all(|c| matches!(c, 'x' | 'X')));
    let stars = scan.is_sign(at, '*');
    let hidden = stars
        || mask && scan.joined(at + 1) && scan.number(at + 1).is_some_and(|digits| digits.len() > 2)
        || scan.number(at).is_some_and(|digits| digits.len() > 3);
    hidden || scan.names(at).has(Kinds::NUMBER)
}

/// Expands an abbreviation that has a special reading before amounts.
pub(crate) fn of_amount<'a>(scan: &'a Scan<'_>, at: usize, end: usize) -> Option<&'a String> {
    scan.data.before_amount.get(scan.raw(at, end)).filter(|_| precedes_amount(scan, scan.data, at, end))
}

/// Expands an English abbreviation in another language, next to another one (Avl Bal: 500) or directly before an amount
/// (Bal: Rs.500). No other word may be between them, because the romanised words of a language have the same spellings
/// (bal katne ke Rs. 100). Dr and Cr are not expanded, because they are also titles and words for crores.
pub(crate) fn of_amount_in_english(scan: &Scan<'_>, at: usize, end: usize) -> Option<&'static str> {
    let raw = scan.raw(at, end);
    let english = data::of(Language::English);
    let abbreviations = &english.before_amount;
    let words = abbreviations.get(raw).filter(|_| raw.len() > 2)?;
    // another one, not the same word twice: bal bal bache
    let is_other = |place: usize| {
        let word = scan.latin(place).filter(|word| word.len() > 2);
        word.and_then(|word| abbreviations.get(word)).is_some_and(|other| other != words)
    };
    let paired = is_other(end) || at > 0 && is_other(at - 1);
    let sign = usize::from(matches!(scan.sign(end), Some(':' | '-' | '.')));
    let introduced = scan.is_sign(end, ':') || scan.names(end).has(Kinds::LINK);
    let before_amount =
        || currency::is_sign(scan, end + sign) || introduced && precedes_amount(scan, english, at, end);
    let paid = || !english.context.amount_in_pairs.contains(raw) && before_amount();
    (paired || paid()).then_some(words.as_str())
}

/// Returns whether an amount of money follows an abbreviation within a few items, or whether the segment ends in a
/// colon directly after the abbreviation: `Bal:Rs.4500`, `Avl bal is Rs. 1037`.
fn precedes_amount(scan: &Scan<'_>, data: &Data, at: usize, end: usize) -> bool {
    let announced = scan.is_sign(end, ':') && end + 1 >= scan.items.len();
    let amount = (end..end + NEAR_AMOUNT).any(|place| currency::is_sign(scan, place));
    // in "Dr Rao", Dr is a title, not "debited"
    let is_name = initials::is_capitalised(scan, end)
        && !currency::is_sign(scan, end)
        && !data.before_amount.contains_key(scan.raw(end, end + 1));
    let titles = is_name && data.abbreviation(scan.raw(at, end)).is_some();
    announced || amount && !titles
}

/// Returns whether the name of a medicine and its dose follow an abbreviation: Tab. প্যারাসিটামল 650 mg. After an English
/// word, or before a function word, the dot may end a sentence: Press Tab. Then ...
pub(crate) fn precedes_dose(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let is_dose = |unit: &units::Unit| {
        let units = &data::of(Language::English).units;
        let mut doses =
            units.dosed.iter().chain(units.doses.iter()).filter_map(|sign| units::of_sign(scan, sign, 1));
        doses.any(|dose| dose.name(false) == unit.name(false))
    };
    let measured = |place: usize| {
        scan.number(place).is_some() && units::at(scan, place + 1).is_some_and(|unit| is_dose(&unit))
    };
    let begins = at.checked_sub(1).is_none_or(|before| scan.latin(before).is_none());
    let named = scan.word(end).is_some_and(|word| !scan.is_function(word));
    begins && named && (end + 1..end + 1 + NEAR_DOSE).any(measured)
}

/// Returns whether an abbreviation is between two capitalised words: Rekha w/o Mahesh Patil.
fn is_between_names(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    initials::is_capitalised(scan, end)
        && at.checked_sub(1).is_some_and(|before| initials::is_capitalised(scan, before))
}

/// Returns whether a score precedes the next two words after `at`, which are the rest of a player's name: Tanaka 21-17,
/// P V Sindhu 21-17.
fn precedes_score(scan: &Scan<'_>, at: usize) -> bool {
    let rest = (at..at + LONGEST_REST).take_while(|&place| initials::is_capitalised(scan, place)).count();
    let score = at + rest;
    let pair = |place: usize| {
        let short = |place: usize| scan.number(place).is_some_and(|digits| digits.len() <= 2);
        short(place) && short(place + 2) && matches!(scan.sign(place + 1), Some('-' | '–'))
    };
    // a range of days is not a score: 12-14 May
    let dated = || scan.word(score + 3).is_some_and(|word| is_month(word, Some(scan.language)));
    pair(score) && scan.joined(score + 1) && scan.joined(score + 2) && !dated()
}

/// Returns whether the number of a stage is at `at`: one digit up to [`LAST_STAGE`] without another number after it, or
/// a Roman numeral of I, V and X. Longer numbers are more likely telephone numbers.
fn precedes_stage(scan: &Scan<'_>, at: usize) -> bool {
    let hyphen = usize::from(scan.is_sign(at, '-') && scan.joined(at) && scan.joined(at + 1));
    let place = at + hyphen;
    let goes_on = scan.number(place + 1).is_some()
        || matches!(scan.sign(place + 1), Some('-' | '.' | '/')) && scan.number(place + 2).is_some();
    let is_stage = |digits: &str| digits.len() == 1 && digits <= LAST_STAGE;
    let digit = scan.number(place).is_some_and(is_stage) && !goes_on;
    let is_roman = |word: &str| {
        word.bytes().all(|letter| matches!(letter, b'I' | b'V' | b'X')) && roman::value_of(word).is_some()
    };
    digit || scan.latin(place).is_some_and(is_roman) && !is_pronoun(scan, place)
}

/// Expands an abbreviation according to the topic that the other words of the sentence indicate. Before a name, a
/// reading without a topic is more likely: `c/o Ramesh`.
fn of_topic<'a>(scan: &'a Scan<'_>, at: usize, end: usize, raw: &str) -> Option<&'a String> {
    let form = lowercase(raw);
    // the table may list the form without its dot: Plt. 1.8 lakh
    let plain = form.strip_suffix('.').filter(|plain| plain.len() > 2 && end < scan.items.len());
    let reading = |topic: &'a Topic| {
        let listed = || topic.abbreviations.get(plain?);
        topic.abbreviations.get(raw).or_else(|| topic.abbreviations.get(form.as_ref())).or_else(listed)
    };
    let mut topics = scan.data.topics.iter().filter_map(|topic| Some((topic, reading(topic)?)));
    let (_, words) = topics.find(|(topic, _)| scan.mentions(&topic.words, at..end))?;
    // a word in capitals is an initialism, not a name: r/o TB
    let initialism =
        || scan.latin(end).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()));
    let titles = || scan.data.abbreviation(raw).is_some() || scan.data.before_name.contains_key(raw);
    let is_title = || initials::is_capitalised(scan, end) && !initialism() && titles();
    Some(words).filter(|_| !is_title())
}

/// Expands an abbreviation that has a reading only in parentheses after a name, according to the topic of its sentence:
/// Rohit (c), Andheri (W). In an address, a direction after a place name needs no topic: Nerul (E).
pub(crate) fn in_brackets<'a>(scan: &'a Scan<'_>, at: usize, end: usize) -> Option<&'a str> {
    let enclosed = at > 1
        && scan.is_sign(at - 1, '(')
        && scan.is_sign(end, ')')
        && initials::is_capitalised(scan, at - 2);
    if !enclosed || scan.data.topics.is_empty() {
        return None;
    }
    let form = lowercase(scan.raw(at - 1, end + 1));
    let mut topics =
        scan.data.topics.iter().filter_map(|topic| Some((topic, topic.abbreviations.get(form.as_ref())?)));
    let of_topic = topics.find(|(topic, _)| scan.mentions(&topic.words, at..end)).map(|(_, words)| words);
    let of_address = || {
        let place = !scan.is_one_of(&scan.data.context.labels, at - 2);
        let direction = scan.latin(at).filter(|letter| place && end == at + 1 && is_capital(letter))?;
        let near = at.saturating_sub(NEAR_ADDRESS)..at + NEAR_ADDRESS;
        let is_near = scan.mentions(&scan.data.context.address, 0..scan.items.len())
            || near.into_iter().any(|place| scan.is_one_of(&scan.data.context.address, place));
        scan.data.address.get(direction).filter(|_| is_near && !has_other_letters(scan, at))
    };
    of_topic.or_else(of_address).map(String::as_str)
}

/// Returns whether another single letter is in parentheses, as in a list of answers: Ram (A) or Shyam (S).
fn has_other_letters(scan: &Scan<'_>, at: usize) -> bool {
    let is_enclosed = |place: usize| {
        scan.latin(place).is_some_and(|word| word.len() == 1)
            && place > 0
            && scan.is_sign(place - 1, '(')
            && scan.is_sign(place + 1, ')')
    };
    (0..scan.items.len()).any(|place| place != at && is_enclosed(place))
}

fn is_capital(word: &str) -> bool {
    word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase()
}

/// Returns whether a word that is typical of company names is shortly after the abbreviation: મે. જય અંબે ટ્રેડર્સ.
fn is_near_firm(scan: &Scan<'_>, end: usize) -> bool {
    (end + 1..end + NEAR_FIRM).any(|place| scan.is_one_of(&scan.data.context.firms, place))
}

/// Returns whether a date, a month or a year follows, possibly after signs and words for a date: `Exp: 05/27`,
/// `Exp. date 31/12/2026`. A word for a date at the end of the segment is sufficient.
fn precedes_date(scan: &Scan<'_>, end: usize) -> bool {
    let is_between = |place: usize| {
        let word = scan.word(place).is_some_and(|word| {
            is_in(&scan.data.context.dates, word)
                || scan.data.before_date.contains_key(word)
                || scan.data.before_number.contains_key(word)
        });
        word || matches!(scan.sign(place), Some(':' | '-' | '–' | '.' | '/'))
    };
    let between = (end..end + MAX_BEFORE_DATE).take_while(|&place| is_between(place)).count();
    let place = end + between;
    let year = |digits: &str| digits.len() == 4 && digits.starts_with("20");
    let named = scan.word(place).is_some_and(|word| is_month(word, Some(scan.language)));
    let short = (end..place).any(|place| scan.is_word(place));
    named
        || precedes_inflected_month(scan, place)
        || short && scan.item(place).is_none()
        || scan.number(place).is_some()
            && (date::read(scan, place).is_some_and(|date| date.items > 1)
                || scan.number(place).is_some_and(year))
}

/// Returns whether a day is at `at`, possibly with an ordinal suffix, before the name of a month with an ending: ૨૭મી
/// ફેબ્રુઆરીથી.
fn precedes_inflected_month(scan: &Scan<'_>, at: usize) -> bool {
    /// Minimum length of the name of a month before an ending, in characters.
    const SHORTEST: usize = 3;
    let next = at + 1 + usize::from(scan.joined(at + 1) && scan.is_word(at + 1));
    let starts = |word: &str| {
        let ends = word.char_indices().map(|(end, _)| end).skip(SHORTEST).chain([word.len()]);
        ends.into_iter().any(|end| is_month(&word[..end], Some(scan.language)))
    };
    scan.number(at).is_some_and(is_day) && scan.word(next).is_some_and(starts)
}

/// Returns whether a number of days, months or years is near the abbreviation: `3 yrs exp`, `Exp: 2-4 yrs`.
fn is_near_duration(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let is_duration = |place: usize| scan.is_one_of(&scan.data.context.durations, place);
    let counted = |place: usize| (place.saturating_sub(2)..place).any(|place| scan.number(place).is_some());
    let near = (at.saturating_sub(NEAR_DURATION)..at).chain(end..end + NEAR_DURATION);
    near.into_iter().any(|place| is_duration(place) && counted(place))
}

/// Returns whether an abbreviation denotes an era and follows a number: 1499 ਈ.
fn is_era_after_number(scan: &Scan<'_>, at: usize, words: &str) -> bool {
    let era = scan.data.date.eras.iter().any(|era| era == words);
    era && scan.spaced(at) && at > 0 && scan.number(at - 1).is_some_and(|digits| digits.len() >= 3)
}

/// Returns whether an amount of money or a percentage ends before `at`: ₹18,000 p.m., 7% p.a.
fn follows_amount(scan: &Scan<'_>, at: usize) -> bool {
    let near = at.saturating_sub(NEAR_PAID)..at;
    // the number may have a scale word or letter: 18-22k p.m.
    let is_scale = |word: &str| match word {
        "k" | "K" => scan.joined(at - 1),
        word => matches!(word, "L" | "lakh" | "lakhs" | "lac" | "lacs"),
    };
    let thousands = at > 1 && scan.number(at - 2).is_some() && scan.latin(at - 1).is_some_and(is_scale);
    // the number may have a thousands separator: 1,200 p.m.
    let grouped = at > 2
        && scan.number(at - 1).is_some_and(|digits| digits.len() == 3)
        && scan.is_sign(at - 2, ',')
        && scan.joined(at - 1)
        && scan.joined(at - 2);
    at > 0
        && (thousands
            || grouped
            || scan.is_sign(at - 1, '%')
            || near.into_iter().any(|place| currency::is_sign(scan, place)))
}
