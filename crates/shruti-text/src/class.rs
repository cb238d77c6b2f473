//! What a written form is taken for.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident $name:literal;)*) => {
        /// What a written form is taken for, and so by which rules it becomes words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// Every class.
            pub const ALL: &'static [Self] = &[$(Self::$class,)*];

            /// Its name, as people and programs see it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$class => $name,)* }
            }
        }
    };
}

classes! {
    /// Letters of one of the languages, read as they stand.
    Word "word";
    /// Letters of a script that none of the languages is written in.
    Foreign "foreign";
    /// What a lexicon has a reading for.
    Lexicon "lexicon";
    /// `Dr.`, `रु.`: said in full.
    Abbreviation "abbreviation";
    /// `SBI`, `U.S.A.`, `A. P. J.`: spelt.
    Letters "letters";
    /// `B12`, `MH12AB1234`: letters and digits in one.
    Code "code";
    /// `1,25,000`, `5 लाख`, `-5`.
    Cardinal "cardinal";
    /// `3.14`.
    Decimal "decimal";
    /// `5वीं`, `2nd`.
    Ordinal "ordinal";
    /// `Chapter IV`.
    Roman "roman";
    /// `1/2`, `3½`.
    Fraction "fraction";
    /// `10-15`, `10–15 kg`.
    Range "range";
    /// `3:2`.
    Ratio "ratio";
    /// `200x10`.
    Dimensions "dimensions";
    /// `1.2.3`.
    Version "version";
    /// A one-time password, a PIN, a house number: digit by digit.
    Digits "digits";
    /// `+91 98765 43210`, and other numbers in groups: digit by digit.
    Telephone "telephone";
    /// `₹1,25,000`, `500 INR`.
    Money "money";
    /// `5 kg`, `60 km/h`.
    Measure "measure";
    /// `15/08/1947`, `15 August`, `1947`, `1990s`.
    Date "date";
    /// `10:30`, `3 PM`.
    Time "time";
    /// A URL, a mail address, a path, an IP address.
    Address "address";
    /// `#SwachhBharat`, `@name`.
    Tag "tag";
    /// `%`, `&`, `=`: a sign that has a name.
    Sign "sign";
    /// What closes or opens, and is heard as a pause or in the melody at most.
    Punctuation "punctuation";
    /// What is not said: markup, emoji, signs without a name.
    Silent "silent";
}

impl Class {
    /// The table of `data/<code>/normalize.toml` that holds its words; `None` where none does.
    pub const fn table(self) -> Option<&'static str> {
        Some(match self {
            Self::Abbreviation => "abbreviations",
            Self::Letters | Self::Code => "latin",
            Self::Cardinal | Self::Decimal | Self::Range | Self::Ratio | Self::Dimensions => "number",
            Self::Version | Self::Roman | Self::Digits | Self::Telephone => "context",
            Self::Ordinal => "ordinal",
            Self::Fraction => "fraction",
            Self::Money => "money",
            Self::Measure => "units",
            Self::Date => "date",
            Self::Time => "time",
            Self::Address | Self::Tag => "electronic",
            Self::Sign => "symbols",
            Self::Word | Self::Foreign | Self::Lexicon | Self::Punctuation | Self::Silent => return None,
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
