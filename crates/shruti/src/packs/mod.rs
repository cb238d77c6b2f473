//! The packs of trained voices, and how the engine comes to speak with them.

pub(crate) mod child;
pub(crate) mod import;
pub(crate) mod measure;
mod routes;
pub(crate) mod speak;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use shruti_engine::{Engine, ParametricBackend, SharedBackends, SharedThreads};
use shruti_neural::{Limits, Manifest, Pack, PackBackend, Synthesiser, installed};
use shruti_protocol::VoiceId;

use crate::settings::Settings;
use measure::Measured;
pub(crate) use routes::VoiceRoutes;

/// An engine for a command that speaks by itself: with the built-in voices alone, which are there at once, and where
/// another is named, with its pack.
pub(crate) fn engine_for(voice: &VoiceId, data_dir: &Path) -> anyhow::Result<Engine> {
    let is_called = |name: &str| name.eq_ignore_ascii_case(voice.as_str());
    let is_built_in = shruti_voice::Voice::ALL.iter().any(|built_in| is_called(built_in.name()));
    let packs = Packs::new(data_dir, &Settings::default());
    let engine = Engine::builder().backend(ParametricBackend::new()).shared_threads(packs.threads).build()?;
    if is_built_in {
        return Ok(engine);
    }
    let (mut names, mut broken) = (Vec::new(), Vec::new());
    for found in installed(&packs.folder)? {
        match found.pack {
            Ok(pack) if pack.manifest().voices.iter().any(|given| is_called(&given.name)) => {
                let backend = named(packs.load(&pack), &found.id)?;
                engine.share(SharedBackends::new().backend(backend))?;
                return Ok(engine);
            }
            Ok(pack) => names.extend(pack.manifest().voices.iter().map(|given| given.name.clone())),
            Err(error) => broken.push(format!("; the pack {} is broken: {error}", found.id)),
        }
    }
    let built_in = shruti_voice::Voice::ALL.map(|built_in| built_in.name().to_owned());
    let names: Vec<String> = built_in.into_iter().chain(names).collect();
    let folder = packs.folder.display();
    bail!(
        "voice '{voice}' does not exist; voices are {}, with the packs in {folder}{}",
        names.join(", "),
        broken.concat()
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

fn half_of_the_memory() -> u64 {
    let info = rustix::system::sysinfo();
    (info.totalram as u64).saturating_mul(info.mem_unit.into()) / 2
}

/// Says in an error whose it is.
fn named<T, E>(result: Result<T, E>, id: &str) -> anyhow::Result<T>
where
    Result<T, E>: Context<T, E>,
{
    result.with_context(|| format!("the pack {id}"))
}

/// The packs that the engine of a server speaks with.
pub(crate) struct Packs {
    folder: PathBuf,
    threads: SharedThreads,
    falls_back: bool,
    /// The most bytes that all packs may take.
    memory: u64,
    /// The manifests of those that the engine has, by their ids; locked while they are read again.
    loaded: Mutex<HashMap<String, Manifest>>,
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
}

impl Packs {
    /// The packs of a data folder, as the settings have them.
    pub(crate) fn new(data_dir: &Path, settings: &Settings) -> Self {
        let mut threads = SharedThreads { niceness: NICENESS, ..SharedThreads::default() };
        if let Some(number) = settings.packs_threads {
            threads.threads = number.get();
        }
        Self {
            folder: folder(data_dir),
            threads,
            falls_back: settings.packs_fallback.unwrap_or(false),
            memory: settings.packs_memory.map_or_else(half_of_the_memory, |mebibytes| mebibytes.get() << 20),
            loaded: Mutex::default(),
        }
    }

    /// The threads on which they speak.
    pub(crate) fn threads(&self) -> SharedThreads {
        self.threads
    }

    /// The most bytes that they may take together.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Lets the engine speak with the packs that are installed now, by these routes. What it speaks with already is not
    /// loaded again; what is wrong changes nothing. Takes seconds for each new pack; blocks.
    pub(crate) fn share(&self, engine: &Engine, routes: &VoiceRoutes) -> anyhow::Result<Change> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let packs = installed(&self.folder)?.into_iter().map(|found| named(found.pack, &found.id));
        let packs: Vec<Pack> = packs.collect::<Result<_, _>>()?;
        let voices = packs.iter().map(Pack::manifest).map(|pack| (pack.id.as_str(), pack.voices.as_slice()));
        let mut shared = SharedBackends::new().falls_back(self.falls_back);
        for route in routes.resolve(&voices.collect::<Vec<_>>()).context("voices")? {
            shared = shared.route(route);
        }
        self.check_memory(&packs)?;
        let mut change = Change::default();
        for pack in &packs {
            let id = &pack.manifest().id;
            if loaded.get(id) == Some(pack.manifest()) {
                change.kept.push(id.clone());
                shared = shared.keep(id);
                continue;
            }
            shared = shared.backend(named(self.load(pack), id)?);
            change.loaded.push(id.clone());
        }
        engine.share(shared)?;
        let now: HashMap<String, Manifest> =
            packs.iter().map(|pack| (pack.manifest().id.clone(), pack.manifest().clone())).collect();
        change.dropped.extend(loaded.keys().filter(|id| !now.contains_key(*id)).cloned());
        *loaded = now;
        Ok(change)
    }

    /// Fails where the packs together take more memory than they may. Those that were never measured are, each in a
    /// process of its own: a pack that takes memory or time without end ends there.
    fn check_memory(&self, packs: &[Pack]) -> anyhow::Result<()> {
        let mut measured = Vec::new();
        for pack in packs {
            measured.push((
                pack,
                named(measure::known(&self.folder, pack, &Limits::default()), &pack.manifest().id)?,
            ));
        }
        let needed = memory(measured.iter().map(|(_, measured)| measured), self.threads.threads);
        let largest = measured.iter().max_by_key(|(_, measured)| measured.resident_bytes);
        if let Some((pack, _)) = largest.filter(|_| needed > self.memory) {
            let (needed, most) = (needed >> 20, self.memory >> 20);
            let id = &pack.manifest().id;
            bail!(
                "the packs take {needed} MiB when they all speak, packs-memory is {most} MiB; the largest is {id}"
            );
        }
        Ok(())
    }

    /// Loads a pack and measures what it costs, on a thread that stands back as those will that speak with it: the
    /// runtime's own threads take after the one that starts them.
    fn load(&self, pack: &Pack) -> anyhow::Result<PackBackend> {
        let work = || {
            #[cfg(target_os = "linux")]
            rustix::process::nice(self.threads.niceness).context("the niceness of the thread")?;
            let synthesiser = Synthesiser::load(pack, 1)?;
            Ok(PackBackend::new(synthesiser, self.threads.threads)?)
        };
        std::thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|_| Err(anyhow::anyhow!("a panic while it was loaded")))
    }
}
