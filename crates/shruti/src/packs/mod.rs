//! The packs of trained voices, and how the engine comes to speak with them.

pub(crate) mod child;
pub(crate) mod import;
pub(crate) mod measure;
mod routes;
pub(crate) mod speak;
mod usable;

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use shruti_engine::{Engine, LeftOut, SharedBackends, SharedThreads};
use shruti_lang::{VoiceEngine, VoiceId};
use shruti_neural::{Limits, PackBackend, PackProcess};
use shruti_remote::RemoteBackend;
use shruti_voice::{Voice, pause_samples};
use tokio::runtime::Handle;

use crate::settings::Settings;
use crate::voice_engine;
use measure::Measured;
pub(crate) use routes::VoiceRoutes;
use usable::Described;
pub(crate) use usable::{Found, Usable};

/// The names of the voices that need no pack.
pub(crate) const BUILT_IN: [&str; 2] = [Voice::ALL[0].name(), Voice::ALL[1].name()];

/// An engine for a command that speaks by itself: with the built-in voices alone, which are there at once, and where
/// another is named, with its pack.
pub(crate) fn engine_for(
    voice: &VoiceId,
    voice_engine: VoiceEngine,
    data_dir: &Path,
    runtime: &Handle,
) -> anyhow::Result<Engine> {
    let is_called = |name: &str| name.eq_ignore_ascii_case(voice.as_str());
    let is_built_in = BUILT_IN.iter().any(|name| is_called(name));
    let packs = Packs::new(data_dir, &Settings::default(), runtime.clone());
    let engine = voice_engine::builder(voice_engine)?.shared_threads(packs.threads).build()?;
    if is_built_in {
        return Ok(engine);
    }
    let Found { usable, left_out } = Found::in_folder(&packs.folder)?;
    let speaks = |pack: &&Usable| pack.voices().iter().any(|given| is_called(&given.name));
    if let Some(pack) = usable.iter().find(speaks) {
        engine.share(packs.load(pack)?.add_to(SharedBackends::new()))?;
        return Ok(engine);
    }
    let built_in = BUILT_IN.map(str::to_owned);
    let of_packs = usable.iter().flat_map(|pack| pack.voices().iter().map(|given| given.name.clone()));
    let names: Vec<String> = built_in.into_iter().chain(of_packs).collect();
    let folder = packs.folder.display();
    let broken =
        left_out.iter().map(|LeftOut { name, reason }| format!("; the pack {name} cannot be used: {reason}"));
    let broken: String = broken.collect();
    bail!(
        "voice '{voice}' does not exist; voices are {}, with the packs in {folder}{broken}",
        names.join(", ")
    )
}

/// Where packs are, in the data folder.
pub(crate) fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("packs")
}

/// How far the threads of packs stand back behind those of the embedded voice and of the network.
const NICENESS: i32 = 19;

/// How many bytes packs take while all threads speak with the dearest of them.
pub(crate) fn memory<'a>(measured: impl Iterator<Item = &'a Measured> + Clone, threads: usize) -> u64 {
    let loaded: u64 = measured.clone().map(|measured| measured.resident_bytes).sum();
    loaded + measured.map(|measured| measured.run_bytes).max().unwrap_or(0) * threads as u64
}

/// The threads that packs share.
pub(crate) fn threads(settings: &Settings) -> SharedThreads {
    let default = SharedThreads { niceness: NICENESS, ..SharedThreads::default() };
    SharedThreads { threads: settings.packs_threads.map_or(default.threads, NonZero::get), ..default }
}

/// The most bytes that packs may take together: half of the machine's memory, if nothing else is set.
pub(crate) fn most_memory(settings: &Settings) -> u64 {
    settings.packs_memory.map_or_else(|| machine_memory() / 2, |mebibytes| mebibytes.get() << 20)
}

/// The machine's memory, in bytes; 8 GiB where the system does not say it the same way.
fn machine_memory() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        (info.totalram as u64).saturating_mul(info.mem_unit.into())
    }
    #[cfg(not(target_os = "linux"))]
    {
        8 << 30
    }
}

/// The packs that the engine of a server speaks with.
pub(crate) struct Packs {
    folder: PathBuf,
    threads: SharedThreads,
    falls_back: bool,
    /// The most bytes that all packs may take.
    memory: u64,
    /// The manifests of those that the engine has, by their ids; locked while they are read again.
    loaded: Mutex<HashMap<String, Described>>,
    /// Where requests to other servers run.
    runtime: Handle,
}

/// A change of what the engine speaks with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// The ids of the packs that are new or have changed.
    pub(crate) loaded: Vec<String>,
    /// Those that were kept.
    pub(crate) kept: Vec<String>,
    /// Those that are there no longer.
    pub(crate) dropped: Vec<String>,
    /// Those that cannot be used. One that the engine spoke with before stays as it was.
    pub(crate) left_out: Vec<LeftOut>,
}

