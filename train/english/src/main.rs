//! Builds `crates/shruti-text/data/en/{lexicon,letters}.bin` from the CMU Pronouncing Dictionary, and measures the
//! letter-to-sound model on unseen words.

mod accent;
mod align;
mod cmudict;
mod names;
mod ngram;
mod trigrams;

use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use shruti_text::english::letter_to_sound::Model;
use shruti_text::english::sound::{self, Code};
use shruti_text::english::{lexicon, morphology};

use crate::align::{Aligned, Example, Graphone};
use crate::cmudict::Arpabet;
use crate::ngram::Settings;

/// Map with the same iteration order in every run, so that sums of floats, and the data computed from these sums, are
/// reproducible.
type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

type HashSet<T> = std::collections::HashSet<T, BuildHasherDefault<DefaultHasher>>;

/// Minimum trigram score, in sixteenths of a nat, of an Indian name. An ordinary English word never counts as one.
const SURELY_INDIAN: i32 = 60;

fn new_map<K, V>() -> HashMap<K, V> {
    HashMap::default()
}

#[derive(Parser)]
#[command(about, version)]
struct Arguments {
    /// Path of the dictionary: index.js of the npm package cmu-pronouncing-dictionary, or a plain cmudict file.
    #[arg(long)]
    cmudict: PathBuf,
    /// Longest n-gram of graphones.
    #[arg(long, default_value_t = 7)]
    order: usize,
    /// Minimum gain in log-likelihood, in bits, of an n-gram that stays in the model.
    #[arg(long, default_value_t = 6.5)]
    prune: f64,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes lexicon.bin, letters.bin, names.bin and indian_trigrams.bin.
    Build {
        /// Indian names: lines of word and IPA, from name_pairs.py.
        #[arg(long)]
        pairs: PathBuf,
        /// Folder of JSON lists of ordinary English words. Other words of the dictionary are treated as names.
        #[arg(long)]
        words: PathBuf,
        /// Output folder.
        #[arg(long)]
        out: PathBuf,
    },
    /// Cross-validates the model of Indian names in ten folds.
    Names {
        /// Lines of word and IPA, from name_pairs.py.
        #[arg(long)]
        pairs: PathBuf,
    },
    /// Scores the classifier of Indian and English spellings on unseen words.
    Spelling {
        /// Lines of word and IPA, from name_pairs.py.
        #[arg(long)]
        pairs: PathBuf,
    },
    /// Cross-validates the letter-to-sound model in ten folds.
    CrossValidate {
        /// Number of folds to run, of ten.
        #[arg(long, default_value_t = 10)]
        folds: usize,
        /// Score the dictionary's American phones without stress, as published results do.
        #[arg(long)]
        arpabet: bool,
        /// Number of wrong pronunciations to print per fold.
        #[arg(long, default_value_t = 0)]
        show: usize,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let dictionary = cmudict::read(&arguments.cmudict)?;
    let settings = Settings { order: arguments.order, prune: arguments.prune };
    match arguments.command {
        Command::Build { pairs, words, out } => {
            let names = names::read(&std::fs::read_to_string(pairs)?)?;
            build(&dictionary, &names, &english_words(&words)?, settings, &out)
        }
        Command::Names { pairs } => names::cross_validate(&names::read(&std::fs::read_to_string(pairs)?)?),
        Command::Spelling { pairs } => {
            let names = names::read(&std::fs::read_to_string(pairs)?)?;
            let english: Vec<&str> =
                dictionary.keys().map(String::as_str).filter(|word| !word.contains('\'')).collect();
            trigrams::cross_validate(&names::words(&names), &english);
            Ok(())
        }
        Command::CrossValidate { folds, arpabet, show } => {
            cross_validate(&dictionary, settings, folds, arpabet, show)
        }
    }
}

fn letters_only(word: &str) -> String {
    word.chars().filter(char::is_ascii_lowercase).collect()
}

/// A word and its Indian pronunciations, the primary one first.
struct Converted {
    word: String,
    pronunciations: Vec<Vec<Code>>,
}

fn to_indian(dictionary: &BTreeMap<String, Vec<Arpabet>>) -> Vec<Converted> {
    let mut examples = Vec::new();
    for (word, pronunciations) in dictionary {
        for phones in pronunciations {
            let letters = letters_only(word).into_bytes();
            examples.push(Example { letters, sounds: phones.iter().map(|(arpa, _)| arpa.0).collect() });
        }
    }
    let mut aligned = align::align(&examples, |code| code).into_iter();
    let mut words = Vec::new();
    for (word, pronunciations) in dictionary {
        let letters = letters_only(word);
        let mut converted: Vec<Vec<Code>> = Vec::new();
        for phones in pronunciations {
            let aligned = aligned.next().expect("there is one alignment per example");
            // an initialism has no alignment, because its letters do not spell its vowels
            let steps = match aligned {
                Some(Aligned { graphones, .. }) => steps(&graphones),
                None => vec![(0..0, 0..phones.len())],
            };
            let codes: Vec<Code> = accent::convert(&letters, phones, &steps).concat();
            if !converted.contains(&codes) {
                converted.push(codes);
            }
        }
        words.push(Converted { word: word.clone(), pronunciations: converted });
    }
    words
}

fn steps(graphones: &[Graphone]) -> Vec<accent::Step> {
    let (mut letter, mut phone) = (0, 0);
    graphones
        .iter()
        .map(|graphone| {
            let step = (letter..letter + graphone.letters.len(), phone..phone + graphone.sounds.len());
            (letter, phone) = (step.0.end, step.1.end);
            step
        })
        .collect()
}

/// Returns a sound without its stress, so that the alignment treats nuclei with different stress as the same sound.
fn without_stress(code: Code) -> Code {
    sound::with_stress(code, shruti_text::utterance::Stress::None)
}

/// Returns the words of all lists in a folder. Each list is a JSON array of words.
fn english_words(folder: &std::path::Path) -> Result<HashSet<String>> {
    let mut words = HashSet::default();
    for file in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let list = std::fs::read_to_string(&path)?;
            words.extend(list.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    Ok(words)
}

fn build(
    dictionary: &BTreeMap<String, Vec<Arpabet>>,
    names: &[Example],
    english_words: &HashSet<String>,
    settings: Settings,
    out: &std::path::Path,
) -> Result<()> {
    let indian = names::words(names);
    let english: Vec<&str> =
        dictionary.keys().map(String::as_str).filter(|word| !word.contains('\'')).collect();
    let table = trigrams::build(&indian, &english);
    let listed: HashSet<&str> = indian.iter().copied().collect();
    // Indian names are excluded, because the dictionary's American pronunciations of them are unreliable
    let is_indian_name = |word: &str| {
        !english_words.contains(word)
            && (listed.contains(word) || trigrams::score(&table, word) >= SURELY_INDIAN)
    };
    let words = to_indian(dictionary);
    let examples: Vec<Example> = words
        .iter()
        .filter(|converted| !converted.word.contains('\'') && !is_indian_name(&converted.word))
        .map(|converted| Example {
            letters: converted.word.clone().into_bytes(),
            sounds: converted.pronunciations[0].clone(),
        })
        .collect();
    let aligned = align::align(&examples, without_stress);
    let sequences: Vec<&[Graphone]> =
        aligned.iter().flatten().filter(|a| a.regular).map(|a| a.graphones.as_slice()).collect();
    let trained = ngram::train(&sequences, settings)?;
    let model = Model::read(&trained.bytes)?;
    println!(
        "letters.bin: {} bytes, {} graphones, {} n-grams, from {} of {} words",
        trained.bytes.len(),
        trained.graphones,
        trained.grams,
        sequences.len(),
        examples.len()
    );
    let right =
        examples.iter().filter(|example| model.transcribe(&example.letters) == example.sounds).count();
    println!(
        "training words read as in the lexicon, stress included: {:.1} %",
        percent(right, examples.len())
    );

    let mut kept: BTreeMap<&str, &[Code]> = BTreeMap::new();
    let mut by_length: Vec<&Converted> = words.iter().collect();
    by_length.sort_by_key(|converted| (converted.word.len(), &converted.word));
    let mut left_out = 0;
    for converted in by_length {
        if is_indian_name(&converted.word) {
            left_out += 1;
            continue;
        }
        let known = |word: &str| kept.get(word).map(|codes| codes.to_vec());
        let derived = morphology::derive(&converted.word, &known);
        if derived.as_ref() != Some(&converted.pronunciations[0]) {
            kept.insert(&converted.word, &converted.pronunciations[0]);
        }
    }
    let bytes = lexicon::write(kept.iter().map(|(word, codes)| (*word, *codes)));
    println!(
        "lexicon.bin: {} bytes, {} of {} words; {left_out} are names of India, the others are derived",
        bytes.len(),
        kept.len(),
        words.len()
    );
    let trained_names = names::train(names)?;
    println!("names.bin: {} bytes, {} n-grams", trained_names.bytes.len(), trained_names.grams);
    Model::read(&trained_names.bytes)?;
    std::fs::write(out.join("names.bin"), trained_names.bytes).context("writing names.bin")?;
    std::fs::write(out.join("indian_trigrams.bin"), table).context("writing indian_trigrams.bin")?;
    std::fs::write(out.join("lexicon.bin"), bytes).context("writing lexicon.bin")?;
    std::fs::write(out.join("letters.bin"), trained.bytes).context("writing letters.bin")?;
    Ok(())
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Returns the cross-validation fold of a word, 0 to 9. The fold is derived from the word's FNV-1a hash, so that the
/// split is the same in every run.
fn fold_of(word: &str) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((hash >> 32) % 10) as usize
}

#[derive(Default)]
struct Score {
    words: usize,
    right: usize,
    right_without_stress: usize,
    phones: usize,
    errors: usize,
    seconds: f64,
    bytes: usize,
}

fn cross_validate(
    dictionary: &BTreeMap<String, Vec<Arpabet>>,
    settings: Settings,
    folds: usize,
    arpabet: bool,
    show: usize,
) -> Result<()> {
    let words: Vec<Converted> = if arpabet {
        dictionary
            .iter()
            .map(|(word, pronunciations)| Converted {
                word: word.clone(),
                pronunciations: pronunciations
                    .iter()
                    .map(|phones| phones.iter().map(|(arpa, _)| arpa.0).collect())
                    .collect(),
            })
            .collect()
    } else {
        to_indian(dictionary)
    };
    let words: Vec<Converted> =
        words.into_iter().filter(|converted| !converted.word.contains('\'')).collect();
    let fold_stress = |code: Code| if arpabet { code } else { without_stress(code) };
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let scores = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> Result<Vec<Score>> {
                    let mut scores = Vec::new();
                    loop {
                        let fold = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if fold >= folds.min(10) {
                            return Ok(scores);
                        }
                        scores.push(run_fold(&words, fold, settings, &fold_stress, show)?);
                    }
                })
            })
            .collect();
        let mut scores = Vec::new();
        for handle in handles {
            scores.extend(handle.join().expect("a fold does not panic")?);
        }
        anyhow::Ok(scores)
    })?;
    let total = |part: fn(&Score) -> usize| scores.iter().map(part).sum::<usize>();
    let (count, phones) = (total(|s| s.words), total(|s| s.phones));
    println!("{} folds, {count} words not seen in training", scores.len());
    println!("words right:                {:.2} %", percent(total(|s| s.right_without_stress), count));
    if !arpabet {
        println!("words right, with stress:   {:.2} %", percent(total(|s| s.right), count));
    }
    println!("phone errors:               {:.2} %", percent(total(|s| s.errors), phones));
    println!("model size:                 {} bytes", total(|s| s.bytes) / scores.len().max(1));
    let seconds: f64 = scores.iter().map(|s| s.seconds).sum();
    println!("time per word:              {:.1} µs", 1e6 * seconds / count as f64);
    Ok(())
}

