//! Output of the demonstration: a terminal display or plain lines.

use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

use shruti_lang::VoiceId;

use super::keys::draws;
use super::progress::Progress;
use super::screen::Screen;
use super::script::Turn;

/// Current state of a turn.
pub(crate) struct Frame<'a> {
    /// Text typed so far.
    pub(crate) typed: &'a str,
    pub(crate) progress: Progress,
    pub(crate) position: Duration,
    /// Audio level, from 0 to 1.
    pub(crate) level: f64,
    pub(crate) is_played: bool,
    /// Time from the first token to the first audio.
    pub(crate) first_sound: Option<Duration>,
}

/// Reason why a turn ended.
pub(crate) enum Ending {
    Complete,
    /// The user quit.
    Left,
    /// Barge-in, with the played duration, the text that was heard, and the text that was not heard.
    Cut {
        played: Duration,
        heard: String,
        unheard: String,
    },
}

/// Kind of output.
pub(crate) enum View {
    Screen(Screen),
    Plain(Plain),
}

impl View {
    /// Creates a terminal display if the terminal supports it and keys can be read, and plain lines otherwise.
    pub(crate) fn new(has_keys: bool) -> Self {
        let is_dumb = !draws();
        if stdout().is_terminal() && has_keys && !is_dumb {
            Self::Screen(Screen::default())
        } else {
            Self::Plain(Plain { is_raw: has_keys, shown: 0 })
        }
    }

    /// Shows the start of a turn.
    pub(crate) fn begin(&mut self, turn: &Turn, voice: &VoiceId) -> std::io::Result<()> {
        if let Some(caller) = &turn.caller {
            self.line(&format!("You: {caller}"))?;
        }
        match self {
            Self::Screen(screen) => {
                screen.begin(voice);
                Ok(())
            }
            Self::Plain(plain) => plain.begin(voice),
        }
    }

    /// Shows the current state of a turn.
    pub(crate) fn draw(&mut self, frame: &Frame<'_>) -> std::io::Result<()> {
        match self {
            Self::Screen(screen) => screen.draw(frame),
            Self::Plain(plain) => plain.draw(frame),
        }
    }

    /// Shows the end of a turn.
    pub(crate) fn end(&mut self, frame: &Frame<'_>, ending: &Ending) -> std::io::Result<()> {
        match self {
            Self::Screen(screen) => screen.end(frame, ending)?,
            Self::Plain(plain) => plain.end(frame)?,
        }
        if let Ending::Cut { played, heard, unheard } = ending {
            self.line(&format!("interrupted after {} ms", played.as_millis()))?;
            self.line(&format!("heard: \"{heard}\""))?;
            self.line(&format!("not heard: \"{unheard}\""))?;
        }
        self.line("")
    }

    /// Prints a line that is not redrawn.
    pub(crate) fn line(&mut self, text: &str) -> std::io::Result<()> {
        let is_raw = match self {
            Self::Screen(_) => true,
            Self::Plain(plain) => plain.is_raw,
        };
        let mut out = stdout().lock();
        write!(out, "{text}{}", if is_raw { "\r\n" } else { "\n" })?;
        out.flush()
    }
}

/// Plain lines in which the words appear as they are spoken.
pub(crate) struct Plain {
    /// Whether the terminal is in raw mode. In raw mode, the terminal does not add a carriage return to a line feed.
    is_raw: bool,
    /// Number of characters of the turn printed so far.
    shown: usize,
}

impl Plain {
    fn begin(&mut self, voice: &VoiceId) -> std::io::Result<()> {
        self.shown = 0;
        let mut out = stdout().lock();
        write!(out, "{voice}: ")?;
        out.flush()
    }

    fn draw(&mut self, frame: &Frame<'_>) -> std::io::Result<()> {
        self.show(frame, frame.progress.begun())
    }

    fn end(&mut self, frame: &Frame<'_>) -> std::io::Result<()> {
        self.show(frame, frame.progress.begun())?;
        write!(stdout().lock(), "{}", if self.is_raw { "\r\n" } else { "\n" })
    }

    fn show(&mut self, frame: &Frame<'_>, end: usize) -> std::io::Result<()> {
        if end > self.shown {
            let more: String = frame.typed.chars().skip(self.shown).take(end - self.shown).collect();
            self.shown = end;
            let mut out = stdout().lock();
            out.write_all(more.as_bytes())?;
            out.flush()?;
        }
        Ok(())
    }
}
