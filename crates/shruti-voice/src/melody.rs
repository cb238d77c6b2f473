//! Intonation of an utterance: tones of accentual phrases, joined by smooth curves.
//!
//! Indian languages are phrase languages (Féry 2010; Khan 2014): each accentual phrase, roughly a content word with its
//! function words, starts low and rises to its end. Each rise is a step lower than the preceding one, and the last
//! phrase falls.

use shruti_text::utterance::{Break, Contour, Tone, Utterance, Weight};

use crate::tables::{LanguageData, QuestionFocus};
use crate::variation::Variation;

/// A point of a pitch contour or of another curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Time, in frames from the start of the utterance.
    pub(crate) frame: u32,
    /// Pitch in semitones above the middle of the speaker's range, or the value of another curve, such as a level
    /// change in dB.
    pub(crate) height: f32,
}

/// Frame range of the vowel of a syllable, or of the whole word if the word has no vowels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nucleus {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) stressed: bool,
    pub(crate) tone: Option<Tone>,
    /// Index of the word.
    pub(crate) word: usize,
}

/// An accentual phrase.
struct Phrase {
    nuclei: std::ops::Range<usize>,
    closing: Break,
    /// Maximum weight of the words of the phrase.
    weight: Weight,
    /// Whether the phrase is in parentheses.
    aside: bool,
}

/// Number of downsteps at the start of an utterance that continues a sentence.
const CONTINUATION_STEPS: f32 = 1.5;

/// Returns the points of the pitch contour in order of time, and the points of the lexical tones, a second curve that
/// the renderer adds to the contour.
pub(crate) fn melody(
    utterance: &Utterance,
    language: &LanguageData,
    nuclei: &[Nucleus],
) -> (Vec<Point>, Vec<Point>) {
    let phrases = phrases(utterance, nuclei);
    let mut points = Vec::with_capacity(phrases.len() * 3 + 2);
    let data = &language.melody;
    // A short sentence has a smaller pitch range than a long one, and digits are spoken without variation.
    let number = utterance.words.iter().any(|word| word.break_after == Break::Group);
    let share = if number { 0.0 } else { (phrases.len().saturating_sub(3) as f32 / 2.0).min(1.0) };
    let exclaimed = if matches!(utterance.contour, Contour::Exclamation) { data.exclamation } else { 1.0 };
    let range = exclaimed * (1.0 + share * (data.span - 1.0));
    let question_phrase = question_phrase(utterance, &phrases, data.question_focus);
    let focus = phrases.iter().position(|phrase| phrase.weight >= Weight::Focus).or(question_phrase);
    let mut varied = Variation::of(utterance, data.variation);
    // The first sentence of a paragraph is raised most; each following sentence is raised half as much as the preceding
    // one.
    let lift =
        share * data.paragraph * libm::powf(0.5, utterance.sentence.min(8) as f32) * varied.factor(0.3);
    let floor = (data.final_low - longer(phrases.len()) - closing_drop(utterance) + varied.height()) * range;
    let mut step = if utterance.begins_sentence { 0.0_f32 } else { CONTINUATION_STEPS };
    for (index, phrase) in phrases.iter().enumerate() {
        let nuclei = &nuclei[phrase.nuclei.clone()];
        let (Some(first), Some(last)) = (nuclei.first(), nuclei.last()) else { continue };
        // The steps become smaller, so the total descent stays below four times the first step.
        let lowered = (1.0 - libm::powf(0.75, step)) / 0.25;
        let mut low = data.low - data.declination * lowered + 0.5 * lift;
        let rise = data.rise * if nuclei.len() == 1 { 0.6 } else { 1.0 } * varied.factor(0.15 * share);
        let mut high = data.low + lift + (rise - data.downstep * lowered).max(1.5);
        match phrase.weight {
            Weight::Emphasis => high += 2.5,
            Weight::Focus => high += data.focus,
            Weight::Function | Weight::Content => {}
        }
        if Some(index) == question_phrase {
            high += data.question_word;
        }
        // The words after a focus are known information, so their range is narrower.
        if focus.is_some_and(|focus| index > focus) {
            high = low + (high - low) * data.post_focus;
        }
        if phrase.aside {
            low -= data.aside_drop;
            high = low + (high + data.aside_drop - low) * data.aside_range - data.aside_drop;
        }
        let (low, high) = (low * range, high * range);
        let stressed = nuclei.iter().find(|nucleus| nucleus.stressed).unwrap_or(first);
        let mut tones = Tones { points: &mut points };
        if index + 1 < phrases.len() {
            let least = match phrase.closing {
                _ if phrase.aside => f32::MIN,
                Break::Phrase | Break::Breath | Break::Comma
                    if utterance.contour == Contour::AlternativeQuestion =>
                {
                    data.alternative
                }
                Break::None | Break::Phrase => f32::MIN,
                Break::Group => data.group,
                _ => data.continuation,
            };
            tones.rise(first, last, low, high.max(least));
            step += 1.0;
            if phrase.closing >= Break::Group {
                step = (step - CONTINUATION_STEPS).max(0.5);
            }
        } else {
            match utterance.contour {
                Contour::Statement
                | Contour::Exclamation
                | Contour::WhQuestion
                | Contour::AlternativeQuestion => {
                    tones.fall(first, stressed, last, low, high, floor);
                }
                Contour::Continuation => {
                    tones.rise(first, last, low, high.max(data.continuation + 0.5 * varied.height()));
                }
                Contour::YesNoQuestion => {
                    tones.question(
                        first,
                        last,
                        low,
                        data.question + 0.5 * varied.height(),
                        data.question_end,
                    );
                }
            }
        }
    }
    (points, lexical_tones(language, nuclei))
}