fn run_fold(
    words: &[Converted],
    fold: usize,
    settings: Settings,
    fold_stress: &dyn Fn(Code) -> Code,
    show: usize,
) -> Result<Score> {
    let examples: Vec<Example> = words
        .iter()
        .filter(|converted| fold_of(&converted.word) != fold)
        .map(|converted| Example {
            letters: converted.word.clone().into_bytes(),
            sounds: converted.pronunciations[0].clone(),
        })
        .collect();
    let aligned = align::align(&examples, fold_stress);
    let sequences: Vec<&[Graphone]> =
        aligned.iter().flatten().filter(|a| a.regular).map(|a| a.graphones.as_slice()).collect();
    let trained = ngram::train(&sequences, settings)?;
    let model = Model::read(&trained.bytes)?;
    let mut score = Score { bytes: trained.bytes.len(), ..Score::default() };
    let held_out: Vec<&Converted> =
        words.iter().filter(|converted| fold_of(&converted.word) == fold).collect();
    let started = Instant::now();
    let answers: Vec<Vec<u8>> =
        held_out.iter().map(|converted| model.transcribe(converted.word.as_bytes())).collect();
    score.seconds = started.elapsed().as_secs_f64();
    let mut shown = 0;
    for (converted, answer) in held_out.iter().zip(answers) {
        let plain = |codes: &[Code]| codes.iter().map(|&code| fold_stress(code)).collect::<Vec<_>>();
        let answer_plain = plain(&answer);
        let (distance, length) = converted
            .pronunciations
            .iter()
            .map(|reference| (edit_distance(&plain(reference), &answer_plain), reference.len()))
            .min()
            .expect("every word has a pronunciation");
        score.words += 1;
        score.phones += length;
        score.errors += distance;
        score.right += usize::from(converted.pronunciations.contains(&answer));
        score.right_without_stress += usize::from(distance == 0);
        if distance > 0 && shown < show {
            shown += 1;
            let spell = |codes: &[Code]| codes.iter().map(|&c| sound::name(c)).collect::<Vec<_>>().join(" ");
            println!("{}\t{}\t{}", converted.word, spell(&converted.pronunciations[0]), spell(&answer));
        }
    }
    Ok(score)
}

fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
