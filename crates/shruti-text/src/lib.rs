//! Text in pieces to segments, spoken words and phones, in eleven languages of India.

pub mod phone;
pub mod utterance;
