//! Fits the acoustic data of the voices to recorded speech. See `measure/voice/README.md`.

mod conditions;
mod data;
mod listener;
mod objective;
mod recogniser;
mod search;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use shruti_lang::Language;
use shruti_voice::tuning::Trial;
use shruti_voice::{Renderer, Style, UtterancePlan, Voice};

use conditions::{Babble, Condition};
use data::Data;
use objective::{Ear, Ears, Objective, VOICES, identified};
use recogniser::Mode;
use words::Word;

#[derive(Parser)]
#[command(about)]
struct Args {
    /// Output folder of record.py: words, features, phones
    #[arg(long)]
    recorded: PathBuf,
    /// Initial acoustic data
    #[arg(long)]
    data: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    #[arg(long, value_delimiter = ',', default_value = "hi,te,mr")]
    languages: Vec<String>,
    /// Folder of wer.py, phone.py and hear_ml.py; if set, sentences are scored, too
    #[arg(long)]
    tools: Option<PathBuf>,
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// English sentences, one per line: even ones for fitting, odd ones for judging
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/english.txt"))]
    english: PathBuf,
    /// Digit strings, divided in the same way
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/digits.txt"))]
    digits: PathBuf,
    /// Malayalam sentences, divided in the same way
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/malayalam.txt"))]
    malayalam: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Optimises parameters for the recognition of words
    Search {
        /// Table of parameters: file, row, column, step, low, high
        #[arg(long)]
        parameters: PathBuf,
        /// Output folder for the data, written during every sweep
        #[arg(long)]
        out: PathBuf,
        /// Words per language
        #[arg(long, default_value_t = 90)]
        words: usize,
        /// Skip words that have a different number of syllables in the recorded voice's dictionary
        #[arg(long)]
        alike: bool,
        /// Fit only this voice; default: both
        #[arg(long)]
        voice: Option<String>,
        #[arg(long, default_value_t = 20)]
        sweeps: usize,
        /// Use only every Nth English sentence and digit string
        #[arg(long, default_value_t = 1)]
        every: usize,
        /// Shift the selection of words and sentences by this many draws
        #[arg(long, default_value_t = 0)]
        draw: usize,
    },
    /// Prints top-1 and top-5 accuracy on words excluded from the search, in lists of 120: of all words, and of those
    /// with matching syllables
    Score {
        /// Print each misrecognised word
        #[arg(long)]
        confusions: bool,
    },
    /// Speaks a list of lines into numbered WAV files for listen.py and wer.py
    Say {
        #[arg(long)]
        list: PathBuf,
        #[arg(long)]
        language: String,
        #[arg(long)]
        voice: String,
        #[arg(long)]
        out: PathBuf,
    },
    /// Prints the features of a 24 kHz WAV file, for comparison with listen.py
    Check { wav: PathBuf },
}

fn main() -> Result<()> {
    let args = Args::parse();
    let data = Data::read(&args.data)?;
    let mut pool: Vec<Word> = Vec::new();
    for code in &args.languages {
        let language: Language = code.parse().map_err(|_| anyhow::anyhow!("unknown language {code}"))?;
        pool.extend(words::read(&args.recorded, language)?);
    }
    let ears = args.tools.map(|tools| Ears { python: args.python, tools });
    // The lists are in the order of `Ear::ALL`.
    let sentences = [
        words::sentences(&args.english, Language::English)?,
        words::sentences(&args.digits, Language::English)?,
        words::sentences(&args.malayalam, Language::Malayalam)?,
    ];
    match args.command {
        Command::Search { parameters, out, words, alike, voice, sweeps, every, draw } => {
            // Words at even positions are used for fitting.
            let mut queries: Vec<&Word> = Vec::new();
            for code in &args.languages {
                let fit = pool.iter().filter(|w| w.language.code() == code).step_by(2);
                let fit: Vec<&Word> = fit.filter(|w| w.alike || !alike).collect();
                queries.extend(fit.iter().cycle().skip(draw * words).take(words.min(fit.len())));
            }
            let wanted = |name: &str| voice.as_deref().is_none_or(|voice| voice.eq_ignore_ascii_case(name));
            let voices: Vec<usize> = (0..VOICES.len()).filter(|&v| wanted(VOICES[v].0.name())).collect();
            let babble = Babble::read(&args.recorded)?;
            let mut objective = Objective::new(&queries, &pool, babble, &voices, args.threads);
            if let Some(ears) = ears {
                for (ear, sentences) in Ear::ALL.into_iter().zip(&sentences) {
                    let every = if matches!(ear, Ear::People) { 1 } else { every };
                    let even: Vec<&Word> =
                        sentences.iter().skip(2 * (draw % every)).step_by(2 * every).collect();
                    objective.add(ear, &even, &voices, &ears)?;
                }
            }
            search::descend(data, &parameters, &mut objective, sweeps, &out)
        }
        Command::Score { confusions } => {
            Trial::new(data.texts()).map_err(anyhow::Error::msg)?.apply();
            if let Some(ears) = &ears {
                for (ear, sentences) in Ear::ALL.into_iter().zip(&sentences) {
                    heard_by(ear, sentences, ears)?;
                }
            }
            score(&pool, &args.languages, confusions);
            Ok(())
        }
        Command::Say { list, language, voice, out } => {
            Trial::new(data.texts()).map_err(anyhow::Error::msg)?.apply();
            let language = language.parse().map_err(|_| anyhow::anyhow!("unknown language {language}"))?;
            let wanted = VOICES.iter().find(|(known, _)| known.name().eq_ignore_ascii_case(&voice));
            let (voice, _) = wanted.with_context(|| format!("unknown voice {voice}"))?;
            say(&list, language, *voice, &out)
        }
        Command::Check { wav } => {
            let bytes = std::fs::read(&wav).with_context(|| wav.display().to_string())?;
            let samples: Vec<f64> = bytes[44..]
                .chunks_exact(2)
                .map(|b| f64::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0)
                .collect();
            for frame in listener::Listener::new(1.0).hear(&samples) {
                println!("{}", frame[..26].iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(" "));
            }
            Ok(())
        }
    }
}

