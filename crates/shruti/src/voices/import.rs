//! The `shruti voices import` command.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use shruti_lang::Language;
use shruti_neural::{KOKORO_TERMS, PiperConfig};
use shruti_packs::{
    Commercial, InputKind, Installation, Licence, MANIFEST, MAX_MANIFEST_BYTES, Manifest, PackVoice, Sex,
    read_plain,
};
use shruti_store::PackEvent;
use shruti_voices::{BUILT_IN, KokoroImport, PiperImport, Work, packs_folder};

use super::licence::Acceptance;
use super::pull::install_from;
use super::setting::{LimitArgs, check_room, finish};
use crate::data_dir::Data;
use crate::packs::children;

const MAX_CONFIG_BYTES: u64 = 1 << 20;
const MAX_LICENCE_BYTES: u64 = 1 << 20;
/// Default name of the file with the licence terms.
const CARD: &str = "MODEL_CARD";
/// Licence of Kokoro-82M. The program contains the text of this licence.
const APACHE: &str = "Apache-2.0";

/// Create a pack from a voice in another format
#[derive(clap::Subcommand)]
pub(super) enum Format {
    Piper(Box<Piper>),
    Kokoro(Box<Kokoro>),
    Folder(Folder),
}

/// Create a pack from a Piper voice: FILE.onnx, with FILE.onnx.json in the same folder
///
/// The language, speakers and name are read from the file by default. The licence must be given.
#[derive(clap::Args)]
pub(super) struct Piper {
    /// ONNX graph, FILE.onnx
    file: PathBuf,

    /// ID of the pack [default: the language and the voice, for example te-padmavathi]
    #[arg(long)]
    id: Option<String>,

    /// Name of the voice in requests [default: its training data set]; repeat the option for each speaker
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,

    /// Sex of the speaker, female or male; repeat the option for each speaker
    #[arg(long, value_name = "SEX", value_parser = sex)]
    sex: Vec<Sex>,

    /// Language of the voice [default: that of the file]
    #[arg(long, short, value_name = "LANG")]
    language: Option<Language>,

    /// Kind of input symbols: espeak, characters, or phones of this project [default: that of the file]
    #[arg(long, value_name = "KIND", value_parser = input_kind)]
    reads: Option<InputKind>,

    /// Gain in dB, -40 to 40 [default: measured, to match the loudness of the built-in voices]
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    gain_db: Option<f32>,

    /// Licence, as an SPDX expression: CC-BY-4.0
    #[arg(long, value_name = "SPDX")]
    licence: String,

    /// File with the licence text [default: MODEL_CARD in the folder of the graph]
    #[arg(long, value_name = "FILE")]
    licence_file: Option<PathBuf>,

    /// Whether the licence allows commercial use: yes, no or unknown [default: determined from the licence]
    #[arg(long, value_name = "ANSWER", value_parser = commercial)]
    commercial: Option<Commercial>,

    /// Attribution [default: the training data set of the voice]
    #[arg(long, value_name = "TEXT")]
    attribution: Option<String>,

    /// Origin of the voice [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    #[command(flatten)]
    acceptance: Acceptance,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Create a pack from Kokoro-82M: the published graph, and a style table per voice
///
/// The voices speak all languages: Shruti's phones are converted to Kokoro's symbols. A voice has the name of its file,
/// and the second letter of the file name determines the sex (hf_alpha.bin, female).
#[derive(clap::Args)]
pub(super) struct Kokoro {
    /// Graph: kokoro-v1.0.int8.onnx, or another export with the inputs tokens (or input_ids), style and speed
    #[arg(value_name = "MODEL.ONNX")]
    file: PathBuf,

    /// Style table of a voice, for example hf_alpha.bin: 510 rows of 256 little-endian 32-bit floats
    #[arg(required = true, value_name = "STYLES")]
    styles: Vec<PathBuf>,

    /// ID of the pack
    #[arg(long, default_value = "kokoro")]
    id: String,

    /// Name of a voice in requests; repeat the option for each table [default: the file name without .bin]
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,

    /// Sex of a voice, female or male; repeat the option for each table [default: from the file name]
    #[arg(long, value_name = "SEX", value_parser = sex)]
    sex: Vec<Sex>,

    /// Language of the voices; repeatable [default: all]
    #[arg(long, short, value_name = "LANG")]
    language: Vec<Language>,

    /// Gain in dB, -40 to 40 [default: measured, to match the loudness of the built-in voices]
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    gain_db: Option<f32>,

    /// Licence, as an SPDX expression
    #[arg(long, value_name = "SPDX", default_value = APACHE)]
    licence: String,

