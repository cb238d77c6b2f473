//! Import of voices from other formats into packs.

mod check;
mod child;
mod config;
mod cut;
mod folder;
mod kokoro;
mod loudness;
mod operators;
mod proto;
mod random;
mod whole;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rten_onnx::onnx::ModelProto;
use shruti_packs::{
    FORMAT, Graph, Input, InputKind, Licence, MANIFEST, MAX_BYTES, Manifest, ManifestError, Pack, PackError,
    PackVoice, Pauses, SoundSettings, Staging, Unknown, VitsFiles, VitsGraph,
};

use crate::load_error::LoadError;
use crate::model::SPEAKER;
use crate::session::{GraphError, Session};
use crate::symbols::SymbolError;
use crate::threads::Threads;

pub(crate) use child::collect;
pub use child::{CapturedOutput, ChildError, Limits, run_limited};
pub use config::{ConfigError, PiperConfig};
pub use cut::CutError;
pub use folder::import_folder;
pub use kokoro::{KOKORO_TERMS, KokoroOptions, import_kokoro};
pub use operators::OperatorError;

const FRONT: &str = "front.onnx";
const DECODER: &str = "decoder.onnx";
const SYMBOLS: &str = "symbols.tsv";
const LICENCE: &str = "LICENCE";
const MAX_LICENCE_BYTES: u64 = 1 << 20;
/// Maximum number of symbols per utterance: a long clause. Longer texts are split.
const MAX_SYMBOLS: usize = 400;

/// Reason why a voice could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file could not be read or parsed.
    #[error("{path}: {reason}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Reason for the failure.
        reason: String,
    },
    /// The configuration file of the voice is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The graph is not supported, or cannot be split in two.
    #[error(transparent)]
    Cut(#[from] CutError),
    /// The graph uses an operator that cannot be rewritten.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// A graph could not be loaded or run, or its inputs or outputs are wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The samples produced by the halves of the graph differ from those of the original graph.
    #[error("the samples of the split graph differ by up to {0}; at most 0.0001 is allowed")]
    Differs(f32),
    /// Decoding in chunks produces different samples from decoding the whole utterance in one run.
    #[error("with up to {0} frames of context, decoding in chunks and in one run produce different samples")]
    Context(usize),
    /// The manifest of the folder is invalid.
    #[error(transparent)]
    Manifest(ManifestError),
    /// A graph that runs as a whole could not be parsed or written.
    #[error("the graph could not be parsed or written: {0}")]
    Whole(String),
    /// The hop in the manifest contradicts the graph.
    #[error("{MANIFEST}: `graph.hop` is {given}, but the graph produces {measured} samples per frame")]
    Hop {
        /// Hop in the manifest.
        given: usize,
        /// Measured hop.
        measured: usize,
    },
    /// The voice produces only silence.
    #[error("the voice is silent")]
    Silent,
    /// The loudness of the voice could not be measured.
    #[error("the loudness could not be measured: {0}")]
    Loudness(String),
    /// The symbol table is invalid, or the symbols of a text cannot be used with it.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// The imported pack could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The files of the pack are invalid, or could not be read or written.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// Properties of a pack that a Piper file does not contain.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// ID of the pack.
    pub id: String,
    /// Voices of the pack, one per speaker of the file.
    pub voices: Vec<PackVoice>,
    /// Licence. The import sets `text` to the name of the file in the pack.
    pub licence: Licence,
    /// File with the licence text.
    pub licence_text: PathBuf,
    /// Notation of the symbols, if it differs from the one in the file. For example, a voice in Piper's format may have
    /// been trained on this project's phones.
    pub input: Option<InputKind>,
    /// Gain in dB. By default, it is measured.
    pub gain_db: Option<f32>,
}

/// Imports a Piper voice, which consists of `FILE.onnx` and `FILE.onnx.json` in the same folder, and writes a pack into
/// the folder `packs`.
///
/// The graph is split in two at its decoder's input, and the samples of the halves are compared with those of the
/// original graph. The context that the decoder needs is measured.
///
/// The file determines how much time and memory the import takes, so run this function in a process with
/// [limits](run_limited) if the file is not trusted. If that process is killed,
/// [`remove_staged`](shruti_packs::remove_staged) removes the files left by the process.
pub fn import_piper(packs: &Path, file: &Path, options: &ImportOptions) -> Result<Pack, ImportError> {
    let staging = Staging::begin(packs, &options.id)?;
    let config = PiperConfig::parse(&read(&with_suffix(file, ".json"), config::MAX_BYTES)?)?;
    let terms = read(&options.licence_text, MAX_LICENCE_BYTES)?;
    let bytes = read(file, MAX_BYTES)?;
    let unreadable = |reason: String| ImportError::Read { path: file.to_owned(), reason };
    let model = ModelProto::parse_buf(&bytes).map_err(|error| unreadable(error.to_string()))?;
    drop(bytes);
    let parts = cut::cut(model)?;
    let written = |model: &ModelProto| model.write_buf().map_err(|error| unreadable(error.to_string()));
    let (front, decoder) = (written(&parts.front)?, written(&parts.decoder)?);
    let threads = Threads::all();
    let halves = check::Halves {
        whole: Session::load("whole", written(&parts.whole)?, &threads)?,
        front: Session::load("front", front.clone(), &threads)?,
        decoder: Session::load("decoder", decoder.clone(), &threads)?,
    };
    drop(parts);
    let found = halves.measure(&config)?;
    let has_speakers = halves.front.inputs().iter().any(|name| name == SPEAKER);
    config.check_voices(&options.voices, has_speakers)?;

    let files = [
        staging.write(FRONT, &front)?,
        staging.write(DECODER, &decoder)?,
        staging.write(SYMBOLS, config.symbols().as_bytes())?,
        staging.write(LICENCE, &terms)?,
    ];
    let kind = options.input.unwrap_or(config.kind);
    let one = |symbol: &str| vec![symbol.to_owned()];
    let mut manifest = Manifest {
        format: FORMAT,
        id: options.id.clone(),
        voices: options.voices.clone(),
        licence: Licence { text: LICENCE.to_owned(), ..options.licence.clone() },
        input: Input {
            kind,
            // only espeak-ng symbols have a dialect
            dialect: config.dialect.clone().filter(|_| kind == InputKind::Espeak),
            symbols: SYMBOLS.to_owned(),
            begin: one("^"),
            between: one("_"),
            end: one("$"),
            unknown: Unknown::Skip,
            max_symbols: MAX_SYMBOLS,
        },
        graph: Graph::Vits(VitsGraph {
            files: VitsFiles { front: FRONT.to_owned(), decoder: DECODER.to_owned() },
            rate: config.rate,
            hop: found.hop,
            context: found.context,
            scales: config.scales,
        }),
        sound: SoundSettings { gain_db: options.gain_db.unwrap_or(0.0), pauses: Pauses::Ours },
        files: files.to_vec(),
    };
    manifest.validate().map_err(PackError::from)?;
    if options.gain_db.is_none() {
        manifest.sound.gain_db = loudness::gain_db(staging.pack(&manifest))?;
    }
    Ok(staging.commit(&manifest)?)
}

/// Appends a suffix to a path.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Reads a regular file of at most `most` bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    let failed = |reason: String| ImportError::Read { path: path.to_owned(), reason };
    let metadata = fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() {
        return Err(failed("not a plain file".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(failed(format!("more than {most} bytes")));
    }
    Ok(bytes)
}
