//! Speakers of this synthesiser.

use std::fmt;

use shruti_lang::Gender;

/// A speaker of this synthesiser; both speak every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Voice {
    /// Female voice.
    Ananya,
    /// Male voice.
    Arjun,
}

impl Voice {
    /// All speakers.
    pub const ALL: [Self; 2] = [Self::Ananya, Self::Arjun];

    /// Returns the name in the canonical spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ananya => "Ananya",
            Self::Arjun => "Arjun",
        }
    }

    /// Returns the gender of the speaker.
    pub const fn gender(self) -> Gender {
        match self {
            Self::Ananya => Gender::Female,
            Self::Arjun => Gender::Male,
        }
    }

    /// Returns the voice with a given name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|voice| voice.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
