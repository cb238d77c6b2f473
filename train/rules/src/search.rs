//! Coordinate descent with a separate step for each parameter.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::data::{Data, Place};
use crate::objective::Objective;

/// Cost of moving a parameter across its whole range from its initial value. The cost keeps parameters without effect
/// in place.
const HOME: f64 = 0.004;
/// Minimum improvement for a step to be accepted.
const LEAST: f64 = 2e-5;

struct Parameter {
    name: String,
    place: Place,
    step: f64,
    low: f64,
    high: f64,
    first: f64,
    /// Items that the parameter can affect.
    reach: Vec<usize>,
    /// Items whose audio the parameter changed when it was last tried on all items that it can affect.
    touches: Option<Vec<usize>>,
}

impl Parameter {
    fn home(&self, value: f64) -> f64 {
        HOME * ((value - self.first) / (self.high - self.low)).powi(2)
    }
}

/// Minimises the objective in sweeps, and writes the data after each accepted step.
pub fn descend(
    mut data: Data,
    table: &Path,
    objective: &mut Objective,
    sweeps: usize,
    out: &Path,
) -> Result<()> {
    let mut parameters = parameters(&data, table, objective)?;
    let all: Vec<usize> = (0..objective.items.len()).collect();
    let scored = objective.score(&data, &all)?;
    objective.keep(&scored);
    println!("{} parameters, {} words in voices, from {:.4}", parameters.len(), all.len(), objective.mean());
    println!("words, English, digits, people: {:.4?}", objective.means());
    for sweep in 0..sweeps {
        let (start, before) = (Instant::now(), objective.mean());
        let mut moved = 0;
        let count = parameters.len();
        for turn in 0..count {
            // Each sweep has a different order; 7919 is coprime to the number of parameters of any table.
            let parameter = &mut parameters[(turn * 7919 + sweep * 31) % count];
            if sweep % 4 == 3 {
                parameter.touches = None;
            }
            if parameter.reach.is_empty() {
                continue;
            }
            if try_both(parameter, &mut data, objective)? {
                moved += 1;
                data.write(out)?;
            }
            if turn % 50 == 49 {
                println!("  {} of {count}: {:.4} {:.4?}", turn + 1, objective.mean(), objective.means());
            }
        }
        let [words, english, digits, people] = objective.means();
        println!(
            "sweep {sweep}: {before:.4} -> {:.4} (words {words:.4}, English {english:.4}, digits {digits:.4}, people {people:.4}), \
             {moved} of {count} moved, {:.0} s",
            objective.mean(),
            start.elapsed().as_secs_f32()
        );
        data.write(out)?;
        if moved == 0 && sweep % 4 == 3 {
            break;
        }
    }
    for parameter in &parameters {
        let value = data.get(&parameter.place).unwrap_or(f64::NAN);
        if (value - parameter.first).abs() > 1e-9 {
            println!("{}: {} -> {value}", parameter.name, parameter.first);
        }
    }
    Ok(())
}

/// Tries one step in each direction. Returns whether a step was accepted.
fn try_both(parameter: &mut Parameter, data: &mut Data, objective: &mut Objective) -> Result<bool> {
    let present = data.get(&parameter.place).context("a parameter is missing")?;
    for _ in 0..2 {
        let wanted = (present + parameter.step).clamp(parameter.low, parameter.high);
        data.set(&parameter.place, wanted);
        let value = data.get(&parameter.place).unwrap_or(present);
        if (value - present).abs() > 1e-9 {
            let places = parameter.touches.as_deref().unwrap_or(&parameter.reach);
            // Try a step on about a third of the items first. If these items do not improve, do not try the step on the
            // rest.
            let (part, rest): (Vec<usize>, Vec<usize>) =
                places.iter().partition(|&&place| in_first_part(place));
            let mut scored = objective.score(data, &part)?;
            let hopeful = objective.gain(&scored) > 0.0;
            if hopeful {
                scored.extend(objective.score(data, &rest)?);
            }
            let gain = objective.gain(&scored);
            if hopeful && parameter.touches.is_none() {
                let changed = scored.iter().filter(|(place, _, print)| objective.changed(*place, *print));
                parameter.touches = Some(changed.map(|(place, ..)| *place).collect());
            }
            if hopeful && gain > LEAST + parameter.home(value) - parameter.home(present) {
                objective.keep(&scored);
                parameter.step *= 1.5;
                return Ok(true);
            }
        }
        data.set(&parameter.place, present);
        parameter.step = -parameter.step;
    }
    parameter.step *= 0.5;
    Ok(false)
}

/// Returns whether an item belongs to the first part: about a third of the items. The choice is independent of voice
/// and condition, which alternate from item to item.
fn in_first_part(place: usize) -> bool {
    (place as u32).wrapping_mul(0x9e37_79b1) >> 16 & 0xff < 0x55
}

fn parameters(data: &Data, table: &Path, objective: &Objective) -> Result<Vec<Parameter>> {
    let text = fs::read_to_string(table).with_context(|| table.display().to_string())?;
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [file, row, column, step, low, high] = fields[..] else {
                anyhow::bail!("{}: '{line}' does not have six fields", table.display());
            };
            let place = data.place(file, row, column)?;
            let first = data.get(&place).context("the parameter is not a number")?;
            Ok(Parameter {
                name: format!("{file} {row} {column}"),
                place,
                step: step.parse()?,
                low: low.parse()?,
                high: high.parse()?,
                first,
                reach: objective.touched(file, row),
                touches: None,
            })
        })
        .collect()
}
