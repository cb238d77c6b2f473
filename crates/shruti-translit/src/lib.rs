//! Romanised words of the languages of India in their own script: `nhi` is नहीं, `vanakkam` வணக்கம்.
//!
//! People romanise as they please, so that a word has many ways to be typed and a way many words. A native word is read
//! out of it as out of a noisy channel (Shannon, 1948; for romanised Indian text Roark et al., 2020): the best reading
//! is the one for which the word itself, its neighbours, and its being typed like this are likeliest together. Tables
//! are read as they lie in the binary; what every word asks for is indexed when a language is first used, in some 100
//! KB.

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

pub use channel::STEPS_A_NAT;
pub use data::{languages, model};
pub use languages::{Languages, WordCosts};
pub use model::{Model, Weights};
pub use reading::{MOST_READINGS, Reading};
pub use roman::{MAX_LETTERS, Roman};
