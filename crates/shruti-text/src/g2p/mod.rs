//! Graphemes to phones: a word in the script of its language to its phones, by the rules of the language.
//!
//! Each language is a file of the same shape: `pronounce(word) -> Vec<Phone>` on top of the shared
//! [`akshara`](crate::akshara) parser, with its exceptions in `data/<code>/exceptions.tsv`.

mod allophones;
mod dravidian;
mod exceptions;
mod letters;
mod linear;
mod morphemes;
mod nasal;
mod schwa;
pub mod spelling;
mod stems;

pub mod bengali;
pub mod gujarati;
pub mod hindi;
pub mod kannada;
pub mod malayalam;
pub mod marathi;
pub mod odia;
pub mod punjabi;
pub mod tamil;
pub mod telugu;

use shruti_protocol::Language;

use crate::phone::Phone;

pub(crate) use allophones::realise;

/// The phones of a word written in the script of `language`; for English, in Latin letters.
///
/// Characters of another script are passed over; a word with nothing to say gives no phones.
pub fn pronounce(word: &str, language: Language) -> Vec<Phone> {
    match language {
        Language::Hindi => hindi::pronounce(word),
        Language::Bengali => bengali::pronounce(word),
        Language::Marathi => marathi::pronounce(word),
        Language::Gujarati => gujarati::pronounce(word),
        Language::Punjabi => punjabi::pronounce(word),
        Language::Odia => odia::pronounce(word),
        Language::Tamil => tamil::pronounce(word),
        Language::Telugu => telugu::pronounce(word),
        Language::Kannada => kannada::pronounce(word),
        Language::Malayalam => malayalam::pronounce(word),
        Language::English => Vec::new(),
    }
}