/// Returns the number of semitones by which a sentence with this number of phrases ends lower than a short sentence.
fn longer(phrases: usize) -> f32 {
    (0.15 * phrases.saturating_sub(3) as f32).min(0.6)
}

/// Returns the number of semitones by which an utterance ends lower because it ends a paragraph; 0 if it does not.
fn closing_drop(utterance: &Utterance) -> f32 {
    let ends = utterance.words.last().is_some_and(|word| word.break_after == Break::Paragraph);
    if ends { 0.8 } else { 0.0 }
}

/// Builder for a pitch contour that adds tones in order of time.
struct Tones<'a> {
    points: &'a mut Vec<Point>,
}

impl Tones<'_> {
    fn put(&mut self, frame: u32, height: f32) {
        let earliest = self.points.last().map_or(0, |point| point.frame + 1);
        self.points.push(Point { frame: frame.max(earliest), height });
    }

    /// Adds a low tone on the first syllable and a high tone at the end of the last syllable.
    fn rise(&mut self, first: &Nucleus, last: &Nucleus, low: f32, high: f32) {
        self.put(share(first, 0.35), low);
        self.put(share(last, 0.85), high);
    }

    /// Adds a peak on the stressed syllable and a fall to the floor.
    fn fall(&mut self, first: &Nucleus, stressed: &Nucleus, last: &Nucleus, low: f32, high: f32, floor: f32) {
        let peak = 0.55 * high + 0.45 * low;
        if first.start == last.start {
            // A single syllable must contain the whole fall.
            self.put(first.start, peak);
            self.put(share(first, 0.2), peak);
            self.put(share(last, 0.85), floor);
            return;
        }
        if stressed.start > first.start {
            self.put(share(first, 0.3), low);
            self.put(share(stressed, 0.4), peak);
        } else {
            self.put(first.start, 0.5 * (low + peak));
            self.put(share(first, 0.5), peak);
        }
        self.put(share(last, 0.95), floor);
    }

    /// Adds a low tone up to the last syllable, then a rise, and a final fall if there is an `end`.
    fn question(&mut self, first: &Nucleus, last: &Nucleus, low: f32, top: f32, end: Option<f32>) {
        self.put(share(first, 0.35), low + 1.0);
        if last.start > first.start {
            self.put(share(last, 0.1), low);
        }
        match end {
            None => self.put(share(last, 0.95), top),
            Some(end) => {
                self.put(share(last, 0.5), top);
                self.put(share(last, 0.97), end);
            }
        }
    }
}

