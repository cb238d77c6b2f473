//! Where the sound of a text goes, how soon it came, and how far it has got.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use shruti_protocol::SAMPLE_RATE;

use super::audible;
use crate::sink::Sink;

/// Texts longer than this get a progress line, in bytes.
const LONG_TEXT: u64 = 900;

/// The sound of one text on its way.
pub(crate) struct Output<'a> {
    /// The file to write; without one, a pipe or a player.
    path: Option<PathBuf>,
    /// Opened with the first sound: no error leaves an empty file behind.
    sink: Option<Sink>,
    pub(crate) samples: u64,
    begun: Option<Instant>,
    is_audible: bool,
    is_verbose: bool,
    progress: &'a Progress,
}

impl<'a> Output<'a> {
    pub(crate) fn new(path: Option<&Path>, is_verbose: bool, progress: &'a Progress) -> Self {
        let path = path.map(Path::to_owned);
        Self { path, sink: None, samples: 0, begun: None, is_audible: false, is_verbose, progress }
    }

    /// Says that the first text is there to be spoken.
    pub(crate) fn begin(&mut self) {
        self.begun.get_or_insert_with(Instant::now);
    }

    /// Takes samples. The first that can be heard are told of: `of_the_first` says what, after so many milliseconds.
    pub(crate) fn write(
        &mut self,
        samples: &[i16],
        of_the_first: impl FnOnce(f64) -> String,
    ) -> anyhow::Result<()> {
        if !self.is_audible && audible(samples) {
            self.is_audible = true;
            if let Some(begun) = self.begun {
                self.tell(&of_the_first(begun.elapsed().as_secs_f64() * 1_000.0));
            }
        }
        self.samples += samples.len() as u64;
        self.sink()?.write(samples)?;
        self.progress.sounded(samples.len());
        Ok(())
    }

    fn sink(&mut self) -> anyhow::Result<&mut Sink> {
        if self.sink.is_none() {
            self.sink = Some(match &self.path {
                Some(path) => Sink::file(path)?,
                None => Sink::listener()?,
            });
        }
        self.sink.as_mut().ok_or_else(|| anyhow::anyhow!("there is nowhere to write to"))
    }

    /// Tells something, if the user wants to be told.
    pub(crate) fn tell(&self, what: &str) {
        if self.is_verbose {
            self.progress.print(what);
        }
    }

    /// Completes what has been begun.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let Some(sink) = self.sink else { return Ok(()) };
        if self.is_verbose {
            let seconds = self.samples as f64 / f64::from(SAMPLE_RATE);
            self.progress.print(&format!("{seconds:.2} s of speech"));
        }
        sink.finish()
    }

    /// The same with a file even where there was no sound.
    pub(crate) fn finish_file(mut self) -> anyhow::Result<()> {
        self.sink()?;
        self.finish()
    }
}

/// How far the texts have got, as a line on a terminal.
pub(crate) struct Progress {
    line: ProgressBar,
    counts: std::cell::Cell<Counts>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    /// Of texts before this one.
    bytes_before: u64,
    /// Of what has been given of this one.
    bytes: u64,
    chars: u64,
    samples: u64,
}

impl Progress {
    /// For texts of so many bytes in all, if that is known.
    pub(crate) fn of(bytes: Option<u64>) -> Self {
        let counts = std::cell::Cell::default();
        if !stderr().is_terminal() || bytes.is_some_and(|bytes| bytes <= LONG_TEXT) {
            return Self { line: ProgressBar::hidden(), counts };
        }
        let (line, template) = match bytes {
            Some(bytes) => (ProgressBar::new(bytes), "{bar:40} {percent:>3} %  {msg}"),
            None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            line.set_style(style);
        }
        line.enable_steady_tick(Duration::from_millis(100));
        Self { line, counts }
    }

    /// A piece of the text is about to be spoken.
    pub(crate) fn given(&self, piece: &str) {
        self.change(|counts| {
            counts.bytes += piece.len() as u64;
            counts.chars += piece.chars().count() as u64;
        });
    }

    /// The text has been spoken up to this character.
    pub(crate) fn spoken(&self, chars: u64) {
        let Counts { bytes_before, bytes, chars: given, .. } = self.counts.get();
        // of the bytes given, as many as of the characters
        self.line.set_position(bytes_before + (bytes * chars.min(given)).checked_div(given).unwrap_or(0));
    }

    /// A text has been spoken; another one may follow.
    pub(crate) fn text_ends(&self) {
        self.change(|counts| {
            counts.bytes_before += counts.bytes;
            (counts.bytes, counts.chars) = (0, 0);
        });
        self.line.set_position(self.counts.get().bytes_before);
    }

    fn sounded(&self, samples: usize) {
        self.change(|counts| counts.samples += samples as u64);
        let seconds = self.counts.get().samples as f64 / f64::from(SAMPLE_RATE);
        self.line.set_message(format!("{seconds:.1} s of speech"));
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Prints a line above.
    pub(crate) fn print(&self, what: &str) {
        self.line.suspend(|| eprintln!("shruti: {what}"));
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.line.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
