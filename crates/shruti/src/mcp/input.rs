//! Reader for the lines of standard input.

use std::io::{self, BufRead, Read, stdin};

use tokio::sync::mpsc;

/// Maximum length of a line, in bytes: enough for an escaped text of 5,000 characters, with a margin.
const MAX_LINE_BYTES: usize = 256 * 1024;
/// Maximum number of lines that are read ahead.
const AHEAD: usize = 16;

/// Line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Complete line, without its line terminator.
    Whole(Vec<u8>),
    /// The line exceeded the maximum length and was discarded.
    TooLong,
}

/// Starts a thread that reads lines until the input ends, and returns the receiver of the lines.
pub(super) fn lines() -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        // a read error ends the input
        while let Ok(Some(line)) = next(&mut input) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Returns the next line that is not blank, or `None` at the end of the input.
fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.len() > MAX_LINE_BYTES && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            return Ok(Some(Line::TooLong));
        }
        let line = line.trim_ascii();
        if !line.is_empty() {
            return Ok(Some(Line::Whole(line.to_vec())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_blank_lines_are_skipped() {
        let long = "x".repeat(3 * MAX_LINE_BYTES);
        let text = format!("a\r\n\n  \n{long}\nb\n{long}");
        let mut input = text.as_bytes();
        let mut read = || next(&mut input).unwrap();
        assert_eq!(read(), Some(Line::Whole(b"a".to_vec())));
        assert_eq!(read(), Some(Line::TooLong));
        assert_eq!(read(), Some(Line::Whole(b"b".to_vec())));
        assert_eq!((read(), read()), (Some(Line::TooLong), None));
    }
}
