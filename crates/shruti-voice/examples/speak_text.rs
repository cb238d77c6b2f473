//! Synthesises each line of text to a WAV file, for measurements of the text front end and the voice together.
//!
//! `speak_text OUT_DIR [hi|…] [Ananya|Arjun] [speed] < lines` writes `000.wav`, `001.wav` …

use std::error::Error;
use std::io::BufRead;
use std::path::Path;

use shruti_lang::Language;
use shruti_text::{Reader, Settings};
use shruti_voice::{Renderer, SAMPLE_RATE, Style, UtterancePlan, Voice};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = Path::new(arguments.first().ok_or("the output folder is missing")?);
    let language: Language = arguments.get(1).map_or(Ok(Language::Hindi), |code| code.parse())?;
    let voice: Voice =
        arguments.get(2).map_or(Some(Voice::Ananya), |name| Voice::named(name)).ok_or("unknown voice")?;
    let speed = arguments.get(3).map_or(Ok(1.0), |speed| speed.parse())?;
    let style = Style { voice, speed, pitch: 0.0 };
    std::fs::create_dir_all(directory)?;
    let format = hound::WavSpec {
        channels: 1,
        sample_rate: SAMPLE_RATE,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let mut wav = hound::WavWriter::create(directory.join(format!("{index:03}.wav")), format)?;
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&line?);
        reader.finish();
        while let Some(utterance) = reader.next_utterance() {
            let mut renderer = Renderer::new(UtterancePlan::new(&utterance, &style));
            let mut block = [0; 480];
            loop {
                let count = renderer.render(&mut block);
                if count == 0 {
                    break;
                }
                for &sample in &block[..count] {
                    wav.write_sample(sample)?;
                }
            }
        }
        wav.finalize()?;
    }
    Ok(())
}
