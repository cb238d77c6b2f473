//! Characters that a terminal obeys, or that hide or reorder others.

/// Whether a character must not be shown as it is where it comes from elsewhere: a control (C0, C1), a mark of or change
/// of direction, or a separator of lines or paragraphs. Joiners, which the scripts of India need, are none.
pub fn is_hidden(c: char) -> bool {
    let is_directional = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_directional(c) || matches!(c, '\u{2028}' | '\u{2029}')
}
