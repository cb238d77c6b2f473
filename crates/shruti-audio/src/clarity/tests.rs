use super::*;
use crate::SAMPLE_RATE;

/// Generates a speech-like signal at -20 LUFS: syllables of harmonics of 120 Hz that fall by 10 dB per octave, with
/// hisses and pauses between them.
fn speech(seconds: usize) -> Vec<i16> {
    let (mut seed, mut samples) = (1_u32, Vec::new());
    for at in 0..seconds * SAMPLE_RATE as usize {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (seed >> 8) as f32 / 16_777_216.0 - 0.5;
        let time = at as f32 / SAMPLE_RATE as f32;
        let part = time % 0.25 / 0.25;
        let voiced: f32 = (1..=24)
            .map(|number| {
                let number = number as f32;
                libm::sinf(std::f32::consts::TAU * (120.0 * number * time % 1.0)) / libm::powf(number, 1.6)
            })
            .sum();
        let envelope = libm::sinf(std::f32::consts::PI * part);
        let sound = match part {
            ..0.6 => 0.35 * envelope * voiced,
            0.6..0.8 => 0.1 * noise,
            _ => 0.0,
        };
        samples.push((sound * 32_767.0) as i16);
    }
    samples
}

fn shaped(mut filter: ClarityFilter, samples: &[i16]) -> Vec<i16> {
    let mut samples = samples.to_vec();
    filter.shape(&mut samples);
    samples
}

fn modes() -> [ClarityFilter; 2] {
    [ClarityFilter::phone(), ClarityFilter::room()]
}

fn power(samples: &[i16], band: Band) -> f64 {
    let mut filter = Biquad::new(band);
    samples.iter().map(|&sample| f64::from(filter.next(f32::from(sample))).powi(2)).sum()
}

#[test]
fn output_is_independent_of_block_size() {
    let samples = speech(2);
    for filter in modes() {
        let expected = shaped(filter.clone(), &samples);
        assert_ne!(expected, samples);
        for size in [1, 7, 16, 480, 2_399] {
            let (mut filter, mut pieces) = (filter.clone(), samples.clone());
            pieces.chunks_mut(size).for_each(|piece| filter.shape(piece));
            assert!(pieces == expected, "blocks of {size}");
        }
    }
}

#[test]
fn processing_adds_no_delay() {
    for filter in modes() {
        let mut click = vec![0_i16; 2_000];
        click[1_000] = 8_000;
        let output = shaped(filter, &click);
        assert!(output[..1_000].iter().all(|&sample| sample == 0));
        let loudest = output.iter().enumerate().max_by_key(|(_, sample)| sample.unsigned_abs());
        assert_eq!(loudest.unwrap().0, 1_000);
    }
}

#[test]
fn earlier_audio_affects_only_the_filter_that_processed_it() {
    let (before, samples) = (speech(3), speech(1));
    for filter in modes() {
        let mut used = filter.clone();
        used.shape(&mut before.clone());
        assert_ne!(shaped(used, &samples), shaped(filter.clone(), &samples));
        assert_eq!(shaped(filter.clone(), &samples), shaped(filter, &samples));
    }
}

#[test]
fn silence_stays_silent_and_noise_stays_quiet() {
    for filter in modes() {
        assert!(shaped(filter.clone(), &vec![0; 48_000]).iter().all(|&sample| sample == 0));
        // 60 s of silence after speech stay silent, except for the first second
        let after = [speech(2), vec![0; 60 * SAMPLE_RATE as usize]].concat();
        let output = shaped(filter.clone(), &after);
        assert!(output[3 * SAMPLE_RATE as usize..].iter().all(|&sample| sample == 0));
        // a noise floor at -84 dB is raised by the spectral tilt and the makeup gain, but stays below -50 dB
        let floor: Vec<i16> = speech(2).iter().map(|&sample| (sample % 5) - 2).collect();
        let output = shaped(filter, &floor);
        assert!(output.iter().all(|sample| sample.unsigned_abs() < 104), "{:?}", output.iter().max());
    }
}

#[test]
fn no_sample_reaches_full_scale() {
    let mut square: Vec<i16> =
        (0..48_000).map(|at| if at / 60 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
    square.extend(speech(1).iter().map(|sample| sample.saturating_mul(4)));
    for filter in modes() {
        let loudest = shaped(filter, &square).iter().map(|sample| sample.unsigned_abs()).max().unwrap();
        assert!((26_000..32_200).contains(&loudest), "{loudest}");
    }
}

#[test]
fn quiet_and_loud_voices_keep_their_loudness() {
    /// Returns the energy with the head-related weighting of BS.1770, without gates. The first second, in which the
    /// match converges, is skipped.
    fn energy(samples: &[i16]) -> f64 {
        power(&samples[SAMPLE_RATE as usize..], Band::Shelf { from: 1_681.97, gain: 4.0 })
    }
    for filter in modes() {
        for halves in 0..2 {
            let samples: Vec<i16> = speech(12).iter().map(|sample| sample >> halves).collect();
            let change = 10.0 * (energy(&shaped(filter.clone(), &samples)) / energy(&samples)).log10();
            assert!(change.abs() < 2.0, "{halves}: {change}");
        }
    }
}

#[test]
fn the_telephone_band_is_raised_relative_to_other_frequencies() {
    let high = Band::Bell { middle: 1_500.0, gain: 30.0, q: 1.0 };
    let low = Band::Bell { middle: 150.0, gain: 30.0, q: 1.0 };
    let samples = speech(4);
    for filter in modes() {
        let balance = |samples: &[i16]| 10.0 * (power(samples, high) / power(samples, low)).log10();
        let gained = balance(&shaped(filter, &samples)) - balance(&samples);
        assert!(gained > 8.0, "{gained}");
    }
}

#[test]
fn quiet_speech_is_raised_more_than_loud_speech() {
    let loud = speech(4);
    let samples: Vec<i16> = loud
        .chunks(6_000)
        .enumerate()
        .flat_map(|(number, syllable)| {
            syllable.iter().map(move |sample| sample / if number % 2 == 0 { 1 } else { 4 })
        })
        .collect();
    let distance = |samples: &[i16]| {
        let energy = |first: usize| -> f64 {
            let chosen = samples.chunks(6_000).skip(first).step_by(2).flatten();
            chosen.map(|&sample| f64::from(sample).powi(2)).sum()
        };
        10.0 * (energy(4) / energy(5)).log10()
    };
    for filter in modes() {
        let (before, after) = (distance(&samples), distance(&shaped(filter, &samples)));
        assert!((10.0..14.0).contains(&before) && after < 0.45 * before, "{before} {after}");
    }
}
