//! Characters of a cleaned text, and markers for sentence ends and pauses that come from markup.

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
    /// Start of the character's source range, in Unicode scalar values.
    pub start: u32,
    /// End of the source range. The range of an entity such as `&amp;` is longer than one character.
    pub end: u32,
    /// Whether the character is emphasised.
    pub emphasis: bool,
    /// Whether the character belongs to an element that is read as a unit. The segmenter does not split such an
    /// element.
    pub whole: bool,
}
