//! Spelling of letters and signs by name.

pub(crate) mod ending;
pub(crate) mod initials;

use crate::chars::is_mark;
use crate::class::Class;
use crate::item::Kind;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::{number, spelling};
use crate::script::Script;

/// Returns the names of the letters of a Latin word, separated by spaces.
pub(crate) fn letters(scan: &Scan<'_>, word: &str) -> String {
    let names = &scan.data.latin.letters;
    let spoken: Vec<&str> = word
        .chars()
        .filter(char::is_ascii_alphabetic)
        .filter_map(|c| names.get(usize::from(c.to_ascii_lowercase() as u8 - b'a')))
        .map(String::as_str)
        .collect();
    if spoken.is_empty() { word.to_owned() } else { spoken.join(" ") }
}

/// Returns the name of a sign inside an address.
pub(crate) fn sign<'a>(scan: &'a Scan<'_>, c: char) -> Option<&'a str> {
    let electronic = &scan.data.electronic;
    let name = match c {
        '.' => &electronic.dot,
        '@' => &electronic.at,
        '/' => &electronic.slash,
        '\\' => &electronic.backslash,
        ':' => &electronic.colon,
        '-' => &electronic.hyphen,
        '_' => &electronic.underscore,
        '#' => &electronic.hash,
        '?' => &electronic.question,
        '=' => &electronic.equals,
        '&' => &electronic.ampersand,
        '%' => &electronic.percent,
        '+' => &electronic.plus,
        '~' => &electronic.tilde,
        _ => return None,
    };
    Some(name)
}

/// Returns letters as they are spelled: by their names, or in a language in Latin script as capitals, which are later
/// pronounced by name.
pub(crate) fn spelt(scan: &Scan<'_>, letters: &str) -> String {
    if scan.script() == Script::Latin { letters.to_uppercase() } else { spelling::letters(scan, letters) }
}

/// Returns the letters of a Latin word, each spelled separately, with spaces between them.
pub(crate) fn apart(scan: &Scan<'_>, word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    letters.map(|c| spelt(scan, c.encode_utf8(&mut [0; 4]))).collect::<Vec<_>>().join(" ")
}

/// Spells all items character by character: Latin letters, digits and signs by name, and the letters of other scripts
/// unchanged.
pub(crate) fn one_by_one(scan: &Scan<'_>) -> Option<Reading> {
    let mut spoken: Vec<String> = Vec::new();
    for item in &scan.items {
        match item.kind {
            Kind::Number | Kind::Power => spoken.push(number::one_by_one(&scan.data.number, &item.text)),
            Kind::Word(Some(Script::Latin)) => spoken.push(apart(scan, &item.text)),
            Kind::Word(_) => spoken.extend(clusters(&item.text).map(str::to_owned)),
            Kind::Sign(c) => spoken.extend(
                spelling::sign(scan, c).map(str::to_owned).or_else(|| scan.data.symbols.get(&c).cloned()),
            ),
        }
    }
    let words = spoken.join(" ").replace("{n}", "");
    (!spoken.is_empty()).then(|| Reading::new(words, scan.items.len()).of(Class::Letters))
}

/// Splits a word of an Indian script into letters, each with the marks that follow it.
fn clusters(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = rest.char_indices().skip(1).find(|&(_, c)| !is_mark(c)).map_or(rest.len(), |(end, _)| end);
        let (cluster, following) = rest.split_at(end);
        rest = following;
        (!cluster.is_empty()).then_some(cluster)
    })
}

/// Returns `at`, or the next index if the item at `at` is a joining hyphen.
pub(crate) fn after_hyphen(scan: &Scan<'_>, at: usize) -> usize {
    at + usize::from(scan.is_sign(at, '-') && scan.joined(at) && scan.joined(at + 1))
}

/// Returns whether a word is a single Latin capital.
pub(crate) fn is_capital(word: &str) -> bool {
    word.len() == 1 && is_capitals(word)
}

pub(crate) fn is_capitals(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase())
}
