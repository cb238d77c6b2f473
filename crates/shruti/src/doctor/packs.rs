//! The packs of trained voices: whether they can be used, what they carry, and what their licences forbid.

use shruti_neural::{
    Commercial, Licence, Limits, Manifest, PackBackend, PackVoice, RemoteManifest, installed,
    installed_remotes,
};
use shruti_remote::RemoteBackend;

use super::Setup;
use super::finding::Finding;
use crate::packs;
use crate::packs::measure::{self, Measured};

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let folder = packs::folder(&setup.data_dir);
    let (installed, remotes) = match installed(&folder)
        .and_then(|found| Ok((found, installed_remotes(&folder)?)))
    {
        Ok((installed, remotes)) if installed.is_empty() && remotes.is_empty() => {
            return vec![Finding::ok("there are none: the built-in voices speak")];
        }
        Ok(found) => found,
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
    let mut away = Vec::new();
    for found in remotes {
        match found.manifest.map_err(anyhow::Error::from).and_then(|pack| {
            RemoteBackend::check(&pack)?;
            Ok(pack)
        }) {
            Ok(pack) => {
                findings.push(judge_remote(&pack));
                away.push(pack);
            }
            Err(error) => findings.push(Finding::fail(
                format!("{}: {error:#}", found.id),
                format!("put {} right", folder.join(&found.id).join("pack.toml").display()),
            )),
        }
    }
    let routes = setup.settings.voices.clone().unwrap_or_default();
    let voices = usable
        .iter()
        .map(|pack| (pack.manifest().id.as_str(), pack.manifest().voices.as_slice()))
        .chain(away.iter().map(|pack| (pack.id.as_str(), pack.voices.as_slice())));
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
    let (names, licence) = (names(&manifest.voices), restriction(&manifest.licence));
    let listeners = (threads as f64 * PackBackend::SHARE / measured.seconds_per_second.max(1e-6)) as usize;
    let found = format!(
        "{}: {}, {listeners} listeners at once on {threads} threads, {} MiB, {}{licence}",
        manifest.id,
        names,
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

/// What another server speaks. It is not asked: it may bill each request.
fn judge_remote(manifest: &RemoteManifest) -> Finding {
    let (names, licence) = (names(&manifest.voices), restriction(&manifest.licence));
    let (id, remote) = (&manifest.id, &manifest.remote);
    let (url, most) = (&remote.url, remote.max_requests);
    Finding::ok(format!(
        "{id}: {names}, spoken by {url} (not asked now), {most} requests at once, {}{licence}",
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
        Commercial::Unknown => ", of which it is not known whether it allows commercial use",
    }
}
