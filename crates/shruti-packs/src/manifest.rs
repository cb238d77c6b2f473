//! `pack.toml`: the manifest of a pack, and the checks of its fields.

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

/// Version of the format that this build reads and writes.
pub const FORMAT: u32 = 1;
/// File name of the manifest in a pack's folder.
pub const MANIFEST: &str = "pack.toml";
/// Maximum size of a manifest, in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 256 << 10;
/// Maximum total size of a pack's files, in bytes.
pub const MAX_BYTES: u64 = 600 << 20;

const MAX_VOICES: usize = 1_000;
const MAX_FILES: usize = 64;
const MAX_SPEAKER: u32 = 100_000;

/// Error in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// The manifest is not valid TOML, or a field is missing, unknown or has the wrong type.
    #[error("{MANIFEST}: {0}")]
    Syntax(String),
    /// A field has an invalid value.
    #[error("{MANIFEST}: `{field}` is {found}; it must be {expected}")]
    Field {
        /// Path of the field, for example `voice[1].name`.
        field: String,
        /// Actual value.
        found: String,
        /// Valid values.
        expected: &'static str,
    },
}

/// Manifest of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format: [`FORMAT`].
    pub format: u32,
    /// ID of the pack: `[a-z0-9-]{1,64}`. Its folder has the same name.
    pub id: String,
    /// Voices, one per speaker of the graph; at least one.
    #[serde(rename = "voice")]
    pub voices: Vec<PackVoice>,
    /// Licence of the pack.
    pub licence: Licence,
    /// Input of the graph.
    pub input: Input,
    /// Graph of the pack.
    pub graph: Graph,
    /// Processing of the audio.
    pub sound: SoundSettings,
    /// Files of the pack, without the manifest.
    #[serde(rename = "file")]
    pub files: Vec<PackFile>,
}

/// A voice of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackVoice {
    /// Name by which clients select the voice: 1 to 64 letters, digits, `-`, `_`, `.` and single spaces.
    pub name: String,
    /// Sex of the speaker, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sex: Option<Sex>,
    /// Languages of the voice; at least one.
    pub languages: Vec<Language>,
    /// Number of the speaker in the graph, or index of the speaker's file in `graph.files.styles`. Omitted if the graph
    /// has no speaker input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<u32>,
    /// Name of the voice on the remote server. Only for remote voices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
}

/// Sex of a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sex {
    /// Female voice.
    Female,
    /// Male voice.
    Male,
}

/// Licence of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Licence {
    /// SPDX expression.
    pub spdx: String,
    /// Names to credit.
    pub attribution: String,
    /// Whether commercial use is allowed.
    pub commercial: Commercial,
    /// Origin of the pack.
    pub source: String,
    /// File with the licence text. May be omitted for a remote voice.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Commercial use of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commercial {
    /// The licence allows commercial use.
    Yes,
    /// The licence forbids commercial use.
    No,
    /// The licence does not mention commercial use.
    Unknown,
}

/// Input of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Notation of the symbols.
    pub kind: InputKind,
    /// Variant of the notation. For `espeak`: the espeak-ng voice `te`, `hi`, `ml`, `en-us`, `en`, `en-gb` or
    /// `en-gb-x-rp`; the default is the voice of the first language. For `characters`: `danda` if sentences end with a
    /// danda, otherwise `full-stop`, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// File that maps each symbol to its numbers.
    pub symbols: String,
    /// Symbols before the first symbol.
    pub begin: Vec<String>,
    /// Symbols inserted between each pair of adjacent symbols.
    pub between: Vec<String>,
    /// Symbols after the last symbol.
    pub end: Vec<String>,
    /// Handling of symbols that the pack lacks.
    pub unknown: Unknown,
    /// Maximum number of symbols per utterance, 1 to 2,000, not counting those of `begin`, `between` and `end`.
    pub max_symbols: usize,
}

