//! Tests of word marks against the text and against the rendered signal, for each language of [`TEXTS`] and each voice,
//! at a slow, normal and fast rate.
//!
//! The expected times are measured in the samples, not derived from the synthesis plan. If `SHRUTI_SENTENCES` is a
//! folder of `<language>.txt` files, words at pauses are also measured in the sentences of these files.

#![allow(clippy::unwrap_used)] // a test may panic if its files are missing

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use shruti_audio::{AUDIBLE, is_audible};
use shruti_engine::{Request, WordMark};
use shruti_lang::Language;
use shruti_text::Lexicon;
use shruti_voice::Voice;
use support::{PER_MS, Spoken, TEXTS, engine, reference_sentences, request, turn, whole};

/// Maximum deviation of a mark from the audio, in milliseconds.
const TOLERANCE: f64 = 10.0;

const SPEEDS: [f32; 3] = [0.5, 1.0, 2.0];

/// Tokens without digits whose spoken form differs from the text. All of them are expanded, except പാല്, which is
/// repaired because it lacks the joiner of its chillu.
const EXPANDED: [&str; 8] = ["GST", "डॉ.", "Dr.", "i.e.", "a.m.", "#", "+", "പാല്"];

/// A level difference of -30 dB as an amplitude ratio.
const MINUS_30_DB: f64 = 0.031_622_776_601_683_79;

/// Converts a sample position to milliseconds.
fn ms(sample: usize) -> f64 {
    sample as f64 / PER_MS as f64
}

fn sample(ms: u32) -> usize {
    ms as usize * PER_MS
}

/// Largest deviation and number of deviations of each kind and language, and descriptions of all deviations beyond the
/// tolerance.
#[derive(Default)]
struct Worst {
    deviations: BTreeMap<(&'static str, String), (f64, usize)>,
    beyond: Vec<String>,
}

impl Worst {
    /// Records the deviation of a mark from the audio, in milliseconds.
    fn note(&mut self, what: &'static str, language: Language, deviation: f64, mark: &WordMark, who: &str) {
        let (worst, count) = self.deviations.entry((what, language.to_string())).or_default();
        if deviation.abs() > worst.abs() {
            *worst = deviation;
        }
        *count += 1;
        if deviation.abs() > TOLERANCE {
            self.beyond.push(format!("{what}: off by {deviation:.1} ms: {who}: {mark:?}"));
        }
    }

