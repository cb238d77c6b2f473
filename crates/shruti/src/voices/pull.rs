//! The `shruti voices pull` command.

use std::fs::{self, DirBuilder, File};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use shruti_packs::{
    Catalogue, CatalogueEntry, CatalogueForm, Installation, MAX_CATALOGUE_BYTES, Manifest, Staging,
    install_folder, install_tar,
};
use shruti_store::PackEvent;
use shruti_voices::{BUILT_IN, KokoroImport, PiperImport, Work, packs_folder};

use super::download::Downloader;
use super::licence::Acceptance;
use super::setting::{LimitArgs, check_room, finish};
use super::source::Source;
use crate::data_dir::Data;
use crate::packs::children;
use crate::printable::printable;

/// Name of the folder for downloaded files, in the temporary folder of an installation. No pack can have this name.
const DOWNLOADED: &str = ".downloaded";

/// Install a pack from the catalogue, or from this machine
///
/// Files are downloaded over HTTPS from the URLs in the catalogue, which also contains their lengths and checksums. An
/// interrupted download continues when the command is run again within a week. The licence is shown and must be
/// accepted by typing its name, or with --accept. Before the pack is installed, its graphs are tested in a separate
/// process with time and memory limits.
#[derive(clap::Args)]
pub(super) struct Args {
    /// ID of the pack
    id: String,

    /// Install from this tar archive or folder instead of the catalogue
    #[arg(long, value_name = "TAR|FOLDER", conflicts_with = "catalogue")]
    from: Option<PathBuf>,

    /// Use this catalogue instead of the built-in one
    #[arg(long, value_name = "FILE")]
    catalogue: Option<PathBuf>,

    #[command(flatten)]
    acceptance: Acceptance,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    match &args.from {
        Some(from) => {
            let installation = Installation::begin(&packs, &args.id, &BUILT_IN)?;
            install_from(&installation, from).with_context(|| from.display().to_string())?;
            let pack = installation.pack()?;
            let licence = &pack.manifest().licence;
            args.acceptance.ask(data, &args.id, licence, &pack.licence_text()?)?;
            finish(installation, PackEvent::Pulled, data, &args.limits.limits())
        }
        None => from_catalogue(args, &packs, data),
    }
}

/// Adds the pack in a folder or a tar archive to an installation.
pub(super) fn install_from(installation: &Installation, from: &Path) -> anyhow::Result<()> {
    let folder = installation.folder();
    if fs::metadata(from)?.is_dir() {
        install_folder(folder, from)?;
        return Ok(());
    }
    ensure!(fs::metadata(from)?.is_file(), "neither a folder nor a plain file");
    install_tar(folder, File::open(from)?)?;
    Ok(())
}

fn from_catalogue(args: &Args, packs: &Path, data: &Data) -> anyhow::Result<()> {
    let catalogue = read_catalogue(args.catalogue.as_deref())?;
    let Some(entry) = catalogue.find(&args.id) else {
        let ids: Vec<&str> = catalogue.entries.iter().map(|entry| entry.id.as_str()).collect();
        let has = if ids.is_empty() { "no packs".to_owned() } else { ids.join(", ") };
        bail!("the catalogue has no pack '{}'; it has {has}; use --catalogue for another catalogue", args.id);
    };
    // the URLs are checked before any prompt or download
    entry.files.iter().try_for_each(|remote| Source::parse(&remote.url).map(drop))?;
    let installation = Installation::begin(packs, &entry.id, &BUILT_IN)?;
    installation.check_names(entry.voices.iter().map(|voice| voice.name.as_str()))?;
    // space is needed for the downloaded files and for the pack that is built from them
    check_room(packs, 2 * entry.bytes())?;
    eprintln!("{}: {}; {}", entry.id, super::setting::mebibytes(entry.bytes()), printable(&entry.tried));
    let downloaded = installation.folder().join(DOWNLOADED);
    DirBuilder::new().mode(0o700).create(&downloaded).with_context(|| downloaded.display().to_string())?;
    let downloader = Downloader::new(packs, entry.bytes())?;
    let terms = entry.licence_file().context("the catalogue entry has no licence file")?;
    let terms_path = downloader.fetch(terms, &downloaded)?;
    args.acceptance.ask(data, &entry.id, &entry.licence, &fs::read(&terms_path)?)?;
    for remote in entry.files.iter().filter(|remote| remote.file.path != terms.file.path) {
        downloader.fetch(remote, &downloaded)?;
    }
    downloader.finish();
    make(&installation, entry, &downloaded, args)?;
    finish(installation, PackEvent::Pulled, data, &args.limits.limits())
}

/// Builds the pack from the downloaded files of a catalogue entry.
fn make(
    installation: &Installation,
    entry: &CatalogueEntry,
    files: &Path,
    args: &Args,
) -> anyhow::Result<()> {
    match &entry.form {
        CatalogueForm::Pack(manifest) => make_pack(installation.folder(), manifest, files),
        CatalogueForm::Piper { graph, input } => {
            eprintln!("importing …");
            let import = PiperImport {
                packs: installation.folder().to_owned(),
                file: files.join(graph),
                id: entry.id.clone(),
                voices: entry.voices.clone(),
                licence: entry.licence.clone(),
                licence_text: files.join(&entry.licence.text),
                input: *input,
                gain_db: None,
            };
            Ok(children().run(&Work::ImportPiper(import), &args.limits.limits())?)
        }
        CatalogueForm::Kokoro { graph, styles } => {
            eprintln!("importing …");
            let import = KokoroImport {
                packs: installation.folder().to_owned(),
                file: files.join(graph),
                styles: styles.iter().map(|path| files.join(path)).collect(),
                id: entry.id.clone(),
                voices: entry.voices.clone(),
                licence: entry.licence.clone(),
                licence_text: Some(files.join(&entry.licence.text)),
                gain_db: None,
            };
            Ok(children().run(&Work::ImportKokoro(import), &args.limits.limits())?)
        }
    }
}

fn make_pack(packs: &Path, manifest: &Manifest, files: &Path) -> anyhow::Result<()> {
    let staging = Staging::begin(packs, &manifest.id)?;
    for file in &manifest.files {
        let path = files.join(&file.path);
        staging.copy(file, File::open(&path).with_context(|| path.display().to_string())?)?;
    }
    staging.commit(manifest)?;
    Ok(())
}

/// Reads the catalogue from a file, or returns the built-in one.
fn read_catalogue(path: Option<&Path>) -> anyhow::Result<Catalogue> {
    let Some(path) = path else { return Ok(Catalogue::built_in()?) };
    let shown_path = || path.display().to_string();
    let mut text = String::new();
    ensure!(fs::metadata(path).with_context(shown_path)?.is_file(), "{}: not a plain file", path.display());
    let file = File::open(path).with_context(shown_path)?;
    file.take(MAX_CATALOGUE_BYTES + 1).read_to_string(&mut text).with_context(shown_path)?;
    ensure!(text.len() as u64 <= MAX_CATALOGUE_BYTES, "{}: more than 4 MiB", path.display());
    Catalogue::parse(&text).with_context(shown_path)
}
