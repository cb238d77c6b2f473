//! The speakers of this synthesiser.

use std::fmt;

use shruti_lang::Gender;

/// A speaker of this synthesiser; both speak every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Voice {
    /// A woman's voice.
    Ananya,
    /// A man's voice.
    Arjun,
}

impl Voice {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Ananya, Self::Arjun];

    /// The canonical spelling of its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ananya => "Ananya",
            Self::Arjun => "Arjun",
        }
    }

    /// The speaker's gender.
    pub const fn gender(self) -> Gender {
        match self {
            Self::Ananya => Gender::Female,
            Self::Arjun => Gender::Male,
        }
    }

    /// The voice of a name, which is matched without regard to case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|voice| voice.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
