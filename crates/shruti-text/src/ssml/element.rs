//! Which elements there are, and what each does.

/// The elements that do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// The document.
    Speak,
    /// `<p>`, `<paragraph>`.
    Paragraph,
    /// `<s>`, `<sentence>`.
    Sentence,
    Break,
    SayAs,
    Sub,
    Phoneme,
    /// `<lang>`, and `<voice>`, of which nothing but the language counts.
    Lang,
    Emphasis,
    Prosody,
    /// What it holds is not spoken: `<metadata>`, `<desc>`.
    Silent,
    /// Stands within words and does nothing: `<mark>`, `<w>`, anything with a prefix.
    Inline,
    /// Not known: does nothing, and parts the words beside it.
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

    /// Whether it is followed from its opening tag to its closing one.
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

    /// Whether it holds characters that are read as one.
    pub(super) const fn reads(self) -> bool {
        matches!(self, Self::SayAs | Self::Sub | Self::Phoneme)
    }
}
