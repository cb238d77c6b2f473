//! A voice in another format to a pack, as it is handed to a process of its own.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use shruti_neural::{ImportError, ImportOptions, KokoroOptions, import_kokoro, import_piper};
use shruti_packs::{InputKind, Licence, PackVoice};

/// What is to be imported, and what is said of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PiperImport {
    /// The folder of packs that the pack is made in.
    pub packs: PathBuf,
    /// The graph; what it reads lies beside it as `.json`.
    pub file: PathBuf,
    /// The id of the pack.
    pub id: String,
    /// Its voices.
    pub voices: Vec<PackVoice>,
    /// Its licence.
    pub licence: Licence,
    /// The file with the terms.
    pub licence_text: PathBuf,
    /// What its graph reads; found out where it is not given.
    pub input: Option<InputKind>,
    /// Measured where it is not given.
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

/// A graph of Kokoro-82M with styles that is to be imported, and what is said of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KokoroImport {
    /// The folder of packs that the pack is made in.
    pub packs: PathBuf,
    /// The graph.
    pub file: PathBuf,
    /// The tables of styles, by the voices' `speaker`.
    pub styles: Vec<PathBuf>,
    /// The id of the pack.
    pub id: String,
    /// Its voices.
    pub voices: Vec<PackVoice>,
    /// Its licence.
    pub licence: Licence,
    /// The file with the terms; the Apache License 2.0 where there is none.
    pub licence_text: Option<PathBuf>,
    /// Measured where it is not given.
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
