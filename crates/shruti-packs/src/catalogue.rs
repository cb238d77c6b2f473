//! Catalogue of packs that can be pulled from their publishers, with known lengths and checksums.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::manifest::{FORMAT, InputKind, Licence, Manifest, ManifestError, PackFile, PackVoice};

/// Maximum size of a catalogue, in bytes.
pub const MAX_CATALOGUE_BYTES: u64 = 4 << 20;
/// Maximum length of a URL, in characters.
const MAX_URL: usize = 2_000;
const BUILT_IN: &str = include_str!("../data/catalogue.toml");
/// Placeholders for the fields that an imported entry omits, so that the rest can be checked as a manifest.
const IMPORT_PLACEHOLDERS: &str = r#"
input = { kind = "phones", symbols = "", begin = [], between = [], end = [], unknown = "skip", max_symbols = 1 }
sound = { gain_db = 0.0, pauses = "ours" }
[graph]
kind = "vits"
files = { front = "", decoder = "" }
rate = 22050
hop = 256
context = 0
scales = { noise = 0.0, length = 1.0, duration_noise = 0.0 }
"#;

/// Error in a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The file is not valid TOML, or a top-level field is missing, unknown or has the wrong type.
    #[error("the catalogue: {0}")]
    Syntax(String),
    /// An entry is invalid.
    #[error("the catalogue, pack {at} ({id}): {reason}")]
    Entry {
        /// Position of the entry, from 1.
        at: usize,
        /// ID of the entry, if it has one.
        id: String,
        /// Description of the problem.
        reason: String,
    },
}

/// List of packs that can be pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// Entries in the order of the file, with unique IDs.
    pub entries: Vec<CatalogueEntry>,
}

/// A pack that can be pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    /// ID of the pack.
    pub id: String,
    /// Tester, machine and date of a run of the pack, or `never run here`.
    pub tried: String,
    /// Voices of the pack.
    pub voices: Vec<PackVoice>,
    /// Licence of the pack. Its `text` is the `path` of one of the files.
    pub licence: Licence,
    /// Files to download.
    pub files: Vec<RemoteFile>,
    /// Format of the files.
    pub form: CatalogueForm,
}

/// Format of the files of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogueForm {
    /// A complete pack.
    Pack(Box<Manifest>),
    /// A Piper voice that is imported.
    Piper {
        /// Name of the graph file. The file of the same name with the suffix `.json` describes its input.
        graph: String,
        /// Notation of the symbols, if it differs from the one in the file.
        input: Option<InputKind>,
    },
    /// Kokoro-82M, which is imported.
    Kokoro {
        /// Name of the graph file.
        graph: String,
        /// Names of the style tables, indexed by the voices' `speaker`.
        styles: Vec<String>,
    },
}

/// A file that the publisher hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// URL: `https://`, `file://`, or `http://` on this machine.
    pub url: String,
    /// Name, length and checksum.
    pub file: PackFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: u32,
    #[serde(default, rename = "pack")]
    packs: Vec<Table>,
}

impl Catalogue {
    /// Returns the built-in catalogue.
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::parse(BUILT_IN)
    }

    /// Parses and checks a catalogue.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let syntax = |error: toml::de::Error| CatalogueError::Syntax(error.to_string().trim_end().to_owned());
        let raw: Raw = toml::from_str(text).map_err(syntax)?;
        if raw.format != FORMAT {
            let text = format!("`format` is {}; it must be 1, the only supported version", raw.format);
            return Err(CatalogueError::Syntax(text));
        }
        let mut ids = HashSet::new();
        let mut entries = Vec::new();
        for (at, pack) in raw.packs.into_iter().enumerate() {
            let id: String = pack.get("id").and_then(Value::as_str).unwrap_or("-").chars().take(64).collect();
            let wrong = |reason| CatalogueError::Entry { at: at + 1, id: format!("{id:?}"), reason };
            let entry = CatalogueEntry::read(pack).map_err(wrong)?;
            if !ids.insert(entry.id.clone()) {
                return Err(wrong("an earlier pack has the same id".to_owned()));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// Returns the entry with the given ID.
    pub fn find(&self, id: &str) -> Option<&CatalogueEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }
}

