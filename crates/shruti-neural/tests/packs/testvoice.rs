//! The project's own trained voice from `train/testvoice`, imported as a Piper voice.

use std::path::Path;

use shruti_lang::Language;
use shruti_neural::{ImportError, ImportOptions, import_piper};
use shruti_packs::{Commercial, Licence, Pack, PackVoice, Sex};

/// Voices of the pack in the order of the graph's speakers.
pub(crate) const VOICES: [(&str, Sex, Language); 3] = [
    ("Test Arjun", Sex::Male, Language::Hindi),
    ("Test Ananya", Sex::Female, Language::Hindi),
    ("Test Ananya Telugu", Sex::Female, Language::Telugu),
];

/// Imports the voice into a folder of packs, as the pack `testvoice`.
pub(crate) fn import(packs: &Path) -> Result<Pack, ImportError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let voices = (0..).zip(VOICES).map(|(speaker, (name, sex, language))| PackVoice {
        name: name.to_owned(),
        sex: Some(sex),
        languages: vec![language],
        speaker: Some(speaker),
        upstream: None,
    });
    let options = ImportOptions {
        id: "testvoice".to_owned(),
        voices: voices.collect(),
        licence: Licence {
            spdx: "MIT OR Apache-2.0".to_owned(),
            attribution: "The Shruti authors".to_owned(),
            commercial: Commercial::Yes,
            source: "train/testvoice".to_owned(),
            text: String::new(),
        },
        licence_text: root.join("../../LICENSE-MIT"),
        // the file itself specifies that it reads phones
        input: None,
        gain_db: None,
    };
    import_piper(packs, &root.join("tests/data/testvoice/test.onnx"), &options)
}