    /// File with the licence text; required for licences other than Apache-2.0
    #[arg(long, value_name = "FILE")]
    licence_file: Option<PathBuf>,

    /// Whether the licence allows commercial use: yes, no or unknown [default: determined from the licence]
    #[arg(long, value_name = "ANSWER", value_parser = commercial)]
    commercial: Option<Commercial>,

    /// Attribution
    #[arg(long, value_name = "TEXT", default_value = "Kokoro-82M, by hexgrad")]
    attribution: String,

    /// Origin of the voices [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    #[command(flatten)]
    acceptance: Acceptance,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Create a pack from a folder with graphs and pack.toml, as written by train/export
///
/// Fields missing in pack.toml are determined by the command: checksums, samples per frame, context, loudness. A folder
/// that is a complete pack is installed unchanged.
#[derive(clap::Args)]
pub(super) struct Folder {
    /// Folder to import
    #[arg(value_name = "FOLDER")]
    path: PathBuf,

    #[command(flatten)]
    acceptance: Acceptance,

    #[command(flatten)]
    limits: LimitArgs,
}

fn sex(text: &str) -> Result<Sex, String> {
    match text {
        "female" => Ok(Sex::Female),
        "male" => Ok(Sex::Male),
        _ => Err("must be female or male".to_owned()),
    }
}

fn input_kind(text: &str) -> Result<InputKind, String> {
    match text {
        "espeak" => Ok(InputKind::Espeak),
        "characters" => Ok(InputKind::Characters),
        "phones" => Ok(InputKind::Phones),
        _ => Err("must be espeak, characters or phones".to_owned()),
    }
}

fn commercial(text: &str) -> Result<Commercial, String> {
    match text {
        "yes" => Ok(Commercial::Yes),
        "no" => Ok(Commercial::No),
        "unknown" => Ok(Commercial::Unknown),
        _ => Err("must be yes, no or unknown".to_owned()),
    }
}

pub(super) fn run(format: &Format, data: &Data) -> anyhow::Result<()> {
    match format {
        Format::Piper(piper) => import_piper(piper, data),
        Format::Kokoro(kokoro) => import_kokoro(kokoro, data),
        Format::Folder(folder) => import_folder(folder, data),
    }
}

fn import_folder(args: &Folder, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    let shown_path = || args.path.display().to_string();
    let Draft { id, licence, is_finished } = Draft::read(&args.path).with_context(shown_path)?;
    let installation = Installation::begin(&packs, &id, &BUILT_IN)?;
    if is_finished {
        install_from(&installation, &args.path).with_context(shown_path)?;
    }
    // the import would also reject a path that leads out of the folder, but only after the content of that file has
    // been shown
    ensure!(
        !licence.text.contains('/'),
        "{}: `licence.text` is {:?}; it must be a file name",
        shown_path(),
        licence.text
    );
    let terms = read_plain(&args.path, &licence.text, MAX_LICENCE_BYTES).with_context(shown_path)?;
    args.acceptance.ask(data, &id, &licence, &terms)?;
    if !is_finished {
        eprintln!("importing …");
        let work = Work::ImportFolder { packs: installation.folder().to_owned(), folder: args.path.clone() };
        children().run::<()>(&work, &args.limits.limits()).context("the folder was not imported")?;
    }
    finish(installation, PackEvent::Imported, data, &args.limits.limits())
}

/// Fields of a manifest that are needed before the import.
struct Draft {
    id: String,
    licence: Licence,
    /// `true` if the folder is a complete pack: its manifest lists all files with their checksums.
    is_finished: bool,
}

impl Draft {
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let text = String::from_utf8(read_plain(folder, MANIFEST, MAX_MANIFEST_BYTES)?)
            .with_context(|| format!("{MANIFEST} is not UTF-8"))?;
        let mut table: toml::Table = toml::from_str(&text).context(MANIFEST)?;
        let is_finished = table.contains_key("file");
        if is_finished {
            let Manifest { id, licence, .. } = Manifest::parse(&text)?;
            return Ok(Self { id, licence, is_finished });
        }
        let mut field =
            |name: &str| table.remove(name).with_context(|| format!("{MANIFEST}: `{name}` is missing"));
        let id = field("id")?.as_str().unwrap_or_default().to_owned();
        let licence: Licence =
            field("licence")?.try_into().with_context(|| format!("{MANIFEST}: `licence`"))?;
        licence.validate().context(MANIFEST)?;
        Ok(Self { id, licence, is_finished })
    }
}

fn import_piper(args: &Piper, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    let config = PiperConfig::parse(&read(&with_json(&args.file), MAX_CONFIG_BYTES)?)?;
    let licence_text = args.licence_file.clone().unwrap_or_else(|| args.file.with_file_name(CARD));
    let terms = read(&licence_text, MAX_LICENCE_BYTES)
        .context("the pack needs the text of its licence; set its file with --licence-file")?;
    let voices = voices(args, &config)?;
    let id = args.id.clone().or_else(|| id_of(&voices));
    let id =
        id.context("the voice's name has no letters that are allowed in a pack ID; set an ID with --id")?;
    let file_name = || args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let licence = Licence {
        spdx: args.licence.clone(),
        attribution: args.attribution.clone().or_else(|| config.dataset.clone()).unwrap_or_else(file_name),
        commercial: args.commercial.unwrap_or_else(|| allows_commerce(&args.licence)),
        source: args.source.clone().unwrap_or_else(file_name),
        text: String::new(),
    };
    let installation = Installation::begin(&packs, &id, &BUILT_IN)
        .map_err(|error| anyhow!("{error}; use --id for another ID"))?;
    installation.check_names(voices.iter().map(|voice| voice.name.as_str()))?;
    let bytes = fs::metadata(&args.file).with_context(|| args.file.display().to_string())?.len();
    check_room(&packs, bytes)?;
    args.acceptance.ask(data, &id, &licence, &terms)?;
    eprintln!("importing …");
    let import = PiperImport {
        packs: installation.folder().to_owned(),
        file: args.file.clone(),
        id,
        voices,
        licence,
        licence_text,
        input: args.reads,
        gain_db: args.gain_db,
    };
    children()
        .run::<()>(&Work::ImportPiper(import), &args.limits.limits())
        .context("the voice was not imported")?;
    finish(installation, PackEvent::Imported, data, &args.limits.limits())
}

fn import_kokoro(args: &Kokoro, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    let terms = if let Some(path) = &args.licence_file {
        read(path, MAX_LICENCE_BYTES)?
    } else {
        ensure!(
            args.licence == APACHE,
            "the pack needs the text of the licence {}; set its file with --licence-file",
            args.licence
        );
        KOKORO_TERMS.as_bytes().to_vec()
    };
    let voices = kokoro_voices(args)?;
    let file_name = || args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let licence = Licence {
        spdx: args.licence.clone(),
        attribution: args.attribution.clone(),
        commercial: args.commercial.unwrap_or_else(|| allows_commerce(&args.licence)),
        source: args.source.clone().unwrap_or_else(file_name),
        text: String::new(),
    };
    let installation = Installation::begin(&packs, &args.id, &BUILT_IN)
        .map_err(|error| anyhow!("{error}; use --id for another ID"))?;
    installation.check_names(voices.iter().map(|voice| voice.name.as_str()))?;
    let mut bytes = 0;
    for path in std::iter::once(&args.file).chain(&args.styles) {
        let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
        ensure!(metadata.is_file(), "{}: not a plain file", path.display());
        bytes += metadata.len();
    }
    check_room(&packs, bytes)?;
    args.acceptance.ask(data, &args.id, &licence, &terms)?;
    eprintln!("importing …");
    let import = KokoroImport {
        packs: installation.folder().to_owned(),
        file: args.file.clone(),
        styles: args.styles.clone(),
        id: args.id.clone(),
        voices,
        licence,
        licence_text: args.licence_file.clone(),
        gain_db: args.gain_db,
    };
    children()
        .run::<()>(&Work::ImportKokoro(import), &args.limits.limits())
        .context("the voices were not imported")?;
    finish(installation, PackEvent::Imported, data, &args.limits.limits())
}

/// Returns a voice for each style table.
fn kokoro_voices(args: &Kokoro) -> anyhow::Result<Vec<PackVoice>> {
    let count = args.styles.len();
    for (option, given) in [("--name", args.name.len()), ("--sex", args.sex.len())] {
        ensure!(
            given == 0 || given == count,
            "{option} is given {given} times, but there are {count} style tables; give it once for each table"
        );
    }
    let languages = if args.language.is_empty() { Language::ALL.to_vec() } else { args.language.clone() };
    let voices = args.styles.iter().enumerate().map(|(at, path)| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        PackVoice {
            name: args.name.get(at).cloned().unwrap_or_else(|| stem.clone().into_owned()),
            sex: args.sex.get(at).copied().or_else(|| kokoro_sex(&stem)),
            languages: languages.clone(),
            speaker: Some(at as u32),
            upstream: None,
        }
    });
    Ok(voices.collect())
}

