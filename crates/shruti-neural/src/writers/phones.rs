//! `kind = "phones"`: this project's phones, one symbol each.

use shruti_text::utterance::Word;

pub(super) fn write(word: &Word) -> Vec<String> {
    word.phones.iter().map(ToString::to_string).collect()
}
