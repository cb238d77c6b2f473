//! Key presses, and the terminal's raw mode.

use std::io::{IsTerminal, Write, stdin, stdout};

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use futures_util::StreamExt;

/// Command that a key triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    BargeIn,
    Quit,
}

/// Source of key presses from the terminal. Without a terminal, there are no key presses. The terminal mode is restored
/// when this value is dropped, and before a panic message is printed.
pub(crate) struct Keys {
    events: Option<EventStream>,
}

impl Keys {
    /// Puts the terminal into raw mode if standard output is a terminal and keys can be read. Keys are read from the
    /// terminal even if standard input is a pipe.
    pub(crate) fn new() -> std::io::Result<Self> {
        let has_terminal = || stdin().is_terminal() || std::fs::File::open("/dev/tty").is_ok();
        if !stdout().is_terminal() || !has_terminal() {
            return Ok(Self { events: None });
        }
        enable_raw_mode()?;
        // from here on, dropping `keys` restores the terminal
        let keys = Self { events: Some(EventStream::new()) };
        let previous_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            previous_hook(panic);
        }));
        if draws() {
            execute!(stdout(), cursor::Hide)?;
        }
        Ok(keys)
    }

    /// Returns whether keys can be read.
    pub(crate) fn are_there(&self) -> bool {
        self.events.is_some()
    }

    /// Waits for the next key that triggers a command. Without a terminal, the future never resolves.
    pub(crate) async fn next(&mut self) -> std::io::Result<Key> {
        let Some(events) = &mut self.events else { return std::future::pending().await };
        loop {
            match events.next().await {
                Some(Ok(Event::Key(key))) => {
                    if let Some(key) = meaning(key) {
                        return Ok(key);
                    }
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                // the terminal was closed
                None => return Ok(Key::Quit),
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if self.events.is_some() {
            give_back();
        }
    }
}

/// Restores the terminal. Errors are ignored, because they occur only if the terminal was closed.
fn give_back() {
    let _ = disable_raw_mode();
    if draws() {
        let _ = execute!(stdout(), crossterm::style::ResetColor, cursor::Show);
    }
    let _ = stdout().flush();
}

/// Returns whether the terminal supports escape sequences.
pub(crate) fn draws() -> bool {
    !std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

fn meaning(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    match key.code {
        KeyCode::Char(' ') | KeyCode::Enter => Some(Key::BargeIn),
        // in raw mode, Ctrl-C sends no signal, and Ctrl-D does not end the input
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Quit),
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Key::Quit),
        _ => None,
    }
}
