//! References to chapters and verses of scripture: `யோவான் 3:16`, `Psalm 23:1-4`.

use crate::normalize::number::span;
use crate::normalize::number::{self, System};
use crate::normalize::quantity::{multiplier, units};
use crate::normalize::scan::{Reading, Scan};

/// Number of items before a number that are searched for the name of a book of scripture.
const NEAR: usize = 3;

/// Reads a chapter and its verses after the name of a book of scripture.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let books = &scan.data.context.scripture;
    let chapter = scan.number(at)?;
    let colon = matches!(scan.sign(at + 1), Some(':' | '.')) && scan.joined(at + 1) && scan.joined(at + 2);
    let verse = scan.number(at + 2).filter(|digits| colon && digits.len() <= 3 && chapter.len() <= 3)?;
    let names_book = |place: usize| scan.is_one_of(books, place);
    // "in" is more often the preposition than inches
    let unit = || units::at(scan, at + 3).is_some_and(|unit| unit.sign != "in");
    let percent = || {
        let name = scan.data.symbols.get(&'%');
        scan.is_sign(at + 3, '%') || name.is_some_and(|name| scan.word(at + 3) == Some(name))
    };
    let counted = || unit() || percent() || multiplier::multiplier(scan, at + 3).is_some();
    // a share, a measure or a large number is a decimal: Daniel got 97.8%, a song with 2.3 crore views
    let is_decimal = scan.is_sign(at + 1, '.') && counted();
    if books.is_empty() || is_decimal || !(at.saturating_sub(NEAR)..at).any(names_book) {
        return None;
    }
    let words = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let dash = matches!(scan.sign(at + 3), Some('-' | '–')) && scan.joined(at + 3) && scan.joined(at + 4);
    let last = scan.number(at + 4).filter(|_| dash);
    let verses = match last {
        Some(last) => span::between(scan, &words(verse), &words(last)),
        None => words(verse),
    };
    let items = if last.is_some() { 5 } else { 3 };
    Some(Reading::new(format!("{} {verses}", words(chapter)), items))
}
