//! Synthesises each line of standard input to a separate WAV file (`FOLDER/000.wav` and so on) with the model in a
//! weights file, and prints the synthesis speed. Usage: `learned WEIGHTS LANGUAGE SPEAKER FOLDER < LINES`, where
//! SPEAKER is 0 for Ananya or 1 for Arjun.
#![allow(missing_docs)]
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shruti_lang::{Language, SAMPLE_RATE};
use shruti_learned::{Model, Settings};
use shruti_text::Reader;

/// Number of samples of silence after each utterance.
const PAUSE: usize = 7_200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: learned WEIGHTS LANGUAGE SPEAKER FOLDER < LINES");
    let (weights, language, speaker, folder) = (next()?, next()?, next()?.parse()?, PathBuf::from(next()?));
    let language = Language::from_code(&language).ok_or("unknown language")?;
    let model = Model::new(&std::fs::read(weights)?)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    std::fs::create_dir_all(&folder)?;
    let (mut sound, mut planning, mut work) = (0, Duration::ZERO, Duration::ZERO);
    for (number, line) in std::io::stdin().lines().enumerate() {
        let mut reader =
            Reader::new(shruti_text::Settings { language: Some(language), ..Default::default() });
        reader.push(&line?);
        reader.finish();
        let mut samples = Vec::new();
        for utterance in std::iter::from_fn(|| reader.next_utterance()) {
            let settings =
                Settings { speaker, speed: 1.0, pitch: 0.0, pause: PAUSE, seed: utterance.index.into() };
            let began = Instant::now();
            let mut passage = pool.install(|| model.prepare(&utterance, &settings));
            planning += began.elapsed();
            pool.install(|| while model.render(&mut passage, &mut samples) {});
            work += began.elapsed();
        }
        sound += samples.len();
        write(&folder.join(format!("{number:03}.wav")), &samples)?;
    }
    let seconds = sound as f64 / f64::from(SAMPLE_RATE);
    println!(
        "{seconds:.1} s of speech in {:.2} s, {:.1} times real time; {:.2} s of that for planning",
        work.as_secs_f64(),
        seconds / work.as_secs_f64(),
        planning.as_secs_f64()
    );
    Ok(())
}

fn write(path: &Path, samples: &[f32]) -> Result<(), hound::Error> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: SAMPLE_RATE,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, spec)?;
    for sample in samples {
        file.write_sample((sample * f32::from(i16::MAX)).round() as i16)?;
    }
    file.finalize()
}
