//! Speaks phones: for measuring the voice without the text front end.
//!
//! `speak_phones OUT_DIR [hi|…] [Ananya|Arjun] [speed] < lines` writes `000.wav`, `001.wav` … Each line is an utterance:
//! words in IPA with spaces between; `,` and `?` and `!` at a word's end ask for a comma or a contour; `~` before a word
//! makes it a function word. Stress marks open a syllable.

use std::error::Error;
use std::io::BufRead;
use std::path::Path;

use shruti_protocol::{Language, Voice};
use shruti_text::phone::{Phone, parse_ipa};
use shruti_text::utterance::{Break, Contour, Stress, Syllable, Utterance, Weight, Word};
use shruti_voice::{Renderer, SAMPLE_RATE, Score, Style};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = Path::new(arguments.first().ok_or("the folder to write to is missing")?);
    let language: Language = arguments.get(1).map_or(Ok(Language::Hindi), |code| code.parse())?;
    let voice: Voice = arguments.get(2).map_or(Ok(Voice::Ananya), |name| name.parse())?;
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
        let utterance = utterance(&line?, language, index as u32);
        let mut renderer = Renderer::new(Score::new(&utterance, &style));
        let mut wav = hound::WavWriter::create(directory.join(format!("{index:03}.wav")), format)?;
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
        wav.finalize()?;
    }
    Ok(())
}

fn utterance(line: &str, language: Language, index: u32) -> Utterance {
    let mut contour = Contour::Statement;
    let mut words: Vec<Word> = Vec::new();
    for written in line.split_whitespace() {
        let mut ipa = written;
        let mut break_after = Break::None;
        let mut weight = Weight::Content;
        if let Some(rest) = ipa.strip_prefix('~') {
            (ipa, weight) = (rest, Weight::Function);
        }
        if let Some(rest) = ipa.strip_suffix(',') {
            (ipa, break_after) = (rest, Break::Comma);
        } else if let Some(rest) = ipa.strip_suffix('?') {
            (ipa, contour) = (rest, Contour::YesNoQuestion);
        } else if let Some(rest) = ipa.strip_suffix('!') {
            (ipa, contour) = (rest, Contour::Exclamation);
        }
        let (phones, syllables) = syllables(ipa);
        words.push(Word { text: ipa.into(), language, phones, syllables, source: 0..0, weight, break_after });
    }
    if let Some(last) = words.last_mut() {
        last.break_after = Break::Sentence;
    }
    Utterance { index, language, words, contour, begins_sentence: true, source: 0..0 }
}

/// Phones, and syllables that begin at a stress mark or before the last consonant of a cluster.
fn syllables(ipa: &str) -> (Vec<Phone>, Vec<Syllable>) {
    let mut phones = Vec::new();
    let mut stressed_from = None;
    for (part, piece) in ipa.split('ˈ').enumerate() {
        if part > 0 {
            stressed_from = Some(phones.len());
        }
        match parse_ipa(piece) {
            Ok(read) => phones.extend(read),
            Err(unknown) => eprintln!("{ipa}: {unknown}"),
        }
    }
    let mut starts = vec![0];
    let vowels: Vec<usize> = (0..phones.len()).filter(|&at| phones[at].is_vowel()).collect();
    for pair in vowels.windows(2) {
        starts.push(if pair[1] == pair[0] + 1 { pair[1] } else { pair[1] - 1 });
    }
    let ends = starts.iter().skip(1).copied().chain([phones.len()]);
    let syllables: Vec<_> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    let stressed = syllables
        .iter()
        .position(|range| stressed_from.is_some_and(|from| range.contains(&from) || range.start >= from))
        .unwrap_or(0);
    let syllables = syllables
        .into_iter()
        .enumerate()
        .map(|(at, phones)| Syllable {
            phones,
            stress: if at == stressed { Stress::Primary } else { Stress::None },
            tone: None,
        })
        .collect();
    (phones, syllables)
}