/// Returns the sex of a voice from the name of its table: a letter for the language, `f` or `m`, and an underscore.
fn kokoro_sex(name: &str) -> Option<Sex> {
    match name.as_bytes() {
        [b'a'..=b'z', b'f', b'_', ..] => Some(Sex::Female),
        [b'a'..=b'z', b'm', b'_', ..] => Some(Sex::Male),
        _ => None,
    }
}

/// Returns the voices that a Piper configuration describes. Arguments override its values.
fn voices(args: &Piper, config: &PiperConfig) -> anyhow::Result<Vec<PackVoice>> {
    let declared = config.language.as_deref().and_then(|language| language.parse().ok());
    let language = args.language.or(declared).ok_or_else(|| {
        let says = config.language.as_deref().unwrap_or("nothing");
        anyhow!("the language of the voice is unknown (the file says {says}); set it with --language")
    })?;
    let count = config.speakers as usize;
    for (option, given) in [("--name", args.name.len()), ("--sex", args.sex.len())] {
        ensure!(
            given == 0 || given == count,
            "{option} is given {given} times, but the file has {count} speakers; give it once for each speaker"
        );
    }
    let name = |speaker: usize| -> anyhow::Result<String> {
        if let Some(name) = args.name.get(speaker) {
            return Ok(name.clone());
        }
        let of_speaker = config.speaker_names.get(&(speaker as u32)).filter(|_| count > 1);
        let declared = of_speaker.or_else(|| config.dataset.as_ref().filter(|_| count == 1));
        declared.map(|name| capitalised(name)).with_context(|| {
            format!("the file has no name for speaker {speaker}; give --name once for each speaker")
        })
    };
    (0..count)
        .map(|speaker| {
            Ok(PackVoice {
                name: name(speaker)?,
                sex: args.sex.get(speaker).copied(),
                languages: vec![language],
                speaker: (count > 1).then_some(speaker as u32),
                upstream: None,
            })
        })
        .collect()
}

