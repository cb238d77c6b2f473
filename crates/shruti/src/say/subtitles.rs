//! Subtitle files: WebVTT (W3C) and SubRip.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use shruti_protocol::stream::WordTime;

use super::cues::{Cue, Cues};

/// Subtitle format, determined by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubtitleKind {
    WebVtt,
    SubRip,
}

/// Subtitle file that is written as words arrive.
pub(super) struct Subtitles {
    path: PathBuf,
    kind: SubtitleKind,
    file: BufWriter<File>,
    cues: Cues,
    written: u64,
}

impl SubtitleKind {
    pub(super) fn of(path: &Path) -> anyhow::Result<Self> {
        match path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase().as_str() {
            "vtt" => Ok(Self::WebVtt),
            "srt" => Ok(Self::SubRip),
            _ => bail!(
                "cannot write {}: a subtitle file must end in .vtt (WebVTT) or .srt (SubRip)",
                path.display()
            ),
        }
    }

    /// Formats a cue. `number` starts at 1.
    fn cue(self, number: u64, cue: &Cue) -> String {
        let (start, end) = (self.time(cue.start_ms), self.time(cue.end_ms));
        let text: Vec<String> = cue.lines.iter().map(|line| self.escape(line)).collect();
        let text = text.join("\n");
        match self {
            Self::WebVtt => format!("\n{start} --> {end}\n{text}\n"),
            Self::SubRip if number == 1 => format!("{number}\n{start} --> {end}\n{text}\n"),
            Self::SubRip => format!("\n{number}\n{start} --> {end}\n{text}\n"),
        }
    }

    fn time(self, ms: u32) -> String {
        let point = if self == Self::WebVtt { '.' } else { ',' };
        let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
        format!("{hours:02}:{minutes:02}:{seconds:02}{point}{:03}", ms % 1_000)
    }

    fn escape(self, line: &str) -> String {
        match self {
            Self::WebVtt => line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
            // SubRip has no escapes; only this sequence has a meaning, as the separator of start and end times
            Self::SubRip => line.replace("-->", "→"),
        }
    }
}

impl Subtitles {
    /// Creates a file in the format of its extension.
    pub(super) fn to_file(path: &Path) -> anyhow::Result<Self> {
        let kind = SubtitleKind::of(path)?;
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut file = BufWriter::new(file);
        if kind == SubtitleKind::WebVtt {
            writeln!(file, "WEBVTT")?;
        }
        Ok(Self { path: path.to_owned(), kind, file, cues: Cues::default(), written: 0 })
    }

    /// Adds words in order. Their times are relative to the start of the whole text.
    pub(super) fn write(&mut self, words: &[WordTime]) -> anyhow::Result<()> {
        for word in words {
            let cues = self.cues.push(word);
            self.write_cues(&cues)?;
        }
        Ok(())
    }

    /// Completes the file.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let cues = std::mem::take(&mut self.cues).finish();
        self.write_cues(&cues)?;
        self.file.flush().with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn write_cues(&mut self, cues: &[Cue]) -> anyhow::Result<()> {
        for cue in cues {
            self.written += 1;
            let text = self.kind.cue(self.written, cue);
            let written = self.file.write_all(text.as_bytes());
            written.with_context(|| format!("cannot write {}", self.path.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_valid() {
        let folder = tempfile::tempdir().unwrap();
        #[rustfmt::skip]
        let cases = [
            ("a.vtt", "WEBVTT\n\n00:00:01.050 --> 00:00:02.500\nR&amp;D &lt;b&gt; --&gt;\n\n27:46:40.000 --> 27:46:41.000\nकल\n"),
            ("a.srt", "1\n00:00:01,050 --> 00:00:02,500\nR&D <b> →\n\n2\n27:46:40,000 --> 27:46:41,000\nकल\n"),
        ];
        for (name, expected) in cases {
            let path = folder.path().join(name);
            let mut subtitles = Subtitles::to_file(&path).unwrap();
            let words = [
                ("R&D", 1_050, 1_500),
                ("<b>", 1_500, 2_000),
                ("-->", 2_000, 2_500),
                ("कल", 100_000_000, 100_000_900),
            ];
            let mut chars = 0;
            for (text, start_ms, end_ms) in words {
                let (char_start, char_end) = (chars, chars + text.chars().count() as u32);
                chars = char_end + 1;
                let text = text.to_owned();
                subtitles
                    .write(&[WordTime { text, start_ms, end_ms, char_start, char_end, spoken: None }])
                    .unwrap();
            }
            subtitles.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "{name}");
        }
        assert!(Subtitles::to_file(&folder.path().join("a.txt")).is_err());
    }
}
