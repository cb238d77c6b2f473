//! Audio output for one text: destination, subtitles and time to first audio.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shruti_audio::{Format, is_audible};
use shruti_client::Spoken;
use shruti_lang::SAMPLE_RATE;

use super::progress::Progress;
use super::subtitles::Subtitles;
use crate::sink::Sink;

/// Audio output for one text.
pub(super) struct Output<'a> {
    /// File to write; `None` for a pipe or a player.
    path: Option<PathBuf>,
    format: Option<Format>,
    /// Destination, opened when the first audio arrives, so that an error leaves no empty file.
    sink: Option<Sink>,
    subtitles: Option<Subtitles>,
    pub(super) samples: u64,
    begun: Option<Instant>,
    is_audible: bool,
    is_verbose: bool,
    /// Start of the current interruption of the connection to the server.
    interrupted: Option<Instant>,
    progress: &'a Progress,
}

impl<'a> Output<'a> {
    pub(super) fn new(
        path: Option<&Path>,
        format: Option<Format>,
        is_verbose: bool,
        progress: &'a Progress,
        subtitles: Option<Subtitles>,
    ) -> Self {
        let path = path.map(Path::to_owned);
        Self {
            path,
            format,
            sink: None,
            subtitles,
            samples: 0,
            begun: None,
            is_audible: false,
            is_verbose,
            interrupted: None,
            progress,
        }
    }

    /// Starts the measurement of the time to first audio. Called when text is available; only the first call has an
    /// effect.
    pub(super) fn begin(&mut self) {
        self.begun.get_or_insert_with(Instant::now);
    }

    /// Handles an event of a text whose first `from` characters were skipped.
    pub(super) fn take(&mut self, spoken: Spoken, from: u64) -> anyhow::Result<()> {
        match spoken {
            Spoken::Audio(samples) => self.write(&samples)?,
            Spoken::Words(words) => {
                if let Some(word) = words.last() {
                    self.progress.spoken(from + u64::from(word.char_end));
                }
                if let Some(subtitles) = &mut self.subtitles {
                    subtitles.write(&words)?;
                }
            }
            Spoken::Turn(done) => {
                if let Some(there) = done.first_audio_ms.filter(|_| self.is_verbose) {
                    self.progress
                        .print(&format!("the server took {there:.1} ms until the first audio of the turn"));
                }
            }
            Spoken::Interrupted { cause, wait } => self.interrupt(&cause, wait),
            Spoken::Warning(message) => self.progress.print(&message),
            Spoken::WantsText => {}
        }
        Ok(())
    }

    /// Reports an interruption of the connection. Repeated calls during one interruption report nothing.
    fn interrupt(&mut self, cause: &shruti_client::Error, wait: Duration) {
        if self.interrupted.is_none() {
            self.progress.print(&format!("{cause}; retrying in {:.1} s", wait.as_secs_f64()));
        }
        self.interrupted.get_or_insert_with(Instant::now);
    }

    fn write(&mut self, samples: &[i16]) -> anyhow::Result<()> {
        if let Some(since) = self.interrupted.take() {
            self.progress.print(&format!("resumed after {:.1} s", since.elapsed().as_secs_f64()));
        }
        if !self.is_audible && audible(samples) {
            self.is_audible = true;
            if let Some(begun) = self.begun.filter(|_| self.is_verbose) {
                let ms = begun.elapsed().as_secs_f64() * 1_000.0;
                self.progress.print(&format!("first audio {ms:.1} ms after the first text"));
            }
        }
        self.sink()?.write(samples)?;
        // samples are counted after the write, because audio that a player did not accept does not count as output
        self.samples += samples.len() as u64;
        self.progress.sounded(samples.len());
        Ok(())
    }

    fn sink(&mut self) -> anyhow::Result<&mut Sink> {
        if self.sink.is_none() {
            self.sink = Some(match &self.path {
                Some(path) => Sink::file(path, self.format)?,
                None => Sink::listener(self.format)?,
            });
        }
        self.sink.as_mut().ok_or_else(|| anyhow::anyhow!("there is no output to write to"))
    }

    /// Returns a name for the destination, for use in messages.
    pub(super) fn name(&self) -> String {
        match (&self.path, &self.sink) {
            (Some(path), _) => path.display().to_string(),
            (None, Some(Sink::Player(_))) => "the played audio".to_owned(),
            (None, _) => "the output".to_owned(),
        }
    }

    /// Completes the output if it was opened.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        if let Some(subtitles) = self.subtitles {
            subtitles.finish()?;
        }
        let Some(sink) = self.sink else { return Ok(()) };
        if self.is_verbose {
            let seconds = self.samples as f64 / f64::from(SAMPLE_RATE);
            self.progress.print(&format!("{seconds:.2} s of speech"));
        }
        sink.finish()
    }

    /// Completes the output like [`Self::finish`], but creates the file even if there was no audio.
    pub(super) fn finish_file(mut self) -> anyhow::Result<()> {
        self.sink()?;
        self.finish()
    }
}

/// Returns whether any of these samples is audible.
pub(crate) fn audible(samples: &[i16]) -> bool {
    samples.iter().copied().any(is_audible)
}
