//! Timed plan of one utterance.

use std::ops::Range;

use shruti_lang::Language;
use shruti_text::phone::Phone;
use shruti_text::utterance::{Break, Delivery, Stress, Tone, Utterance, Weight, Word};

use crate::SAMPLE_RATE;
use crate::duration::{self, Surroundings};
use crate::melody::{self, Nucleus, Point};
use crate::style::{Style, bounded_speed};
use crate::tables::Tables;

/// Number of samples between two updates of the parameters: 2 ms. All durations are whole frames.
pub(crate) const FRAME: usize = 48;
/// Number of frames per millisecond.
pub(crate) const FRAMES_PER_MS: f32 = SAMPLE_RATE as f32 / 1000.0 / FRAME as f32;
/// Number of frames in which the audio decays after the last phone before a pause.
pub(crate) const FADE_FRAMES: u32 = 10;
/// Number of frames of the decay that count towards the word, 4 ms. This is a compromise: the level has fallen by 30 dB
/// after about half of these frames, but stays above -60 dB relative to full scale for about 4 ms longer.
const RING_FRAMES: u32 = 2;

/// Number of frames on each side of a word boundary in which the pitch shift or the level of the words changes.
const GLIDE_FRAMES: u32 = 8;

/// A phone with its timing, or a pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Phone; `None` in a pause.
    pub(crate) phone: Option<Phone>,
    /// Language whose acoustic data applies.
    pub(crate) language: Language,
    /// Total number of frames.
    pub(crate) frames: u32,
    /// Number of frames of the unit that contain the noise of a release.
    pub(crate) noise: u16,
    /// Number of frames of breath, from the end of the noise to the end of the unit.
    pub(crate) breath: u16,
    /// Amplitude relative to a normal syllable.
    pub(crate) prominence: f32,
}

impl Unit {
    /// Creates a pause.
    pub(crate) const fn pause(frames: u32) -> Self {
        Self { phone: None, language: Language::Hindi, frames, noise: 0, breath: 0, prominence: 1.0 }
    }
}

/// Timed plan of one utterance: its phones with their times, and its pitch contour.
///
/// Creating a plan takes some tens of microseconds and computes no audio. A [`crate::Renderer`] renders the plan.
#[derive(Clone, Debug)]
pub struct UtterancePlan {
    pub(crate) units: Vec<Unit>,
    pub(crate) melody: Vec<Point>,
    pub(crate) tones: Vec<Point>,
    /// Pitch shifts of single words in semitones; empty if there are none.
    pub(crate) shifts: Vec<Point>,
    /// Level changes of single words in dB; empty if there are none.
    pub(crate) levels: Vec<Point>,
    pub(crate) style: Style,
    pub(crate) seed: u32,
    /// Gain of the language in dB.
    pub(crate) gain: f32,
    /// Frame from which the voice relaxes towards the end of a sentence; `None` if the utterance does not end a
    /// sentence.
    pub(crate) closing: Option<u32>,
    frames: u32,
    word_times: Vec<Range<usize>>,
}

impl UtterancePlan {
    /// Plans an utterance. Every utterance is valid, including words without phones and words with thousands of phones.
    pub fn new(utterance: &Utterance, style: &Style) -> Self {
        let speed = style.bounded_speed();
        let mut plan = PlanBuilder::default();
        for (index, word) in utterance.words.iter().enumerate() {
            plan.word(utterance, index, word, bounded_speed(speed * word.delivery.rate));
        }
        // An utterance always ends in silence, so that there is no click at the start of the next one.
        if plan.pause_frames < FADE_FRAMES {
            plan.pause(FADE_FRAMES - plan.pause_frames);
        }
        let language = Tables::get().language(utterance.language);
        let (melody, tones) = melody::melody(utterance, language, &plan.nuclei);
        let shifts = plan.moves(utterance, |delivery| delivery.pitch);
        let levels = plan.moves(utterance, |delivery| delivery.volume);
        let ends = utterance.words.last().is_some_and(|word| word.break_after >= Break::Sentence);
        let voice = u32::from(style.voice != crate::Voice::Ananya);
        let code = utterance.language.code().bytes().fold(voice, |seed, byte| (seed << 8) | u32::from(byte));
        Self {
            units: plan.units,
            melody,
            tones,
            shifts,
            levels,
            style: Style { voice: style.voice, speed, pitch: style.bounded_pitch() },
            seed: code.wrapping_mul(0x9e37_79b1).wrapping_add(utterance.index.wrapping_mul(0x85eb_ca77)),
            gain: language.level.gain,
            closing: ends.then(|| plan.frames.saturating_sub(plan.pause_frames + 200)),
            frames: plan.frames,
            word_times: plan.word_times,
        }
    }

    /// Returns the number of samples, including the pauses after the words.
    pub fn samples(&self) -> usize {
        self.frames as usize * FRAME
    }

    /// Returns the range of samples of each word, without the pause after it: from its first phone to the end of its
    /// last phone, plus 4 ms if that phone decays in a pause.
    pub fn word_times(&self) -> &[Range<usize>] {
        &self.word_times
    }

    /// Returns the consecutive ranges of samples of the phones; the phone is `None` in a pause.
    pub fn phone_times(&self) -> impl Iterator<Item = (Option<Phone>, Range<usize>)> + '_ {
        self.units.iter().scan(0, |start, unit| {
            let end = *start + unit.frames as usize * FRAME;
            Some((unit.phone, std::mem::replace(start, end)..end))
        })
    }
}

/// Builder for a plan.
#[derive(Default)]
struct PlanBuilder {
    units: Vec<Unit>,
    nuclei: Vec<Nucleus>,
    word_times: Vec<Range<usize>>,
    frames: u32,
    /// Number of frames of the pause at the end of the units; 0 if they do not end in a pause.
    pause_frames: u32,
}

