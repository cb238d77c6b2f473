//! Evidence for the possible readings of a number, and the weights of the evidence. The nearest keyword weighs more
//! than the form of the number, and the form weighs more than no evidence.

use std::fmt;

use serde::Serialize;

use crate::class::Class;

/// Bit set of reasons for a digit-by-digit reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons(u16);

macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident $name:literal $bit:literal;)*) => {
        impl Reasons {
            $($(#[$doc])* pub(crate) const $reason: Self = Self(1 << $bit);)*
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$reason, $name),)*];
        }
    };
}

reasons! {
    /// A keyword is directly next to the number.
    NAMED "keyword" 0;
    /// A keyword is further away from the number.
    NEAR "keyword near" 1;
    /// A word for "number" precedes the number.
    NUMBERED "word for number" 2;
    /// A linking word such as "is" occurs between the keyword and the number.
    LINKED "link to the keyword" 3;
    /// The clause ends after the number.
    CLOSES "end of clause" 4;
    /// The number is long and has no digit grouping.
    LONG "length" 5;
    /// The number has the form of a telephone, card or order number.
    FORM "form" 6;
    /// Mask characters precede the number, or the number consists of the last digits of an account number.
    MASKED "mask" 7;
    /// The number is one of several codes in a list.
    LISTED "list" 8;
    /// The number ends in zeros.
    ROUND "round number" 9;
    /// The code consists of several numbers with hyphens or slashes.
    PARTS "parts" 10;
}

impl Reasons {
    /// Returns the union of both sets.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the set if `holds` is `true`, and the empty set otherwise.
    #[must_use]
    pub(crate) const fn only_if(self, holds: bool) -> Self {
        if holds { self } else { Self(0) }
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Self::ALL.iter().filter(|&&(reason, _)| self.has(reason)).map(|&(_, name)| name).collect();
        f.write_str(&names.join(", "))
    }
}

/// Weights of digit-by-digit readings and of their alternatives.
pub(crate) mod weight {
    /// Weight if a sign before the number rules out any other reading: `+91`, `****2345`.
    pub(crate) const CERTAIN: i32 = 120;
    /// Weight of a house, file or serial number with hyphens or slashes.
    pub(crate) const DOOR: i32 = 95;
    /// Weight of the last digits of a named account: `card ending in 2034`.
    pub(crate) const ENDING: i32 = 90;
    /// Weight of a directly adjacent keyword for a code.
    pub(crate) const NAMED: i32 = 80;
    /// Weight of a keyword that is separated from the number only by a word for "number".
    pub(crate) const NUMBERED: i32 = 78;
    /// Weight of the form of a mobile, card or toll-free number, or of a number with more digits than quantities
    /// usually have.
    pub(crate) const FORM: i32 = 70;
    /// Weight of other forms of telephone and order numbers, and of a nearby keyword.
    pub(crate) const NEAR: i32 = 50;
    /// Weight of a keyword in the same clause, if no text follows the number.
    pub(crate) const FAR: i32 = 30;
    /// Weight of a four-digit number after a word for "number" without a keyword for what it identifies.
    pub(crate) const NUMBER: i32 = 35;
    /// Weight of four digits directly next to a word for an account or a card.
    pub(crate) const ACCOUNT: i32 = 46;
    /// Change in weight for each word between a number and its keyword.
    pub(crate) const DISTANCE: i32 = -7;
    /// Additional weight if a linking word precedes the number.
    pub(crate) const LINKED: i32 = 20;
    /// Additional weight if the clause ends with the number.
    pub(crate) const CLOSES: i32 = 15;
    /// Additional weight of a long number, usually of six or more digits.
    pub(crate) const LONG: i32 = 20;
    /// Change in weight for trailing zeros.
    pub(crate) const ROUND: i32 = -15;
    /// Weight of a long number without words around it.
    pub(crate) const ALONE: i32 = 5;
    /// Weight of a keyword that is not sufficient evidence on its own.
    pub(crate) const WEAK: i32 = 20;
    /// Threshold for the weight of words about money, above which an L after a number means lakh, not litres.
    pub(crate) const LITRE: i32 = 10;
    /// Threshold for the weight of the evidence for a time, above which a number with a dot is a time, not a decimal.
    pub(crate) const DECIMAL: i32 = 35;
    /// Weight of minutes that are a multiple of five, as evidence for a time: 7.30, 9.45.
    pub(crate) const FIVE_MINUTES: i32 = 10;
    /// Weight of the absence of other words, as evidence for a time: `at 7.30`.
    pub(crate) const BARE: i32 = 10;
}

/// Evidence for and against reading a number digit by digit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Whether the number is read digit by digit.
    pub digits: bool,
    /// Weight of the digit-by-digit reading.
    pub weight: i32,
    /// Reasons for this weight.
    pub reasons: String,
    /// Keyword that identifies the kind of the number, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_by: Option<String>,
    /// Class of the alternative reading, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Class>,
    /// Weight of the alternative reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_weight: Option<i32>,
}

impl fmt::Display for Evidence {
    /// Formats the evidence: `digits 80 (keyword: OTP), date 30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digits {} ({}", self.weight, self.reasons)?;
        if let Some(name) = &self.named_by {
            write!(f, ": {name}")?;
        }
        f.write_str(")")?;
        match (self.other, self.other_weight) {
            (Some(other), Some(weight)) => write!(f, ", {other} {weight}"),
            _ => Ok(()),
        }
    }
}
