//! SSML elements and their effect on the text around them.

/// SSML element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `<speak>`, the document.
    Speak,
    /// `<p>`, `<paragraph>`.
    Paragraph,
    /// `<s>`, `<sentence>`.
    Sentence,
    Break,
    SayAs,
    Sub,
    Phoneme,
    /// `<lang>`, or `<voice>`, which only sets the language.
    Lang,
    Emphasis,
    Prosody,
    /// `<metadata>` or `<desc>`, whose content is not spoken.
    Silent,
    /// Element that may occur inside a word and has no effect: `<mark>`, `<w>`, any name with a namespace prefix.
    Inline,
    /// Unknown element: it has no effect except to separate the words on both sides.
    Unknown,
}

impl Element {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "speak" => Self::Speak,
            "p" | "paragraph" => Self::Paragraph,
            "s" | "sentence" => Self::Sentence,
            "break" => Self::Break,
            "say-as" => Self::SayAs,
            "sub" => Self::Sub,
            "phoneme" => Self::Phoneme,
            "lang" | "voice" => Self::Lang,
            "emphasis" => Self::Emphasis,
            "prosody" => Self::Prosody,
            "metadata" | "desc" => Self::Silent,
            "mark" | "w" | "token" | "audio" => Self::Inline,
            _ if name.contains(':') => Self::Inline,
            _ => Self::Unknown,
        }
    }

    /// Returns whether the element applies from its opening tag to its closing tag.
    pub(super) const fn nests(self) -> bool {
        matches!(
            self,
            Self::Speak
                | Self::Paragraph
                | Self::Sentence
                | Self::Lang
                | Self::Emphasis
                | Self::Prosody
                | Self::Silent
        )
    }

    /// Returns whether the content of the element is read as a unit.
    pub(super) const fn reads(self) -> bool {
        matches!(self, Self::SayAs | Self::Sub | Self::Phoneme)
    }
}
