//! Text front end for languages of India (eleven finished, others in beta): turns text that arrives in pieces into
//! segments, spoken words and phones.
//!
//! Data flows in one direction, and each stage is a module:
//!
//! ```text
//! pieces → clean + segment → normalize → (latin, transliteration) → g2p / english → syllable → utterance
//! ```
//!
//! [`Reader`] runs all stages. Push text to it as it arrives, and take each [`utterance::Utterance`], and each pause
//! that SSML requests between utterances, as soon as it is ready. This crate performs no I/O, and the work for a piece
//! of text is linear in its length.

pub mod akshara;
mod chars;
pub mod class;
pub mod clean;
mod clean_char;
mod data;
pub mod english;
mod entity;
pub mod explain;
mod files;
mod foreign;
pub mod g2p;
mod item;
pub mod language;
pub mod latin;
pub mod lexicon;
mod native_word;
pub mod normalize;
mod per_language;
pub mod phone;
mod pronounce;
mod prosody;
mod reader;
pub mod script;
pub mod segment;
pub mod ssml;
pub mod syllable;
mod table;
mod text_language;
pub mod transliterate;
pub mod utterance;
pub mod verbosity;
mod word;
mod word_list;

pub use chars::is_closing_punctuation;
pub use class::Class;
pub use clean::is_ssml;
pub use explain::explain;
pub use lexicon::Lexicon;
pub use normalize::normalize_line;
pub use pronounce::phones_of_word;
pub use reader::{Reader, Settings, extra_chars, warm_up};
pub use text_language::SpokenLanguage;
