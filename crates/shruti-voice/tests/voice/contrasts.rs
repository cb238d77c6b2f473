//! Tests of minimal pairs in all languages: the cues that distinguish two phones in recorded speech also distinguish
//! them in synthesised speech.
//!
//! Each consonant is a separate word between two vowels, so that its start and end are word times of the plan. The cues
//! are measured in the audio.

use std::array;
use std::f32::consts::TAU;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use crate::support::{RATE, render, style, utterance};
use shruti_lang::Language;
use shruti_text::utterance::Utterance;
use shruti_voice::{UtterancePlan, Voice};

/// Number of samples of a frame, 10 ms, and between two frames, 2 ms.
const FRAME: usize = 240;
const STEP: usize = 48;

/// Number of bands of a frame's spectrum: 100, 200, … 10,000 Hz.
const BANDS: usize = 100;

/// Windowed cosine and sine of each band.
static BASIS: LazyLock<Vec<[[f32; FRAME]; 2]>> = LazyLock::new(|| {
    let window = |i: usize| 0.5 - 0.5 * (TAU * i as f32 / FRAME as f32).cos();
    let angle = |band: usize, i: usize| TAU * band as f32 * 100.0 * i as f32 / RATE;
    let wave = |turn: fn(f32) -> f32, band| array::from_fn(|i| window(i) * turn(angle(band, i)));
    (1..=BANDS).map(|band| [wave(f32::cos, band), wave(f32::sin, band)]).collect()
});

/// Returns the power of a frame at 100, 200, … 10,000 Hz.
fn powers(frame: &[i16]) -> Vec<f32> {
    let samples: [f32; FRAME] = array::from_fn(|i| f32::from(frame[i]));
    let part =
        |wave: &[f32; FRAME]| samples.iter().zip(wave).map(|(sample, wave)| sample * wave).sum::<f32>();
    BASIS.iter().map(|[cosine, sine]| part(cosine).powi(2) + part(sine).powi(2)).collect()
}

/// Returns the level in dB of the frequencies from `low` to `high` Hz.
fn level(powers: &[f32], low: usize, high: usize) -> f32 {
    10.0 * (powers[low / 100 - 1..high / 100].iter().sum::<f32>() + 1.0).log10()
}

/// Returns the mean frequency in Hz between two frequencies, weighted by amplitude.
fn centre(powers: &[f32], low: usize, high: usize) -> f32 {
    let weighted = |band: usize| powers[band - 1].sqrt();
    let bands = || low / 100..=high / 100;
    bands().map(|band| band as f32 * 100.0 * weighted(band)).sum::<f32>() / bands().map(weighted).sum::<f32>()
}

/// Number of renderings of a consonant that are averaged, because renderings vary randomly.
const TAKES: u32 = 6;

/// A consonant between two vowels.
struct ConsonantSample {
    takes: Vec<Vec<i16>>,
    times: Range<usize>,
    /// Levels of the preceding vowel in dB: below 400 Hz, and from 2 to 6 kHz.
    voice: f32,
    high: f32,
}

impl ConsonantSample {
    fn new(consonant: &str, speaker: Speaker) -> Self {
        let spoken = utterance(&format!("aː {consonant} aː"), speaker.language);
        let style = style(speaker.voice);
        let times = UtterancePlan::new(&spoken, &style).word_times()[1].clone();
        let takes = (0..TAKES).map(|index| render(&Utterance { index, ..spoken.clone() }, &style)).collect();
        let mut sample = Self { takes, times, voice: 0.0, high: 0.0 };
        let vowel = sample.powers(sample.times.start / 2);
        sample.voice = level(&vowel, 100, 400);
        sample.high = level(&vowel, 2000, 6000);
        sample
    }