impl CatalogueEntry {
    /// Returns the total size of the downloads, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|remote| remote.file.bytes).sum()
    }

    /// Returns the file with the licence text.
    pub fn licence_file(&self) -> Option<&RemoteFile> {
        self.files.iter().find(|remote| remote.file.path == self.licence.text)
    }

    /// Parses an entry, which is a manifest with additional fields.
    fn read(mut pack: Table) -> Result<Self, String> {
        let tried = text(&mut pack, "tried")?
            .ok_or("`tried` is missing; it must say who ran it, or \"never run here\"")?;
        if !(1..=200).contains(&tried.chars().count()) || tried.chars().any(char::is_control) {
            return Err(format!(
                "`tried` is {tried:?}; it must be 1 to 200 characters without control characters"
            ));
        }
        let import = text(&mut pack, "import")?;
        let reads = pack.remove("reads");
        let urls = take_urls(&mut pack)?;
        let licence_text = pack.get("licence").and_then(|licence| licence.get("text")).cloned();
        match import.as_deref() {
            None | Some("kokoro") if reads.is_some() => {
                return Err("`reads` is given, but is only allowed with `import = \"piper\"`".to_owned());
            }
            None => {}
            Some("piper" | "kokoro") => add_import_placeholders(&mut pack, licence_text)?,
            Some(other) => {
                return Err(format!(
                    "`import` is {other:?}; it must be \"piper\" or \"kokoro\", or omitted for the files of a pack"
                ));
            }
        }
        if pack.insert("format".to_owned(), Value::Integer(FORMAT.into())).is_some() {
            return Err("`format` is given, but is only allowed once, at the top of the catalogue".to_owned());
        }
        let manifest =
            Manifest::deserialize(pack).map_err(|error| error.to_string().trim_end().to_owned())?;
        manifest.validate().map_err(|error| match error {
            ManifestError::Syntax(reason) => reason,
            ManifestError::Field { field, found, expected } => {
                format!("`{field}` is {found}; it must be {expected}")
            }
        })?;
        let files = urls.into_iter().zip(&manifest.files);
        let files: Vec<RemoteFile> =
            files.map(|(url, file)| RemoteFile { url, file: file.clone() }).collect();
        let form = match import.as_deref() {
            None => CatalogueForm::Pack(Box::new(manifest.clone())),
            Some("kokoro") => {
                CatalogueForm::Kokoro { graph: one_graph(&manifest)?, styles: kokoro_styles(&manifest)? }
            }
            Some(_) => CatalogueForm::Piper {
                graph: piper_graph(&manifest)?,
                input: reads
                    .map(InputKind::deserialize)
                    .transpose()
                    .map_err(|error| format!("`reads`: {error}"))?,
            },
        };
        let Manifest { id, voices, licence, .. } = manifest;
        Ok(Self { id, tried, voices, licence, files, form })
    }
}

fn text(table: &mut Table, field: &str) -> Result<Option<String>, String> {
    match table.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{field}` must be a string")),
    }
}

/// Removes the URLs of the files from an entry and returns these URLs, in the order of the files.
fn take_urls(pack: &mut Table) -> Result<Vec<String>, String> {
    let files = pack.get_mut("file").and_then(Value::as_array_mut).ok_or("there is no [[pack.file]]")?;
    let mut urls = Vec::new();
    for (at, file) in files.iter_mut().enumerate() {
        let file = file.as_table_mut().ok_or_else(|| format!("`file[{at}]` must be a table"))?;
        let url = text(file, "url")?.ok_or_else(|| format!("`file[{at}].url` is missing"))?;
        let is_known = ["https://", "http://", "file:///"].iter().any(|scheme| url.starts_with(scheme));
        let is_plain = url.len() <= MAX_URL && url.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_known || !is_plain {
            let shown: String = url.chars().take(100).collect();
            return Err(format!(
                "`file[{at}].url` is {shown:?}; it must be an https:// or file:/// URL in ASCII"
            ));
        }
        urls.push(url);
    }
    Ok(urls)
}

/// Adds placeholders for the fields that the import determines, so that the rest can be checked.
fn add_import_placeholders(pack: &mut Table, any_file: Option<Value>) -> Result<(), String> {
    let mut found: Table = toml::from_str(IMPORT_PLACEHOLDERS).map_err(|error| error.to_string())?;
    if let Some(field) = found.keys().find(|field| pack.contains_key(*field)) {
        return Err(format!("`{field}` is given, but the import determines it"));
    }
    let any_file = any_file.ok_or("`licence.text` is missing")?;
    found["input"]["symbols"] = any_file.clone();
    for part in ["front", "decoder"] {
        found["graph"]["files"][part] = any_file.clone();
    }
    pack.extend(found);
    Ok(())
}

/// Returns the names of the files with the given extension, in order.
fn with_extension<'a>(manifest: &'a Manifest, extension: &str) -> Vec<&'a str> {
    let paths = manifest.files.iter().map(|file| file.path.as_str());
    paths.filter(|path| Path::new(path).extension().is_some_and(|found| found == extension)).collect()
}

/// Returns the name of the only graph among the files of an entry, or an error if there is not exactly one.
fn one_graph(manifest: &Manifest) -> Result<String, String> {
    let graphs = with_extension(manifest, "onnx");
    let [graph] = graphs.as_slice() else {
        return Err(format!(
            "{} files have the extension .onnx; an import requires exactly one",
            graphs.len()
        ));
    };
    Ok((*graph).to_owned())
}

/// Returns the names of the style tables of Kokoro-82M, after checking that there is one for each speaker.
fn kokoro_styles(manifest: &Manifest) -> Result<Vec<String>, String> {
    let styles: Vec<String> = with_extension(manifest, "bin").into_iter().map(str::to_owned).collect();
    let last = manifest.voices.iter().map(|voice| voice.speaker.unwrap_or(0) as usize).max().unwrap_or(0);
    if last >= styles.len() {
        return Err(format!(
            "{} files have the extension .bin, and a voice has `speaker` {last}; each speaker requires a style table, from 0",
            styles.len()
        ));
    }
    Ok(styles)
}

/// Returns the name of the graph of a Piper voice, after checking that its `.json` file is listed.
fn piper_graph(manifest: &Manifest) -> Result<String, String> {
    let graph = one_graph(manifest)?;
    let beside = format!("{graph}.json");
    if manifest.file(&beside).is_none() {
        return Err(format!("there is no file {beside}; a Piper voice requires it"));
    }
    Ok(graph)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
