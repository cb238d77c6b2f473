//! Recognisers for whole sentences, which run in child processes: `recogniser.py` and `people.py`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use crate::conditions::Condition;

/// Type of measurement that a recogniser returns.
#[derive(Clone, Copy)]
pub enum Mode {
    /// Smooth cost of phones that are hard to distinguish from other phones.
    Rivals,
    /// Number of errors of free phone decoding.
    Phones,
}

/// A running recogniser process.
pub struct Recogniser {
    child: Child,
    ask: Option<ChildStdin>,
    answer: ChildStdout,
}

impl Recogniser {
    /// Starts a recogniser script; `tools` contains `wer.py`, `phone.py` and `hear_ml.py`.
    pub fn start(python: &Path, script: &str, tools: &Path, mode: Mode) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measure/voice").join(script);
        let mode = match mode {
            Mode::Rivals => "rivals",
            Mode::Phones => "phones",
        };
        let mut child = Command::new(python)
            .args([script.as_path(), tools])
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| python.display().to_string())?;
        let ask = child.stdin.take();
        let answer = child.stdout.take().context("the recogniser has no output")?;
        Ok(Self { child, ask, answer })
    }

    /// Returns (cost or errors, number of phones) for the audio of a text. Samples are at 24 kHz, in -1.0 to 1.0.
    pub fn hear(&mut self, text: &str, sound: &[f64], condition: Condition) -> Result<(f64, f64)> {
        let mut message = Vec::with_capacity(12 + text.len() + 2 * sound.len());
        for number in [text.len(), sound.len(), condition as usize] {
            message.extend((number as u32).to_le_bytes());
        }
        message.extend(text.bytes());
        message.extend(sound.iter().flat_map(|s| ((s * 32768.0) as i16).to_le_bytes()));
        let ask = self.ask.as_mut().context("the recogniser has exited")?;
        ask.write_all(&message)?;
        ask.flush()?;
        let mut number = || {
            let mut bytes = [0; 8];
            self.answer.read_exact(&mut bytes).map(|()| f64::from_le_bytes(bytes))
        };
        Ok((number()?, number()?))
    }
}

impl Drop for Recogniser {
    fn drop(&mut self) {
        // The process exits when its input ends.
        self.ask = None;
        let _ = self.child.wait();
    }
}
