//! Times of day.

mod abbreviated;
mod clock;
mod dotted;
mod names;
mod read;
mod words;

pub(crate) use self::abbreviated::{after_hour, before_hour, before_minutes};
pub(crate) use self::clock::{Clock, minutes_at};
pub(crate) use self::dotted::{is_hyphened, is_shown_as_time};
pub(crate) use self::names::{
    abbreviated_before, follows_hour_abbreviation, follows_part_of_day, is_hour_word, is_oclock,
    is_spoken_hour, part_of_day,
};
pub(crate) use self::read::is_slash_time;
pub(crate) use self::words::ends_range;
