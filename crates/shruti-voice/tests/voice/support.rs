//! Creation of utterances from IPA, and acoustic measurements.

use shruti_lang::Language;
use shruti_text::Class;
use shruti_text::phone::{Phone, parse_ipa};
use shruti_text::utterance::{Break, Contour, Delivery, Stress, Syllable, Utterance, Weight, Word};
use shruti_voice::{Renderer, SAMPLE_RATE, Style, UtterancePlan, Voice};

pub(crate) const RATE: f32 = SAMPLE_RATE as f32;

/// Creates a word with one syllable per vowel.
pub(crate) fn word(phones: Vec<Phone>, language: Language) -> Word {
    let vowels: Vec<usize> = (0..phones.len()).filter(|&at| phones[at].is_vowel()).collect();
    let mut starts = vec![0];
    starts.extend(vowels.windows(2).map(|pair| pair[1].max(pair[0] + 2) - 1));
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([phones.len()]).collect();
    let syllables = starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| Syllable { phones: start..end, stress: Stress::None, tone: None })
        .collect();
    Word {
        text: "x".into(),
        language,
        class: Class::Word,
        phones,
        syllables,
        source: 0..1,
        extra_chars: 0,
        weight: Weight::Content,
        break_after: Break::None,
        aside: false,
        delivery: Delivery::default(),
    }
}

/// Creates an utterance, which ends a sentence, from space-separated words in IPA.
pub(crate) fn utterance(ipa: &str, language: Language) -> Utterance {
    let mut words: Vec<Word> =
        ipa.split_whitespace().map(|ipa| word(parse_ipa(ipa).unwrap(), language)).collect();
    words.last_mut().unwrap().break_after = Break::Sentence;
    Utterance {
        index: 0,
        language,
        words,
        contour: Contour::Statement,
        begins_sentence: true,
        sentence: 0,
        source: 0..1,
    }
}

pub(crate) fn style(voice: Voice) -> Style {
    Style { voice, ..Style::default() }
}

/// Renders all samples in blocks of a given size.
pub(crate) fn render_in(utterance: &Utterance, style: &Style, block: usize) -> Vec<i16> {
    let mut renderer = Renderer::new(UtterancePlan::new(utterance, style));
    let mut buffer = vec![0; block];
    let mut samples = Vec::new();
    loop {
        let count = renderer.render(&mut buffer);
        if count == 0 {
            return samples;
        }
        samples.extend_from_slice(&buffer[..count]);
    }
}

pub(crate) fn render(utterance: &Utterance, style: &Style) -> Vec<i16> {
    render_in(utterance, style, 960)
}

pub(crate) fn say(ipa: &str, voice: Voice) -> Vec<i16> {
    render(&utterance(ipa, Language::Hindi), &style(voice))
}

/// Returns the signal below about 500 Hz: the voice without most of its formants.
pub(crate) fn low_passed(samples: &[i16]) -> Vec<f32> {
    let (mut one, mut two) = (0.0_f32, 0.0_f32);
    let pass = |&sample: &i16| {
        one += 0.12 * (f32::from(sample) - one);
        two += 0.12 * (one - two);
        two
    };
    samples.iter().map(pass).collect()
}

/// Returns the F0 of each voiced 40 ms frame in Hz, by autocorrelation.
pub(crate) fn pitches(samples: &[i16]) -> Vec<f32> {
    let samples = low_passed(samples);
    let (size, hop) = ((0.04 * RATE) as usize, (0.01 * RATE) as usize);
    let (shortest, longest) = ((RATE / 450.0) as usize, (RATE / 60.0) as usize);
    let mut found = Vec::new();
    for start in (0..samples.len().saturating_sub(size + longest)).step_by(hop) {
        let at = |lag: usize| -> (f32, f32) {
            let (mut product, mut energy) = (0.0, 0.0);
            for i in start..start + size {
                product += samples[i] * samples[i + lag];
                energy += samples[i + lag].powi(2);
            }
            (product, energy)
        };
        let (_, energy) = at(0);
        if energy / (size as f32) < 300.0_f32.powi(2) {
            continue;
        }
        let likeness: Vec<f32> = (shortest..longest)
            .map(|lag| {
                let (product, lagged) = at(lag);
                product / (energy * lagged).sqrt().max(1.0)
            })
            .collect();
        let highest = likeness.iter().copied().fold(0.0, f32::max);
        if highest < 0.8 {
            continue;
        }
        // This is the shortest lag with nearly the highest correlation, because multiples of the period correlate as
        // well as the period.
        let lag = (1..likeness.len() - 1).find(|&i| {
            likeness[i] > 0.93 * highest && likeness[i] >= likeness[i - 1] && likeness[i] >= likeness[i + 1]
        });
        if let Some(lag) = lag {
            found.push(RATE / (lag + shortest) as f32);
        }
    }
    found
}