/// Returns the frame at a fraction of a nucleus.
fn share(nucleus: &Nucleus, share: f32) -> u32 {
    nucleus.start + ((nucleus.end.saturating_sub(nucleus.start)) as f32 * share) as u32
}

/// Returns the accentual phrases: groups of a content word and its function words, split at every phrase break.
fn phrases(utterance: &Utterance, nuclei: &[Nucleus]) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = Vec::new();
    let mut nucleus = 0;
    let mut nuclei_start = 0;
    let mut weight = Weight::Function;
    for (index, word) in utterance.words.iter().enumerate() {
        while nucleus < nuclei.len() && nuclei[nucleus].word <= index {
            nucleus += 1;
        }
        weight = weight.max(word.weight);
        let next = utterance.words.get(index + 1);
        let ends = next.is_none_or(|next| {
            word.break_after >= Break::Phrase
                || (weight != Weight::Function && next.weight != Weight::Function)
        });
        if ends && nucleus > nuclei_start {
            let nuclei = nuclei_start..nucleus;
            phrases.push(Phrase { nuclei, closing: word.break_after, weight, aside: word.aside });
            nuclei_start = nucleus;
            weight = Weight::Function;
        }
    }
    phrases
}

/// Returns the index of the phrase that contains the focus of a wh-question: the phrase with the question word or
/// another emphasised word, otherwise the default of the language. Returns `None` for other utterances.
fn question_phrase(utterance: &Utterance, phrases: &[Phrase], focus: QuestionFocus) -> Option<usize> {
    if utterance.contour != Contour::WhQuestion || phrases.is_empty() {
        return None;
    }
    let most = phrases.iter().map(|phrase| phrase.weight).max().filter(|&most| most >= Weight::Focus);
    let usual = match focus {
        QuestionFocus::Initial => 0,
        QuestionFocus::Preverbal => phrases.len().saturating_sub(2),
    };
    Some(most.and_then(|most| phrases.iter().position(|phrase| phrase.weight == most)).unwrap_or(usual))
}

/// Returns the lexical tones of Punjabi: the low tone dips and rises within its syllable; the high tone rises and falls
/// into the next syllable.
fn lexical_tones(language: &LanguageData, nuclei: &[Nucleus]) -> Vec<Point> {
    let mut points = Vec::new();
    let mut tones = Tones { points: &mut points };
    for nucleus in nuclei {
        // Start and end of the plateau as fractions of the vowel, its height, and the height at the end of the vowel.
        let (reached, left, height, end) = match nucleus.tone {
            None => continue,
            Some(Tone::Low) => (0.25, 0.6, language.melody.tone_low, 1.0),
            Some(Tone::High) => (0.45, 0.8, language.melody.tone_high, 1.5),
        };
        tones.put(nucleus.start.saturating_sub(20), 0.0);
        tones.put(share(nucleus, reached), height);
        tones.put(share(nucleus, left), height);
        tones.put(nucleus.end, end);
        tones.put(nucleus.end + 40, 0.0);
    }
    points
}

#[cfg(test)]
mod tests {
    use shruti_lang::Language;
    use shruti_text::Class;
    use shruti_text::phone::parse_ipa;
    use shruti_text::utterance::{Delivery, Word};

    use super::*;
    use crate::{Style, UtterancePlan};