/// Notation of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// This project's phones, in IPA.
    Phones,
    /// IPA in the notation of espeak-ng.
    Espeak,
    /// This project's phones in the symbols of Kokoro-82M, one character each.
    Kokoro,
    /// The labels of IIT Madras, assigned by spelling. `begin` is `$` and `end` is `.`.
    Labels,
    /// The characters of the spoken words, in NFC.
    Characters,
}

/// Handling of a symbol that a pack lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// The symbol is skipped and counted.
    Skip,
    /// The utterance is rejected.
    Fail,
}

/// Processing of the audio that a graph produces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoundSettings {
    /// Gain in dB, -40.0 to 40.0.
    pub gain_db: f32,
    /// Source of the pauses.
    pub pauses: Pauses,
}

/// Source of the pauses after an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pauses {
    /// The pauses of the built-in voices are added.
    Ours,
    /// The graph generates the pauses.
    Graph,
}

/// A file of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// Name in the pack's folder: 1 to 100 characters of `A-Z a-z 0-9 . _ -`, not starting with a dot.
    pub path: String,
    /// Length, in bytes.
    pub bytes: u64,
    /// SHA-256 as 64 lower-case hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Parses and checks a manifest.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text)
            .map_err(|error| ManifestError::Syntax(error.to_string().trim_end().to_owned()))?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Returns the manifest as TOML text. [`Manifest::parse`] returns the same manifest for this text.
    pub fn to_toml(&self) -> Result<String, ManifestError> {
        self.validate()?;
        toml::to_string(self).map_err(|error| ManifestError::Syntax(error.to_string()))
    }

    /// Returns the entry of the file with the given name.
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
            check(is_local, &field("upstream"), "given", "omitted, because there is no [remote]")?;
            match voice.speaker {
                None => {
                    let is_alone = self.voices.len() == 1;
                    check(is_alone, &field("speaker"), "missing", "given, because there are several voices")?;
                }
                Some(speaker) => {
                    let is_new = speaker <= MAX_SPEAKER && speakers.insert(speaker);
                    check(is_new, &field("speaker"), speaker, "0 to 100,000 and unique")?;
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
    check(format == FORMAT, "format", format, "1, the only supported version")?;
    check(is_pack_id(id), "id", quoted(id), "1 to 64 characters of a-z, 0-9 and -")
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
        // on case-insensitive file systems, names that differ only in case denote the same file
        let is_new = names.insert(file.path.to_ascii_lowercase());
        check(is_new, &path, quoted(&file.path), "unique among the files")?;
        let room = left.checked_sub(file.bytes);
        check(
            room.is_some(),
            &format!("file[{at}].bytes"),
            file.bytes,
            "at most 600 MiB together with all other files",
        )?;
        left = room.unwrap_or(0);
        let is_sum =
            file.sha256.len() == 64 && file.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        check(is_sum, &format!("file[{at}].sha256"), quoted(&file.sha256), "64 characters of 0-9 and a-f")?;
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
        check(is_new, &field("name"), quoted(&voice.name), "unique among the voices")?;
        let distinct: HashSet<_> = voice.languages.iter().collect();
        let is_list = !distinct.is_empty() && distinct.len() == voice.languages.len();
        check(
            is_list,
            &field("languages"),
            format!("{:?}", voice.languages),
            "one or more languages, each once",
        )?;
    }
    Ok(())
}

impl Licence {
    /// Checks every field except the name of the file.
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
                "1 to 1,000 characters, without control and directional characters",
            )?;
        }
        Ok(())
    }
}

/// Returns whether a text is a valid pack ID.
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

/// Returns whether a character is a combining mark, such as a vowel sign. Names in Indian scripts contain such marks.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

fn is_line(text: &str, max_chars: usize) -> bool {
    (1..=max_chars).contains(&text.chars().count()) && !text.chars().any(is_hidden)
}

/// Quotes untrusted text for an error message.
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
