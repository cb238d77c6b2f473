//! The words of an utterance as a text for others: as they are spoken, with punctuation for the pauses and the melody.

use shruti_lang::Language;
use shruti_text::utterance::{Break, Contour, Utterance};

/// The spoken words, with commas where they pause and a sign at the end.
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
        Contour::Statement => match utterance.language {
            Language::Hindi | Language::Bengali | Language::Odia | Language::Punjabi => '।',
            _ => '.',
        },
    }
}
