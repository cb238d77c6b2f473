//! What can be pulled: packs whose files lie at their publishers, with lengths and checksums known beforehand.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::manifest::{FORMAT, InputKind, Licence, Manifest, ManifestError, PackFile, PackVoice};

/// The most bytes of a catalogue.
pub const MAX_CATALOGUE_BYTES: u64 = 4 << 20;
/// The most characters of a URL.
const MAX_URL: usize = 2_000;
const BUILT_IN: &str = include_str!("../data/catalogue.toml");
/// What an entry leaves out that is imported, so that the rest can be checked as a manifest.
const FOUND_BY_IMPORT: &str = r#"
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

/// A catalogue is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// It is no TOML, or a field of the whole is missing, unknown or of another type.
    #[error("the catalogue: {0}")]
    Syntax(String),
    /// An entry is wrong.
    #[error("the catalogue, pack {at} ({id}): {reason}")]
    Entry {
        /// Which, from 1.
        at: usize,
        /// Its id, as far as it has one.
        id: String,
        /// What is wrong.
        reason: String,
    },
}

/// Packs that can be pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// In the order of the file, each with another id.
    pub entries: Vec<CatalogueEntry>,
}

/// A pack that can be pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    /// Its id.
    pub id: String,
    /// Who ran it, where and when.
    pub tried: String,
    /// Its voices.
    pub voices: Vec<PackVoice>,
    /// Its terms; `text` is the `path` of one of the files.
    pub licence: Licence,
    /// What is downloaded.
    pub files: Vec<RemoteFile>,
    /// What becomes of the files.
    pub form: CatalogueForm,
}

/// What becomes of the files of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogueForm {
    /// They are the pack.
    Pack(Box<Manifest>),
    /// A Piper voice, to be imported.
    Piper {
        /// Which of the files is the graph; the one of the same name with `.json` behind it says what it reads.
        graph: String,
        /// What its symbols spell, where it is other than the file says.
        input: Option<InputKind>,
    },
    /// Kokoro-82M, to be imported.
    Kokoro {
        /// Which of the files is the graph.
        graph: String,
        /// Which of them are tables of styles, by the voices' `speaker`.
        styles: Vec<String>,
    },
}

/// A file at its publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Where it is: `https://`, `file://`, or `http://` on this machine.
    pub url: String,
    /// Its name, length and checksum.
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
    /// The one in the program.
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::parse(BUILT_IN)
    }

    /// Reads and checks the text of a catalogue.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let syntax = |error: toml::de::Error| CatalogueError::Syntax(error.to_string().trim_end().to_owned());
        let raw: Raw = toml::from_str(text).map_err(syntax)?;
        if raw.format != FORMAT {
            let text =
                format!("`format` is {}; it must be 1, the only one that this version reads", raw.format);
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

    /// The entry of an id.
    pub fn find(&self, id: &str) -> Option<&CatalogueEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }
}

impl CatalogueEntry {
    /// All bytes that are downloaded.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|remote| remote.file.bytes).sum()
    }

    /// The file with the terms.
    pub fn licence_file(&self) -> Option<&RemoteFile> {
        self.files.iter().find(|remote| remote.file.path == self.licence.text)
    }

    /// An entry is a manifest with some fields more.
    fn read(mut pack: Table) -> Result<Self, String> {
        let tried = text(&mut pack, "tried")?
            .ok_or("`tried` is missing; it must say who ran it, or \"never run here\"")?;
        if !(1..=200).contains(&tried.chars().count()) || tried.chars().any(char::is_control) {
            return Err(format!(
                "`tried` is {tried:?}; it must be 1 to 200 characters, none of them a control"
            ));
        }
        let import = text(&mut pack, "import")?;
        let reads = pack.remove("reads");
        let urls = take_urls(&mut pack)?;
        let licence_text = pack.get("licence").and_then(|licence| licence.get("text")).cloned();
        match import.as_deref() {
            None | Some("kokoro") if reads.is_some() => {
                return Err("`reads` is given; it is for `import = \"piper\"` alone".to_owned());
            }
            None => {}
            Some("piper" | "kokoro") => add_what_import_finds(&mut pack, licence_text)?,
            Some(other) => {
                return Err(format!(
                    "`import` is {other:?}; it must be \"piper\" or \"kokoro\", or left out for files of a pack"
                ));
            }
        }
        if pack.insert("format".to_owned(), Value::Integer(FORMAT.into())).is_some() {
            return Err("`format` is given; it stands once, at the top of the catalogue".to_owned());
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
        Some(_) => Err(format!("`{field}` must be a text")),
    }
}

