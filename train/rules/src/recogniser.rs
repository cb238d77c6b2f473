//! Listeners in processes beside this one, which hear whole sentences: `recogniser.py` and `people.py`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use crate::conditions::Condition;

/// What a listener tells of a sound.
#[derive(Clone, Copy)]
pub enum Mode {
    /// How far its phones are from being told from others, smooth.
    Rivals,
    /// The errors of free decoding.
    Phones,
}

/// A listener at work.
pub struct Recogniser {
    child: Child,
    ask: Option<ChildStdin>,
    answer: ChildStdout,
}

impl Recogniser {
    /// Starts a script of `measure/voice`; `tools` holds `wer.py`, `phone.py` and `hear_ml.py`.
    pub fn start(python: &Path, script: &str, tools: &Path, mode: Mode) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(script);
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
        let answer = child.stdout.take().context("no output")?;
        Ok(Self { child, ask, answer })
    }

    /// (cost or errors, phones) of a sound of a text, samples at 24 kHz in -1.0 to 1.0.
    pub fn hear(&mut self, text: &str, sound: &[f64], condition: Condition) -> Result<(f64, f64)> {
        let mut message = Vec::with_capacity(12 + text.len() + 2 * sound.len());
        for number in [text.len(), sound.len(), condition as usize] {
            message.extend((number as u32).to_le_bytes());
        }
        message.extend(text.bytes());
        message.extend(sound.iter().flat_map(|s| ((s * 32768.0) as i16).to_le_bytes()));
        let ask = self.ask.as_mut().context("the recogniser has gone")?;
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
        // It ends when its input does.
        self.ask = None;
        let _ = self.child.wait();
    }
}
