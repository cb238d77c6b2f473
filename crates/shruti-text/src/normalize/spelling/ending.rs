//! Case endings of the language after numbers and letters: `10ರಂದು`, `3 PM-க்கு`.

use super::initials;
use crate::akshara::{self, Nucleus};
use crate::chars::{is_brahmic, is_mark};
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::item::Kind;
use crate::normalize::number::{self, System};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling;
use crate::script::Script;

/// Maximum length of an ending after a space and a hyphen, and minimum length of an ending after an abbreviation and a
/// space, in characters.
const LONGEST_APART: usize = 3;
/// Maximum length of an ending on a Latin word, in characters, if the language does not list it.
const LONGEST_ON_LATIN: usize = 5;

/// Adds a case ending of the language that directly follows digits or letters: `10ರಂದು`, `3 PM-க்கு`, `৫টি`.
pub(crate) fn with_ending(scan: &Scan<'_>, at: usize, reading: Reading) -> Reading {
    if is_possessive(scan, at + reading.items) && reading.words.ends_with(|c: char| c.is_ascii_alphabetic()) {
        return Reading { words: format!("{}'s", reading.words), items: reading.items + 2, ..reading };
    }
    let mut next = at + reading.items;
    // a hyphen or an apostrophe may join the ending (10:15'টায়), even with a space before the hyphen (২০২১ -এর)
    let joins = matches!(scan.sign(next), Some('-' | '–' | '\'' | '’')) && scan.joined(next + 1);
    let short = |word: &str| word.chars().count() <= LONGEST_APART;
    let apart = joins && scan.is_sign(next, '-') && scan.word(next + 1).is_some_and(short);
    let hyphen = joins && (scan.joined(next) || apart);
    next += usize::from(hyphen);
    let apart = scan.spaced(next) && !hyphen;
    // each digit of a code is a separate word, so an ending after a space is not joined to it
    let by_digits = matches!(reading.class, Class::Digits | Class::Telephone);
    if apart && (by_digits || !is_ending_apart(scan, next, &reading.words))
        || scan.spaced(next) && hyphen
        || next >= scan.items.len()
    {
        return reading;
    }
    let own = scan.script();
    if scan.data.number.endings.apart {
        return reading;
    }
    // the next abbreviation of a dotted form is not an ending: జి.ఓ.నెం. 46
    if initials::numbers(scan, next).is_some() {
        return reading;
    }
    let Some(item) = scan.item(next) else { return reading };
    if !hyphen && (is_part(scan, at, next) || is_part_of_house(scan, at, next)) {
        let words = format!("{} {}", reading.words, item.text);
        return Reading { words, items: next + 1 - at, ..reading };
    }
    let native = own != Script::Latin && item.kind == Kind::Word(Some(own));
    // a word directly after dotted letters is not an ending unless the language lists it: பி.எம்.கிசான்
    let after_dot = !hyphen && next > at && scan.is_sign(next - 1, '.') && reading.class == Class::Letters;
    if after_dot && !scan.data.number.endings.after_dot.is_empty() && !is_dotted(scan, next) {
        return reading;
    }
    // the letter of a section is a separate word: 371ಜೆ
    if native && scan.joined(next) && scan.data.number.endings.letters.contains(item.text.as_ref()) {
        return reading;
    }
    let last = reading.words.chars().next_back();
    // the last part of an address stays in Latin letters, and the ending is added to it: tn.gov.in/hallticket-ல்
    let linked = scan.data.number.endings.linked.contains_key(item.text.as_ref());
    if native && linked && last.is_some_and(|c| c.is_ascii_alphabetic()) {
        let words = format!("{}{}", reading.words, item.text);
        return Reading { words, items: next + 1 - at, ..reading };
    }
    let same_script = last.is_some_and(|c| Script::of(c) == Some(own));
    // a hyphen also joins whole words, but those are longer than endings
    let ending = native
        && same_script
        && (number::has_sandhi_rule(&scan.data.number, &reading.words, &item.text)
            || (!hyphen || item.text.chars().count() <= 5) && !is_whole_word(scan, &item.text))
        && !(scan.joined(next) && begins_word(scan, &item.text));
    if !ending {
        return reading;
    }
    // after an apostrophe, the part of the ending that the words of the time already end in is not repeated: 10:15'টায়
    let overlap = |words: &str| {
        let ends = item.text.char_indices().map(|(place, c)| place + c.len_utf8());
        ends.filter(|&end| words.ends_with(&item.text[..end])).max()
    };
    let apostrophe = hyphen && matches!(scan.sign(next - 1), Some('\'' | '’'));
    if let Some(end) = overlap(&reading.words).filter(|_| apostrophe) {
        let words = format!("{}{}", reading.words, &item.text[end..]);
        return Reading { words, items: next + 1 - at, ..reading };
    }
    let begins_with_vowel = item.text.chars().next().is_some_and(is_mark);
    let drop: &[String] = if begins_with_vowel { &scan.data.number.endings.drop } else { &[] };
    let words = number::with_ending(&scan.data.number, &reading.words, &item.text, drop);
    Reading { words, items: next + 1 - at, ..reading }
}

