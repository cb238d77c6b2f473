//! Control characters, and characters that hide or reorder others.

/// Returns whether a character from an untrusted source must not be displayed unescaped: control characters (C0, C1),
/// directional marks and overrides, and line or paragraph separators. Joiners, which Indian scripts need, are allowed.
pub fn is_hidden(c: char) -> bool {
    let is_directional = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_directional(c) || matches!(c, '\u{2028}' | '\u{2029}')
}
