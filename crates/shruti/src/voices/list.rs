//! The `shruti voices list` command.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use serde::Serialize;
use shruti_lang::Language;
use shruti_packs::{
    Installed, InstalledRemote, Manifest, PackVoice, RemoteManifest, installed, installed_remotes,
};
use shruti_voice::Voice;
use shruti_voices::{VoiceRoutes, measure, packs_folder};

use super::setting::mebibytes;
use crate::data_dir::Data;
use crate::printable::{printable_json, printable_lines};
use crate::settings;

/// Default voice of the commands.
pub(crate) const DEFAULT: &str = Voice::ALL[0].name();

/// List the voices, the languages and the installed packs
#[derive(clap::Args)]
// the arguments are flattened into those of `voices`, and the two argument groups would have the same name
#[group(skip)]
pub(super) struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,

    /// The server's settings file, to show its voice routes
    #[arg(long, env = "SHRUTI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// Voice routes as a comma-separated list: Ananya.te=te-padmavathi/Padmavathi
    #[arg(long, env = "SHRUTI_VOICES", value_name = "LIST")]
    voices: Option<VoiceRoutes>,
}

/// Content of the listing.
#[derive(Serialize)]
struct Listing {
    voices: Vec<Line>,
    languages: Vec<LanguageLine>,
    packs: Vec<PackLine>,
    routes: Vec<RouteLine>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    gender: Option<&'static str>,
    languages: Vec<&'static str>,
    engine: &'static str,
    pack: Option<String>,
}

#[derive(Serialize)]
struct LanguageLine {
    code: &'static str,
    name: &'static str,
    native_name: &'static str,
    script: String,
    beta: bool,
}

#[derive(Serialize)]
struct PackLine {
    id: String,
    /// Reason why the pack cannot be used.
    error: Option<String>,
    licence: Option<shruti_packs::Licence>,
    /// URL of the server that synthesises the speech, for a remote pack.
    url: Option<String>,
    bytes: Option<u64>,
    measured: Option<measure::Measured>,
}

#[derive(Serialize)]
struct RouteLine {
    voice: String,
    language: &'static str,
    pack: String,
    speaker: String,
}

pub(super) fn run(args: &Args, data: &Data) -> anyhow::Result<()> {
    let folder = packs_folder(data.path());
    // an error is ignored, so that a user without write access can still list the packs
    let _ = shruti_packs::remove_leftovers(&folder);
    let (found, remotes) = (installed(&folder)?, installed_remotes(&folder)?);
    let routes = settings::voice_routes(args.config.as_deref(), args.voices.clone())?;
    let usable: Vec<Source<'_>> = found
        .iter()
        .filter_map(|found| found.pack.as_ref().ok().map(|pack| Source::from(pack.manifest())))
        .chain(remotes.iter().filter_map(|found| found.manifest.as_ref().ok().map(Source::from)))
        .collect();
    let listing = Listing {
        voices: voices(&usable),
        languages: Language::ALL.map(language).into(),
        packs: found.iter().map(|found| pack(&folder, found)).chain(remotes.iter().map(remote)).collect(),
        routes: resolved(&routes, &usable)?,
    };
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(&listing)?))?;
        return Ok(());
    }
    let mut text = Vec::new();
    write(&mut text, &listing)?;
    write!(out, "{}", printable_lines(&String::from_utf8_lossy(&text)))?;
    Ok(())
}

/// Usable pack: its ID, its voices, and the kind of synthesis.
struct Source<'a> {
    id: &'a str,
    voices: &'a [PackVoice],
    engine: &'static str,
}

impl<'a> From<&'a Manifest> for Source<'a> {
    fn from(manifest: &'a Manifest) -> Self {
        Self { id: &manifest.id, voices: &manifest.voices, engine: "neural" }
    }
}

impl<'a> From<&'a RemoteManifest> for Source<'a> {
    fn from(manifest: &'a RemoteManifest) -> Self {
        Self { id: &manifest.id, voices: &manifest.voices, engine: "remote" }
    }
}

fn voices(usable: &[Source<'_>]) -> Vec<Line> {
    let built_in = Voice::ALL.map(|voice| Line {
        name: voice.name().to_owned(),
        gender: Some(voice.gender().as_str()),
        languages: Language::ALL.map(Language::code).into(),
        engine: "parametric",
        pack: None,
    });
    let of_pack = |voice: &PackVoice, source: &Source<'_>| Line {
        name: voice.name.clone(),
        gender: voice.sex.map(|sex| match sex {
            shruti_packs::Sex::Female => "female",
            shruti_packs::Sex::Male => "male",
        }),
        languages: voice.languages.iter().map(|language| language.code()).collect(),
        engine: source.engine,
        pack: Some(source.id.to_owned()),
    };
    let of_packs = usable.iter().flat_map(|source| source.voices.iter().map(|voice| of_pack(voice, source)));
    built_in.into_iter().chain(of_packs).collect()
}