fn capitalised(name: &str) -> String {
    let mut rest = name.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Returns a pack ID that consists of the language and the name of the first voice: `te-padmavathi`. Returns `None` if
/// the name has no characters that are allowed in an ID.
fn id_of(voices: &[PackVoice]) -> Option<String> {
    let voice = voices.first()?;
    let plain = voice.name.to_lowercase();
    let parts = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("-");
    let id = format!("{}-{name}", voice.languages.first()?.code());
    (!name.is_empty()).then(|| id.chars().take(64).collect())
}

/// Returns whether a licence is known to allow or to forbid commercial use.
fn allows_commerce(spdx: &str) -> Commercial {
    const ALLOW: [&str; 9] = [
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MPL-2.0",
        "CC0-1.0",
        "CC-BY-4.0",
        "CC-BY-SA-4.0",
    ];
    match spdx {
        _ if spdx.split('-').any(|part| part == "NC") => Commercial::No,
        _ if ALLOW.contains(&spdx) => Commercial::Yes,
        _ => Commercial::Unknown,
    }
}

fn with_json(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// Reads a regular file of at most `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let shown_path = || path.display().to_string();
    ensure!(fs::metadata(path).with_context(shown_path)?.is_file(), "{}: not a plain file", path.display());
    let mut bytes = Vec::new();
    fs::File::open(path)
        .with_context(shown_path)?
        .take(most + 1)
        .read_to_end(&mut bytes)
        .with_context(shown_path)?;
    ensure!(bytes.len() as u64 <= most, "{}: more than {most} bytes", path.display());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_letter_of_a_kokoro_voice_is_its_sex() {
        for (name, expected) in [
            ("hf_alpha", Some(Sex::Female)),
            ("hm_psi", Some(Sex::Male)),
            ("mine", None),
            ("Hf_alpha", None),
            ("hf", None),
            ("hx_alpha", None),
        ] {
            assert_eq!(kokoro_sex(name), expected, "{name}");
        }
    }

    #[test]
    fn commercial_use_is_derived_from_the_licence() {
        for (spdx, expected) in [
            ("CC-BY-4.0", Commercial::Yes),
            ("CC-BY-NC-SA-4.0", Commercial::No),
            ("LicenseRef-IITM", Commercial::Unknown),
            ("MIT AND CC-BY-NC-4.0", Commercial::No),
            ("MIT OR Proprietary", Commercial::Unknown),
        ] {
            assert_eq!(allows_commerce(spdx), expected, "{spdx}");
        }
    }
}
