//! The `shruti voices verify` command.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use shruti_neural::{Limits, lines};
use shruti_packs::{InstalledRemote, Pack, PackError, installed, installed_remotes};
use shruti_voices::{Runner, Sentence, SpeakTask, Spoken, Work, measure, packs_folder};

use super::setting::{LimitArgs, mebibytes, shown};
use crate::data_dir::Data;
use crate::packs;
use crate::printable::printable;

/// Valid levels of speech, in dBFS; the built-in voices are at about -20.
const LEVELS: std::ops::RangeInclusive<f64> = -40.0..=-9.0;

/// Maximum size of the file for `--lines`, in bytes. The lines are passed to another process.
const MAX_LINES_BYTES: u64 = 96 << 10;

/// Verify packs: check the checksums, speak a sentence per voice and language, and show its level, time and memory
///
/// Also counts unknown symbols in a hundred lines of each language: more than 0.5 % is a failure. The tests run in a
/// separate process with time and memory limits. For remote voices, only the manifest is checked. The exit status is 1
/// if a pack fails.
#[derive(clap::Args)]
pub(super) struct Args {
    /// ID of the pack [default: all]
    id: Option<String>,

    /// Count unknown symbols in the lines of this file instead of the built-in hundred lines
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    shruti_packs::remove_leftovers(&packs)?;
    let (mut found, mut remotes) = (installed(&packs)?, installed_remotes(&packs)?);
    if let Some(id) = &args.id {
        found.retain(|pack| pack.id == *id);
        remotes.retain(|pack| pack.id == *id);
        ensure!(!(found.is_empty() && remotes.is_empty()), PackError::NotInstalled(id.clone()));
    }
    ensure!(!(found.is_empty() && remotes.is_empty()), "no pack is installed in {}", packs.display());
    let lines = args.lines.as_deref().map(read_lines).transpose()?;
    let mut failed = Vec::new();
    for InstalledRemote { id, manifest } in remotes {
        println!("{id}");
        match manifest {
            Ok(manifest) => {
                println!("  the manifest is valid; {} was not tested", printable(&manifest.remote.url));
            }
            Err(error) => {
                println!("  fail: {}", printable(&error.to_string()));
                failed.push(id);
            }
        }
    }
    for found in found {
        println!("{}", found.id);
        let checked = found.pack.map_err(anyhow::Error::from).and_then(|pack| {
            let measured = check(&pack, lines.as_deref(), &args.limits.limits())?;
            // an error is ignored, because it only means that `shruti voices list` shows no measurement
            let _ = measure::store(&packs, &pack, &measured);
            Ok(measured)
        });
        match checked {
            Ok(measured) => println!("  {}", shown(&measured)),
            Err(error) => {
                println!("  fail: {}", printable(&format!("{error:#}")));
                failed.push(found.id);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} failed", failed.join(", "))
}

fn read_lines(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = String::from_utf8(super::import::read(path, MAX_LINES_BYTES)?)
        .with_context(|| format!("{} is not UTF-8", path.display()))?;
    Ok(text.lines().map(ToOwned::to_owned).collect())
}

fn check(pack: &Pack, own: Option<&[String]>, limits: &Limits) -> anyhow::Result<measure::Measured> {
    pack.verify()?;
    let manifest = pack.manifest();
    let bytes = manifest.files.iter().map(|file| file.bytes).sum();
    println!("  checksums are correct ({} files, {})", manifest.files.len(), mebibytes(bytes));
    let measured = packs::children().measure(pack.folder(), limits)?;
    let mut sentences = Vec::new();
    for voice in &manifest.voices {
        for &language in &voice.languages {
            let text = lines(language).next().context("no line in this language")?.to_owned();
            sentences.push(Sentence { voice: voice.name.clone(), language, text });
        }
    }
    let task = SpeakTask { pack: pack.folder().to_owned(), sentences, lines: own.map(<[String]>::to_vec) };
    let work = Work::Speak(task);
    let spoken: Vec<Spoken> = packs::children().run(&work, limits)?;
    let Work::Speak(SpeakTask { sentences, .. }) = work else {
        unreachable!("`work` was created as `Work::Speak`")
    };
    for (sentence, spoken) in sentences.iter().zip(&spoken) {
        let Spoken { seconds, seconds_per_second, level_db, unknown_symbols, symbols, is_acceptable } =
            *spoken;
        println!(
            "{} {}: {seconds:.1} s of speech, {level_db:.0} dBFS, {seconds_per_second:.2} s of processing per second \
             of speech, {unknown_symbols} of {symbols} symbols unknown",
            sentence.voice, sentence.language
        );
        ensure!(
            is_acceptable,
            "{unknown_symbols} of {symbols} symbols of {} are unknown to the pack; at most 0.5 % are allowed",
            sentence.language
        );
        let (least, most) = (LEVELS.start(), LEVELS.end());
        ensure!(
            LEVELS.contains(&level_db),
            "{} in {} has a level of {level_db:.0} dBFS; expected {least} to {most}",
            sentence.voice,
            sentence.language
        );
    }
    Ok(measured)
}
