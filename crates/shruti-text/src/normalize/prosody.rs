//! Prosodic cues of the written form: function words, parentheses and quotations.

use shruti_lang::Language;

use crate::class::Class;
use crate::data::{self, is_in};
use crate::normalize::spoken_word::SpokenWord;
use crate::utterance::{Break, Weight};

/// Minimum number of words of a quotation that is preceded by a pause.
const QUOTED_SPEECH: usize = 3;

/// Gives function words the weight [`Weight::Function`].
pub(crate) fn weigh(words: &mut [SpokenWord], language: Language) {
    let prosody = &data::of(language).prosody;
    for word in words.iter_mut() {
        // a digit that is read out is not an article: ಒಂದು
        let digit = matches!(word.class, Class::Digits | Class::Telephone);
        if !digit && word.weight == Weight::Content && is_in(&prosody.function, &word.text) {
            word.weight = Weight::Function;
        }
    }
}

/// Marks parentheses and the start of quotations. If `inside` is true, a parenthesis is open before the words. Returns
/// whether a parenthesis is open after them.
pub(crate) fn enclose(words: &mut [SpokenWord], inside: bool) -> bool {
    let mut open = inside;
    for at in 0..words.len() {
        if !open && is_title(&words[at]) {
            words[at].break_after = Break::None;
            continue;
        }
        if words[at].opening.contains('(') {
            open = true;
            pause_before(words, at);
        }
        if is_speech(words, at) {
            pause_before(words, at);
        }
        words[at].aside = open;
        if open && words[at].punctuation.contains(')') {
            open = false;
            words[at].break_after = words[at].break_after.max(Break::Breath);
        }
    }
    open
}

/// Returns whether a word is an abbreviated title that is alone in parentheses and is spoken as if there were no
/// parentheses: অধ্যাপক (ড.) সেন.
fn is_title(word: &SpokenWord) -> bool {
    word.class == Class::Abbreviation && word.opening == "(" && word.punctuation == ")"
}

fn pause_before(words: &mut [SpokenWord], at: usize) {
    if let Some(before) = at.checked_sub(1).and_then(|before| words.get_mut(before)) {
        before.break_after = before.break_after.max(Break::Breath);
    }
}

/// Returns whether a quotation of at least three words starts with the word at `at`. A shorter quotation may be a name
/// or a title.
fn is_speech(words: &[SpokenWord], at: usize) -> bool {
    let opens = |c: char| matches!(c, '"' | '“' | '«' | '‘');
    let closes = |c: char| matches!(c, '"' | '”' | '»' | '’');
    if !words[at].opening.contains(opens) {
        return false;
    }
    let end = words[at..].iter().position(|word| word.punctuation.contains(closes));
    end.map_or(words.len() - at, |end| end + 1) >= QUOTED_SPEECH
}
