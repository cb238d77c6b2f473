//! Abbreviations that are labels of an address: `ଗ୍ରା/ପୋ: ବାଲିଅନ୍ତା`, `ଗ୍ରା- ବାଲିଅନ୍ତା`. Outside addresses, many of
//! these forms have other meanings.

use crate::normalize::scan::address_labels::is_label;
use crate::normalize::scan::{Reading, Scan};

/// Reads a label at the start of a segment, or next to another label.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let said = scan.data.address_labels.get(word)?;
    let joins = |place: usize| matches!(scan.sign(place), Some('/' | '+' | '&'));
    let known = |place: usize| scan.word(place).is_some_and(|word| is_label(scan.data, word));
    let follows = at > 1 && joins(at - 1) && known(at - 2);
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let next = at + 1 + dot;
    // before a number, the abbreviation may have another meaning: ತಾ: 12-05-2025 is a date
    if scan.number(next + 1).is_some() && scan.data.before_number.contains_key(&format!("{word}.")) {
        return None;
    }
    // a label with a dot may follow a segment with another label: ತಾ. ಹುನಗುಂದ, ಜಿ. ಬಾಗಲಕೋಟೆ
    if dot > 0 && at == 0 && scan.sentence_context.has_label && scan.word(next).is_some() && scan.spaced(next)
    {
        return Some(Reading::new(said.clone(), 2));
    }
    let introduces = match scan.sign(next)? {
        ':' => scan.joined(next),
        '-' | '–' | '—' if scan.joined(next + 1) => {
            scan.joined(next)
                && (scan.data.hyphened_labels.contains(word)
                    || scan.sentence_context.has_label
                    || scan.sentence_context.names_address)
        }
        '-' | '–' | '—' => true,
        _ => joins(next) && (known(next + 1) || follows),
    };
    (introduces && (at == 0 || follows)).then(|| Reading::new(said.clone(), 1 + dot))
}