    /// Returns the powers of the frame at a sample position, averaged over all takes.
    fn powers(&self, start: usize) -> Vec<f32> {
        let mut sum = vec![0.0; BANDS];
        for samples in &self.takes {
            let powers = powers(&samples[start..start + FRAME]);
            sum.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power / TAKES as f32);
        }
        sum
    }

    /// Returns the powers of each frame of the consonant.
    fn frames(&self) -> impl Iterator<Item = Vec<f32>> + '_ {
        let starts = (self.times.start..self.times.end - FRAME.min(self.times.len() - 1)).step_by(STEP);
        starts.map(|start| self.powers(start))
    }

    fn ms(&self, counts: impl Fn(&[f32]) -> bool) -> f32 {
        self.frames().filter(|frame| counts(frame)).count() as f32 * STEP as f32 / RATE * 1000.0
    }

    /// Returns the duration of the noise above 2 kHz, in ms.
    fn noise_ms(&self) -> f32 {
        self.ms(|frame| level(frame, 2000, 6000) > self.high - 22.0)
    }

    /// Returns the fraction of the consonant that is voiced.
    fn voiced(&self) -> f32 {
        self.ms(|frame| level(frame, 100, 400) > self.voice - 20.0) / self.ms(|_| true)
    }

    /// Returns the duration of the closure, in ms.
    fn closed_ms(&self) -> f32 {
        self.ms(|frame| level(frame, 2000, 6000) < self.high - 10.0)
    }

    /// Returns the centre of the third formant's region in Hz: in the middle of a liquid, otherwise at the end of the
    /// preceding vowel.
    fn third(&self, liquid: bool) -> f32 {
        let middle = self.times.start.midpoint(self.times.end) - FRAME / 2;
        let start = if liquid { middle } else { self.times.start - FRAME };
        centre(&self.powers(start), 1700, 3200)
    }

    /// Returns the centre frequency of the noise of a fricative, in Hz.
    fn friction(&self) -> f32 {
        centre(&self.powers(self.times.start.midpoint(self.times.end)), 1000, 9000)
    }

    /// Returns the number of times that the level dips by 3 dB and rises again.
    fn contacts(&self) -> usize {
        let levels: Vec<f32> = (self.times.start - FRAME..self.times.end + FRAME)
            .step_by(STEP)
            .map(|start| 20.0 * (crate::support::level(&self.takes[0][start..start + FRAME]) + 1.0).log10())
            .collect();
        let (mut count, mut top, mut bottom) = (0, levels[0], levels[0]);
        let mut falling = true;
        for &now in &levels {
            (top, bottom) = (top.max(now), bottom.min(now));
            if falling && now > bottom + 3.0 && bottom < top - 3.0 {
                (count, falling, top) = (count + 1, false, now);
            } else if !falling && now < top - 3.0 {
                (falling, bottom) = (true, now);
            }
        }
        count
    }
}

/// A voice and the language whose acoustic data it uses.
#[derive(Clone, Copy)]
struct Speaker {
    voice: Voice,
    language: Language,
}

impl Display for Speaker {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.voice, self.language)
    }
}

/// Runs a test for both voices in every language, because a text in one language may contain words of any other.
fn for_each_speaker(test: impl Fn(Speaker)) {
    for_each_speaker_but(&[], test);
}

/// Runs a test for both voices in all languages except those without the contrast. All failures are reported at the
/// end.
fn for_each_speaker_but(without: &[Language], test: impl Fn(Speaker)) {
    let languages = Language::ALL.into_iter().filter(|language| !without.contains(&language.base()));
    let speakers = languages.flat_map(|language| Voice::ALL.map(|voice| Speaker { voice, language }));
    let fails = |speaker: &Speaker| catch_unwind(AssertUnwindSafe(|| test(*speaker))).is_err();
    let failed: Vec<String> = speakers.filter(fails).map(|speaker| speaker.to_string()).collect();
    assert!(failed.is_empty(), "{}", failed.join(", "));
}

#[test]
fn stops_contrast_in_voicing_and_aspiration_at_every_place() {
    for_each_speaker(|speaker| {
        for stops in [
            ["p", "pʰ", "b", "bʱ"],
            ["t̪", "t̪ʰ", "d̪", "d̪ʱ"],
            ["ʈ", "ʈʰ", "ɖ", "ɖʱ"],
            ["tʃ", "tʃʰ", "dʒ", "dʒʱ"],
            ["k", "kʰ", "ɡ", "ɡʱ"],
        ] {
            let samples = stops.map(|stop| ConsonantSample::new(stop, speaker));
            let [plain, aspirated, voiced, breathy] = samples.each_ref().map(ConsonantSample::noise_ms);
            assert!(aspirated > plain + 30.0, "{speaker} {stops:?}: noise of {plain} and {aspirated} ms");
            assert!(breathy > voiced + 30.0, "{speaker} {stops:?}: noise of {voiced} and {breathy} ms");
            let voices = samples.each_ref().map(ConsonantSample::voiced);
            assert!(voices[0].max(voices[1]) < 0.5, "{speaker} {stops:?}: voiced {voices:?}");
            assert!(voices[2].min(voices[3]) > 0.8, "{speaker} {stops:?}: voiced {voices:?}");
        }
    });
}

#[test]
fn retroflexion_lowers_the_third_formant() {
    for_each_speaker_but(&[Language::Bengali], |speaker| {
        for (straight, curled) in
            [("t̪", "ʈ"), ("t̪ʰ", "ʈʰ"), ("d̪", "ɖ"), ("d̪ʱ", "ɖʱ"), ("n", "ɳ"), ("l", "ɭ"), ("ɾ", "ɽ")]
        {
            let liquid = ["l", "ɾ"].contains(&straight);
            let [a, b] = [straight, curled].map(|c| ConsonantSample::new(c, speaker).third(liquid));
            // The contact of a tap is shorter than the frame, so the measured difference is smaller.
            let least = if straight == "ɾ" { 30.0 } else { 50.0 };
            assert!(b < a - least, "{speaker}: {straight} {a} Hz, {curled} {b} Hz");
        }
    });
}

