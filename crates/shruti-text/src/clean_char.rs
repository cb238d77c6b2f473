//! Characters of a cleaned text, with markers for what the markup said.

/// Marker for a sentence end that comes from markup. No character of the text can produce it, because control
/// characters are removed or become line ends.
pub(crate) const SENTENCE_END: char = '\u{c}';

/// Marker for a pause that markup requests.
pub(crate) const BREAK: char = '\u{b}';

/// Character that the cleaner keeps, with its position in the source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanChar {
    /// The character.
    pub c: char,
    /// Start of its source, in Unicode scalar values.
    pub start: u32,
    /// End of its source. An entity like `&amp;` is longer than one character.
    pub end: u32,
    /// Whether it is inside emphasis.
    pub emphasis: bool,
    /// Whether it belongs to an element that is read as a unit. The segmenter does not cut there.
    pub whole: bool,
}
