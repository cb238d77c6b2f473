//! Labels of an address in a text: `ଗ୍ରା/ପୋ:`.

use crate::data::Data;
use crate::item::{Item, Kind};

/// Returns whether a word is a label or the expansion of one.
pub(crate) fn is_label(data: &Data, word: &str) -> bool {
    data.address_labels.contains_key(word) || data.address_labels.values().any(|said| said == word)
}

/// Returns whether the items begin with a label and a dot.
pub(crate) fn begins_dotted(items: &[Item<'_>], data: &Data) -> bool {
    let [first, second, ..] = items else { return false };
    data.address_labels.contains_key(first.text.as_ref()) && second.kind == Kind::Sign('.')
}

/// Returns whether the items contain a label before a colon, a dot, a dash or a slash.
pub(crate) fn occurs(items: &[Item<'_>], data: &Data) -> bool {
    !data.address_labels.is_empty()
        && items.windows(2).any(|pair| {
            let sign = matches!(pair[1].kind, Kind::Sign(':' | '.' | '-' | '–' | '/'));
            sign && is_label(data, &pair[0].text)
        })
}
