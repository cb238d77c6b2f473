//! `kind = "kokoro"`: this project's phones in Kokoro-82M's symbols, one character each.

use shruti_kokoro::KokoroWord;
use shruti_text::utterance::Word;

pub(super) fn write(word: &Word) -> Vec<String> {
    KokoroWord::new(word).symbols.into_iter().map(String::from).collect()
}
