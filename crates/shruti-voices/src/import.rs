//! Tasks of child processes that convert voices in other formats to packs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use shruti_neural::{ImportError, ImportOptions, KokoroOptions, import_kokoro, import_piper};
use shruti_packs::{InputKind, Licence, PackVoice};

/// Import of a Piper voice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PiperImport {
    /// Folder of packs in which the pack is created.
    pub packs: PathBuf,
    /// Path of the graph. The path of the configuration file is this path with the suffix `.json`.
    pub file: PathBuf,
    /// ID of the pack.
    pub id: String,
    /// Voices of the pack.
    pub voices: Vec<PackVoice>,
    /// Licence of the pack.
    pub licence: Licence,
    /// File with the licence text.
    pub licence_text: PathBuf,
    /// Notation of the symbols. By default, it is determined from the configuration.
    pub input: Option<InputKind>,
    /// Gain in dB. By default, it is measured.
    pub gain_db: Option<f32>,
}

impl PiperImport {
    pub(crate) fn run(self) -> Result<(), ImportError> {
        let Self { packs, file, id, voices, licence, licence_text, input, gain_db } = self;
        let options = ImportOptions { id, voices, licence, licence_text, input, gain_db };
        import_piper(&packs, &file, &options)?;
        Ok(())
    }
}

/// Import of Kokoro-82M with style tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KokoroImport {
    /// Folder of packs in which the pack is created.
    pub packs: PathBuf,
    /// Path of the graph.
    pub file: PathBuf,
    /// Style tables, indexed by the voices' `speaker`.
    pub styles: Vec<PathBuf>,
    /// ID of the pack.
    pub id: String,
    /// Voices of the pack.
    pub voices: Vec<PackVoice>,
    /// Licence of the pack.
    pub licence: Licence,
    /// File with the licence text. The default is the Apache License 2.0.
    pub licence_text: Option<PathBuf>,
    /// Gain in dB. By default, it is measured.
    pub gain_db: Option<f32>,
}

impl KokoroImport {
    pub(crate) fn run(self) -> Result<(), ImportError> {
        let Self { packs, file, styles, id, voices, licence, licence_text, gain_db } = self;
        let options = KokoroOptions { id, voices, styles, licence, licence_text, gain_db };
        import_kokoro(&packs, &file, &options)?;
        Ok(())
    }
}