    /// Creates an utterance from words in IPA; a comma after a word ends a phrase.
    fn said(ipa: &str, language: Language, contour: Contour) -> Utterance {
        let mut words: Vec<Word> = ipa
            .split_whitespace()
            .map(|ipa| Word {
                text: "x".into(),
                language,
                class: Class::Word,
                phones: parse_ipa(ipa.trim_end_matches(',')).unwrap(),
                syllables: Vec::new(),
                source: 0..1,
                extra_chars: 0,
                weight: Weight::Content,
                break_after: if ipa.ends_with(',') { Break::Comma } else { Break::None },
                aside: false,
                delivery: Delivery::default(),
            })
            .collect();
        words.last_mut().unwrap().break_after = Break::Sentence;
        Utterance { index: 0, language, words, contour, begins_sentence: true, sentence: 0, source: 0..1 }
    }

    /// Returns the heights of the points of the pitch contour, each with its word.
    fn points(utterance: &Utterance) -> Vec<(usize, f32)> {
        let plan = UtterancePlan::new(utterance, &Style::default());
        let word_at = |frame: u32| {
            let sample = frame as usize * crate::plan::FRAME;
            plan.word_times().iter().rposition(|times| times.start <= sample).unwrap_or(0)
        };
        plan.melody.iter().map(|point| (word_at(point.frame), point.height)).collect()
    }

    fn highest(points: &[(usize, f32)]) -> (usize, f32) {
        points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }

    #[test]
    fn statements_fall_even_with_one_word() {
        for language in Language::ALL {
            for ipa in ["ma", "maːna", "maːna paːni kaːla", "kaːm"] {
                let heights = points(&said(ipa, language, Contour::Statement));
                let last = heights.last().unwrap().1;
                assert!(last < -4.0, "{language} {ipa} ends at {last}");
                assert!(last < highest(&heights).1 - 3.0, "{language} {ipa}: {heights:?}");
            }
        }
    }

    #[test]
    fn a_yes_no_question_ends_highest() {
        for language in Language::ALL {
            for ipa in ["ma", "maːna", "maːna paːni kaːla"] {
                let mut heights = points(&said(ipa, language, Contour::YesNoQuestion));
                if language.base() == Language::Bengali {
                    let end = heights.pop().unwrap().1;
                    assert!(end < highest(&heights).1 - 6.0, "low, high, low: {heights:?} {end}");
                }
                assert_eq!(*heights.last().unwrap(), highest(&heights), "{language} {ipa}: {heights:?}");
            }
        }
    }

    #[test]
    fn a_question_word_is_the_peak_and_the_question_falls() {
        for language in Language::ALL {
            let mut question = said("maːna paːni kaːla taːla", language, Contour::WhQuestion);
            question.words[1].weight = Weight::Emphasis;
            let heights = points(&question);
            assert_eq!(highest(&heights).0, 1, "{language}: {heights:?}");
            assert!(heights.last().unwrap().1 < -4.0, "{language}: {heights:?}");
            let stated = points(&Utterance { contour: Contour::Statement, ..question });
            assert!(highest(&heights).1 > highest(&stated).1 + 2.0, "{language}: {heights:?} {stated:?}");
        }
    }

    #[test]
    fn each_item_of_a_list_rises_and_the_last_falls() {
        for language in Language::ALL {
            let heights = points(&said("maːna, paːni, kaːla, taːla", language, Contour::Statement));
            for item in 0..3 {
                let own: Vec<f32> = heights.iter().filter(|p| p.0 == item).map(|p| p.1).collect();
                assert!(own.last() > own.first(), "{language} item {item}: {heights:?}");
            }
            assert!(heights.last().unwrap().1 < -4.0, "{language}: {heights:?}");
        }
    }

    #[test]
    fn an_exclamation_has_a_wider_range() {
        let range = |contour| {
            let heights = points(&said("maːna paːni kaːla", Language::Hindi, contour));
            highest(&heights).1 - heights.iter().map(|p| p.1).fold(0.0, f32::min)
        };
        assert!(range(Contour::Exclamation) > range(Contour::Statement) + 2.0);
    }
}
