//! `pack.toml`: what a pack says of itself, with every field checked.

mod graph;
mod remote;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use shruti_lang::Language;

use crate::hidden::is_hidden;

pub use graph::{
    AcousticVocoderFiles, AcousticVocoderGraph, Graph, Scales, VitsFiles, VitsGraph, WholeFiles, WholeGraph,
};
pub use remote::{Remote, RemoteManifest, RemoteProtocol, RemoteText};

/// The version of the format that this build reads and writes.
pub const FORMAT: u32 = 1;
/// The name of the manifest in a pack's folder.
pub const MANIFEST: &str = "pack.toml";
/// The most bytes of a manifest.
pub const MAX_MANIFEST_BYTES: u64 = 256 << 10;
/// The most bytes of a pack's files together.
pub const MAX_BYTES: u64 = 600 << 20;

const MAX_VOICES: usize = 1_000;
const MAX_FILES: usize = 64;
const MAX_SPEAKER: u32 = 100_000;

/// A manifest is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// It is no TOML, or a field is missing, unknown or of another type.
    #[error("{MANIFEST}: {0}")]
    Syntax(String),
    /// A field has a value that it cannot have.
    #[error("{MANIFEST}: `{field}` is {found}; it must be {expected}")]
    Field {
        /// Where it stands, as in `voice[1].name`.
        field: String,
        /// What it is.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
}

/// What a pack says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// The pack's name: `[a-z0-9-]{1,64}`; its folder is called the same.
    pub id: String,
    /// Its voices, one for each speaker of the graph; at least one.
    #[serde(rename = "voice")]
    pub voices: Vec<PackVoice>,
    /// The terms under which it may be used.
    pub licence: Licence,
    /// What its graph reads.
    pub input: Input,
    /// The graph.
    pub graph: Graph,
    /// What is done to the sound.
    pub sound: SoundSettings,
    /// Its files, the manifest left out.
    #[serde(rename = "file")]
    pub files: Vec<PackFile>,
}

/// A voice of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackVoice {
    /// As clients may ask for it: 1 to 64 letters, digits, `-`, `_`, `.` and single spaces.
    pub name: String,
    /// The speaker's sex, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sex: Option<Sex>,
    /// The languages it speaks; at least one.
    pub languages: Vec<Language>,
    /// The graph's number for the speaker, or that of its file in `graph.files.styles`; left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<u32>,
    /// What the remote server calls the voice; only where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
}

/// The sex of a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sex {
    /// A woman's voice.
    Female,
    /// A man's voice.
    Male,
}

/// The terms under which a pack may be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Licence {
    /// An SPDX expression.
    pub spdx: String,
    /// Who is to be named.
    pub attribution: String,
    /// Whether it may be used for money.
    pub commercial: Commercial,
    /// Where the pack comes from.
    pub source: String,
    /// The file with the text of the terms; may be left out where the voice is remote.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Whether a pack may be used for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commercial {
    /// Its licence allows it.
    Yes,
    /// Its licence forbids it.
    No,
    /// Its licence does not say.
    Unknown,
}

/// What a graph reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What its symbols spell.
    pub kind: InputKind,
    /// Which of several ways of spelling. Of `espeak`: the voice of espeak-ng, `te`, `hi`, `ml`, `en-us`, `en` or `en-gb`;
    /// left out, it is the first language's. Of `characters`: `danda` where sentences end with one, else left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The file that gives each symbol its numbers.
    pub symbols: String,
    /// Symbols before the first.
    pub begin: Vec<String>,
    /// Symbols between each two.
    pub between: Vec<String>,
    /// Symbols behind the last.
    pub end: Vec<String>,
    /// What becomes of a symbol that the pack does not have.
    pub unknown: Unknown,
    /// The most symbols of an utterance, 1 to 2,000; those of `begin`, `between` and `end` do not count.
    pub max_symbols: usize,
}

/// What symbols spell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// This project's phones, in IPA.
    Phones,
    /// IPA as espeak-ng writes it.
    Espeak,
    /// This project's phones in the symbols of Kokoro-82M, one character each.
    Kokoro,
    /// The labels of IIT Madras, by spelling. `begin` is `$` and `end` is `.`.
    Labels,
    /// The characters of the spoken words, in NFC.
    Characters,
}

