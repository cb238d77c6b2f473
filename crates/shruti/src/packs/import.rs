//! A Piper voice to a pack, as it is handed to a process of its own.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use shruti_neural::{ImportOptions, import_piper};
use shruti_packs::{InputKind, Licence, PackVoice};

/// What is to be imported, and what is said of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PiperImport {
    /// The folder of packs that the pack is made in.
    pub(crate) packs: PathBuf,
    /// The graph; what it reads lies beside it as `.json`.
    pub(crate) file: PathBuf,
    pub(crate) id: String,
    pub(crate) voices: Vec<PackVoice>,
    pub(crate) licence: Licence,
    /// The file with the terms.
    pub(crate) licence_text: PathBuf,
    pub(crate) input: Option<InputKind>,
    /// Measured where it is not given.
    pub(crate) gain_db: Option<f32>,
}

impl PiperImport {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Self { packs, file, id, voices, licence, licence_text, input, gain_db } = self;
        let options = ImportOptions { id, voices, licence, licence_text, input, gain_db };
        import_piper(&packs, &file, &options)?;
        Ok(())
    }
}
