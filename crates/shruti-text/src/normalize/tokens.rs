//! Tokens that are said in a way of their own: `5G`, `24/7`, `CO2`, `T20`.

use super::scan::{Reading, Scan};

/// The most items of such a token.
const MOST_ITEMS: usize = 5;

/// The token at `at`, where the language lists it.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let tokens = &scan.data.tokens;
    let begins =
        at == 0 || scan.spaced(at) || scan.sign(at - 1).is_some_and(|c| matches!(c, '(' | '"' | '“' | '\''));
    if tokens.is_empty() || !begins {
        return None;
    }
    let end = scan.token_end(at).min(at + MOST_ITEMS);
    (at + 2..=end).rev().find_map(|end| {
        let written: String = scan.items[at..end].iter().map(|item| item.text.to_lowercase()).collect();
        let words = tokens.get(&written)?;
        ends(scan, end).then(|| Reading::new(words.clone(), end - at))
    })
}

/// Whether a token may end before `at`: nothing that would belong to it is joined to it.
fn ends(scan: &Scan<'_>, at: usize) -> bool {
    let number_follows = scan.sign(at).is_some() && scan.joined(at + 1) && scan.number(at + 1).is_some();
    scan.spaced(at) || !(scan.latin(at).is_some() || scan.number(at).is_some() || number_follows)
}