#[test]
fn sibilants_with_a_longer_front_cavity_are_lower() {
    for_each_speaker(|speaker| {
        let [s, sh, retroflex] =
            ["s", "ʃ", "ʂ"].map(|sibilant| ConsonantSample::new(sibilant, speaker).friction());
        assert!(s > 1.2 * sh && sh > 1.05 * retroflex, "{speaker}: s {s} Hz, ʃ {sh} Hz, ʂ {retroflex} Hz");
    });
}

#[test]
fn the_closure_of_a_geminate_is_about_twice_as_long() {
    for_each_speaker_but(&[Language::Marathi, Language::Odia], |speaker| {
        for single in ["p", "t̪", "ʈ", "k", "b", "d̪", "ɖ", "ɡ", "m", "n"] {
            let [a, b] = [single.to_owned(), format!("{single}ː")]
                .map(|c| ConsonantSample::new(&c, speaker).closed_ms());
            assert!((1.6..2.8).contains(&(b / a)), "{speaker} {single}: {a} ms and {b} ms");
        }
    });
}

#[test]
fn a_tap_and_a_flap_have_one_closure_and_a_trill_more() {
    for_each_speaker(|speaker| {
        let contacts = ["ɾ", "ɽ", "r"].map(|rhotic| ConsonantSample::new(rhotic, speaker).contacts());
        let [tap, flap, trill] = contacts;
        assert!(tap == 1 && flap == 1 && trill >= 2, "{speaker}: {contacts:?}");
    });
}

#[test]
fn nasals_move_the_second_formant_towards_their_place() {
    for_each_speaker_but(&[Language::Marathi], |speaker| {
        let second = |nasal: &str| {
            let sample = ConsonantSample::new(nasal, speaker);
            centre(&sample.powers(sample.times.start - FRAME), 900, 2200)
        };
        let [m, dental, alveolar, palatal, velar] = ["m", "n̪", "n", "ɲ", "ŋ"].map(second);
        assert!(m + 40.0 < dental && dental + 40.0 < alveolar, "{speaker}: {m} {dental} {alveolar}");
        assert!(
            alveolar + 40.0 < palatal && velar + 40.0 < alveolar,
            "{speaker}: {alveolar} {palatal} {velar}"
        );
    });
}

/// Returns the summed powers of an isolated vowel, and the duration in ms in which the vowel exceeds a fifth of its
/// maximum level. The duration is averaged over several utterances, because the random creak at the end shortens the
/// vowel.
fn vowel(ipa: &str, speaker: Speaker) -> (Vec<f32>, f32) {
    const UTTERANCES: u32 = 6;
    let (mut sum, mut count) = (vec![0.0; 100], 0);
    for index in 0..UTTERANCES {
        let utterance = Utterance { index, ..utterance(ipa, speaker.language) };
        let samples = render(&utterance, &style(speaker.voice));
        let loudest = samples.chunks(FRAME).map(crate::support::level).fold(0.0, f32::max);
        let sounding =
            samples.chunks_exact(FRAME).filter(|frame| crate::support::level(frame) > 0.2 * loudest);
        for frame in sounding {
            count += 1;
            sum.iter_mut().zip(powers(frame)).for_each(|(sum, power)| *sum += power);
        }
    }
    (sum, count as f32 / UTTERANCES as f32 * FRAME as f32 / RATE * 1000.0)
}

#[test]
fn long_vowels_are_longer() {
    for_each_speaker_but(&[Language::Bengali, Language::Marathi, Language::Odia], |speaker| {
        for (short, long) in [("ɪ", "iː"), ("ʊ", "uː"), ("ə", "aː"), ("e", "eː"), ("o", "oː")] {
            let [a, b] = [short, long].map(|ipa| vowel(ipa, speaker).1);
            assert!(b > 1.2 * a, "{speaker}: {short} {a} ms, {long} {b} ms");
        }
    });
}

#[test]
fn nasal_vowels_have_less_high_frequency_energy() {
    for_each_speaker(|speaker| {
        for oral in ["aː", "iː", "uː", "eː", "oː", "ə", "ɪ", "ʊ"] {
            let mut nasal = oral.to_owned();
            nasal.insert(oral.chars().next().map_or(0, char::len_utf8), '\u{303}');
            let slope = |ipa: &str| {
                let (powers, _) = vowel(ipa, speaker);
                level(&powers, 100, 1000) - level(&powers, 1000, 4000)
            };
            let (without, with) = (slope(oral), slope(&nasal));
            assert!(with > without + 2.0, "{speaker} {oral}: {without} and {with} dB");
        }
    });
}
