//! English as a recogniser hears it: `recogniser.py` in a process beside this one.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

/// What the recogniser tells of a sound.
#[derive(Clone, Copy)]
pub enum Mode {
    /// How far its phones are from being told from others, smooth.
    Rivals,
    /// The errors of free decoding.
    Phones,
}

/// A recogniser at work.
pub struct Recogniser {
    child: Child,
    ask: Option<ChildStdin>,
    answer: ChildStdout,
}

impl Recogniser {
    /// Starts one; `tools` holds `wer.py`, `sentences` one sentence a line.
    pub fn start(python: &Path, tools: &Path, sentences: &Path, mode: Mode) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("recogniser.py");
        let mode = match mode {
            Mode::Rivals => "rivals",
            Mode::Phones => "phones",
        };
        let mut child = Command::new(python)
            .args([script.as_path(), tools, sentences])
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| python.display().to_string())?;
        let ask = child.stdin.take();
        let answer = child.stdout.take().context("no output")?;
        Ok(Self { child, ask, answer })
    }

    /// (cost or errors, phones) of a sentence's sound, samples at 24 kHz in -1.0 to 1.0.
    pub fn hear(&mut self, sentence: usize, sound: &[f64]) -> Result<(f64, f64)> {
        let mut message = Vec::with_capacity(8 + 2 * sound.len());
        message.extend((sentence as u32).to_le_bytes());
        message.extend((sound.len() as u32).to_le_bytes());
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
