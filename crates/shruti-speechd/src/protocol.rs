//! Parser of the commands on standard input.

use std::io::{self, BufRead, Read};

use shruti_screenreader::MAX_TEXT_BYTES;

/// Maximum length of a command line or a setting, in bytes. Longer lines are truncated.
const MAX_LINE: u64 = 4_096;

/// Reader of commands and the data that follows them.
pub(crate) struct Reader<R> {
    input: R,
}

impl<R: BufRead> Reader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input }
    }

    /// Returns the next line without its line end, or `None` at the end of the input.
    pub(crate) fn line(&mut self) -> io::Result<Option<String>> {
        Ok(self.bytes(MAX_LINE)?.map(|line| String::from_utf8_lossy(&line).into_owned()))
    }

    /// Returns the next line, truncated to `most` bytes, or `None` at the end of the input. Skips the rest of a
    /// truncated line.
    fn bytes(&mut self, most: u64) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if self.input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(Some(line));
        }
        self.input.skip_until(b'\n')?;
        Ok(Some(line))
    }

    /// Returns the `name=value` lines up to a line with a single dot.
    pub(crate) fn settings(&mut self) -> io::Result<Vec<(String, String)>> {
        let mut settings = Vec::new();
        while let Some(line) = self.line()?.filter(|line| line != ".") {
            if let Some((name, value)) = line.split_once('=') {
                settings.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(settings)
    }

    /// Returns the text up to a line with a single dot, truncated to [`MAX_TEXT_BYTES`].
    pub(crate) fn text(&mut self) -> io::Result<String> {
        let mut text = Vec::new();
        let mut is_cut = false;
        while let Some(line) = self.bytes(MAX_TEXT_BYTES as u64)?.filter(|line| line != b".") {
            let line = line.strip_prefix(b".").filter(|rest| rest.first() == Some(&b'.')).unwrap_or(&line);
            if is_cut {
                continue;
            }
            if !text.is_empty() {
                text.push(b'\n');
            }
            let room = MAX_TEXT_BYTES.saturating_sub(text.len());
            is_cut = line.len() > room;
            text.extend_from_slice(&line[..line.len().min(room)]);
        }
        // remove invalid UTF-8: replacing it with U+FFFD could make the text too long
        Ok(String::from_utf8(text).unwrap_or_else(|error| {
            error.into_bytes().utf8_chunks().map(|chunk| chunk.valid().to_owned()).collect()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_dot() {
        let mut reader = Reader::new(&b"<speak>\n..\n...\n.a\n</speak>\n.\nSTOP\n"[..]);
        assert_eq!(reader.text().unwrap(), "<speak>\n.\n..\n.a\n</speak>");
        assert_eq!(reader.line().unwrap().as_deref(), Some("STOP"));
        assert_eq!(reader.line().unwrap(), None);
    }

    #[test]
    fn settings_end_with_a_dot() {
        let mut reader = Reader::new(&b"rate=10\nnothing\nvoice=a=b\n.\nQUIT"[..]);
        let expected = [("rate", "10"), ("voice", "a=b")];
        assert_eq!(
            reader.settings().unwrap(),
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(reader.line().unwrap().as_deref(), Some("QUIT"));
    }

    #[test]
    fn long_input_is_truncated_and_skipped() {
        let line = "a".repeat(60_000);
        let input = format!("{line}\n{line}\n.\n{}\nSTOP\n", "b".repeat(9_000));
        let mut reader = Reader::new(input.as_bytes());
        assert_eq!(reader.text().unwrap(), format!("{line}\n{}", &line[..39_999]));
        assert_eq!(reader.line().unwrap().unwrap().len(), 4_096);
        assert_eq!(reader.line().unwrap().as_deref(), Some("STOP"));
        let mut reader = Reader::new(&b"a\xffb\n.\n"[..]);
        assert_eq!(reader.text().unwrap(), "ab");
    }
}