fn language(language: Language) -> LanguageLine {
    LanguageLine {
        code: language.code(),
        name: language.name(),
        native_name: language.native_name(),
        script: language.script().to_string(),
        beta: language.is_beta(),
    }
}

fn pack(folder: &Path, found: &Installed) -> PackLine {
    let id = found.id.clone();
    match &found.pack {
        Err(error) => PackLine {
            id,
            error: Some(error.to_string()),
            licence: None,
            url: None,
            bytes: None,
            measured: None,
        },
        Ok(pack) => {
            let manifest = pack.manifest();
            let measured = measure::stored(folder, pack);
            let bytes = Some(manifest.files.iter().map(|file| file.bytes).sum());
            let licence = Some(manifest.licence.clone());
            PackLine { id, error: None, licence, url: None, bytes, measured }
        }
    }
}

fn remote(found: &InstalledRemote) -> PackLine {
    let manifest = found.manifest.as_ref();
    PackLine {
        id: found.id.clone(),
        error: manifest.err().map(ToString::to_string),
        licence: manifest.ok().map(|manifest| manifest.licence.clone()),
        url: manifest.ok().map(|manifest| manifest.remote.url.clone()),
        bytes: None,
        measured: None,
    }
}

fn resolved(routes: &VoiceRoutes, usable: &[Source<'_>]) -> anyhow::Result<Vec<RouteLine>> {
    let voices: Vec<(&str, &[PackVoice])> = usable.iter().map(|source| (source.id, source.voices)).collect();
    let routes = routes.resolve(&voices)?;
    let line = |route: shruti_engine::Route| RouteLine {
        voice: route.voice.to_string(),
        language: route.language.code(),
        pack: route.backend.clone(),
        speaker: route.speaker.to_string(),
    };
    Ok(routes.into_iter().map(line).collect())
}

fn write(out: &mut impl Write, listing: &Listing) -> anyhow::Result<()> {
    writeln!(out, "voices (both speak every language):")?;
    for voice in listing.voices.iter().filter(|voice| voice.pack.is_none()) {
        writeln!(out, "  {:8} {}", voice.name, voice.gender.unwrap_or_default())?;
    }
    if !listing.packs.is_empty() {
        writeln!(out, "\npacks:")?;
    }
    for pack in &listing.packs {
        write_pack(out, pack, &listing.voices)?;
    }
    if !listing.routes.is_empty() {
        writeln!(out, "\nroutes (all other voices and languages are parametric):")?;
    }
    for route in &listing.routes {
        writeln!(out, "  {}.{} = {}/{}", route.voice, route.language, route.pack, route.speaker)?;
    }
    writeln!(out, "\nlanguages:")?;
    for LanguageLine { code, name, native_name, script, beta } in &listing.languages {
        let beta = if *beta { ", beta" } else { "" };
        writeln!(out, "  {code:3} {name:15} {native_name:12} {script} script{beta}")?;
    }
    Ok(())
}

fn write_pack(out: &mut impl Write, pack: &PackLine, voices: &[Line]) -> anyhow::Result<()> {
    if let Some(error) = &pack.error {
        writeln!(out, "  {}: cannot be used: {error}", pack.id)?;
        return Ok(());
    }
    let licence = pack.licence.as_ref().map_or_else(String::new, |licence| {
        let commercial = match licence.commercial {
            shruti_packs::Commercial::Yes => "commercial use allowed",
            shruti_packs::Commercial::No => "no commercial use",
            shruti_packs::Commercial::Unknown => "commercial use may not be allowed",
        };
        format!("{} ({commercial})", licence.spdx)
    });
    match (&pack.url, &pack.measured) {
        (Some(url), _) => writeln!(out, "  {}: {licence}, synthesised by {url}", pack.id)?,
        (None, measured) => {
            let speed = measured.map_or_else(
                || "speed not measured yet; run `shruti voices verify`".to_owned(),
                |measured| format!("{:.2} s of processing per second of speech", measured.seconds_per_second),
            );
            writeln!(out, "  {}: {licence}, {}, {speed}", pack.id, mebibytes(pack.bytes.unwrap_or(0)))?;
        }
    }
    for voice in voices.iter().filter(|voice| voice.pack.as_ref() == Some(&pack.id)) {
        let sex = voice.gender.unwrap_or("-");
        writeln!(out, "    {:12} {sex:7} {}", voice.name, voice.languages.join(", "))?;
    }
    Ok(())
}
