//! Builds the tables of `crates/shruti-translit` from words, their typed forms, and text; and measures them.

mod corpus;
mod measure;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use shruti_translit::train::{Forms, Sizes, forms, train, write_languages};
use shruti_translit::{Model, Weights};

#[derive(Parser)]
#[command(about)]
enum Command {
    /// Writes the table of a language.
    Train(Train),
    /// Prints the share of words in typed sentences whose reading equals the native text.
    Measure(Measure),
    /// Writes the table of all languages.
    Languages(Languages),
    #[command(subcommand)]
    Show(Show),
}

#[derive(Args)]
struct Languages {
    /// Files of `form<TAB>probability`, in the order of the languages.
    forms: Vec<PathBuf>,
    #[arg(long)]
    out: PathBuf,
    /// Number of listed forms per language.
    #[arg(long, default_value_t = 3_500)]
    listed: usize,
    /// Number of listed forms of English, the last language.
    #[arg(long, default_value_t = 20_000)]
    listed_english: usize,
}

#[derive(Args)]
struct Train {
    /// Language code.
    #[arg(long)]
    language: String,
    /// Files of `native<TAB>typed<TAB>count`, each with the weight of its counts: `FILE*WEIGHT`.
    #[arg(long)]
    pairs: Vec<String>,
    /// Text in native script, one sentence per line: `FILE*WEIGHT`.
    #[arg(long)]
    text: Vec<String>,
    /// Counts of words in native script, `word count` per line: `FILE*WEIGHT`.
    #[arg(long)]
    counts: Vec<String>,
    /// Held-out test sentences; lines of text that share six consecutive words with them are excluded.
    #[arg(long)]
    held: Vec<PathBuf>,
    #[arg(long)]
    out: PathBuf,
    /// Output file for the typed forms of words.
    #[arg(long)]
    forms: Option<PathBuf>,
    #[arg(long, default_value_t = 60_000)]
    words: usize,
    #[arg(long, default_value_t = 200_000)]
    ngram_bytes: usize,
    #[arg(long, default_value_t = 100_000)]
    channel_bytes: usize,
    #[arg(long, default_value_t = 30_000)]
    bigrams: usize,
    /// Weights of the costs, five numbers.
    #[arg(long, value_delimiter = ',', default_values_t = [64, 56, 56, 56, 64])]
    weights: Vec<u32>,
}

#[derive(Args)]
struct Measure {
    #[arg(long)]
    language: String,
    #[arg(long)]
    model: PathBuf,
    /// Typed sentences; `--native` has the same sentences in native script.
    #[arg(long)]
    roman: PathBuf,
    #[arg(long)]
    native: PathBuf,
    /// File of pairs whose native sides are excluded.
    #[arg(long)]
    except: Option<PathBuf>,
    /// Measure only every Nth line.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Weights to use instead of the file's; separate several sets with `/`.
    #[arg(long)]
    weights: Option<String>,
    /// Print the most frequent mistakes.
    #[arg(long)]
    mistakes: bool,
}

#[derive(Subcommand)]
enum Show {
    /// Prints the readings of words.
    Word { language: String, model: PathBuf, words: Vec<String> },
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Train(options) => {
            let material = corpus::read(&options)?;
            let sizes = Sizes {
                words: options.words,
                ngram_bytes: options.ngram_bytes,
                channel_bytes: options.channel_bytes,
                pairs: options.bigrams,
            };
            let file = train(&material, &sizes, weights(&options.weights)?);
            println!("{}: {} bytes", options.language, file.len());
            if let Some(path) = &options.forms {
                let model = Model::read(&file, material.block).context("invalid model")?;
                let lines: String = forms(&material, &model, 30_000)
                    .into_iter()
                    .filter(|(_, p)| *p > 1e-8)
                    .map(|(form, p)| format!("{form}\t{p:e}\n"))
                    .collect();
                std::fs::write(path, lines)?;
            }
            std::fs::write(&options.out, file).with_context(|| format!("writing {}", options.out.display()))
        }
        Command::Measure(options) => measure::run(&options),
        Command::Languages(options) => {
            let forms: Vec<Forms> =
                options.forms.iter().map(|path| corpus::forms(path)).collect::<anyhow::Result<_>>()?;
            let mut most = vec![options.listed; forms.len()];
            if let Some(english) = most.last_mut() {
                *english = options.listed_english;
            }
            let file = write_languages(&forms, &most);
            println!("{} bytes", file.len());
            std::fs::write(&options.out, file).with_context(|| format!("writing {}", options.out.display()))
        }
        Command::Show(Show::Word { language, model, words }) => measure::show(&language, &model, &words),
    }
}

fn weights(numbers: &[u32]) -> anyhow::Result<Weights> {
    let &[channel, unknown_channel, spelling, unknown, pair] = numbers else {
        anyhow::bail!("expected five weights")
    };
    Ok(Weights { channel, unknown_channel, spelling, unknown, pair })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use shruti_translit::train::{Material, Pair};
    use shruti_translit::units::{block_of, units};

    use super::*;

    /// Returns a few thousand Devanagari words with counts whose sum depends on the order of addition.
    fn material() -> Material {
        let block = block_of(shruti_lang::Language::Hindi).unwrap();
        let syllables =
            [("का", "ka"), ("नी", "nee"), ("से", "se"), ("रो", "ro"), ("मु", "mu"), ("ति", "ti"), ("ल", "l")];
        let mut material =
            Material { block, pairs: Vec::new(), words: BTreeMap::new(), bigrams: HashMap::new() };
        let mut before = None;
        for number in 0..3_000_usize {
            let parts = [number % 7, number / 7 % 7, number / 49 % 7, number / 343 % 7];
            let native: String = parts.iter().map(|part| syllables[*part].0).collect();
            let roman: String = parts.iter().map(|part| syllables[*part].1).collect();
            let units = units(&native, block).unwrap();
            let count = 1.0 / (number as f64 + 0.7);
            *material.words.entry(units.clone()).or_default() += count;
            material.pairs.push(Pair { units: units.clone(), roman, weight: count });
            if let Some(before) = before.replace(units.clone()) {
                material.bigrams.insert((before, units), 3.0 + count);
            }
        }
        material
    }

    #[test]
    fn training_is_reproducible() {
        let sizes = Sizes { words: 1_000, ngram_bytes: 4_000, channel_bytes: 3_000, pairs: 500 };
        let set = weights(&[64, 56, 56, 56, 64]).unwrap();
        let make = || {
            let material = material();
            let file = train(&material, &sizes, set);
            let forms = forms(&material, &Model::read(&file, material.block).unwrap(), 500);
            (file, write_languages(&vec![forms; shruti_lang::Language::FINISHED.len()], &[100; 11]))
        };
        let (file, languages) = make();
        assert!(file.len() > 5_000 && Model::read(&file, material().block).is_some());
        for _ in 0..3 {
            assert!(make() == (file.clone(), languages.clone()));
        }
    }
}
