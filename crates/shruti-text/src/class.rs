//! Classes of written forms.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident $name:literal;)*) => {
        /// Class of a written form. It determines the rules that expand the form into words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// All classes.
            pub const ALL: &'static [Self] = &[$(Self::$class,)*];

            /// Returns the name of the class, as used in output and in the API.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$class => $name,)* }
            }
        }
    };
}

classes! {
    /// A word in the script of one of the languages, read without expansion.
    Word "word";
    /// Letters of a script that no supported language uses.
    Foreign "foreign";
    /// A form that has an entry in a pronunciation dictionary.
    Lexicon "lexicon";
    /// An abbreviation, expanded to the full word: `Dr.`, `रु.`.
    Abbreviation "abbreviation";
    /// An initialism or initials, spelled letter by letter: `SBI`, `U.S.A.`, `A. P. J.`.
    Letters "letters";
    /// A code of letters and digits: `B12`, `MH12AB1234`.
    Code "code";
    /// A cardinal number: `1,25,000`, `5 लाख`, `-5`.
    Cardinal "cardinal";
    /// A decimal number: `3.14`.
    Decimal "decimal";
    /// An ordinal number: `5वीं`, `2nd`.
    Ordinal "ordinal";
    /// A Roman numeral: `Chapter IV`.
    Roman "roman";
    /// A fraction: `1/2`, `3½`.
    Fraction "fraction";
    /// A range: `10-15`, `10–15 kg`.
    Range "range";
    /// A ratio, a score or a verse reference: `3:2`.
    Ratio "ratio";
    /// Dimensions: `200x10`.
    Dimensions "dimensions";
    /// A version number: `1.2.3`.
    Version "version";
    /// A one-time password, a PIN or a house number, read digit by digit.
    Digits "digits";
    /// A telephone number or another grouped number, read digit by digit: `+91 98765 43210`.
    Telephone "telephone";
    /// An amount of money: `₹1,25,000`, `500 INR`.
    Money "money";
    /// A quantity with a unit: `5 kg`, `60 km/h`.
    Measure "measure";
    /// A date, year or decade: `15/08/1947`, `15 August`, `1947`, `1990s`.
    Date "date";
    /// A time of day: `10:30`, `3 PM`.
    Time "time";
    /// A URL, an email address, a path or an IP address.
    Address "address";
    /// A hashtag or mention: `#SwachhBharat`, `@name`.
    Tag "tag";
    /// A symbol that has a name: `%`, `&`, `=`.
    Sign "sign";
    /// Punctuation, which causes at most a pause or a change of intonation.
    Punctuation "punctuation";
    /// Content that is not spoken: markup, emoji and symbols without a name.
    Silent "silent";
}

impl Class {
    /// Returns the table of `data/<code>/normalize.toml` that contains the words for this class, or `None` if no table
    /// does.
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
