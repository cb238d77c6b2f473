//! Import of Kokoro-82M as published: one graph, and a style table per voice.

use std::path::{Path, PathBuf};

use shruti_packs::{
    FORMAT, Graph, Input, InputKind, Licence, MAX_BYTES, Manifest, Pack, PackError, PackVoice, Pauses,
    SoundSettings, Staging, Unknown, WholeFiles, WholeGraph,
};

use super::whole::WholeModel;
use super::{ImportError, LICENCE, MAX_LICENCE_BYTES, SYMBOLS, loudness, read};
use crate::model::{STYLE, Styles};

/// Licence text of Kokoro-82M: the Apache License 2.0. The published files do not contain this text.
pub const KOKORO_TERMS: &str = include_str!("../../../../LICENSE-APACHE");
const WHOLE: &str = "whole.onnx";
/// Sample rate of the model, in Hz.
const RATE: u32 = 24_000;
/// Symbol before and after every text, as written in Kokoro's own table.
const EDGE: &str = "$";
const EDGE_NUMBER: u16 = 0;
/// Maximum number of symbols per utterance. The graph accepts 510, but time and memory grow with the length, and Kokoro
/// sounds best with 100 to 200 symbols. Longer sentences are split into parts.
const MAX_SYMBOLS: usize = 200;
/// Maximum size of a style table, in bytes. The published tables have 522,240 bytes.
const MAX_STYLE_BYTES: u64 = 4 << 20;

/// Properties of a Kokoro pack that the published files of Kokoro do not contain.
#[derive(Clone, Debug)]
pub struct KokoroOptions {
    /// ID of the pack.
    pub id: String,
    /// Voices of the pack. `speaker` is an index into `styles`; it may be omitted if there is only one voice.
    pub voices: Vec<PackVoice>,
    /// Style tables as published: rows of little-endian floats, where the first row is for utterances of one symbol.
    pub styles: Vec<PathBuf>,
    /// Licence. The import sets `text` to the name of the file in the pack.
    pub licence: Licence,
    /// File with the licence text. The default is [`KOKORO_TERMS`].
    pub licence_text: Option<PathBuf>,
    /// Gain in dB. By default, it is measured.
    pub gain_db: Option<f32>,
}

/// Imports a graph of Kokoro-82M and its style tables, and writes a pack into the folder of packs. In all languages,
/// the pack reads this project's phones in Kokoro's symbols.
///
/// The graph must have the inputs `tokens` or `input_ids`, `style` and `speed`, and must return samples. Operators that
/// the runtime does not support are replaced, and random numbers become inputs. The durations of symbols become an
/// output if they can be identified in the graph.
///
/// As with [`import_piper`](crate::import_piper), run this function in a process with [limits](crate::run_limited) if
/// the files are not trusted.
pub fn import_kokoro(packs: &Path, file: &Path, options: &KokoroOptions) -> Result<Pack, ImportError> {
    let staging = Staging::begin(packs, &options.id)?;
    let terms = match &options.licence_text {
        Some(path) => read(path, MAX_LICENCE_BYTES)?,
        None => KOKORO_TERMS.as_bytes().to_vec(),
    };
    let bytes = read(file, MAX_BYTES)?;
    let unreadable = |error: ImportError| match error {
        ImportError::Whole(reason) => ImportError::Read { path: file.to_owned(), reason },
        other => other,
    };
    let mut model = WholeModel::read(&bytes).map_err(unreadable)?;
    model.expose_durations()?;
    let width = model.input_width(STYLE)?.ok_or_else(|| ImportError::Read {
        path: file.to_owned(),
        reason: format!("not a graph of Kokoro: there is no input `{STYLE}` of known width"),
    })?;
    let mut files = vec![staging.write(WHOLE, &model.write(bytes)?)?];
    drop(model);
    let mut styles = Vec::new();
    for (at, path) in options.styles.iter().enumerate() {
        let table = read(path, MAX_STYLE_BYTES)?;
        // errors use the file name that the caller knows; the pack renames the file
        Styles::parse(&path.display().to_string(), &table, width)?;
        let name = format!("style-{at}.bin");
        files.push(staging.write(&name, &table)?);
        styles.push(name);
    }
    files.push(staging.write(SYMBOLS, symbols().as_bytes())?);
    files.push(staging.write(LICENCE, &terms)?);
    let edge = || vec![EDGE.to_owned()];
    let mut manifest = Manifest {
        format: FORMAT,
        id: options.id.clone(),
        voices: options.voices.clone(),
        licence: Licence { text: LICENCE.to_owned(), ..options.licence.clone() },
        input: Input {
            kind: InputKind::Kokoro,
            dialect: None,
            symbols: SYMBOLS.to_owned(),
            begin: edge(),
            between: Vec::new(),
            end: edge(),
            unknown: Unknown::Skip,
            max_symbols: MAX_SYMBOLS,
        },
        graph: Graph::Whole(WholeGraph { files: WholeFiles { whole: WHOLE.to_owned(), styles }, rate: RATE }),
        sound: SoundSettings { gain_db: options.gain_db.unwrap_or(0.0), pauses: Pauses::Ours },
        files,
    };
    manifest.validate().map_err(PackError::from)?;
    if options.gain_db.is_none() {
        manifest.sound.gain_db = loudness::gain_db(staging.pack(&manifest))?;
    }
    Ok(staging.commit(&manifest)?)
}

/// Returns the symbol table of Kokoro in the format of packs.
fn symbols() -> String {
    let rows = shruti_kokoro::numbers().into_iter().map(|(symbol, number)| format!("{symbol}\t{number}\n"));
    rows.chain([format!("{EDGE}\t{EDGE_NUMBER}\n")]).collect()
}
