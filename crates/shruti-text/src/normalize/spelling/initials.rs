//! Initials and other letters with dots in Indian scripts, and the titles and numbers around them.

use crate::akshara::is_virama;
use crate::chars::is_mark;
use crate::data::{self, is_in};
use crate::g2p::letter_names;
use crate::normalize::scan::{Reading, Scan};

/// Returns whether a letter with a dot is one of several initials, not an abbreviation: `ਬੀ.ਏ.`, `ப.சிதம்பரம்`.
pub(crate) fn is_initial(scan: &Scan<'_>, at: usize) -> bool {
    let dotted = |place: usize| scan.is_sign(place, '.') && scan.joined(place);
    let letter =
        |place: usize| scan.word(place).is_some_and(|word| !word.is_ascii() && is_letter(scan, word));
    if !dotted(at + 1) || !letter(at) {
        return false;
    }
    let named = |word: &str| {
        scan.data.latin.initials.contains(word) || scan.data.latin.letters.iter().any(|name| name == word)
    };
    let named = scan.word(at).is_some_and(named);
    let short = |place: usize| dotted(place + 1) && scan.word(place).is_some_and(is_short);
    if scan.joined(at + 2) {
        return letter(at + 2) || short(at + 2) || named && scan.is_word(at + 2);
    }
    // an initial may have a space after its dot: ई. श्रीधरन, ક. મા. મુનશી; but not 78 ई. में
    let own_word = scan.is_word(at + 2) && scan.latin(at + 2).is_none();
    let counted = at > 0 && scan.number(at - 1).is_some();
    let short_form = |from: usize| scan.data.abbreviation(scan.raw(from, from + 2)).is_some();
    let after_initial = at >= 2 && dotted(at - 1) && letter(at - 2) && !short_form(at - 2);
    // the second of two initials is not a word: वि. ना. सरदेसाई
    let is_word = || !(named && letter(at + 2) && dotted(at + 3));
    let is_function = || scan.is_function(scan.word(at + 2).unwrap_or_default()) && is_word();
    own_word && !counted && (named || after_initial) && !is_function()
}

/// Returns whether the word at `at` is the name of a Latin letter in an Indian script.
pub(crate) fn is_latin_letter(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| names_latin_letter(scan, word))
}

/// Returns whether a word is the name of a Latin letter in an Indian script.
pub(crate) fn names_latin_letter(scan: &Scan<'_>, word: &str) -> bool {
    !word.is_ascii() && scan.data.latin.keys.contains(&data::letter_key(word))
}

/// Returns whether a word is the name of a Latin letter with an ending: బిలో.
pub(crate) fn names_inflected_letter(scan: &Scan<'_>, word: &str) -> bool {
    let stem = |ending: &String| word.strip_suffix(ending.as_str());
    let mut stems = scan.data.number.endings.after_dot.iter().filter_map(stem);
    stems.any(|stem| names_latin_letter(scan, stem))
}

/// Returns whether an abbreviation with a dot at `at` is a title before dotted initials: డా.బి.ఆర్.అంబేడ్కర్. The
/// initials are names of Latin letters, but the title is not.
pub(crate) fn is_title(scan: &Scan<'_>, at: usize) -> bool {
    let dotted = |place: usize| scan.is_sign(place, '.') && scan.joined(place);
    // one letter before a space may belong to the abbreviation: प्रा.वि. बेलहरी
    let several = scan.joined(at + 4) && scan.is_word(at + 4);
    let begins = at == 0 || scan.spaced(at) || !scan.is_sign(at - 1, '.');
    begins
        && several
        && dotted(at + 1)
        && dotted(at + 3)
        && scan.joined(at + 2)
        && scan.word(at).is_some_and(|word| !word.is_ascii())
        && !is_latin_letter(scan, at)
        && is_latin_letter(scan, at + 2)
        && scan.data.abbreviations.contains_key(scan.raw(at, at + 2))
}

/// Returns whether a word in an Indian script is the name of a Latin letter or a single akshara.
pub(crate) fn is_letter(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.latin.letters.iter().any(|name| name == word) || is_one_akshara(word)
}

/// Returns whether a word in an Indian script consists of several names of Latin letters: the পিএইচ of পিএইচ.ডি.
pub(crate) fn is_of_letters(scan: &Scan<'_>, word: &str) -> bool {
    !word.is_ascii() && letter_names::is_initialism(word, scan.language)
}

/// Returns whether a word in an Indian script is short enough to abbreviate a degree: ਐੱਡ in ਬੀ.ਐੱਡ.
pub(crate) fn is_short(word: &str) -> bool {
    !word.is_ascii() && aksharas(word) <= 2
}

/// Returns whether a word is a single akshara: one letter or conjunct of an Indian script with its marks.
fn is_one_akshara(word: &str) -> bool {
    aksharas(word) == 1
}

fn aksharas(word: &str) -> usize {
    let mut letters = 0;
    let mut joins = false;
    for c in word.chars() {
        if is_virama(c) {
            joins = true;
        } else if !is_mark(c) {
            letters += usize::from(!std::mem::take(&mut joins));
        }
    }
    letters
}

/// Reads the abbreviation at `at` that follows dotted letters and precedes a number: the నెం. of `జి.ఓ.ఎం.ఎస్.నెం. 46`.
pub(crate) fn numbers(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dotted = scan.is_sign(at + 1, '.') && scan.joined(at + 1) && scan.number(at + 2).is_some();
    let raw = scan.raw(at, at + 2);
    // a part of the day does not end dotted letters: ಕ್ರಿ.ಸಂ. 12
    let of_day =
        |words: &&str| is_in(&scan.data.time.day_words, words) && scan.data.abbreviation(raw).is_some();
    let before_number =
        || scan.data.before_number.get(raw).map(String::as_str).filter(|words| !of_day(words));
    let words = if dotted { before_number().or_else(|| scan.data.abbreviation(raw)) } else { None }?;
    Some(Reading::new(words, 2))
}

/// Returns whether a name follows an abbreviation that ends before `end` and no name precedes it: St. Xavier, but not
/// Main St. In scripts without capitals, any word may be a name: मो. रफ़ी, but not मो. 98765 43210.
pub(crate) fn precedes_name(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    // a function word is not a name: ਜਨ. ਤੋਂ ਮਾਰਚ
    let of_indian_script =
        scan.latin(end).is_none() && scan.word(end).is_some_and(|word| !scan.is_function(word));
    // only in Latin script, and only if it has a reading in addresses, can the abbreviation end an address that starts
    // with its number
    let of_address = scan.data.address.contains_key(scan.raw(at, end));
    let ends_address = !of_indian_script && of_address && follows_name(scan, at);
    let after_name = at > 0 && is_capitalised(scan, at - 1) || ends_address;
    (is_capitalised(scan, end) || of_indian_script) && !after_name
}

/// Returns whether a number is at most four items before an abbreviation of an address: `1428 Elm St.`.
pub(crate) fn follows_name(scan: &Scan<'_>, at: usize) -> bool {
    (at.saturating_sub(4)..at).any(|place| scan.number(place).is_some())
}

pub(crate) fn is_capitalised(scan: &Scan<'_>, at: usize) -> bool {
    scan.latin(at).is_some_and(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()))
}
