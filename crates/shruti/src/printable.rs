//! Escaping of untrusted text for terminals.
//!
//! Text from packs, archives, servers and databases may contain escape sequences that a terminal executes, and
//! characters that reorder or hide other text. All such text that this command prints passes through these functions.

use shruti_packs::is_hidden;

/// Returns a text as one line, in which control characters and characters that hide or reorder others are replaced with
/// their code points: `\u{1b}`.
pub(crate) fn printable(text: &str) -> String {
    escaped(text, is_hidden, |c| c.escape_unicode().to_string())
}

/// Escapes a text of several lines like [`printable`], but keeps line feeds and tabs.
pub(crate) fn printable_lines(text: &str) -> String {
    let hides = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    escaped(text, hides, |c| c.escape_unicode().to_string())
}

/// Escapes JSON for a terminal. The characters that [`printable`] escapes become JSON escapes (`\u001b`); line feeds
/// are kept.
pub(crate) fn printable_json(json: &str) -> String {
    // the only such characters that this program writes between JSON values are line feeds
    let hides = |c: char| is_hidden(c) && c != '\n';
    escaped(json, hides, |c| format!("\\u{:04x}", u32::from(c)))
}

fn escaped(text: &str, hides: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) {
            shown.push_str(&escape(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_hidden_text_are_not_printed() {
        for hidden in ["\u{1b}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{200f}", "\u{61c}", "\u{2028}", "\r"] {
            let number = format!("{:x}", u32::from(hidden.chars().next().unwrap_or('\0')));
            let text = format!("a{hidden}b");
            assert_eq!(printable(&text), format!("a\\u{{{number}}}b"));
            assert_eq!(printable_lines(&text), printable(&text));
            let json = serde_json::to_string(&text).unwrap_or_default();
            let safe = printable_json(&json);
            assert!(!safe.contains(hidden), "{safe}");
            assert_eq!(serde_json::from_str::<String>(&safe).ok(), Some(text));
        }
        assert_eq!(printable("a\n\tb"), "a\\u{a}\\u{9}b");
        assert_eq!(printable_lines("a\n\tb"), "a\n\tb");
        // zero-width joiners and non-joiners are part of the spelling in Indian scripts
        assert_eq!(printable("क्\u{200d}ष \u{200c} é"), "क्\u{200d}ष \u{200c} é");
    }
}