/// Prints the phone errors of a sentence recogniser on sentences that were excluded from the search.
fn heard_by(ear: Ear, sentences: &[Word], ears: &Ears) -> Result<()> {
    let mut recogniser = ears.recogniser(ear, Mode::Phones)?;
    for (voice, _) in VOICES {
        let (mut wrong, mut total) = (0.0, 0.0);
        for sentence in sentences.iter().skip(1).step_by(2) {
            let sound = words::render(sentence, voice);
            let (errors, phones) = recogniser.hear(&ear.text(sentence), &sound, Condition::Clean)?;
            wrong += errors;
            total += phones;
        }
        let code = sentences.first().map_or("", |sentence| sentence.language.code());
        println!("{voice} {code}: {total} phones, {:.1} % wrong", 100.0 * wrong / total);
    }
    Ok(())
}

fn say(list: &Path, language: Language, voice: Voice, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)?;
    let text = std::fs::read_to_string(list).with_context(|| list.display().to_string())?;
    for (number, line) in text.lines().enumerate() {
        let mut wav = b"RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        wav.extend(24_000u32.to_le_bytes());
        wav.extend(48_000u32.to_le_bytes());
        wav.extend(b"\x02\0\x10\0data....");
        for utterance in words::spoken(line, language) {
            let mut renderer =
                Renderer::new(UtterancePlan::new(&utterance, &Style { voice, ..Style::default() }));
            let mut block = [0; 4800];
            loop {
                let count = renderer.render(&mut block);
                wav.extend(block[..count].iter().flat_map(|s| s.to_le_bytes()));
                if count == 0 {
                    break;
                }
            }
        }
        let length = wav.len() as u32;
        wav[4..8].copy_from_slice(&(length - 8).to_le_bytes());
        wav[40..44].copy_from_slice(&(length - 44).to_le_bytes());
        std::fs::write(out.join(format!("{number:03}.wav")), wav)?;
    }
    Ok(())
}

fn score(pool: &[Word], languages: &[String], confusions: bool) {
    let mut means = [0.0; 4];
    for (voice, _) in VOICES {
        for code in languages {
            let odd = pool.iter().filter(|w| w.language.code() == code).skip(1).step_by(2);
            let odd: Vec<&Word> = odd.collect();
            let alike: Vec<&Word> = odd.iter().copied().filter(|w| w.alike).collect();
            let (all, same) =
                (identified(&odd, voice, 120, false), identified(&alike, voice, 120, confusions));
            println!(
                "{voice} {code}: {} words {:.1} / {:.1}; pronounced alike: {} words {:.1} / {:.1}",
                odd.len(),
                all.0,
                all.1,
                alike.len(),
                same.0,
                same.1
            );
            for (mean, value) in means.iter_mut().zip([all.0, all.1, same.0, same.1]) {
                *mean += value / (VOICES.len() * languages.len()) as f64;
            }
        }
    }
    let [a, b, c, d] = means;
    println!("mean: {a:.2} / {b:.2}; pronounced alike: {c:.2} / {d:.2}");
}
