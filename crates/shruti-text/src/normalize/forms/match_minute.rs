//! Minutes of a match in which something happened: `Liton 23'`, `Jatin 90+4'`.

use crate::normalize::number::{self, System, ordinal};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::initials;

/// Last minute of a match with extra time.
const LAST: u32 = 120;

/// Reads the minute of a match, with its minutes of added time. The sentence contains a word about matches, and a name,
/// another minute or a bracket precedes the minute.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let pattern = scan.data.time.match_minute.as_ref()?;
    let minute = scan.number(at).filter(|digits| (1..=LAST).contains(&value(digits)))?;
    let plus = scan.is_sign(at + 1, '+') && scan.joined(at + 1) && scan.joined(at + 2);
    let added = scan.number(at + 2).filter(|_| plus);
    let mark = at + if added.is_some() { 3 } else { 1 };
    let end = mark + 1;
    let marked = matches!(scan.sign(mark), Some('\'' | '’' | '′')) && scan.joined(mark);
    let closes = end >= scan.items.len()
        || matches!(scan.sign(end), Some(',' | ';' | ')' | '.' | '(' | '&'))
        || scan.spaced(end) && initials::is_capitalised(scan, end);
    let follows = at > 0
        && scan.spaced(at)
        && (initials::is_capitalised(scan, at - 1) || matches!(scan.sign(at - 1), Some(',' | '&')))
        || at > 0 && scan.is_sign(at - 1, '(')
        || at == 0 && scan.sentence_context.is_present;
    if !marked || !closes || !follows || !scan.mentions(&scan.data.time.match_words, at..end) {
        return None;
    }
    let words = match added {
        Some(added) => {
            let whole = number::plain_cardinal(&scan.data.number, minute, System::Indian);
            let sign = scan.data.symbols.get(&'+')?;
            format!("{whole} {sign} {}", ordinal::plain(scan, added))
        }
        None => ordinal::plain(scan, minute),
    };
    Some(Reading::new(pattern.replace("{n}", &words), end - at))
}
