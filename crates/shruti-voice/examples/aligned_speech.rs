//! Synthesises lines of text and writes their audio, fundamental frequency and phone alignment: data for fitting
//! another voice to this one.
//!
//! `aligned_speech OUT [hi|…] [Ananya|Arjun] < lines` writes `OUT.pcm`, 16-bit samples at 24 kHz; `OUT.f0`, the
//! fundamental frequency every 48 samples as 32-bit floats, 0 if unvoiced; and `OUT.tsv`, which has one line per
//! utterance: the position of the first sample, the number of samples, and the phones, each followed by a colon and the
//! number of samples of the phone. Words are separated by ` : `, and `.` stands for a pause.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};

use shruti_lang::Language;
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};
use shruti_voice::{Renderer, Style, UtterancePlan, Voice};

/// Number of samples between two updates of the voice parameters.
const FRAME: usize = 48;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = arguments.first().ok_or("the name of the output files is missing")?;
    let language: Language = arguments.get(1).map_or(Ok(Language::Hindi), |code| code.parse())?;
    let voice =
        arguments.get(2).map_or(Some(Voice::Arjun), |name| Voice::named(name)).ok_or("unknown voice")?;
    let style = Style { voice, speed: 1.0, pitch: 0.0 };
    let create = |kind: &str| File::create(format!("{out}.{kind}")).map(BufWriter::new);
    let (mut pcm, mut f0, mut table) = (create("pcm")?, create("f0")?, create("tsv")?);
    let mut at = 0;
    for line in std::io::stdin().lock().lines() {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&line?);
        reader.finish();
        while let Some(utterance) = reader.next_utterance() {
            let plan = UtterancePlan::new(&utterance, &style);
            let samples = plan.samples();
            writeln!(table, "{at}\t{samples}\t{}", alignment(&utterance, &plan)?)?;
            at += samples;
            let mut renderer = Renderer::new(plan);
            let mut block = [0; FRAME];
            while renderer.render(&mut block) > 0 {
                pcm.write_all(&block.map(i16::to_le_bytes).concat())?;
                f0.write_all(&renderer.f0().unwrap_or(0.0).to_le_bytes())?;
            }
        }
    }
    for mut file in [pcm, f0, table] {
        file.flush()?;
    }
    Ok(())
}

/// Returns the phones of an utterance with their numbers of samples, as a line of text.
fn alignment(utterance: &Utterance, plan: &UtterancePlan) -> Result<String, std::fmt::Error> {
    let mut words = utterance.words.iter().map(|word| word.phones.len()).filter(|&phones| phones > 0);
    let mut left = words.next().unwrap_or(0);
    let mut line = String::new();
    for (phone, times) in plan.phone_times() {
        if phone.is_some() && left == 0 {
            line.push_str(" : ");
            left = words.next().unwrap_or(0);
        }
        match phone {
            Some(phone) => write!(line, "{phone}:{} ", times.len())?,
            None => write!(line, ".:{} ", times.len())?,
        }
        left -= usize::from(phone.is_some());
    }
    Ok(line.trim_end().to_owned())
}
