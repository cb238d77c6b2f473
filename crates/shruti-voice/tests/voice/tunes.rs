//! Tests of intonation and pauses in the audio: pitch in questions, numbers, focus, parentheses and exclamations.

use std::ops::Range;

use shruti_lang::Language;
use shruti_text::utterance::{Break, Contour, Utterance, Weight};
use shruti_voice::{Renderer, UtterancePlan, Voice};

use crate::support::{level, median, render, style, utterance};

const WORDS: &str = "maːnaː mulaː naːnaː laːnaː maːlaː";

/// Number of samples between two pitch measurements: 5 ms.
const STEP: usize = 120;

/// Returns the pitch of the voiced parts of an utterance spoken by Arjun, as pairs of a sample position and semitones
/// above 100 Hz, and the word times. The pitch is the one that the renderer reports, because the pitch of the creak at
/// a low sentence end cannot be detected in the audio.
fn measure_pitch(utterance: &Utterance) -> (Vec<(usize, f32)>, Vec<Range<usize>>) {
    let plan = UtterancePlan::new(utterance, &style(Voice::Arjun));
    let times = plan.word_times().to_vec();
    let (mut renderer, mut block, mut at, mut pitch) = (Renderer::new(plan), [0; STEP], 0, Vec::new());
    while renderer.render(&mut block) > 0 {
        at += STEP;
        pitch.extend(renderer.f0().map(|hertz| (at, 12.0 * (hertz / 100.0).log2())));
    }
    (pitch, times)
}

/// Returns the pitch of a range of words.
fn pitch_of(utterance: &Utterance, words: Range<usize>) -> Vec<f32> {
    let (pitch, times) = measure_pitch(utterance);
    let span = times[words.start].start..times[words.end - 1].end;
    pitch.into_iter().filter(|(at, _)| span.contains(at)).map(|(_, height)| height).collect()
}

fn highest(pitch: &[f32]) -> f32 {
    pitch.iter().copied().fold(f32::MIN, f32::max)
}

/// Returns the highest pitch in the second half of a word, where the rise of a phrase ends.
fn peak(utterance: &Utterance, word: usize) -> f32 {
    let pitch = pitch_of(utterance, word..word + 1);
    highest(&pitch[pitch.len() / 2..])
}

fn last(pitch: &[f32]) -> f32 {
    median(pitch[pitch.len().saturating_sub(4)..].to_vec())
}

fn with(contour: Contour, language: Language) -> Utterance {
    Utterance { contour, ..utterance(WORDS, language) }
}

#[test]
fn yes_no_questions_end_high_or_peak_at_the_end() {
    for language in Language::ALL {
        let pitch = pitch_of(&with(Contour::YesNoQuestion, language), 0..5);
        let middle = median(pitch.clone());
        assert!(highest(&pitch[pitch.len() - 30..]) > middle + 4.0, "{language}: {pitch:?}");
        if language.base() == Language::Bengali {
            assert!(last(&pitch) < highest(&pitch) - 4.0, "low, high, low: {pitch:?}");
        } else {
            assert!(last(&pitch) > middle + 3.0, "{language}: {pitch:?}");
        }
    }
}

#[test]
fn alternatives_rise_and_the_last_one_falls() {
    for language in Language::ALL {
        let mut question = with(Contour::AlternativeQuestion, language);
        question.words[2].break_after = Break::Phrase;
        let pitch = pitch_of(&question, 0..5);
        assert!(last(&pitch) < median(pitch.clone()) - 1.5, "{language}: {pitch:?}");
        let first = peak(&question, 2);
        assert!(first > last(&pitch) + 7.0, "{language}: {first} {pitch:?}");
        let stated = peak(&Utterance { contour: Contour::Statement, ..question }, 2);
        assert!(first > stated + 1.0, "{language}: {first} {stated}");
    }
}

