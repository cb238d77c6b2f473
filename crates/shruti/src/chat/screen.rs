//! Terminal display of a turn. The lines of the current turn are redrawn; the lines above them do not change.

use std::io::{Write, stdout};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::style::{Attribute, Color, Print, ResetColor, SetAttribute, SetForegroundColor};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, size};
use shruti_lang::VoiceId;
use unicode_width::UnicodeWidthChar;

use super::view::{Ending, Frame};

/// Width of the level meter, in columns.
const METER: usize = 16;

/// Display that shows turns one below the other.
#[derive(Default)]
pub(crate) struct Screen {
    voice: Option<VoiceId>,
    /// Number of lines above the cursor that belong to the current turn.
    above: u16,
}

/// State of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Heard,
    Now,
    Coming,
    /// Not heard, because the turn was interrupted.
    Cut,
}

impl Screen {
    pub(super) fn begin(&mut self, voice: &VoiceId) {
        (self.voice, self.above) = (Some(voice.clone()), 0);
    }

    pub(super) fn draw(&mut self, frame: &Frame<'_>) -> std::io::Result<()> {
        let (heard, now) = (frame.progress.heard, &frame.progress.now);
        let text = self.text(frame, |place| match place {
            place if now.contains(&place) => Fate::Now,
            place if place < heard => Fate::Heard,
            _ => Fate::Coming,
        });
        let lit = (frame.level * METER as f64).round() as usize;
        let first = frame.first_sound.map_or_else(String::new, |first| {
            format!("  first audio {:.0} ms", first.as_secs_f64() * 1_000.0)
        });
        let status = format!(
            "{} {}{} {:5.1} s{first}  space: interrupt  q: quit",
            if frame.is_played { "♪" } else { "∿" },
            "█".repeat(lit),
            "·".repeat(METER - lit),
            frame.position.as_secs_f64()
        );
        self.paint(&text, Some(&status))
    }

    pub(super) fn end(&mut self, frame: &Frame<'_>, ending: &Ending) -> std::io::Result<()> {
        let heard = match ending {
            Ending::Complete => usize::MAX,
            Ending::Left => frame.progress.begun(),
            Ending::Cut { heard, .. } => heard.chars().count(),
        };
        let text = self.text(frame, |place| if place < heard { Fate::Heard } else { Fate::Cut });
        self.paint(&text, None)?;
        let mut out = stdout().lock();
        queue!(out, Print("\r\n"))?;
        out.flush()
    }

    /// Returns the characters of the turn, preceded by the name of its voice.
    fn text(&self, frame: &Frame<'_>, fate: impl Fn(usize) -> Fate) -> Vec<(char, Fate)> {
        let name = self.voice.as_ref().map(|voice| format!("{voice}: ")).unwrap_or_default();
        let name: Vec<(char, Fate)> = name.chars().map(|c| (c, Fate::Heard)).collect();
        let typed = frame.typed.chars().enumerate().map(|(place, c)| (c, fate(place)));
        name.into_iter().chain(typed).collect()
    }

    fn paint(&mut self, text: &[(char, Fate)], status: Option<&str>) -> std::io::Result<()> {
        let (columns, rows) = size().unwrap_or((80, 24));
        // a terminal may draw a grapheme cluster wider or narrower than its computed width, so the last columns stay
        // free
        let mut lines = wrap(text, usize::from(columns).saturating_sub(4).max(8));
        // lines that have scrolled away cannot be redrawn, so only the last lines of a long turn are shown
        let room = usize::from(rows).saturating_sub(2).max(1);
        if status.is_some() && lines.len() > room {
            let now = lines.iter().rposition(|line| line.iter().any(|(_, fate)| *fate != Fate::Coming));
            let first = now.unwrap_or(0).saturating_sub(room / 2).min(lines.len() - room);
            lines = lines.split_off(first);
            lines.truncate(room);
        }
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate, MoveToColumn(0))?;
        if self.above > 0 {
            queue!(out, MoveUp(self.above))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                queue!(out, Print("\r\n"))?;
            }
            for run in line.chunk_by(|one, next| one.1 == next.1) {
                paint_run(&mut out, run)?;
            }
        }
        self.above = lines.len().saturating_sub(1) as u16;
        if let Some(status) = status {
            let status: String = status.chars().take(usize::from(columns).saturating_sub(1)).collect();
            queue!(
                out,
                Print("\r\n"),
                SetAttribute(Attribute::Dim),
                Print(status),
                SetAttribute(Attribute::Reset)
            )?;
            self.above += 1;
        }
        queue!(out, EndSynchronizedUpdate)?;
        let mut terminal = stdout().lock();
        terminal.write_all(&out)?;
        terminal.flush()
    }
}

/// Draws characters of one state. Without colours (the library honours `NO_COLOR`), the attributes distinguish the
/// states.
fn paint_run(out: &mut Vec<u8>, run: &[(char, Fate)]) -> std::io::Result<()> {
    let Some((_, fate)) = run.first() else { return Ok(()) };
    match fate {
        Fate::Heard => queue!(out, SetForegroundColor(Color::Green))?,
        Fate::Now => queue!(out, SetAttribute(Attribute::Bold), SetAttribute(Attribute::Reverse))?,
        Fate::Coming => queue!(out, SetAttribute(Attribute::Dim))?,
        Fate::Cut => queue!(out, SetAttribute(Attribute::Dim), SetAttribute(Attribute::CrossedOut))?,
    }
    let text: String = run.iter().map(|(c, _)| c).collect();
    queue!(out, Print(text), ResetColor, SetAttribute(Attribute::Reset))
}

/// Breaks a text into lines of at most `columns` columns, at white space where possible. Wide characters count as two
/// columns, all others as one, including combining characters.
fn wrap(text: &[(char, Fate)], columns: usize) -> Vec<Vec<(char, Fate)>> {
    let width = |c: char| c.width().unwrap_or(1).max(1);
    let mut lines = vec![Vec::new()];
    let mut column = 0;
    for word in text.split_inclusive(|(c, _)| c.is_whitespace()) {
        let needed: usize = word.iter().map(|(c, _)| width(*c)).sum();
        if column > 0 && column + needed > columns {
            lines.push(Vec::new());
            column = 0;
        }
        for &(c, fate) in word {
            if column + width(c) > columns {
                lines.push(Vec::new());
                column = 0;
            }
            column += width(c);
            if let Some(line) = lines.last_mut() {
                line.push((c, fate));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_window() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[""]),
            ("one two three", &["one two ", "three"]),
            ("abcdefghijkl", &["abcdefghi", "jkl"]),
            ("a 🙂🙂🙂🙂 b", &["a ", "🙂🙂🙂🙂 ", "b"]),
            ("नमस्ते आपका", &["नमस्ते ", "आपका"]),
        ];
        for (text, expected) in cases {
            let text: Vec<(char, Fate)> = text.chars().map(|c| (c, Fate::Coming)).collect();
            let lines: Vec<String> =
                wrap(&text, 9).iter().map(|line| line.iter().map(|(c, _)| c).collect()).collect();
            assert_eq!(lines, *expected);
        }
    }
}