/// Takes the URLs of the files out of an entry, in the order of the files.
fn take_urls(pack: &mut Table) -> Result<Vec<String>, String> {
    let files = pack.get_mut("file").and_then(Value::as_array_mut).ok_or("it has no [[pack.file]]")?;
    let mut urls = Vec::new();
    for (at, file) in files.iter_mut().enumerate() {
        let file = file.as_table_mut().ok_or_else(|| format!("`file[{at}]` must be a table"))?;
        let url = text(file, "url")?.ok_or_else(|| format!("`file[{at}].url` is missing"))?;
        let is_known = ["https://", "http://", "file:///"].iter().any(|scheme| url.starts_with(scheme));
        let is_plain = url.len() <= MAX_URL && url.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_known || !is_plain {
            let shown: String = url.chars().take(100).collect();
            return Err(format!(
                "`file[{at}].url` is {shown:?}; it must be https:// or file:///, of ASCII alone"
            ));
        }
        urls.push(url);
    }
    Ok(urls)
}

/// What import finds out, as some values that fit, so that the rest can be checked.
fn add_what_import_finds(pack: &mut Table, any_file: Option<Value>) -> Result<(), String> {
    let mut found: Table = toml::from_str(FOUND_BY_IMPORT).map_err(|error| error.to_string())?;
    if let Some(field) = found.keys().find(|field| pack.contains_key(*field)) {
        return Err(format!("`{field}` is given; import finds it out"));
    }
    let any_file = any_file.ok_or("`licence.text` is missing")?;
    found["input"]["symbols"] = any_file.clone();
    for part in ["front", "decoder"] {
        found["graph"]["files"][part] = any_file.clone();
    }
    pack.extend(found);
    Ok(())
}

/// The files with an extension, in their order.
fn with_extension<'a>(manifest: &'a Manifest, extension: &str) -> Vec<&'a str> {
    let paths = manifest.files.iter().map(|file| file.path.as_str());
    paths.filter(|path| Path::new(path).extension().is_some_and(|found| found == extension)).collect()
}

/// The one graph among the files of an entry.
fn one_graph(manifest: &Manifest) -> Result<String, String> {
    let graphs = with_extension(manifest, "onnx");
    let [graph] = graphs.as_slice() else {
        return Err(format!("{} files are called .onnx; what is imported has one", graphs.len()));
    };
    Ok((*graph).to_owned())
}

/// The tables of styles among the files of Kokoro-82M.
fn kokoro_styles(manifest: &Manifest) -> Result<Vec<String>, String> {
    let styles: Vec<String> = with_extension(manifest, "bin").into_iter().map(str::to_owned).collect();
    let last = manifest.voices.iter().map(|voice| voice.speaker.unwrap_or(0) as usize).max().unwrap_or(0);
    if last >= styles.len() {
        return Err(format!(
            "{} files are called .bin, and a voice has `speaker` {last}; there must be a table of styles for each, from 0",
            styles.len()
        ));
    }
    Ok(styles)
}

/// The graph of a Piper voice, which has its `.json` beside it.
fn piper_graph(manifest: &Manifest) -> Result<String, String> {
    let graph = one_graph(manifest)?;
    let beside = format!("{graph}.json");
    if manifest.file(&beside).is_none() {
        return Err(format!("there is no file {beside}; a Piper voice has one"));
    }
    Ok(graph)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