#[test]
fn digit_groups_are_separated_and_only_the_last_falls() {
    for language in Language::ALL {
        let mut number = utterance("maː naː laː maː naː laː", language);
        number.words[2].break_after = Break::Group;
        let (samples, times) = (render(&number, &style(Voice::Arjun)), measure_pitch(&number).1);
        let pause = &samples[times[2].end + 480..times[3].start - 480];
        assert!(level(pause) < 10.0, "{language}");
        let (first, second) = (pitch_of(&number, 2..3), pitch_of(&number, 5..6));
        assert!(
            last(&first) > first[0] && last(&first) > last(&second) + 5.0,
            "{language}: {first:?} {second:?}"
        );
    }
}

#[test]
fn a_word_in_focus_is_higher_and_what_follows_is_narrower() {
    for language in Language::ALL {
        let plain = utterance(WORDS, language);
        let mut focused = plain.clone();
        focused.words[1].weight = Weight::Focus;
        let rise = peak(&focused, 1) - peak(&plain, 1);
        assert!(rise > 0.9, "{language}: {rise}");
        let after = peak(&plain, 3) - peak(&focused, 3);
        assert!(after > 0.4, "{language}: {after}");
        // Hindi has the strongest compression of the pitch range after a focus (Patil et al. 2008)
        if language.base() == Language::Hindi {
            assert!(after > 1.5, "{after}");
        }
    }
}

#[test]
fn an_exclamation_has_a_wider_range_than_a_statement() {
    for language in Language::ALL {
        let span = |contour| {
            let mut pitch = pitch_of(&with(contour, language), 0..5);
            pitch.sort_by(f32::total_cmp);
            pitch[pitch.len() * 19 / 20] - pitch[pitch.len() / 20]
        };
        let wider = span(Contour::Exclamation) - span(Contour::Statement);
        assert!(wider > 1.5, "{language}: {wider} semitones");
    }
}

#[test]
fn parentheses_are_lower_and_narrower() {
    for language in Language::ALL {
        let plain = utterance(WORDS, language);
        let mut enclosed = plain.clone();
        for word in &mut enclosed.words[2..4] {
            word.aside = true;
        }
        enclosed.words[1].break_after = Break::Breath;
        enclosed.words[3].break_after = Break::Breath;
        let mut apart = enclosed.clone();
        apart.words.iter_mut().for_each(|word| word.aside = false);
        let drop = median(pitch_of(&apart, 2..4)) - median(pitch_of(&enclosed, 2..4));
        assert!(drop > 1.0, "{language}: {drop} semitones");
    }
}

#[test]
fn final_tones_depend_only_on_the_words_and_their_position() {
    let end = |text: &str, sentence: u32, closing: Break| {
        let mut statement = utterance(WORDS, Language::Hindi);
        statement.words.iter_mut().for_each(|word| word.text = text.to_owned());
        statement.sentence = sentence;
        statement.words[4].break_after = closing;
        last(&pitch_of(&statement, 0..5))
    };
    let texts = ["aam", "ber", "cup", "dal", "eka", "fal", "gul", "haw"];
    let ends: Vec<f32> = texts.iter().map(|text| end(text, 0, Break::Sentence)).collect();
    let spread = highest(&ends) - ends.iter().copied().fold(f32::MAX, f32::min);
    // the creak at the end, if there is one, contributes to the spread
    assert!((0.5..4.0).contains(&spread), "{ends:?}");
    assert_eq!(end("aam", 0, Break::Sentence), ends[0]);
    assert_ne!(end("aam", 1, Break::Sentence), ends[0]);
    assert!(end("aam", 0, Break::Paragraph) < ends[0]);
    // the first sentence of a paragraph starts higher than the fifth
    let start = |sentence| {
        let pitch = pitch_of(&Utterance { sentence, ..utterance(WORDS, Language::Hindi) }, 0..2);
        highest(&pitch)
    };
    assert!(start(0) > start(4) + 0.3, "{} {}", start(0), start(4));
}
