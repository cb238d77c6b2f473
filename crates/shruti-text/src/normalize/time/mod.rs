//! Times of day.

mod abbreviated;
mod clock;
mod dotted;
mod names;
mod read;
mod words;

pub(super) use self::abbreviated::{after_hour, before_hour, before_minutes};
pub(super) use self::clock::{Clock, minutes_at};
pub(super) use self::dotted::{is_hyphened, is_shown_as_time};
pub(super) use self::names::{
    abbreviated_before, follows_hour_abbreviation, follows_part_of_day, is_hour_word, part_of_day,
};
pub(super) use self::read::is_slash_time;
