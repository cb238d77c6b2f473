//! Conversion of romanised words of Indian languages to their native script: `nhi` becomes नहीं, and `vanakkam` becomes
//! வணக்கம்.
//!
//! Romanisation is not standardised, so a word has many romanisations, and one romanisation can stand for several
//! words. This crate uses a noisy-channel model (Shannon, 1948; for romanised Indian text Roark et al., 2020): the best
//! reading maximises the joint probability of the word, its neighbours, and its romanisation. The tables are used in
//! place. On first use of a language, indexes of about 100 KB in total are built for the parts that are read for every
//! word.

mod channel;
mod code;
mod data;
mod hashed;
mod languages;
mod lexicon;
mod model;
mod reading;
mod roman;
mod sentence;
mod spelling;
#[cfg(feature = "train")]
pub mod train;
pub mod units;

pub use channel::STEPS_PER_NAT;
pub use data::{languages, model};
pub use languages::{Languages, WordCosts};
pub use model::{Model, Weights};
pub use reading::{MAX_READINGS, Reading};
pub use roman::{MAX_LETTERS, Roman};
