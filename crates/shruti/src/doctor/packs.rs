//! The packs of trained voices: whether they can be used, what they carry, and what their licences forbid.

use shruti_neural::{Commercial, Limits, Manifest, Pack, PackBackend, installed};

use super::Setup;
use super::finding::Finding;
use crate::packs;
use crate::packs::measure::{self, Measured};

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let folder = packs::folder(&setup.data_dir);
    let installed = match installed(&folder) {
        Ok(installed) if installed.is_empty() => {
            return vec![Finding::ok("there are none: the built-in voices speak")];
        }
        Ok(installed) => installed,
        Err(error) => return vec![Finding::fail(error.to_string(), "let the server's user read the folder")],
    };
    let (threads, most) = (packs::threads(&setup.settings).threads, packs::most_memory(&setup.settings));
    let (mut findings, mut usable, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    for found in installed {
        let looked = found.pack.map_err(anyhow::Error::from).and_then(|pack| {
            pack.verify()?;
            let measured = measure::measure(pack.folder(), &Limits::default())?;
            Ok((pack, measured))
        });
        match looked {
            Ok((pack, cost)) => {
                findings.push(judge(pack.manifest(), &cost, threads));
                usable.push(pack);
                measured.push(cost);
            }
            Err(error) => findings.push(Finding::fail(
                format!("{}: {error:#}", found.id),
                format!("`shruti voices remove {}`, and install it again", found.id),
            )),
        }
    }
    let routes = setup.settings.voices.clone().unwrap_or_default();
    let voices = usable.iter().map(Pack::manifest).map(|pack| (pack.id.as_str(), pack.voices.as_slice()));
    if let Err(error) = routes.resolve(&voices.collect::<Vec<_>>()) {
        findings
            .push(Finding::fail(format!("voices: {error}"), "put the settings right, or install the pack"));
    }
    let needed = packs::memory(measured.iter(), threads);
    if needed > most {
        let found = format!("they take {} MiB, packs-memory is {} MiB", needed >> 20, most >> 20);
        findings.push(Finding::fail(found, "remove one, or raise packs-memory"));
    }
    findings
}

/// What a pack carries on so many threads.
fn judge(manifest: &Manifest, measured: &Measured, threads: usize) -> Finding {
    let names: Vec<String> = manifest
        .voices
        .iter()
        .map(|voice| {
            let languages: Vec<&str> = voice.languages.iter().map(|language| language.code()).collect();
            format!("{} ({})", voice.name, languages.join(" "))
        })
        .collect();
    let licence = match manifest.licence.commercial {
        Commercial::Yes => String::new(),
        Commercial::No => ", which forbids commercial use".to_owned(),
        Commercial::Unknown => ", of which it is not known whether it allows commercial use".to_owned(),
    };
    let listeners = (threads as f64 * PackBackend::SHARE / measured.seconds_per_second.max(1e-6)) as usize;
    let found = format!(
        "{}: {}, {listeners} listeners at once on {threads} threads, {} MiB, {}{licence}",
        manifest.id,
        names.join(", "),
        (measured.resident_bytes + measured.run_bytes) >> 20,
        manifest.licence.spdx,
    );
    if listeners == 0 {
        return Finding::warn(
            format!("{found}: slower than it is spoken"),
            "its listeners will hear gaps; take a smaller voice, or more cores",
        );
    }
    Finding::ok(found)
}
