//! Check of the voice packs: whether they can be used, their capacity, and the restrictions of their licences.

use shruti_engine::UnusableBackend;
use shruti_neural::{Limits, PackBackend};
use shruti_packs::{Commercial, Licence, MANIFEST, Manifest, PackVoice, RemoteManifest};
use shruti_remote::RemoteBackend;
use shruti_voices::measure::Measured;
use shruti_voices::{FolderScan, Runner, Usable, memory};

use super::Setup;
use super::finding::Finding;
use crate::packs;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let config = packs::config(&setup.data_dir, &setup.settings);
    let folder = &config.folder;
    let FolderScan { usable, unusable } = match FolderScan::in_folder(folder) {
        Ok(found) if found.usable.is_empty() && found.unusable.is_empty() => {
            return vec![Finding::ok("no packs are installed: the built-in voices are used")];
        }
        Ok(found) => found,
        Err(error) => {
            return vec![Finding::fail(error.to_string(), "allow the server's user to read the folder")];
        }
    };
    let (threads, most) = (config.shared_threads().threads, config.most_memory());
    let (mut findings, mut measured) = (Vec::new(), Vec::new());
    for UnusableBackend { name, reason } in unusable {
        let manifest = folder.join(&name).join(MANIFEST);
        let advice = format!(
            "the server does not use this pack; fix {}, or run `shruti voices remove {name}` and install it again",
            manifest.display()
        );
        findings.push(Finding::fail(format!("{name}: {reason}"), advice));
    }
    for pack in &usable {
        findings.push(match judged(pack, threads, &mut measured) {
            Ok(finding) => finding,
            Err(error) => Finding::fail(
                format!("{}: {error:#}", pack.id()),
                format!(
                    "the server does not use this pack; `shruti voices verify {}` tests it again",
                    pack.id()
                ),
            ),
        });
    }
    let routes = setup.settings.voices.clone().unwrap_or_default();
    let voices = usable.iter().map(|pack| (pack.id(), pack.voices()));
    if let Err(error) = routes.resolve(&voices.collect::<Vec<_>>()) {
        findings.push(Finding::fail(format!("voices: {error}"), "correct the settings, or install the pack"));
    }
    let needed = memory(measured.iter(), threads);
    if needed > most {
        let found = format!("the packs need {} MiB, packs-memory is {} MiB", needed >> 20, most >> 20);
        findings.push(Finding::fail(found, "remove a pack, or raise packs-memory"));
    }
    findings
}

/// Tests a pack. Adds the measured cost of a trained pack to `measured`.
fn judged(pack: &Usable, threads: usize, measured: &mut Vec<Measured>) -> anyhow::Result<Finding> {
    match pack {
        Usable::Trained(pack) => {
            pack.verify()?;
            let cost = packs::children().measure(pack.folder(), &Limits::default())?;
            measured.push(cost);
            Ok(judge(pack.manifest(), &cost, threads))
        }
        Usable::Remote(manifest) => {
            RemoteBackend::check(manifest)?;
            Ok(judge_remote(manifest))
        }
    }
}

/// Describes the capacity of a pack on the given number of threads.
fn judge(manifest: &Manifest, measured: &Measured, threads: usize) -> Finding {
    let (names, licence) = (names(&manifest.voices), restriction(&manifest.licence));
    let listeners = (threads as f64 * PackBackend::SHARE / measured.seconds_per_second.max(1e-6)) as usize;
    let found = format!(
        "{}: {}, {listeners} concurrent listeners on {threads} threads, {} MiB, {}{licence}",
        manifest.id,
        names,
        (measured.resident_bytes + measured.run_bytes) >> 20,
        manifest.licence.spdx,
    );
    if listeners == 0 {
        return Finding::warn(
            format!("{found}: slower than real time"),
            "its listeners will hear gaps; use a smaller voice or more cores",
        );
    }
    Finding::ok(found)
}

/// Describes a pack whose speech another server synthesises. No request is sent, because that server may charge for
/// each request.
fn judge_remote(manifest: &RemoteManifest) -> Finding {
    let (names, licence) = (names(&manifest.voices), restriction(&manifest.licence));
    let (id, remote) = (&manifest.id, &manifest.remote);
    let (url, most) = (&remote.url, remote.max_requests);
    Finding::ok(format!(
        "{id}: {names}, synthesised by {url} (not tested), {most} concurrent requests, {}{licence}",
        manifest.licence.spdx
    ))
}

fn names(voices: &[PackVoice]) -> String {
    let named = voices.iter().map(|voice| {
        let languages: Vec<&str> = voice.languages.iter().map(|language| language.code()).collect();
        format!("{} ({})", voice.name, languages.join(" "))
    });
    named.collect::<Vec<_>>().join(", ")
}

fn restriction(licence: &Licence) -> &'static str {
    match licence.commercial {
        Commercial::Yes => "",
        Commercial::No => ", which forbids commercial use",
        Commercial::Unknown => ", which may not allow commercial use",
    }
}