/// Returns whether an English possessive ending directly follows the number before `at`: Chandrayaan-3's lander.
fn is_possessive(scan: &Scan<'_>, at: usize) -> bool {
    scan.has_case()
        && at > 0
        && scan.number(at - 1).is_some()
        && matches!(scan.sign(at), Some('\'' | '’'))
        && scan.latin(at + 1) == Some("s")
        && scan.joined(at)
        && scan.joined(at + 1)
        && (scan.spaced(at + 2) || scan.sign(at + 2).is_some())
}

/// Returns whether the name of a letter that follows the number at `at` belongs to a label, and is therefore not an
/// ending: ধারা ৪৯৮এ, ফ্ল্যাট ৩বি, ৪৯৮এ ধারায়. Before a label, the names of vowels are endings, except that of A after
/// a short number (২০২৫এ ক্লাস শুরু).
fn is_part(scan: &Scan<'_>, at: usize, next: usize) -> bool {
    let Some(word) = letter_name(scan, next).filter(|_| next == at + 1) else { return false };
    let labelled = |place: usize| scan.is_one_of(&scan.data.context.labels, place);
    let after_number = at > 1 && scan.names(at - 1).has(Kinds::NUMBER) && labelled(at - 2);
    if at > 0 && labelled(at - 1) || after_number {
        return true;
    }
    let is_first = scan.data.latin.letters.first().is_some_and(|name| name == word);
    let is_short = scan.number(at).is_some_and(|digits| digits.len() <= 3);
    let may_follow =
        if word.starts_with(is_vowel_letter) { is_first && is_short } else { !scan.is_function(word) };
    may_follow && scan.spaced(next + 1) && labelled(next + 1)
}

/// Returns the name of a Latin letter at `at`, except the name of T, which is also a suffix for counting: ৫টি ঘর.
pub(crate) fn letter_name<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    /// Index of T in the alphabet, counted from 0.
    const T: usize = 19;
    let word = scan.word(at).filter(|_| initials::is_latin_letter(scan, at))?;
    scan.data.latin.letters.get(T).is_none_or(|name| name != word).then_some(word)
}

/// Returns whether the name of a letter belongs to a house number: ১৭/১বি, and ১৭/১এ or ১৭এ before a comma.
fn is_part_of_house(scan: &Scan<'_>, at: usize, next: usize) -> bool {
    let Some(word) = letter_name(scan, next) else { return false };
    let short = |place: usize| scan.number(place).is_some_and(|digits| digits.len() <= 3);
    let pair = next == at + 3 && scan.is_sign(at + 1, '/') && short(at) && short(at + 2);
    let alone = next == at + 1 && short(at);
    let closed = scan.is_sign(next + 1, ',');
    let placed = closed && (at == 0 || scan.sign(at - 1).is_some());
    let vowel = word.starts_with(is_vowel_letter);
    let is_first = scan.data.latin.letters.first().is_some_and(|name| name == word);
    scan.joined(next) && (pair && (!vowel || closed || scan.names_address) || alone && is_first && placed)
}

/// Adds a case ending that follows the dot of an abbreviation: `మం.లో`, `ತಾ.ಪಂ.ಗೆ`, `ಪ.ಪಂ. ದವರಿಗೆ`.
pub(crate) fn on_abbreviation(scan: &Scan<'_>, at: usize, reading: Reading) -> Reading {
    let next = at + reading.items;
    let marked = matches!(scan.sign(next - 1), Some('.' | '॥'));
    // after a space, an ending must be long and must not start with a vowel letter, so that it is not a word itself
    let long = |word: &str| {
        word.chars().count() >= LONGEST_APART && word.chars().next().is_some_and(|c| !is_vowel_letter(c))
    };
    let follows = scan.joined(next) || scan.word(next).is_some_and(long) && !scan.is_sign(next + 1, '.');
    if !(marked && follows && is_dotted(scan, next)) {
        return reading;
    }
    let oblique = scan.data.number.endings.dotted_obliques.iter().find_map(|(plain, oblique)| {
        Some(format!("{}{oblique}", reading.words.strip_suffix(plain.as_str())?))
    });
    let words = oblique.unwrap_or_else(|| reading.words.clone());
    with_ending(scan, at, Reading { words, ..reading })
}

