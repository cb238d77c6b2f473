//! Measures how accurately typed sentences are read, compared with their native text.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use shruti_translit::units::{native, units};
use shruti_translit::{Model, Reading, Roman};

use crate::{Measure, corpus, weights};

/// Number of times that the reading of a word is timed. The shortest time is used.
const TIMES: usize = 3;

pub fn show(language: &str, model: &Path, words: &[String]) -> anyhow::Result<()> {
    let block = corpus::block(language)?;
    let file = std::fs::read(model)?;
    let model = Model::read(&file, block).context("invalid model")?;
    for word in words {
        let Some(roman) = Roman::new(&word.to_lowercase()) else { continue };
        let readings = model.readings(&roman);
        let readings = readings
            .iter()
            .map(|r| format!("{} {}{}", native(&r.units, block), r.cost, if r.is_known { "" } else { "?" }));
        println!("{word}: {}", readings.collect::<Vec<_>>().join("  "));
        if let Some(units) = units(word, block) {
            println!("{word}: {:?}", shruti_translit::train::romanise(&model, &units, 6));
        }
    }
    Ok(())
}

/// Pairs the typed words of a line with its native words. Returns an empty list if the numbers of words differ.
fn aligned(roman: &str, native: &str) -> Vec<(String, String)> {
    let roman: Vec<&str> = roman.split_whitespace().collect();
    let native: Vec<&str> = native.split_whitespace().collect();
    if roman.len() != native.len() {
        return Vec::new();
    }
    let pairs = roman.iter().zip(native).map(|(roman, native)| {
        let roman: String = roman.chars().filter(char::is_ascii_alphabetic).collect();
        let native: String = native
            .chars()
            .filter(|&c| {
                c >= '\u{900}' && !matches!(c, '।' | '॥' | '॰' | '’' | '‘' | '“' | '”' | '–' | '—' | '…')
            })
            .collect();
        (roman.to_lowercase(), native)
    });
    pairs.collect()
}

/// Returns the 50th, 90th and 99th percentiles, in microseconds, of times in nanoseconds.
fn quantiles(mut times: Vec<u64>) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        times.get(times.len().saturating_sub(1) * percent / 100).map_or(0, |time| time / 1000)
    };
    format!("{}/{}/{}", at(50), at(90), at(99))
}

pub fn run(options: &Measure) -> anyhow::Result<()> {
    let block = corpus::block(&options.language)?;
    let file = std::fs::read(&options.model)?;
    let mut model = Model::read(&file, block).context("invalid model")?;
    let except: HashSet<String> = match &options.except {
        Some(path) => std::fs::read_to_string(path)?
            .lines()
            .filter_map(|line| Some(line.split_once('\t')?.1.to_owned()))
            .collect(),
        None => HashSet::new(),
    };
    let (roman, native_text) =
        (std::fs::read_to_string(&options.roman)?, std::fs::read_to_string(&options.native)?);
    let lines: Vec<_> = roman
        .lines()
        .zip(native_text.lines())
        .step_by(options.every)
        .filter(|(_, native)| !except.contains(*native))
        .map(|(roman, native)| aligned(roman, native))
        .filter(|line| !line.is_empty())
        .collect();
    let sets: Vec<_> = match &options.weights {
        None => vec![model.weights],
        Some(sets) => sets
            .split('/')
            .map(|set| weights(&set.split(',').map(str::parse).collect::<Result<Vec<_>, _>>()?))
            .collect::<anyhow::Result<_>>()?,
    };
    for set in sets {
        model.weights = set;
        let (mut right, mut total, mut known, mut spelt, mut oracle, mut oov) = (0, 0, 0, 0, 0, 0);
        let mut mistakes: HashMap<String, usize> = HashMap::new();
        // times of words whose best reading is in the lexicon, and times of other words
        let mut times: [Vec<u64>; 2] = Default::default();
        for line in &lines {
            let readings: Vec<Vec<Reading>> = line
                .iter()
                .map(|(roman, _)| {
                    let read = || {
                        let start = Instant::now();
                        let readings =
                            Roman::new(roman).map(|roman| model.readings(&roman)).unwrap_or_default();
                        (start.elapsed().as_nanos() as u64, readings)
                    };
                    let (first, readings) = read();
                    // use the minimum, because other processes on the machine can delay a reading
                    let time = (1..TIMES).map(|_| read().0).fold(first, u64::min);
                    let is_known = readings.first().is_some_and(|reading| reading.is_known);
                    times[usize::from(!is_known)].push(time);
                    readings
                })
                .collect();
            let chosen = model.choose(&readings.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for (((roman, want), readings), chosen) in line.iter().zip(&readings).zip(chosen) {
                let Some(want_units) = units(want, block) else { continue };
                if Roman::new(roman).is_none() {
                    continue;
                }
                total += 1;
                let got = chosen.map(|chosen| &readings[chosen]);
                let is_right = got.is_some_and(|got| got.units == want_units);
                right += usize::from(is_right);
                oracle += usize::from(readings.iter().any(|reading| reading.units == want_units));
                if got.is_some_and(|got| !got.is_known) {
                    spelt += 1;
                    known += usize::from(is_right);
                }
                if !model.knows(&want_units, roman) {
                    oov += 1;
                }
                if !is_right && options.mistakes {
                    let got = got.map(|got| native(&got.units, block)).unwrap_or_default();
                    *mistakes.entry(format!("{roman}: {got} for {want}")).or_default() += 1;
                }
            }
        }
        let [known_times, unknown_times] = times.map(quantiles);
        println!(
            "{} {:?}: right {:.1} %, among readings {:.1}, unlisted {:.1}, spelt anew {:.1} ({:.1} right), {} words; µs p50/p90/p99 known {known_times}, unknown {unknown_times}",
            options.language,
            [set.channel, set.unknown_channel, set.spelling, set.unknown, set.pair],
            100.0 * right as f64 / total as f64,
            100.0 * oracle as f64 / total as f64,
            100.0 * oov as f64 / total as f64,
            100.0 * spelt as f64 / total as f64,
            100.0 * known as f64 / spelt.max(1) as f64,
            total,
        );
        let mut mistakes: Vec<_> = mistakes.into_iter().collect();
        mistakes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        for (mistake, count) in mistakes.iter().take(60) {
            println!("  {count} {mistake}");
        }
    }
    Ok(())
}
