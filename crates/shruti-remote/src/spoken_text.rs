//! Conversion of an utterance to text for other engines: the spoken words, with punctuation for pauses and intonation.

use shruti_lang::Language;
use shruti_text::utterance::{Break, Contour, Utterance};

/// Returns the spoken words, with a comma at each pause and a punctuation mark at the end.
pub(crate) fn spoken(utterance: &Utterance) -> String {
    let mut text = String::new();
    let last = utterance.words.len().saturating_sub(1);
    for (at, word) in utterance.words.iter().enumerate() {
        text.push_str(&word.text);
        if at == last {
            text.push(closing(utterance));
        } else {
            if word.break_after >= Break::Comma || word.break_after == Break::Group {
                text.push(',');
            }
            text.push(' ');
        }
    }
    text
}

fn closing(utterance: &Utterance) -> char {
    match utterance.contour {
        Contour::Continuation => ',',
        Contour::YesNoQuestion | Contour::WhQuestion | Contour::AlternativeQuestion => '?',
        Contour::Exclamation => '!',
        Contour::Statement if utterance.language == Language::Urdu => '۔',
        Contour::Statement => match utterance.language.base() {
            Language::Hindi | Language::Bengali | Language::Odia | Language::Punjabi => '।',
            _ => '.',
        },
    }
}