impl PlanBuilder {
    fn word(&mut self, utterance: &Utterance, index: usize, word: &Word, speed: f32) {
        let language = Tables::get().language(word.language);
        let start = self.frames;
        let is_vowel = |at: usize| word.phones.get(at).is_some_and(|phone| phone.is_vowel());
        // The syllables are counted by their vowels. This also works for words without known syllables.
        let vowels =
            (0..word.phones.len()).filter(|&at| is_vowel(at) && !(at > 0 && is_vowel(at - 1))).count();
        let last_vowel = word.phones.iter().rposition(|phone| phone.is_vowel()).unwrap_or(0);
        let mut syllable = 0;
        for (at, &phone) in word.phones.iter().enumerate() {
            while word.syllables.get(syllable + 1).is_some_and(|next| next.phones.start <= at) {
                syllable += 1;
            }
            let stress = word.syllables.get(syllable).map_or(Stress::None, |syllable| syllable.stress);
            let around = Surroundings {
                phone,
                before: self.before(),
                after: word.phones.get(at + 1).copied().or_else(|| after(utterance, index)),
                weight: word.weight,
                stress,
                syllables: vowels,
                closing: if at >= last_vowel { word.break_after } else { Break::None },
            };
            let unit = unit(&around, word.language, speed);
            if phone.is_vowel() {
                let tone = word.syllables.get(syllable).and_then(|syllable| syllable.tone);
                self.nucleus(index, unit.frames, stress, tone);
            }
            self.frames += unit.frames;
            self.pause_frames = 0;
            self.units.push(unit);
        }
        if vowels == 0 && self.frames > start {
            // The pitch contour needs a nucleus, even in a word without vowels.
            self.nuclei.push(Nucleus { start, end: self.frames, stressed: false, tone: None, word: index });
        }
        self.word_times.push(start as usize * FRAME..self.frames as usize * FRAME);
        let pause = duration::pause_ms(word.break_after, language, speed);
        if pause > 0.0 && self.pause_frames == 0 {
            self.pause((pause * FRAMES_PER_MS) as u32);
        }
    }

    /// Returns the changes that markup requests per word, in order of time; empty if there are none.
    fn moves(&self, utterance: &Utterance, of: impl Fn(Delivery) -> f32) -> Vec<Point> {
        if utterance.words.iter().all(|word| of(word.delivery) == 0.0) {
            return Vec::new();
        }
        let mut points = Vec::with_capacity(2 * utterance.words.len());
        for (word, times) in utterance.words.iter().zip(&self.word_times) {
            let [start, end] = [times.start, times.end].map(|sample| (sample / FRAME) as u32);
            let glide = GLIDE_FRAMES.min((end - start) / 2);
            let height = of(word.delivery);
            points.push(Point { frame: start + glide, height });
            points.push(Point { frame: end - glide, height });
        }
        points
    }

    /// Extends the last word before a pause by the audible decay after its last phone, unless the phone ends in breath,
    /// which decays before its end.
    fn ring(&mut self) {
        if self.units.last().is_some_and(|unit| unit.breath > 0) {
            return;
        }
        if let Some(last) = self.word_times.last_mut().filter(|times| times.start < times.end) {
            last.end += RING_FRAMES as usize * FRAME;
        }
    }

    /// Adds the nucleus of a vowel; a vowel directly after another one belongs to the same nucleus.
    fn nucleus(&mut self, word: usize, frames: u32, stress: Stress, tone: Option<Tone>) {
        let end = self.frames + frames;
        if let Some(last) = self.nuclei.last_mut().filter(|last| last.end == self.frames && last.word == word)
        {
            last.end = end;
            return;
        }
        let stressed = stress == Stress::Primary;
        self.nuclei.push(Nucleus { start: self.frames, end, stressed, tone, word });
    }

    fn pause(&mut self, frames: u32) {
        if self.pause_frames == 0 {
            self.ring();
        }
        let pause = Unit::pause(frames.max(1));
        self.units.push(pause);
        self.frames += pause.frames;
        self.pause_frames += pause.frames;
    }

    fn before(&self) -> Option<Phone> {
        self.units.last().and_then(|unit| unit.phone)
    }
}

/// Returns the first phone after a word; `None` if a pause follows the word.
fn after(utterance: &Utterance, index: usize) -> Option<Phone> {
    if utterance.words[index].break_after >= Break::Group {
        return None;
    }
    // Words without phones are skipped, but only a few, so that the work is bounded.
    utterance.words[index + 1..].iter().take(4).find_map(|word| word.phones.first()).copied()
}

/// Creates the unit of a phone, with durations in whole frames.
fn unit(around: &Surroundings, language: Language, speed: f32) -> Unit {
    let parts = duration::parts(around, language, speed);
    let [hold, noise, breath] = [parts.hold, parts.noise, parts.breath].map(|ms| {
        let frames = (ms * FRAMES_PER_MS + 0.5) as u32;
        if ms > 0.0 { frames.clamp(1, 2000) } else { 0 }
    });
    Unit {
        phone: Some(around.phone),
        language,
        frames: (hold + noise + breath).max(1),
        noise: noise as u16,
        breath: breath as u16,
        prominence: prominence(around.weight, around.stress),
    }
}

fn prominence(weight: Weight, stress: Stress) -> f32 {
    let stress = match stress {
        Stress::Primary => 1.06,
        Stress::Secondary => 1.0,
        Stress::None => 0.94,
    };
    stress
        * match weight {
            Weight::Function => 0.88,
            Weight::Content => 1.0,
            Weight::Focus => 1.07,
            Weight::Emphasis => 1.15,
        }
}
