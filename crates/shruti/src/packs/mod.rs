//! The packs of trained voices, and how the engine comes to speak with them.

pub(crate) mod child;
pub(crate) mod import;
pub(crate) mod measure;
mod routes;
pub(crate) mod speak;

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use shruti_engine::{Engine, SharedBackends, SharedThreads};
use shruti_neural::{Manifest, Pack, PackBackend, Synthesiser, installed};

pub(crate) use routes::VoiceRoutes;

/// Where packs are, in the data folder.
pub(crate) fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("packs")
}

/// How far the threads of packs stand back behind those of the embedded voice and of the network.
const NICENESS: i32 = 19;

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
    /// The packs of a data folder. Their steps take so many threads together; one a core if not said.
    pub(crate) fn new(data_dir: &Path, threads: Option<NonZero<usize>>, falls_back: bool) -> Self {
        let mut shared = SharedThreads { niceness: NICENESS, ..SharedThreads::default() };
        if let Some(threads) = threads {
            shared.threads = threads.get();
        }
        Self { folder: folder(data_dir), threads: shared, falls_back, loaded: Mutex::default() }
    }

    /// The threads on which they speak.
    pub(crate) fn threads(&self) -> SharedThreads {
        self.threads
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
