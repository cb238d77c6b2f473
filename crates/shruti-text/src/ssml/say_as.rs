//! Kinds of `<say-as>`.

use super::Tag;

/// Kind of written form that an element declares for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SayAs {
    /// Letter by letter, digit by digit; signs by name.
    Characters,
    /// Digit by digit.
    Digits,
    Cardinal,
    Ordinal,
    Fraction,
    /// A number with its unit.
    Unit,
    Currency,
    Telephone,
    /// A date. The parts are in the given order, or in the order that the text suggests.
    Date(Option<DateOrder>),
    Time,
}

/// Order of the parts of a date in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
    DayMonth,
    MonthDay,
    MonthYear,
    YearMonth,
    Year,
}

impl SayAs {
    /// Returns the kind that an element declares. Returns `None` for unsupported kinds, whose text is read as plain
    /// text.
    pub(super) fn of(tag: &Tag) -> Option<Self> {
        Some(match tag.attribute("interpret-as")?.to_ascii_lowercase().as_str() {
            "characters" | "character" | "spell-out" | "spell" | "verbatim" | "letters" => Self::Characters,
            "digits" | "digit" | "number_digit" => Self::Digits,
            "cardinal" | "number" => Self::Cardinal,
            "ordinal" => Self::Ordinal,
            "fraction" => Self::Fraction,
            "unit" | "measure" => Self::Unit,
            "currency" | "money" => Self::Currency,
            "telephone" => Self::Telephone,
            "date" => Self::Date(tag.attribute("format").and_then(DateOrder::of)),
            "time" => Self::Time,
            _ => return None,
        })
    }
}

impl DateOrder {
    /// Parses the order of a `format` attribute: `dmy`, or a longer form such as `yyyymmdd`.
    fn of(format: &str) -> Option<Self> {
        let mut parts: Vec<char> =
            format.to_ascii_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
        parts.dedup();
        Some(match parts.as_slice() {
            ['d', 'm', 'y'] => Self::DayMonthYear,
            ['m', 'd', 'y'] => Self::MonthDayYear,
            ['y', 'm', 'd'] => Self::YearMonthDay,
            ['d', 'm'] => Self::DayMonth,
            ['m', 'd'] => Self::MonthDay,
            ['m', 'y'] => Self::MonthYear,
            ['y', 'm'] => Self::YearMonth,
            ['y'] => Self::Year,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_common_names_of_kinds() {
        let cases = [
            ("say-as interpret-as='characters'", Some(SayAs::Characters)),
            ("say-as interpret-as='Spell-Out'", Some(SayAs::Characters)),
            ("say-as interpret-as='number'", Some(SayAs::Cardinal)),
            (
                "say-as interpret-as='date' format='yyyymmdd'",
                Some(SayAs::Date(Some(DateOrder::YearMonthDay))),
            ),
            ("say-as interpret-as='date' format='dd/mm'", Some(SayAs::Date(Some(DateOrder::DayMonth)))),
            ("say-as interpret-as='date' format='?'", Some(SayAs::Date(None))),
            ("say-as interpret-as='expletive'", None),
            ("say-as", None),
        ];
        for (tag, wanted) in cases {
            assert_eq!(SayAs::of(&Tag::parse(tag)), wanted, "{tag}");
        }
    }
}
