//! Abbreviations that are labels of an address: `ଗ୍ରା/ପୋ: ବାଲିଅନ୍ତା`, `ଗ୍ରା- ବାଲିଅନ୍ତା`. Elsewhere many of them are other words.

use super::scan::{Reading, Scan};
use crate::data::Data;
use crate::item::{Item, Kind};

/// Reads a label at the start of a segment, or next to another label.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let said = scan.data.address_labels.get(word)?;
    let joins = |place: usize| matches!(scan.sign(place), Some('/' | '+' | '&'));
    let known = |place: usize| scan.word(place).is_some_and(|word| is_label(scan.data, word));
    let follows = at > 1 && joins(at - 1) && known(at - 2);
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let next = at + 1 + dot;
    // ತಾ: 12-05-2025 is a day
    if scan.number(next + 1).is_some() && scan.data.before_number.contains_key(&format!("{word}.")) {
        return None;
    }
    // after another label: ತಾ. ಹುನಗುಂದ, ಜಿ. ಬಾಗಲಕೋಟೆ
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

/// Returns whether a word is a label, or the word for one.
fn is_label(data: &Data, word: &str) -> bool {
    data.address_labels.contains_key(word) || data.address_labels.values().any(|said| said == word)
}

/// Returns whether items begin with a label and its dot.
pub(super) fn begins_dotted(items: &[Item<'_>], data: &Data) -> bool {
    let [first, second, ..] = items else { return false };
    data.address_labels.contains_key(first.text.as_ref()) && second.kind == Kind::Sign('.')
}

/// Returns whether items contain a label before a colon, a dot, a dash or a slash.
pub(super) fn occurs(items: &[Item<'_>], data: &Data) -> bool {
    !data.address_labels.is_empty()
        && items.windows(2).any(|pair| {
            let sign = matches!(pair[1].kind, Kind::Sign(':' | '.' | '-' | '–' | '/'));
            sign && is_label(data, &pair[0].text)
        })
}
