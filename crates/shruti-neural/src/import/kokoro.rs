//! Kokoro-82M as it is published: one graph, and a table of styles for each voice.

use std::path::{Path, PathBuf};

use shruti_packs::{
    FORMAT, Graph, Input, InputKind, Licence, MAX_BYTES, Manifest, Pack, PackError, PackVoice, Pauses,
    SoundSettings, Staging, Unknown, WholeFiles, WholeGraph,
};

use super::whole::WholeModel;
use super::{ImportError, LICENCE, MAX_LICENCE_BYTES, SYMBOLS, loudness, read};
use crate::model::{STYLE, Styles};

/// The terms of Kokoro-82M, which its files do not carry: the Apache License 2.0.
pub const KOKORO_TERMS: &str = include_str!("../../../../LICENSE-APACHE");
const WHOLE: &str = "whole.onnx";
/// Samples a second of what it renders.
const RATE: u32 = 24_000;
/// The symbol before and behind every text; in Kokoro's own table it is written so.
const EDGE: &str = "$";
const EDGE_NUMBER: u16 = 0;
/// Symbols of an utterance. The graph takes 510, but a run takes time and memory in proportion, and Kokoro speaks best
/// what has 100 to 200: a longer sentence is spoken in parts.
const MAX_SYMBOLS: usize = 200;
/// The most bytes of a table of styles; the published ones have 522,240.
const MAX_STYLE_BYTES: u64 = 4 << 20;

/// What the files of Kokoro do not say of themselves.
#[derive(Clone, Debug)]
pub struct KokoroOptions {
    /// The pack's id.
    pub id: String,
    /// Its voices. `speaker` is a place in `styles`; it may be left out where there is one voice.
    pub voices: Vec<PackVoice>,
    /// The tables of styles, as published: rows of little-endian floats, the first for utterances of one symbol.
    pub styles: Vec<PathBuf>,
    /// The terms; `text` is set to the file's name in the pack.
    pub licence: Licence,
    /// The file with the text of the terms; without one they are [`KOKORO_TERMS`].
    pub licence_text: Option<PathBuf>,
    /// By how much the sound is made louder, in dB; measured where it is not given.
    pub gain_db: Option<f32>,
}

/// Reads a graph of Kokoro-82M and tables of styles, and writes a pack into the folder of packs. It reads this project's
/// phones in Kokoro's symbols, in all languages.
///
/// The graph must read `tokens` or `input_ids`, `style` and `speed`, and give samples. Operators that the runtime does
/// not have are replaced, random numbers become inputs, and the durations of symbols an output where they are found.
///
/// As with [`import_piper`](crate::import_piper) this runs in a process with [limits](crate::run_limited) where the
/// files come from elsewhere.
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
        reason: format!("no graph of Kokoro: it has no input `{STYLE}` of known width"),
    })?;
    let mut files = vec![staging.write(WHOLE, &model.write(bytes)?)?];
    drop(model);
    let mut styles = Vec::new();
    for (at, path) in options.styles.iter().enumerate() {
        let table = read(path, MAX_STYLE_BYTES)?;
        // by the name that the caller knows; the pack calls it otherwise
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

/// Kokoro's symbols as a pack has them.
fn symbols() -> String {
    let rows = shruti_kokoro::numbers().into_iter().map(|(symbol, number)| format!("{symbol}\t{number}\n"));
    rows.chain([format!("{EDGE}\t{EDGE_NUMBER}\n")]).collect()
}
