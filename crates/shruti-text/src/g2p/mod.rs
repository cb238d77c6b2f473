//! Rules of grapheme-to-phoneme conversion that several languages share.
//!
//! The rules of each language are in a file of [`language`](crate::language). They build on the [`akshara`](crate::akshara)
//! parser and on the rules that a language family shares, which are here. `word.rs` applies them.

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