    /// Prints the deviations and compares them with the tolerance.
    fn finish(self) {
        for ((what, language), (worst, count)) in &self.deviations {
            println!("{what} {language}: {worst:+.1} ms at worst of {count}");
        }
        assert!(self.beyond.is_empty(), "{} beyond:\n{}", self.beyond.len(), self.beyond.join("\n"));
    }
}

/// Runs a check for every language of [`TEXTS`], voice and speed.
fn for_all(mut check: impl FnMut(Language, &[&str; 3], &dyn Fn() -> Request, &str)) {
    for (language, texts) in TEXTS {
        for voice in Voice::ALL {
            for speed in SPEEDS {
                let request = || request(Some(language), voice, speed);
                check(language, &texts, &request, &format!("{language} {voice} at {speed}"));
            }
        }
    }
}

fn has_letters(token: &&str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

#[test]
fn marks_follow_the_text_in_order_and_without_overlap() {
    let engine = engine(2);
    for_all(|_, texts, request, who| {
        for text in texts {
            let spoken = whole(&engine, request(), text);
            let characters: Vec<char> = text.chars().collect();
            let (mut from, mut position) = (0, 0);
            for mark in &spoken.marks {
                let written: String =
                    characters[mark.char_start as usize..mark.char_end as usize].iter().collect();
                assert_eq!(written, mark.text, "{who}");
                assert!(mark.char_start >= from && mark.start_ms >= position, "{who}: {mark:?}");
                assert!(mark.start_ms < mark.end_ms && !mark.text.trim().is_empty(), "{who}: {mark:?}");
                (from, position) = (mark.char_end, mark.end_ms);
            }
            assert!(f64::from(position) <= ms(spoken.samples.len()), "{who}");
        }
        // in texts without markup, each token that contains a letter or digit has a mark
        for text in &texts[..2] {
            let spoken = whole(&engine, request(), text);
            let marked = spoken.marks.iter().flat_map(|mark| mark.text.split_whitespace());
            let marked: Vec<&str> = marked.filter(has_letters).collect();
            assert_eq!(marked, text.split_whitespace().filter(has_letters).collect::<Vec<_>>(), "{who}");
        }
    });
}

#[test]
fn words_are_contiguous_without_a_pause() {
    let engine = engine(2);
    for_all(|_, texts, request, who| {
        let spoken = whole(&engine, request(), texts[0]);
        let tokens: Vec<&str> = texts[0].split_whitespace().collect();
        assert_eq!(spoken.marks.iter().map(|mark| mark.text.as_str()).collect::<Vec<_>>(), tokens, "{who}");
        for pair in spoken.marks.windows(2) {
            let gap = pair[1].start_ms - pair[0].end_ms;
            let pause = pair[0].text.ends_with(|c: char| !c.is_alphabetic() && !is_vowel_sign(c));
            assert!(if pause { gap >= 60 } else { gap == 0 }, "{who}: {gap} ms in {pair:?}");
        }
    });
}

/// Returns whether a character is a combining mark, such as a vowel sign or a virama. Combining marks can end words,
/// but some of them are not alphabetic.
fn is_vowel_sign(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

#[test]
fn spoken_is_present_for_expanded_text() {
    let engine = engine(2);
    for_all(|_, texts, request, who| {
        for text in &texts[..2] {
            for mark in whole(&engine, request(), text).marks {
                let expands =
                    mark.text.chars().any(char::is_numeric) || EXPANDED.contains(&mark.text.as_str());
                assert_eq!(mark.spoken.is_some(), expands, "{who}: {mark:?}");
                let spoken = mark.spoken.unwrap_or_default();
                assert!(!spoken.chars().any(char::is_numeric), "{who}: {spoken}");
            }
        }
    });
}

#[test]
fn turn_marks_match_the_text_and_precede_audio() {
    let engine = engine(2);
    for_all(|_, texts, request, who| {
        for text in texts {
            // `whole` and `turn` also check each mark when it arrives
            let at_once = whole(&engine, request(), text);
            let emitted = turn(&engine, &request(), text.split_inclusive(' '));
            assert!(at_once.difference(&emitted).is_none(), "{who}: {:?}", at_once.difference(&emitted));
        }
    });
}

/// Returns the peak amplitude of the samples.
fn peak(samples: &[i16]) -> f64 {
    samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0).into()
}

/// Returns the words next to a pause. The pause must last more than 40 ms, longer than the decay of a sound. The first
/// list contains the words after a pause or at the start of the text, each with the position of a sample in the silence
/// before it. The second list contains the words before a pause or at the end, each with the position of a sample in
/// the silence after it.
fn at_pauses(spoken: &Spoken) -> [Vec<(&WordMark, usize)>; 2] {
    let (mut after, mut before) = (Vec::new(), Vec::new());
    let (first, last) = (spoken.marks.first().unwrap(), spoken.marks.last().unwrap());
    after.push((first, 0));
    for pair in spoken.marks.windows(2).filter(|pair| pair[1].start_ms > pair[0].end_ms + 40) {
        let middle = usize::midpoint(sample(pair[0].end_ms), sample(pair[1].start_ms));
        assert!(!is_audible(spoken.samples[middle]), "a pause is silent: {pair:?}");
        after.push((&pair[1], middle));
        before.push((&pair[0], middle));
    }
    before.push((last, spoken.samples.len()));
    [after, before]
}

#[test]
fn words_align_with_audio_at_pauses() {
    let engine = engine(2);
    let mut worst = Worst::default();
    for_all(|language, texts, request, who| {
        let more = reference_sentences(language);
        for text in std::iter::once(texts[0]).chain(more.iter().map(String::as_str)) {
            let spoken = whole(&engine, request(), text);
            if spoken.marks.is_empty() {
                continue;
            }
            let [after, before] = at_pauses(&spoken);
            for (mark, silence) in after {
                let audible = |&sample: &i16| is_audible(sample);
                let onset = silence + spoken.samples[silence..].iter().position(audible).unwrap();
                worst.note("onset", language, ms(onset) - f64::from(mark.start_ms), mark, who);
            }
            for (mark, silence) in before {
                let end = sample(mark.end_ms);
                // the first level is the threshold of audibility, the second is relative to the peak of the preceding
                // 40 ms
                let beside = peak(&spoken.samples[end - 40 * PER_MS..end]) * MINUS_30_DB;
                for (what, level) in
                    [("end at -60 dB", f64::from(AUDIBLE)), ("end at -30 dB of the word", beside)]
                {
                    let loud = |sample: &i16| f64::from(sample.unsigned_abs()) >= level;
                    let offset = spoken.samples[..silence].iter().rposition(loud).unwrap() + 1;
                    worst.note(what, language, ms(offset) - f64::from(mark.end_ms), mark, who);
                }
            }
        }
    });
    worst.finish();
}

/// Returns the level of the high frequencies (frication) or of the low frequencies (voicing) at each millisecond, in a
/// window of 10 ms.
fn levels(samples: &[i16], high: bool) -> Vec<f64> {
    let x = |at: usize, back: usize| at.checked_sub(back).map_or(0.0, |at| f64::from(samples[at]));
    let filtered = |at: usize| {
        if high {
            x(at, 0) - 4.0 * x(at, 1) + 6.0 * x(at, 2) - 4.0 * x(at, 3) + x(at, 4)
        } else {
            x(at, 0) + x(at, 1) + x(at, 2) + x(at, 3)
        }
    };
    let energies: Vec<f64> = (0..samples.len()).map(|at| filtered(at) * filtered(at)).collect();
    let around = |ms: usize| {
        let (from, to) = ((ms * PER_MS).saturating_sub(5 * PER_MS), (ms + 5) * PER_MS);
        let window = &energies[from..to.min(energies.len())];
        (window.iter().sum::<f64>() / window.len() as f64).sqrt()
    };
    (0..samples.len() / PER_MS).map(around).collect()
}

#[test]
fn words_within_a_phrase_begin_at_sound_changes() {
    let engine = engine(2);
    let readings = [("sasa", "/saː/"), ("asas", "/aːs/"), ("tata", "/t̪aː/")];
    let lexicon = Arc::new(Lexicon::new(readings).unwrap());
    // frication begins after a vowel, a vowel after frication, and a closure after a vowel
    let cases = [
        ("friction begins", "sasa", true),
        ("friction ends", "asas", true),
        ("closure begins", "tata", false),
    ];
    let mut worst = Worst::default();
    for_all(|language, _, request, who| {
        for (what, word, high) in cases {
            let text = [word; 6].join(" ");
            let spoken = whole(&engine, Request { lexicon: Arc::clone(&lexicon), ..request() }, &text);
            assert_eq!(spoken.marks.len(), 6);
            let levels = levels(&spoken.samples, high);
            for mark in &spoken.marks[1..] {
                let near = mark.start_ms as usize - 40..mark.start_ms as usize + 40;
                let full = levels[near.clone()].iter().copied().fold(0.0, f64::max);
                // the level changes over 20 to 30 ms; the word boundary is where the sound has hardly begun or nearly
                // ended
                for share in [0.1, 0.15, 0.2] {
                    let loud = |at: &usize| levels[*at] >= share * full;
                    let change = match word {
                        "sasa" => near.clone().find(loud),
                        _ => near.clone().rfind(loud).map(|at| at + 1),
                    };
                    let deviation = change.unwrap() as f64 - f64::from(mark.start_ms);
                    worst.note(what, language, deviation, mark, who);
                }
            }
        }
    });
    worst.finish();
}