/// What becomes of a symbol that a pack does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// It is left out and counted.
    Skip,
    /// The utterance is refused.
    Fail,
}

/// What is done to the sound of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoundSettings {
    /// By how much it is made louder, -40.0 to 40.0.
    pub gain_db: f32,
    /// Who makes the pauses.
    pub pauses: Pauses,
}

/// Who makes the pauses behind an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pauses {
    /// The built-in voices' pauses are put behind it.
    Ours,
    /// The graph makes its own.
    Graph,
}

/// A file of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// Its name in the pack's folder: 1 to 100 of `A-Z a-z 0-9 . _ -`, the first of them no dot.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in 64 small hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Reads and checks the text of a manifest.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text)
            .map_err(|error| ManifestError::Syntax(error.to_string().trim_end().to_owned()))?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Its text; [`Manifest::parse`] gives the same again.
    pub fn to_toml(&self) -> Result<String, ManifestError> {
        self.validate()?;
        toml::to_string(self).map_err(|error| ManifestError::Syntax(error.to_string()))
    }

    /// What it says of a file.
    pub fn file(&self, path: &str) -> Option<&PackFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Checks every field.
    pub fn validate(&self) -> Result<(), ManifestError> {
        validate_head(self.format, &self.id)?;
        let count = self.files.len();
        check((1..=MAX_FILES).contains(&count), "file", format!("{count} tables"), "1 to 64 tables")?;
        validate_files(&self.files)?;
        self.validate_speakers()?;
        validate_voices(&self.voices)?;
        self.licence.validate()?;
        self.names_file("licence.text", &self.licence.text)?;
        self.validate_input()?;
        self.validate_graph()?;
        let gain = self.sound.gain_db;
        check((-40.0..=40.0).contains(&gain), "sound.gain_db", gain, "-40.0 to 40.0")
    }

    fn validate_speakers(&self) -> Result<(), ManifestError> {
        let mut speakers = HashSet::new();
        for (at, voice) in self.voices.iter().enumerate() {
            let field = |name: &str| format!("voice[{at}].{name}");
            let is_local = voice.upstream.is_none();
            check(is_local, &field("upstream"), "given", "left out, since there is no [remote]")?;
            match voice.speaker {
                None => {
                    let is_alone = self.voices.len() == 1;
                    check(is_alone, &field("speaker"), "missing", "given, since there are several voices")?;
                }
                Some(speaker) => {
                    let is_new = speaker <= MAX_SPEAKER && speakers.insert(speaker);
                    check(is_new, &field("speaker"), speaker, "0 to 100,000, and no other voice's")?;
                }
            }
        }
        Ok(())
    }

    fn validate_input(&self) -> Result<(), ManifestError> {
        let input = &self.input;
        if let Some(dialect) = &input.dialect {
            check(is_line(dialect, 32), "input.dialect", quoted(dialect), "1 to 32 characters")?;
        }
        self.names_file("input.symbols", &input.symbols)?;
        for (field, symbols) in
            [("input.begin", &input.begin), ("input.between", &input.between), ("input.end", &input.end)]
        {
            let fits = symbols.len() <= 4 && symbols.iter().all(|symbol| is_line(symbol, 16));
            check(fits, field, format!("{symbols:?}"), "at most 4 symbols of 1 to 16 characters")?;
        }
        let max = input.max_symbols;
        check((1..=2_000).contains(&max), "input.max_symbols", max, "1 to 2,000")
    }

    fn validate_graph(&self) -> Result<(), ManifestError> {
        for (field, path) in self.graph.files() {
            self.names_file(&field, path)?;
        }
        self.graph.validate()
    }

    fn names_file(&self, field: &str, path: &str) -> Result<(), ManifestError> {
        check(self.file(path).is_some(), field, quoted(path), "the `path` of a [[file]]")
    }
}

fn validate_head(format: u32, id: &str) -> Result<(), ManifestError> {
    check(format == FORMAT, "format", format, "1, the only one that this version reads")?;
    check(is_pack_id(id), "id", quoted(id), "1 to 64 of a-z, 0-9 and -")
}

