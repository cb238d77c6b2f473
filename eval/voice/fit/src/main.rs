//! Searches the acoustic data of the voices against recorded speech. See `eval/voice/README.md`.

mod data;
mod listener;
mod objective;
mod search;
mod words;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use shruti_protocol::Language;
use shruti_voice::tuning::Trial;

use data::Data;
use objective::{Objective, VOICES, identified};
use words::Word;

#[derive(Parser)]
#[command(about)]
struct Args {
    /// What record.py left: words, features, phones
    #[arg(long)]
    recorded: PathBuf,
    /// Acoustic data to begin with
    #[arg(long)]
    data: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    #[arg(long, value_delimiter = ',', default_value = "hi,te,mr")]
    languages: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Moves parameters to where words are heard best
    Search {
        /// Table of parameters: file, row, column, step, low, high
        #[arg(long)]
        parameters: PathBuf,
        /// Where the data goes after every sweep
        #[arg(long)]
        out: PathBuf,
        /// Words a language
        #[arg(long, default_value_t = 90)]
        words: usize,
        /// Leaves out words to which the recorded voice's dictionary gives other syllables
        #[arg(long)]
        alike: bool,
        /// Only this voice; both unless told
        #[arg(long)]
        voice: Option<String>,
        #[arg(long, default_value_t = 20)]
        sweeps: usize,
        /// Shifts which words are drawn
        #[arg(long, default_value_t = 0)]
        draw: usize,
    },
    /// Prints top-1 and top-5 on words left out of the search, in lists of 120, all and those pronounced alike
    Score {
        /// Prints each word that is taken for another
        #[arg(long)]
        confusions: bool,
    },
    /// Prints the features of a 24 kHz WAV file, to compare with listen.py
    Check { wav: PathBuf },
}

fn main() -> Result<()> {
    let args = Args::parse();
    let data = Data::read(&args.data)?;
    let mut pool: Vec<Word> = Vec::new();
    for code in &args.languages {
        let language: Language = code.parse().map_err(|_| anyhow::anyhow!("no language {code}"))?;
        pool.extend(words::read(&args.recorded, language)?);
    }
    match args.command {
        Command::Search { parameters, out, words, alike, voice, sweeps, draw } => {
            // The even words are for fitting.
            let mut queries: Vec<&Word> = Vec::new();
            for code in &args.languages {
                let fit = pool.iter().filter(|w| w.language.code() == code).step_by(2);
                let fit: Vec<&Word> = fit.filter(|w| w.alike || !alike).collect();
                queries.extend(fit.iter().cycle().skip(draw * words).take(words.min(fit.len())));
            }
            let wanted = |name: &str| voice.as_deref().is_none_or(|voice| voice.eq_ignore_ascii_case(name));
            let voices: Vec<usize> = (0..VOICES.len()).filter(|&v| wanted(VOICES[v].0.name())).collect();
            let mut objective = Objective::new(&queries, &pool, &voices, args.threads);
            search::descend(data, &parameters, &mut objective, sweeps, &out)
        }
        Command::Score { confusions } => {
            Trial::new(data.texts()).map_err(anyhow::Error::msg)?.apply();
            score(&pool, &args.languages, confusions);
            Ok(())
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