/// Reads a bracket together with a case ending after it: `35(3)-ன்`, `115(2)ರಡಿ`, `17(அ)-ல்`. The ending belongs to the
/// last word in the bracket.
pub(crate) fn on_bracket(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let own = scan.script();
    let closed =
        scan.is_sign(at, '(') && scan.is_sign(at + 2, ')') && scan.joined(at + 1) && scan.joined(at + 2);
    if !closed || own == Script::Latin || scan.data.number.endings.apart {
        return None;
    }
    let hyphen = scan.is_sign(at + 3, '-') && scan.joined(at + 3) && scan.joined(at + 4);
    let ending_at = at + 3 + usize::from(hyphen);
    // without a hyphen, the ending must follow a number: (1)ರಾಮ is a list item without a space
    let numbered = at > 0 && scan.joined(at) && (scan.number(at - 1).is_some() || scan.is_sign(at - 1, ')'));
    if !(hyphen || numbered) || scan.spaced(ending_at) {
        return None;
    }
    let ending = scan.item(ending_at).filter(|item| item.kind == Kind::Word(Some(own)))?;
    let (words, class) = match (scan.number(at + 1), scan.latin(at + 1)) {
        (Some(digits), _) => {
            (number::plain_cardinal(&scan.data.number, digits, System::Indian), Class::Cardinal)
        }
        (None, Some(word)) if word.len() == 1 || spelling::is_capitals(word) => {
            (spelling::letters(scan, word), Class::Letters)
        }
        (None, Some(_)) => return None,
        (None, None) => (scan.word(at + 1)?.to_owned(), Class::Letters),
    };
    let ending = ending.text.as_ref();
    let known = number::has_sandhi_rule(&scan.data.number, &words, ending)
        || scan.data.number.endings.linked.contains_key(ending);
    if !known && (ending.chars().count() > LONGEST_ON_LATIN || is_whole_word(scan, ending)) {
        return None;
    }
    let begins_with_vowel = ending.chars().next().is_some_and(is_mark);
    let drop: &[String] = if begins_with_vowel { &scan.data.number.endings.drop } else { &[] };
    let words = number::with_ending(&scan.data.number, &words, ending, drop);
    Some(Reading::new(words, ending_at + 1 - at).of(class))
}

/// Returns whether the tables of the language list the whole word at `at` as an ending.
pub(crate) fn is_dotted(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| is_listed(scan, word))
}

/// Returns whether the tables of the language list an ending.
pub(crate) fn is_listed(scan: &Scan<'_>, ending: &str) -> bool {
    let endings = &scan.data.number.endings;
    endings.after_dot.contains(ending)
        || endings.sandhi.iter().any(|(_, start, _)| start == ending)
        || endings.linked.contains_key(ending)
}

/// Returns whether a character is an independent vowel of an Indian script. Independent vowels have the same offsets in
/// all blocks.
pub(crate) fn is_vowel_letter(c: char) -> bool {
    is_brahmic(c) && (0x05..=0x14).contains(&(c as u32 & 0x7F))
}

/// Reads a Latin word together with a case ending of the language: `WhatsApp-ல்`, `meetingக்கு`, `Facebook-এর`.
pub(crate) fn on_latin_word(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if scan.has_case() || scan.data.number.endings.apart || scan.latin(at).is_none_or(|word| word.len() < 2) {
        return None;
    }
    let hyphen = scan.is_sign(at + 1, '-') && scan.joined(at + 1);
    let ending_at = at + 1 + usize::from(hyphen);
    let ending =
        scan.word(ending_at).filter(|_| scan.joined(ending_at) && scan.latin(ending_at).is_none())?;
    let is_short = ending.chars().count() <= LONGEST_ON_LATIN && !is_whole_word(scan, ending);
    let listed = scan.data.number.endings.linked.contains_key(ending);
    let continues =
        scan.joined(ending_at + 1) && (scan.is_sign(ending_at + 1, '-') || scan.is_word(ending_at + 1));
    if !(is_short || listed) || continues {
        return None;
    }
    Some(Reading::new(format!("{}{ending}", scan.latin(at)?), ending_at + 1 - at))
}