fn validate_files(files: &[PackFile]) -> Result<(), ManifestError> {
    let mut names = HashSet::new();
    let mut left = MAX_BYTES;
    for (at, file) in files.iter().enumerate() {
        let path = format!("file[{at}].path");
        check(
            is_file_name(&file.path),
            &path,
            quoted(&file.path),
            "a file name: 1 to 100 of A-Z, a-z, 0-9, `.`, `_` and `-`, not beginning with a dot, not pack.toml",
        )?;
        // file systems that do not tell case apart would take them for one
        let is_new = names.insert(file.path.to_ascii_lowercase());
        check(is_new, &path, quoted(&file.path), "another name than each other file's")?;
        let room = left.checked_sub(file.bytes);
        check(room.is_some(), &format!("file[{at}].bytes"), file.bytes, "at most 600 MiB with all others")?;
        left = room.unwrap_or(0);
        let is_sum =
            file.sha256.len() == 64 && file.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        check(is_sum, &format!("file[{at}].sha256"), quoted(&file.sha256), "64 of 0-9 and a-f")?;
    }
    Ok(())
}

fn validate_voices(voices: &[PackVoice]) -> Result<(), ManifestError> {
    let count = voices.len();
    check((1..=MAX_VOICES).contains(&count), "voice", format!("{count} tables"), "1 to 1,000 tables")?;
    let mut names = HashSet::new();
    for (at, voice) in voices.iter().enumerate() {
        let field = |name: &str| format!("voice[{at}].{name}");
        check(
            is_voice_name(&voice.name),
            &field("name"),
            quoted(&voice.name),
            "1 to 64 letters, digits, `-`, `_`, `.` and single spaces between them",
        )?;
        let is_new = names.insert(voice.name.to_lowercase());
        check(is_new, &field("name"), quoted(&voice.name), "another name than each other voice's")?;
        let distinct: HashSet<_> = voice.languages.iter().collect();
        let is_list = !distinct.is_empty() && distinct.len() == voice.languages.len();
        check(is_list, &field("languages"), format!("{:?}", voice.languages), "one or more, each once")?;
    }
    Ok(())
}

impl Licence {
    /// Checks every field but the name of the file.
    pub fn validate(&self) -> Result<(), ManifestError> {
        let is_spdx = |c: char| c.is_ascii_alphanumeric() || " .+-()".contains(c);
        let spdx = &self.spdx;
        let fits = (1..=200).contains(&spdx.len()) && spdx.trim() == spdx && spdx.chars().all(is_spdx);
        check(fits, "licence.spdx", quoted(spdx), "an SPDX expression of 1 to 200 characters")?;
        for (field, text) in [("licence.attribution", &self.attribution), ("licence.source", &self.source)] {
            check(
                is_line(text, 1_000),
                field,
                quoted(text),
                "1 to 1,000 characters, without controls and marks of direction",
            )?;
        }
        Ok(())
    }
}

/// Whether a text may be a pack's id.
pub fn is_pack_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn is_file_name(path: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=100).contains(&path.len())
        && path.bytes().all(is_plain)
        && !path.starts_with('.')
        && !path.eq_ignore_ascii_case(MANIFEST)
}

fn is_voice_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c) || is_mark(c))
    };
    name.chars().count() <= 64 && name.chars().any(char::is_alphanumeric) && name.split(' ').all(is_part)
}

/// Vowel signs and the like, without which names cannot be spelt in the scripts of India.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

fn is_line(text: &str, max_chars: usize) -> bool {
    (1..=max_chars).contains(&text.chars().count()) && !text.chars().any(is_hidden)
}

/// A text from outside, as an error shows it.
fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(100).collect();
    format!("{shown:?}")
}

fn check(
    is: bool,
    field: &str,
    found: impl std::fmt::Display,
    expected: &'static str,
) -> Result<(), ManifestError> {
    if is {
        return Ok(());
    }
    Err(ManifestError::Field { field: field.to_owned(), found: found.to_string(), expected })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
