//! Text to speak, passed on in pieces as it is read, so that a book needs no more memory than a page.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;

use anyhow::Context;
use tokio::sync::mpsc;

/// Maximum length of a piece of a complete text, in characters.
const PIECE: usize = 1_000;
/// Size of the read buffer, in bytes. The buffer holds the text of many turns, so that all available text is read
/// before its turns are sent.
const READ: usize = 16 * 1_024;
/// Maximum number of pieces that are read ahead.
const READ_AHEAD: usize = 4;

/// Receiver for the pieces of a text.
pub(super) type Pieces = mpsc::Receiver<std::io::Result<String>>;

/// Error context of a failed read.
pub(super) const NOT_TEXT: &str = "the text cannot be read as UTF-8";

/// Text, complete or still being read.
pub(super) struct Text {
    pub(super) pieces: Pieces,
    /// Size in bytes, if known.
    pub(super) bytes: Option<u64>,
    /// Length in characters without leading and trailing white space, if the text is complete.
    pub(super) chars: Option<usize>,
}

impl Text {
    /// Creates a text whose content is complete.
    pub(super) fn of(text: &str) -> Self {
        let pieces = split(text);
        let (send, receive) = mpsc::channel(pieces.len().max(1));
        for piece in pieces {
            // the channel has room for all pieces
            let _ = send.try_send(Ok(piece));
        }
        let (bytes, chars) = (text.len() as u64, text.trim().chars().count());
        Self { pieces: receive, bytes: Some(bytes), chars: Some(chars) }
    }

    /// Reads standard input as it arrives, with backpressure.
    pub(super) fn of_standard_input() -> Self {
        let (send, pieces) = mpsc::channel(READ_AHEAD);
        std::thread::spawn(move || read_text(stdin().lock(), |piece| send.blocking_send(piece).is_ok()));
        Self { pieces, bytes: standard_input_bytes(), chars: None }
    }

    /// Reads a file, with backpressure.
    pub(super) fn of_file(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
        let (send, pieces) = mpsc::channel(READ_AHEAD);
        std::thread::spawn(move || read_text(file, |piece| send.blocking_send(piece).is_ok()));
        Ok(Self { pieces, bytes, chars: None })
    }
}

/// Returns the rest of a piece after the characters to skip, and subtracts the skipped characters from `to_skip`.
pub(super) fn behind<'a>(piece: &'a str, to_skip: &mut usize) -> &'a str {
    let at = piece.char_indices().nth(*to_skip).map_or(piece.len(), |(at, _)| at);
    *to_skip = to_skip.saturating_sub(piece[..at].chars().count());
    &piece[at..]
}

/// Returns the size of standard input in bytes, if it is a file.
fn standard_input_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let file = File::from(stdin().as_fd().try_clone_to_owned().ok()?);
        file.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
    }
    #[cfg(not(unix))]
    None
}

/// Returns the lines of a file, which are read lazily, and the size of the file in bytes.
pub(super) fn lines(
    path: &Path,
) -> anyhow::Result<(impl Iterator<Item = anyhow::Result<String>> + use<>, u64)> {
    let cannot_read = format!("cannot read {}", path.display());
    let file = File::open(path).with_context(|| cannot_read.clone())?;
    let bytes = file.metadata().map_or(0, |file| file.len());
    let lines = BufReader::new(file).lines();
    Ok((lines.map(move |line| line.with_context(|| cannot_read.clone())), bytes))
}

/// Cuts a text into pieces of at most [`PIECE`] characters.
fn split(mut text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let (piece, rest) = text.split_at(end_of_piece(text));
        pieces.push(piece.to_owned());
        text = rest;
    }
    pieces
}

/// Returns the end of the first piece of a text, in bytes. The piece ends after white space if there is some in its
/// second half, so that a word stays together with its closing punctuation.
pub(super) fn end_of_piece(text: &str) -> usize {
    let Some((longest, _)) = text.char_indices().nth(PIECE) else { return text.len() };
    behind_white_space(&text[..longest])
}

