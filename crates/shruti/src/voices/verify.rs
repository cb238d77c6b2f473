//! `shruti voices verify`.

use anyhow::{bail, ensure};
use shruti_neural::{Limits, Pack, PackError, installed};

use super::setting::{LimitArgs, mebibytes, shown};
use crate::chat::first_reply;
use crate::data_dir::DataDir;
use crate::packs::child::{self, Work};
use crate::packs::measure::{self, measure};
use crate::packs::speak::{Sentence, Speaking, Spoken};

/// Levels of speech, in dB below full scale; the built-in voices are at -20 or so.
const LEVELS: std::ops::RangeInclusive<f64> = -40.0..=-9.0;

/// Check packs: their checksums, then a sentence in each language of each voice, its level, time and memory
///
/// Runs in a process of its own, with limits of time and memory. The exit status is 1 where a pack fails.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The pack [default: all]
    id: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, data: &DataDir) -> anyhow::Result<()> {
    let packs = crate::packs::folder(data.path());
    shruti_neural::remove_leftovers(&packs)?;
    let mut found = installed(&packs)?;
    if let Some(id) = &args.id {
        found.retain(|pack| pack.id == *id);
        ensure!(!found.is_empty(), PackError::NotInstalled(id.clone()));
    }
    ensure!(!found.is_empty(), "no pack is installed in {}", packs.display());
    let mut failed = Vec::new();
    for found in found {
        println!("{}", found.id);
        let checked = found.pack.map_err(Into::into).and_then(|pack| check(&pack, &args.limits.limits()));
        match checked {
            Ok(measured) => {
                println!("  {}", shown(&measured));
                // a list that does not tell it is no failure
                let _ = measure::note(&packs, &found.id, &measured);
            }
            Err(error) => {
                println!("  fail: {error:#}");
                failed.push(found.id);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} failed", failed.join(", "))
}

fn check(pack: &Pack, limits: &Limits) -> anyhow::Result<measure::Measured> {
    pack.verify()?;
    let manifest = pack.manifest();
    let bytes = manifest.files.iter().map(|file| file.bytes).sum();
    println!("  checksums are right ({} files, {})", manifest.files.len(), mebibytes(bytes));
    let measured = measure(pack.folder(), limits)?;
    let mut sentences = Vec::new();
    for voice in &manifest.voices {
        for &language in &voice.languages {
            sentences.push(Sentence { voice: voice.name.clone(), language, text: first_reply(language)? });
        }
    }
    let speaking = Speaking { pack: pack.folder().to_owned(), sentences };
    let work = Work::Speak(speaking);
    let spoken: Vec<Spoken> = child::run(&work, limits)?;
    let Work::Speak(Speaking { sentences, .. }) = work else { unreachable!("it is what was made") };
    for (sentence, spoken) in sentences.iter().zip(&spoken) {
        let Spoken { seconds, seconds_per_second, level_db } = *spoken;
        println!(
            "  {} {}: {seconds:.1} s of speech, {level_db:.0} dBFS, {seconds_per_second:.2} s of work for 1 s of sound",
            sentence.voice, sentence.language
        );
        let (least, most) = (LEVELS.start(), LEVELS.end());
        ensure!(
            LEVELS.contains(&level_db),
            "{} in {} has {level_db:.0} dBFS; speech has {least} to {most}",
            sentence.voice,
            sentence.language
        );
    }
    Ok(measured)
}