/// Reads a word of the language with an ending after a hyphen: `এলপিজি-র`, `ஷோ-க்கு`, `ബസ്-ൽ`, `மோகன்-ஐ`.
pub(crate) fn on_own_word(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let endings = &scan.data.number.endings;
    let word = scan.word(at).filter(|_| !endings.hyphened.is_empty() && scan.latin(at).is_none())?;
    let hyphen = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
    let ending = scan.word(at + 2).filter(|_| hyphen)?;
    let goes_on = at + 3 < scan.items.len() && scan.joined(at + 3) && scan.sign(at + 3) == Some('-');
    if goes_on || !endings.hyphened.iter().any(|known| known == ending) {
        return None;
    }
    // the names of two letters are not a word and its ending: ஏ-ஐ
    if initials::is_latin_letter(scan, at) && initials::is_latin_letter(scan, at + 2) {
        return None;
    }
    // names and loanwords keep their last consonant, unlike numbers and units: விக்ரம்-க்கு is விக்ரமுக்கு
    let own = endings.hyphened_sandhi.iter().find_map(|rule| {
        let form = rule.forms.get(ending)?;
        rule.ends.iter().find(|end| word.ends_with(end.as_str()))?;
        Some(format!("{}{form}", word.strip_suffix(rule.drop.as_str())?))
    });
    if let Some(words) = own {
        return Some(Reading::new(words, 3));
    }
    let open = matches!(akshara::parse(word).last()?.nucleus, Nucleus::Vowel(_));
    // accept only forms that end in the written ending and add at most a vowel or a glide before it: ல், இல், யில்
    let linked = |form: &str| form.ends_with(ending).then(|| form.to_owned());
    let (after_consonant, after_vowel) = match endings.linked.get(ending) {
        Some((consonant, vowel)) => (linked(consonant), linked(vowel)),
        None => (None, None),
    };
    let written = ending.to_owned();
    let fits = |form: &String| number::has_sandhi_rule(&scan.data.number, word, form);
    let ending = after_consonant
        .filter(fits)
        .or_else(|| Some(written.clone()).filter(fits))
        .or_else(|| after_vowel.filter(|_| open))
        .or_else(|| open.then_some(written))?;
    let words = number::with_ending(&scan.data.number, word, &ending, &[]);
    Some(Reading::new(words, 3))
}

/// Returns whether the word at `at` is an ending that may be separated by a space from the number `words`, because it
/// is not a word itself: `3 ಕ್ಕೆ`, `24 ന്`. If the joining rule for this ending keeps it as a separate word, as in
/// વાગ્યા સુધી, the rule must also match the end of `words`.
fn is_ending_apart(scan: &Scan<'_>, at: usize, words: &str) -> bool {
    let endings = &scan.data.number.endings;
    let rules = endings.sandhi.iter();
    let joins = |word: &str| {
        let mut of_word =
            rules.clone().filter(|(_, start, _)| start == word && !endings.words.contains(word));
        of_word.any(|(end, _, both)| !both.contains(' ') || words.ends_with(end.as_str()))
    };
    // a letter with a dot is an initial, not an ending: र. ना. पाटील
    let initial = scan.is_sign(at + 1, '.') && scan.joined(at + 1) && at + 2 < scan.items.len();
    scan.word(at).is_some_and(joins) && !initial
}

/// Returns whether a text directly after a number begins like a word, and not like an ending: 3டீ ஸ்பூன், 25வயது.
/// The name of a letter does not count.
pub(crate) fn begins_word(scan: &Scan<'_>, text: &str) -> bool {
    let endings = &scan.data.number.endings;
    endings.word_starts.iter().any(|start| text.starts_with(start.as_str()))
        && !endings.letters.contains(text)
        && !is_listed(scan, text)
}

/// Returns whether the text is a word that may follow a number without a space and is therefore not an ending: `5लाख`,
/// `10बजे`.
fn is_whole_word(scan: &Scan<'_>, word: &str) -> bool {
    let data = scan.data;
    // the টা of দশটা is part of the hour
    let joins_hour = data.time.oclock.split_once("{hour}").is_some_and(|(_, suffix)| {
        !suffix.is_empty() && !suffix.starts_with(' ') && word.starts_with(suffix)
    });
    data.number.multipliers.contains_key(word)
        || data.units.words.contains_key(word)
        || !joins_hour && data.time.oclock_words.iter().any(|known| known == word)
        || word.chars().count() > 6
}
