//! The language of a text that comes without one: by its script, and by its words where several languages share the script.

use shruti_protocol::Language;

use crate::chars::{is_alphabetic, is_mark};
use crate::language;
use crate::normalize::data;
use crate::script::Script;

/// The language of a text by its first letter that is not Latin; Latin letters alone mean English.
///
/// Of the languages written in the same script it is the one that most words of grammar in the text belong to alone, and
/// the first of them in [`Language::ALL`] where the words do not tell.
pub(crate) fn language_of(text: &str) -> Language {
    let mut scripts = text.chars().filter_map(Script::of);
    match scripts.find(|&script| script != Script::Latin) {
        Some(script) => by_words(text, &language::written_in(script).collect::<Vec<_>>()),
        None => Language::English,
    }
}

/// Which of the languages of one script the words of a text are in; there is at least one.
fn by_words(text: &str, languages: &[Language]) -> Language {
    if let [only] = languages {
        return *only;
    }
    let mut own_words = vec![0_usize; languages.len()];
    let words = text.split(|c: char| !(is_alphabetic(c) || is_mark(c))).filter(|word| !word.is_empty());
    for word in words {
        let mut places = (0..languages.len()).filter(|&place| is_grammar(word, languages[place]));
        if let (Some(place), None) = (places.next(), places.next()) {
            own_words[place] += 1;
        }
    }
    let most = own_words.iter().copied().max().unwrap_or(0);
    let first = own_words.iter().position(|&count| count == most);
    first.map_or(Language::English, |place| languages[place])
}

/// Whether a language has a word among its function words or its question words.
fn is_grammar(word: &str, language: Language) -> bool {
    let prosody = &data::of(language).prosody;
    prosody.function.contains(word) || prosody.question.has_exactly(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_in_the_language_of_its_script_and_words() {
        let cases = [
            ("हे पुस्तक माझे आहे आणि ते फार चांगले आहे.", Language::Marathi, "words of Marathi"),
            ("यह किताब मेरी है और बहुत अच्छी है।", Language::Hindi, "words of Hindi"),
            ("नमस्कार", Language::Hindi, "a word of both: the first language of the script"),
            ("तुम्ही OTP 4582 कोणाला दिला?", Language::Marathi, "Latin letters do not count"),
            ("আমি ভালো আছি", Language::Bengali, "a script of one language"),
            ("hello नमस्ते", Language::Hindi, "the first letters that are not Latin"),
            ("hello", Language::English, "Latin letters alone"),
            ("42", Language::English, "no letters"),
        ];
        for (text, language, why) in cases {
            assert_eq!(language_of(text), language, "{text}: {why}");
        }
    }
}
