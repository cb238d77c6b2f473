//! Reads lines from standard input and writes a WAV file for each, spoken at the given rate: `rates FOLDER LANGUAGE
//! VOICE RATE [ENGINE] < LINES`.

use std::path::Path;

use shruti_lang::{Language, SAMPLE_RATE, VoiceEngine};
use shruti_screenreader::{Event, Settings, Speaker};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, language, voice, rate, rest @ ..] = arguments.as_slice() else {
        return Err("usage: rates FOLDER LANGUAGE VOICE RATE [ENGINE] < LINES".into());
    };
    let engine = rest.first().map_or(Ok(VoiceEngine::Rules), |engine| engine.parse())?;
    let language: Language = language.parse()?;
    let settings = Settings {
        voice: Some(voice.as_str().into()),
        language: Some(language),
        rate: rate.parse()?,
        ..Settings::default()
    };
    let speaker = Speaker::new(engine)?;
    std::fs::create_dir_all(folder)?;
    let format = hound::WavSpec {
        channels: 1,
        sample_rate: SAMPLE_RATE,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    for (number, line) in std::io::stdin().lines().enumerate() {
        let mut wav = hound::WavWriter::create(Path::new(folder).join(format!("{number:03}.wav")), format)?;
        let mut reading = speaker.read(&line?, &settings)?;
        while let Some(event) = reading.next_event() {
            if let Event::Audio(samples, _) = event? {
                for sample in samples {
                    wav.write_sample(sample)?;
                }
            }
        }
        wav.finalize()?;
    }
    Ok(())
}