impl Packs {
    /// The packs of a data folder, as the settings have them. Requests for remote voices run on `runtime`.
    pub(crate) fn new(data_dir: &Path, settings: &Settings, runtime: Handle) -> Self {
        Self {
            folder: folder(data_dir),
            threads: threads(settings),
            falls_back: settings.packs_fallback.unwrap_or(false),
            memory: most_memory(settings),
            loaded: Mutex::default(),
            runtime,
        }
    }

    /// The threads on which they speak.
    pub(crate) fn threads(&self) -> SharedThreads {
        self.threads
    }

    /// Lets the engine speak with the packs that are installed now, by these routes. What it speaks with already is not
    /// loaded again; what is wrong changes nothing. Takes seconds for each new pack; blocks.
    pub(crate) fn share(&self, engine: &Engine, routes: &VoiceRoutes) -> anyhow::Result<Change> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let Found { usable, mut left_out } = Found::in_folder(&self.folder)?;
        let usable = self.within_memory(usable, &mut left_out)?;
        let mut shared = SharedBackends::new().falls_back(self.falls_back);
        let mut change = Change::default();
        let mut now: HashMap<String, Described> = HashMap::new();
        for pack in usable {
            let (id, described) = (pack.id().to_owned(), pack.described());
            if loaded.get(&id) == Some(&described) {
                shared = shared.keep(&id);
                change.kept.push(id.clone());
            } else {
                match self.load(&pack) {
                    Ok(backend) => shared = backend.add_to(shared),
                    Err(error) => {
                        left_out.push(usable::left_out(&id, &error));
                        continue;
                    }
                }
                change.loaded.push(id.clone());
            }
            now.insert(id, described);
        }
        for LeftOut { name, .. } in &left_out {
            if let Some(described) = loaded.get(name) {
                shared = shared.keep(name);
                now.insert(name.clone(), described.clone());
            }
        }
        let voices: Vec<_> = now.iter().map(|(id, described)| (id.as_str(), described.voices())).collect();
        let without: Vec<&str> = left_out.iter().map(|pack| pack.name.as_str()).collect();
        let without: Vec<&str> = without.into_iter().filter(|id| !now.contains_key(*id)).collect();
        for route in routes.without(&without).resolve(&voices).context("voices")? {
            shared = shared.route(route);
        }
        engine.share(shared.left_out(left_out.clone()))?;
        change.dropped.extend(loaded.keys().filter(|id| !now.contains_key(*id)).cloned());
        change.left_out = left_out;
        *loaded = now;
        Ok(change)
    }

    /// Starts a pack: one whose graphs are here in a process of its own.
    fn load(&self, pack: &Usable) -> anyhow::Result<LoadedPack> {
        Ok(match pack {
            Usable::Trained(pack) => {
                let measured = measure::known(&self.folder, pack, &Limits::default())?;
                let SharedThreads { threads, niceness } = self.threads;
                let process = child::serve(pack, &measured, self.memory, threads, niceness)?;
                LoadedPack::Trained(Box::new(PackBackend::new(process, threads, pause_samples)?))
            }
            Usable::Remote(manifest) => {
                LoadedPack::Remote(Box::new(RemoteBackend::new(manifest, &self.runtime)?))
            }
        })
    }

    /// Fails where the packs together take more memory than they may. Those that were never measured are, each in a
    /// process of its own: a pack that takes memory or time without end, or crashes, does so there and is left out.
    fn within_memory(&self, packs: Vec<Usable>, left_out: &mut Vec<LeftOut>) -> anyhow::Result<Vec<Usable>> {
        let (mut usable, mut measured) = (Vec::new(), Vec::new());
        for pack in packs {
            if let Usable::Trained(trained) = &pack {
                match measure::known(&self.folder, trained, &Limits::default()) {
                    Ok(known) => measured.push((pack.id().to_owned(), known)),
                    Err(error) => {
                        left_out.push(usable::left_out(pack.id(), &error));
                        continue;
                    }
                }
            }
            usable.push(pack);
        }
        let needed = memory(measured.iter().map(|(_, measured)| measured), self.threads.threads);
        let largest = measured.iter().max_by_key(|(_, measured)| measured.resident_bytes);
        if let Some((id, _)) = largest.filter(|_| needed > self.memory) {
            let (needed, most) = (needed >> 20, self.memory >> 20);
            bail!(
                "the packs take {needed} MiB when they all speak, packs-memory is {most} MiB; the largest is {id}"
            );
        }
        Ok(usable)
    }
}

/// A pack that is ready to speak.
enum LoadedPack {
    Trained(Box<PackBackend<PackProcess>>),
    Remote(Box<RemoteBackend>),
}

impl LoadedPack {
    fn add_to(self, shared: SharedBackends) -> SharedBackends {
        match self {
            Self::Trained(backend) => shared.backend(*backend),
            Self::Remote(backend) => shared.backend(*backend),
        }
    }
}