/// Returns the end of the last white space of a text, or the end of the text if there is none in its second half.
fn behind_white_space(text: &str) -> usize {
    let behind = text.trim_end_matches(|c: char| !c.is_whitespace()).len();
    if behind > text.len() / 2 { behind } else { text.len() }
}

/// Passes text to `hand_on` as it arrives, in whole characters and without a byte order mark, until the input ends, a
/// read fails, the input is not UTF-8, or `hand_on` returns `false`.
fn read_text(mut input: impl Read, mut hand_on: impl FnMut(std::io::Result<String>) -> bool) {
    let mut buffer = vec![0; READ];
    let mut begins = true;
    // number of bytes at the start of the buffer that have not been passed on: an incomplete character or word
    let mut skipped_bytes = 0;
    loop {
        let read = match input.read(&mut buffer[skipped_bytes..]) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                hand_on(Err(error));
                return;
            }
        };
        let have = skipped_bytes + read;
        let (whole, is_text) = match std::str::from_utf8(&buffer[..have]) {
            Ok(text) => (text.len(), true),
            // the following bytes may complete a cut character
            Err(error) => (error.valid_up_to(), error.error_len().is_none() && read > 0),
        };
        // a full buffer is cut at white space, so that a word stays together with its closing punctuation
        let text = String::from_utf8_lossy(&buffer[..whole]);
        let whole = if is_text && have == READ { behind_white_space(&text) } else { whole };
        let text = &text[..whole];
        let text = text.strip_prefix('\u{feff}').filter(|_| begins).unwrap_or(text).to_owned();
        begins &= whole == 0;
        if !text.is_empty() && !hand_on(Ok(text)) {
            return;
        }
        if !is_text {
            hand_on(Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "invalid bytes")));
            return;
        }
        if read == 0 {
            return;
        }
        buffer.copy_within(whole..have, 0);
        skipped_bytes = have - whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reader that returns one byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn read(input: &[u8]) -> (String, bool) {
        let (mut text, mut failed) = (String::new(), false);
        read_text(Drip(input), |piece| {
            match piece {
                Ok(piece) => text.push_str(&piece),
                Err(_) => failed = true,
            }
            true
        });
        (text, failed)
    }

    #[test]
    fn text_is_split_between_characters() {
        assert_eq!(read("नमस्ते 🙂!".as_bytes()), ("नमस्ते 🙂!".to_owned(), false));
        assert_eq!(read(b""), (String::new(), false));
        assert_eq!(read("\u{feff}<speak>".as_bytes()), ("<speak>".to_owned(), false));
        assert_eq!(read(b"abc\xff\xfe"), ("abc".to_owned(), true), "not UTF-8");
        assert_eq!(read(b"abc\xe0\xa4"), ("abc".to_owned(), true), "it ends inside a character");
    }

    #[test]
    fn the_first_characters_can_be_skipped() {
        let mut to_skip = 5;
        assert_eq!(behind("नम", &mut to_skip), "");
        assert_eq!(behind("स्ते!", &mut to_skip), "े!");
        assert_eq!(behind("अब", &mut to_skip), "अब");
    }

    #[test]
    fn pieces_contain_the_whole_text_and_end_at_white_space() {
        for text in ["पहला, “दूसरा?” ".repeat(5_000), "क".repeat(20_000)] {
            let mut read = Vec::new();
            read_text(text.as_bytes(), |piece| {
                read.push(piece.unwrap());
                true
            });
            for pieces in [split(&text), read] {
                assert_eq!(pieces.concat(), text);
                let (_, others) = pieces.split_last().unwrap();
                let is_at_blank = |piece: &String| piece.ends_with(' ') || !text.contains(' ');
                assert!(others.iter().all(is_at_blank), "{pieces:?}");
            }
            assert!(split(&text).iter().all(|piece| piece.chars().count() <= PIECE));
        }
    }
}
