//! Test of the subtitles against conformance vectors. The tests of the TypeScript client use the same vectors.
//!
//! `SHRUTI_WRITE_VECTORS=1 cargo test -p shruti say::conformance` replaces the expected values in the file with the
//! values that this code produces. To add a case, append its name and words with empty `cues`, and run that command.

use serde::{Deserialize, Serialize};
use shruti_protocol::stream::WordTime;
use unicode_width::UnicodeWidthStr;

use super::cues::{Cue, Cues};
use super::subtitles::{SubtitleKind, Subtitles};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/conformance/cues.json");

#[derive(Debug, Deserialize, Serialize, PartialEq, Eq)]
struct Case {
    name: String,
    /// Words: the text of the word, its start and end in the audio, in milliseconds, and its start and end in the text,
    /// in characters.
    words: Vec<(String, u32, u32, u32, u32)>,
    cues: Vec<Expected>,
    /// Complete WebVTT file; `None` in most cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    vtt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    srt: Option<String>,
}

#[derive(Debug, Deserialize, Serialize, PartialEq, Eq)]
struct Expected {
    start_ms: u32,
    end_ms: u32,
    lines: Vec<String>,
    /// Width of each line, in columns.
    columns: Vec<usize>,
}

impl Case {
    fn words(&self) -> Vec<WordTime> {
        let word = |(text, start_ms, end_ms, char_start, char_end): &(String, u32, u32, u32, u32)| WordTime {
            text: text.clone(),
            start_ms: *start_ms,
            end_ms: *end_ms,
            char_start: *char_start,
            char_end: *char_end,
            spoken: None,
        };
        self.words.iter().map(word).collect()
    }

    /// Returns the case with the values that this code produces.
    fn run(&self) -> Self {
        let mut cues = Cues::default();
        let mut found: Vec<Cue> = self.words().iter().flat_map(|word| cues.push(word)).collect();
        found.extend(cues.finish());
        let expected = |Cue { start_ms, end_ms, lines }: Cue| Expected {
            start_ms,
            end_ms,
            columns: lines.iter().map(|line| line.width()).collect(),
            lines,
        };
        Self {
            name: self.name.clone(),
            words: self.words.clone(),
            cues: found.into_iter().map(expected).collect(),
            vtt: self.vtt.is_some().then(|| self.file(SubtitleKind::WebVtt)),
            srt: self.srt.is_some().then(|| self.file(SubtitleKind::SubRip)),
        }
    }

    fn file(&self, kind: SubtitleKind) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(match kind {
            SubtitleKind::WebVtt => "a.vtt",
            SubtitleKind::SubRip => "a.srt",
        });
        let mut subtitles = Subtitles::to_file(&path).unwrap();
        subtitles.write(&self.words()).unwrap();
        subtitles.finish().unwrap();
        std::fs::read_to_string(&path).unwrap()
    }
}

#[test]
fn cues_match_the_conformance_vectors() {
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let found: Vec<Case> = cases.iter().map(Case::run).collect();
    if std::env::var_os("SHRUTI_WRITE_VECTORS").is_some() {
        let lines: Vec<String> = found.iter().map(|case| serde_json::to_string(case).unwrap()).collect();
        std::fs::write(FILE, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        return;
    }
    for (case, found) in cases.iter().zip(&found) {
        assert_eq!(found, case, "{}", case.name);
    }
}
