//! Import of a folder written by `train/export`: graphs and an unfinished `pack.toml`.

use std::path::Path;

use serde::Deserialize;
use shruti_packs::{
    Graph, MANIFEST, MAX_BYTES, MAX_MANIFEST_BYTES, Manifest, ManifestError, Pack, PackFile, PackFiles,
    Staging, read_plain,
};
use toml::{Table, Value};

use super::ImportError;
use super::check::{self, Measured};
use super::loudness;
use super::whole::WholeModel;
use crate::model::{self, ModelInput, Source};
use crate::symbols::SymbolTable;
use crate::threads::Threads;

/// Placeholder for the number of samples per frame until it is measured.
const ANY_HOP: i64 = 256;

/// Imports a folder with graphs and an unfinished `pack.toml`, and writes a pack into the folder of packs.
///
/// The import determines `[[file]]` and `graph.context`, which the manifest must not contain. It also measures
/// `graph.hop` and `sound.gain_db`. If the manifest contains a hop, it must equal the measured one; if the manifest
/// contains a gain, the gain is not measured.
///
/// The graphs run on a sequence of the pack's own symbols, and all their outputs are checked. The context that the
/// vocoder needs is measured. The loudness of the voice is measured on lines of text in its languages or, if the pack
/// lacks too many symbols of these lines, on made-up words. In a graph that runs as a whole, nodes that draw random
/// numbers become inputs, and operators that the runtime does not support are replaced.
///
/// As with [`import_piper`](crate::import_piper), run this function in a process with [limits](crate::run_limited) if
/// the folder is not trusted.
pub fn import_folder(packs: &Path, folder: &Path) -> Result<Pack, ImportError> {
    let text = read_plain(folder, MANIFEST, MAX_MANIFEST_BYTES)?;
    let Draft { mut manifest, hop, is_gain_given } = Draft::parse(&String::from_utf8_lossy(&text))?;
    let staging = Staging::begin(packs, &manifest.id)?;
    let mut files = Vec::new();
    for file in &manifest.files {
        let mut bytes = read_plain(folder, &file.path, MAX_BYTES)?;
        if let Graph::Whole(graph) = &manifest.graph
            && graph.files.whole == file.path
        {
            let model = WholeModel::read(&bytes)?;
            bytes = model.write(bytes)?;
        }
        files.push(staging.write(&file.path, &bytes)?);
    }
    manifest.files = files;
    manifest.validate().map_err(shruti_packs::PackError::from)?;
    if let Some(measured) = measure_chunks(&staging.pack(&manifest))? {
        if let Some(hop) = hop.filter(|&hop| hop != measured.hop) {
            return Err(ImportError::Hop { given: hop, measured: measured.hop });
        }
        manifest.graph.set_chunks(measured.hop, measured.context);
    }
    if !is_gain_given {
        manifest.sound.gain_db = loudness::gain_db(staging.pack(&manifest))?;
    }
    Ok(staging.commit(&manifest)?)
}

/// Unfinished manifest written by an exporter.
struct Draft {
    /// Manifest with placeholders for the measured values.
    manifest: Manifest,
    hop: Option<usize>,
    is_gain_given: bool,
}

impl Draft {
    fn parse(text: &str) -> Result<Self, ImportError> {
        let syntax = |error: toml::de::Error| {
            ImportError::Manifest(ManifestError::Syntax(error.to_string().trim_end().to_owned()))
        };
        let mut table: Table = toml::from_str(text).map_err(syntax)?;
        for field in ["file", "graph.context"] {
            if is_given(&table, field) {
                return Err(ImportError::Manifest(ManifestError::Field {
                    field: field.to_owned(),
                    found: "given".to_owned(),
                    expected: "omitted, because the import determines it",
                }));
            }
        }
        let (has_hop, is_gain_given) = (is_given(&table, "graph.hop"), is_given(&table, "sound.gain_db"));
        table.insert("file".to_owned(), Value::Array(Vec::new()));
        if let Some(Value::Table(graph)) = table.get_mut("graph")
            && graph.get("kind").and_then(Value::as_str) != Some("whole")
        {
            graph.entry("hop").or_insert(Value::Integer(ANY_HOP));
            graph.insert("context".to_owned(), Value::Integer(0));
        }
        if let Some(Value::Table(sound)) = table.get_mut("sound") {
            sound.entry("gain_db").or_insert(Value::Float(0.0));
        }
        let mut manifest = Manifest::deserialize(table).map_err(syntax)?;
        let mut names: Vec<&str> = manifest.graph.files().into_iter().map(|(_, path)| path).collect();
        names.extend([manifest.input.symbols.as_str(), manifest.licence.text.as_str()]);
        names.sort_unstable();
        names.dedup();
        let unread = |path: &str| PackFile { path: path.to_owned(), bytes: 0, sha256: "0".repeat(64) };
        manifest.files = names.into_iter().map(unread).collect();
        // check the names before using them to read files
        manifest.validate().map_err(ImportError::Manifest)?;
        let hop = manifest.graph.chunks().map(|(hop, _)| hop).filter(|_| has_hop);
        Ok(Self { manifest, hop, is_gain_given })
    }
}

fn is_given(table: &Table, field: &str) -> bool {
    match field.split_once('.') {
        None => table.contains_key(field),
        Some((table_name, field)) => {
            table.get(table_name).and_then(Value::as_table).is_some_and(|table| table.contains_key(field))
        }
    }
}

/// Runs the graphs of a pack. If the pack has a decoder, measures the hop and the context for splitting the decoder's
/// input into chunks.
fn measure_chunks(pack: &Pack) -> Result<Option<Measured>, ImportError> {
    let PackFiles { manifest, symbols, graph } = pack.open_graphs()?;
    let model = model::load(graph, &manifest.voices, &Threads::all())?;
    let table = SymbolTable::parse(&symbols, &manifest.input)?;
    let input = ModelInput {
        sequence: &table.sample(check::SYMBOLS)?,
        speaker: manifest.voices[0].speaker,
        speed: 1.0,
        pitch: 0.0,
        seed: 1,
    };
    match model.prepare(&input)?.source {
        Source::Samples { .. } => Ok(None),
        Source::Frames { decoder, input } => {
            let hop = check::measure_hop(&decoder.session, &input)?;
            let context = check::measure_context(&decoder.session, hop, &input)?;
            Ok(Some(Measured { hop, context }))
        }
    }
}
