//! Initialisms in native script: words that consist of the names of Latin letters, from `data/<code>/letter-names.tsv`.
//!
//! एमएलए consists of एम, एल and ए, each pronounced as a separate word: no schwa is deleted and no voicing changes
//! across the word boundaries. An ending is pronounced together with the last name: এমএলএর consists of এম, এল and এর.

use shruti_lang::Language;

use super::stems;
use crate::akshara;
use crate::chars::{is_brahmic, nfc};
use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::table::Table;

/// Name of a letter: its written form and its spoken form. An entry whose spoken form has several words is a whole
/// initialism that is not pronounced as written, such as Tamil சிபிஐ, whose B the spelling cannot distinguish from P.
struct Name {
    written: String,
    said: String,
}

/// Letter names of one language, by the first character of the written form, longest first. Most words do not begin
/// with a letter name and need only one lookup.
struct Names(Table<char, Vec<Name>>);

impl Names {
    /// Parses lines of `said<TAB>written written`; `#` begins a comment. If a written form is listed twice, the last
    /// line applies.
    fn read(table: &str) -> Self {
        let mut names: Table<char, Vec<Name>> = Table::default();
        let lines =
            table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
        for (said, written) in lines {
            for written in written.split_whitespace().map(nfc) {
                let Some(first) = written.chars().next() else { continue };
                let of_letter = names.entry(first).or_default();
                of_letter.retain(|other| other.written != written);
                of_letter.push(Name { written: written.into_owned(), said: stems::respell(&nfc(said)) });
                of_letter.sort_by_key(|name| std::cmp::Reverse(name.written.len()));
            }
        }
        Self(names)
    }

    /// Returns the letter names that a text can start with, longest first: the length of the written form in bytes, and
    /// the spoken form.
    fn beginning<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let of_letter =
            text.chars().next().and_then(|first| self.0.get(&first)).map_or(&[][..], Vec::as_slice);
        let names = of_letter.iter().filter(|name| text.starts_with(name.written.as_str()));
        names
            .map(|name| (name.written.len(), name.said.as_str()))
            .filter(|&(end, _)| text[end..].chars().next().is_none_or(akshara::is_letter))
    }

    /// Splits the whole text into letter names and appends them to `found`. Returns whether such a split exists.
    fn fill<'a>(&'a self, text: &'a str, found: &mut Vec<(usize, &'a str)>) -> bool {
        if text.is_empty() {
            return true;
        }
        if found.len() == MAX_LETTERS {
            return false;
        }
        for name in self.beginning(text) {
            found.push(name);
            if self.fill(&text[name.0..], found) {
                return true;
            }
            found.pop();
        }
        false
    }
}

/// Maximum number of letters in an initialism.
const MAX_LETTERS: usize = 8;

/// Returns the minimum number of names in an initialism. Other words can look like two names that end in vowels (आइए,
/// ഇടി), but few look like two names if one of them closes its syllable.
fn least(closed: bool) -> usize {
    if closed { 2 } else { 3 }
}

fn names_of(language: Language) -> &'static Names {
    static NAMES: PerLanguage<Names> = PerLanguage::new();
    NAMES.get(language, || Names::read(data_files(language).letter_names))
}

/// Returns the letter names of an initialism as separate words, or `None` for any other word.
pub(crate) fn words(word: &str, language: Language) -> Option<Vec<String>> {
    let names = names_of(language);
    let mut found = Vec::new();
    if names.fill(word, &mut found) {
        let said = || found.iter().flat_map(|(_, said)| said.split(' '));
        let listed = said().count() > found.len();
        let known = listed || found.len() >= least(said().any(closes_syllable));
        return known.then(|| said().map(str::to_owned).collect());
    }
    with_ending(word, names)
}

/// Returns whether a word consists of at most three letter names, even if they are too few for an initialism.
pub(crate) fn is_spelt(word: &str, language: Language) -> bool {
    let mut found = Vec::new();
    names_of(language).fill(word, &mut found) && found.len() <= 3
}

/// Returns whether a word is an initialism. A joiner may separate its letters: ଏସ୍‌ସି.
pub(crate) fn is_initialism(word: &str, language: Language) -> bool {
    words(&word.replace(['\u{200c}', '\u{200d}'], ""), language).is_some()
}

/// Returns the words of an initialism to which an ending is attached without a space, or `None` for any other word.
fn with_ending(word: &str, names: &Names) -> Option<Vec<String>> {
    let (mut parts, mut closed, mut listed) = (Vec::new(), false, false);
    let mut rest = word;
    while let Some((end, said)) = names.beginning(rest).next() {
        closed |= said.split(' ').any(closes_syllable);
        listed |= said.contains(' ');
        parts.push((rest, said));
        rest = &rest[end..];
    }
    // an independent vowel inside the word indicates that a name begins there
    let inner = parts.iter().skip(1).any(|(written, _)| written.starts_with(is_vowel_letter));
    if !listed && (parts.len() < least(closed) || !inner) {
        return None;
    }
    let (last, said) = parts.pop()?;
    let mut words: Vec<String> =
        parts.iter().flat_map(|(_, said)| said.split(' ')).map(str::to_owned).collect();
    match said.rsplit_once(' ') {
        Some((before, name)) => {
            words.extend(before.split(' ').map(str::to_owned));
            words.push(format!("{name}{rest}"));
        }
        None => words.push(with_m(last)),
    }
    Some(words)
}

/// Replaces the anusvara of a letter name with the letter m, because it is pronounced m before any ending: ಸಿಎಂಗೆ,
/// సీఎంకు.
fn with_m(word: &str) -> String {
    let is_anusvara = |c: char| is_brahmic(c) && c as u32 & 0x7F == 0x02;
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(anusvara)) if is_anusvara(anusvara) && word.chars().count() > 2 => {
            // m and the virama have the same offsets in all Brahmic blocks
            let at = |offset: u32| char::from_u32(anusvara as u32 - 0x02 + offset);
            let m = at(0x2E).into_iter().chain(at(0x4D));
            std::iter::once(first).chain(m).chain(letters).collect()
        }
        _ => word.to_owned(),
    }
}

/// Returns whether a name begins with a vowel and ends in a consonant: एफ, एल, एम.
fn closes_syllable(name: &str) -> bool {
    let aksharas = akshara::parse(name);
    let [first, rest @ ..] = aksharas.as_slice() else { return false };
    let Some(last) = rest.last() else { return first.independent && first.anusvara };
    first.consonants.is_empty()
        && !last.consonants.is_empty()
        && !matches!(last.nucleus, akshara::Nucleus::Vowel(_))
}

fn is_vowel_letter(c: char) -> bool {
    let mut buffer = [0; 4];
    akshara::is_letter(c)
        && akshara::parse(c.encode_utf8(&mut buffer))
            .first()
            .is_some_and(|akshara| akshara.consonants.is_empty())
}
