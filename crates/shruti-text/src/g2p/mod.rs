//! Rules of grapheme-to-phoneme conversion that several languages share.
//!
//! The rules of each language are in a module of [`language`](crate::language). They use the
//! [`akshara`](crate::akshara) parser and the rules in this module, which the languages of a family share.
//! `native_word.rs` applies the rules of a language to a word.

pub(crate) mod dravidian;
pub(crate) mod exceptions;
pub(crate) mod indo_aryan;
pub(crate) mod learned;
pub(crate) mod letter_names;
pub(crate) mod letters;
pub(crate) mod linear;
pub(crate) mod morphemes;
pub(crate) mod nasal;
pub(crate) mod schwa;
pub mod spelling;
pub(crate) mod stems;
pub(crate) mod vowels;
