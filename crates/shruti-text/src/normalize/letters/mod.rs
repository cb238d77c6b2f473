//! Initialisms and other letters that are spelled out.

pub(crate) mod blood;
pub(crate) mod code;
pub(crate) mod roman;
pub(crate) mod tokens;
pub(crate) mod vehicle;

use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::english;
use crate::latin;
use crate::normalize::chat;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending;
use crate::normalize::spelling::initials;
use crate::normalize::spelling::{is_capitals, spelt};
use crate::script::Script;

/// Reads letters that are spelled out, a code or a Roman numeral.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let letters = |spelt: Reading| spelt.of(Class::Letters);
    initials(scan, at)
        .or_else(|| degree(scan, at))
        .or_else(|| dotted(scan, at))
        .map(letters)
        .or_else(|| code::masked(scan, at).map(|code| code.of(Class::Code)))
        .or_else(|| roman::read(scan, at).map(|number| number.of(Class::Roman)))
        .or_else(|| code::mixed(scan, at).map(|code| code.of(Class::Code)))
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
        // a single letter with a dot is an initial before a name
        let initial = scan.is_sign(end, '.') && scan.joined(end) && at + 2 < scan.items.len();
        let spelt = initial.then(|| spelt(scan, &written))?;
        return Some(Reading::new(spelt, 2));
    }
    // the last dot belongs to the abbreviation if more text follows; at the end of the text, it also ends the sentence
    let last_dot = scan.is_sign(end, '.') && scan.joined(end) && end + 1 < scan.items.len();
    // a possessive or plural ending may follow the last dot: the M.P.'s house
    let mark = end + 1;
    let inflected = last_dot
        && matches!(scan.sign(mark), Some('\'' | '’'))
        && scan.joined(mark)
        && scan.latin(mark + 1) == Some("s")
        && scan.joined(mark + 1)
        && scan.spaced(mark + 2);
    if inflected {
        return Some(Reading::new(format!("{}'s", spelt(scan, &written)), mark + 2 - at));
    }
    Some(Reading::new(spelt(scan, &written), end + usize::from(last_dot) - at))
}

/// Reads `आई.ए.एस.` or `மு.க. ஸ்டாலின்`: letters of an Indian script whose dots do not cause pauses.
fn initials(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dotted = |place: usize| scan.is_sign(place, '.') && scan.joined(place);
    let after_title = at > 1 && initials::is_title(scan, at - 2);
    let inside = at > 0 && scan.joined(at) && scan.sign(at - 1).is_none_or(|c| c == '.') && !after_title;
    if inside || !dotted(at + 1) {
        return None;
    }
    let letter =
        |place: usize| scan.word(place).filter(|word| !word.is_ascii() && initials::is_letter(scan, word));
    let short = |place: usize| scan.word(place).filter(|word| dotted(place + 1) && initials::is_short(word));
    let several = |place: usize| scan.word(place).filter(|word| initials::is_of_letters(scan, word));
    let named = |place: usize| {
        let is_name = |word: &&str| scan.data.latin.letters.iter().any(|name| name == word);
        scan.word(place).filter(is_name).or_else(|| several(place))
    };
    // the first part may consist of several letter names: পিএইচ.ডি.
    let begins = || several(at).filter(|_| scan.joined(at + 2) && named(at + 2).is_some());
    // the letter names may be spelled differently from those in the letter table: ਐਮ.ਐਲ.ਏ.
    let first = letter(at)
        .or_else(|| short(at).filter(|_| scan.joined(at + 2) && short(at + 2).is_some()))
        .or_else(begins);
    let mut spoken = vec![first?];
    let mut end = at + 1;
    while dotted(end) && scan.joined(end + 1) {
        // the last part may lack its dot: the এড of বি.এড
        let last = || scan.word(end + 1).filter(|word| !dotted(end + 2) && initials::is_short(word));
        // an abbreviation of "number" is not one of the letters: జి.ఓ.ఎం.ఎస్.నెం. 46
        if initials::numbers(scan, end + 1).is_some() {
            break;
        }
        // a case ending is not one of the letters: ಬಿ.ಜೆ.ಪಿ.ಗೆ
        if !dotted(end + 2) && !initials::is_latin_letter(scan, end + 1) && ending::is_dotted(scan, end + 1) {
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
    // a number or a bracket may follow the last dot: ஐ.பி.சி. 302, സി.പി.ഐ.(എം)
    let numbered = spoken.len() > 1 && (scan.number(end + 1).is_some() || scan.is_sign(end + 1, '('));
    let followed = followed || dotted(end) && numbered;
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
    let is_said = |part: &str| {
        let titled = part.len() > 1 && part.bytes().any(|byte| byte.is_ascii_lowercase());
        titled && part.contains(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U'])
    };
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
        // an abbreviation after the dot starts the next sentence: K P.Avl bal
        let is_word =
            |part: &str| scan.data.abbreviation(part).is_some() || scan.names(end + 1).has(Kinds::NUMBER);
        // the word for "number" after the dot is not part of the degree either: W.P.No. 21345
        let Some(next) = part(end + 1).filter(|part| !is_word(part)) else { break };
        letter |= next.len() == 1;
        shortened |= next.len() > 1;
        words = format!("{words} {}", spoken(next));
        end += 2;
    }
    let last_dot = scan.is_sign(end, '.') && scan.joined(end) && end + 1 < scan.items.len();
    (letter && shortened).then(|| Reading::new(words, end + usize::from(last_dot) - at))
}

/// Reads an initialism such as `SBI`, or a single letter other than the words "I" and "a".
fn initialism(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.latin(at)?;
    let single = word.len() == 1
        && (!matches!(word, "I" | "A" | "a") || is_next_to_sign(scan, at) || is_grade(scan, at));
    // an A after a label is the letter, not the article: Section 41A, Plan A
    let labelled = || {
        let numbered = at > 1 && scan.number(at - 1).is_some() && chat::follows_label(scan, at - 1);
        let named = numbered
            || chat::follows_label(scan, at) && !scan.word(at - 1).is_some_and(|word| scan.is_function(word));
        scan.script() == Script::Latin && word == "A" && (is_next_to_sign(scan, at) || named)
    };
    if single && scan.script() != Script::Latin && !is_typed_word(scan, at)
        || english::is_spelt(word) && !(scan.all_caps && english::is_word(&word.to_ascii_lowercase()))
        || labelled()
    {
        return Some(Reading::new(spelt(scan, word), 1));
    }
    None
}

/// Returns whether an A among words that are not Latin is the letter, not the article: A ഗ്രേഡ്, (a) मुंबई.
fn is_grade(scan: &Scan<'_>, at: usize) -> bool {
    let is_latin = |place: Option<usize>| place.is_some_and(|place| scan.latin(place).is_some());
    matches!(scan.latin(at), Some("A" | "a"))
        && scan.script() != Script::Latin
        && !is_latin(Some(at + 1))
        && !is_latin(at.checked_sub(1))
}

/// Returns whether a lower-case letter among Latin words is a romanised word of the language: Bengali `e`, Hindi `h`.
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