pub(crate) fn median(mut values: Vec<f32>) -> f32 {
    assert!(!values.is_empty(), "nothing was measured");
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

/// Returns the peaks of the spectral envelope below 5 kHz in Hz, by linear prediction.
pub(crate) fn formants(samples: &[i16], order: usize) -> Vec<f32> {
    // The signal is downsampled to 12 kHz, pre-emphasised and windowed.
    let halved: Vec<f32> =
        samples.chunks_exact(2).map(|pair| f32::midpoint(f32::from(pair[0]), f32::from(pair[1]))).collect();
    let length = halved.len() as f32;
    let windowed: Vec<f32> = (1..halved.len())
        .map(|i| {
            let window = 0.54 - 0.46 * (std::f32::consts::TAU * i as f32 / length).cos();
            (halved[i] - 0.97 * halved[i - 1]) * window
        })
        .collect();
    let correlation: Vec<f64> = (0..=order)
        .map(|lag| {
            windowed.iter().zip(&windowed[lag..]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
        })
        .collect();
    let mut predictor = vec![0.0; order + 1];
    predictor[0] = 1.0;
    let mut error = correlation[0];
    for i in 1..=order {
        let reflection = -(0..i).map(|j| predictor[j] * correlation[i - j]).sum::<f64>() / error;
        let earlier = predictor.clone();
        for j in 1..=i {
            predictor[j] = earlier[j] + reflection * earlier[i - j];
        }
        error *= 1.0 - reflection * reflection;
    }
    let level = |hertz: usize| {
        let w = std::f64::consts::TAU * hertz as f64 / 12_000.0;
        let (mut re, mut im) = (0.0, 0.0);
        for (k, a) in predictor.iter().enumerate() {
            re += a * (w * k as f64).cos();
            im -= a * (w * k as f64).sin();
        }
        -(re * re + im * im).ln()
    };
    let levels: Vec<f64> = (0..500).map(|step| level(step * 10)).collect();
    (1..499)
        .filter(|&i| levels[i] > levels[i - 1] && levels[i] >= levels[i + 1])
        .map(|i| (i * 10) as f32)
        .filter(|&hertz| hertz > 150.0)
        .collect()
}

/// Returns the root mean square of the samples, in units of a 16-bit sample.
pub(crate) fn level(samples: &[i16]) -> f32 {
    (samples.iter().map(|&s| f32::from(s).powi(2)).sum::<f32>() / samples.len().max(1) as f32).sqrt()
}

/// Returns the loudness in LUFS: K-weighting and the two gates of ITU-R BS.1770-4.
pub(crate) fn loudness(samples: &[i16]) -> f64 {
    let mut filtered: Vec<f64> = samples.iter().map(|&s| f64::from(s) / 32768.0).collect();
    let biquad = |x: &mut [f64], b: [f64; 3], a: [f64; 2]| {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for sample in x {
            let y = b[0] * *sample + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
            (x2, x1, y2, y1) = (x1, *sample, y1, y);
            *sample = y;
        }
    };
    let rate = f64::from(SAMPLE_RATE);
    let (k, q) = ((std::f64::consts::PI * 1_681.974_450_955_533 / rate).tan(), 0.707_175_236_955_419_6);
    let vh = 10f64.powf(3.999_843_853_973_347 / 20.0);
    let vb = vh.powf(0.499_666_774_154_541_6);
    let a0 = 1.0 + k / q + k * k;
    let b = [(vh + vb * k / q + k * k) / a0, 2.0 * (k * k - vh) / a0, (vh - vb * k / q + k * k) / a0];
    biquad(&mut filtered, b, [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0]);
    let (k, q) = ((std::f64::consts::PI * 38.135_470_876_024_44 / rate).tan(), 0.500_327_037_323_877_3);
    let a0 = 1.0 + k / q + k * k;
    biquad(&mut filtered, [1.0, -2.0, 1.0], [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0]);
    let (size, hop) = (9600, 2400);
    let level = |power: f64| -0.691 + 10.0 * (power + 1e-12).log10();
    let blocks: Vec<f64> = (0..filtered.len().saturating_sub(size))
        .step_by(hop)
        .map(|start| filtered[start..start + size].iter().map(|x| x * x).sum::<f64>() / size as f64)
        .filter(|&power| level(power) > -70.0)
        .collect();
    let mean = |powers: &[f64]| powers.iter().sum::<f64>() / powers.len().max(1) as f64;
    let gate = level(mean(&blocks)) - 10.0;
    let loud: Vec<f64> = blocks.iter().copied().filter(|&power| level(power) > gate).collect();
    level(mean(&loud))
}
