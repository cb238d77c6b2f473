//! Packs of a folder and their use by the engine.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use shruti_engine::{Engine, SharedBackends, SharedThreads, UnusableBackend};
use shruti_lang::{VoiceEngine, VoiceId};
use shruti_neural::{Limits, PackBackend};
use shruti_remote::RemoteBackend;
use shruti_voice::pause_samples;
use tokio::runtime::Handle;

use crate::built_in::{self, BUILT_IN};
use crate::config::{PacksConfig, memory};
use crate::error::{Reasons, VoicesError};
use crate::measure;
use crate::routes::VoiceRoutes;
use crate::runner::Runner;
use crate::usable::{self, FolderScan, PackManifest, Usable};

/// Creates an engine for a command that speaks without a server. The engine has only the built-in voices, which load
/// immediately, and, if `voice` is not built in, the pack of that voice.
pub fn engine_for(
    voice: &VoiceId,
    voice_engine: VoiceEngine,
    config: PacksConfig,
    runner: impl Runner,
    runtime: &Handle,
) -> Result<Engine, VoicesError> {
    let is_called = |name: &str| name.eq_ignore_ascii_case(voice.as_str());
    let is_built_in = BUILT_IN.iter().any(|name| is_called(name));
    let packs = Packs::new(config, runner, runtime.clone());
    let engine = built_in::builder(voice_engine)?.shared_threads(packs.threads()).build()?;
    if is_built_in {
        return Ok(engine);
    }
    let FolderScan { usable, unusable } = FolderScan::in_folder(&packs.config.folder)?;
    let speaks = |pack: &&Usable| pack.voices().iter().any(|given| is_called(&given.name));
    if let Some(pack) = usable.iter().find(speaks) {
        engine.share(packs.load(pack)?.add_to(SharedBackends::new()))?;
        return Ok(engine);
    }
    let built_in = BUILT_IN.map(str::to_owned);
    let of_packs = usable.iter().flat_map(|pack| pack.voices().iter().map(|given| given.name.clone()));
    let names: Vec<String> = built_in.into_iter().chain(of_packs).collect();
    let broken = unusable
        .iter()
        .map(|UnusableBackend { name, reason }| format!("; the pack {name} cannot be used: {reason}"));
    let broken: String = broken.collect();
    Err(VoicesError::UnknownVoice {
        voice: voice.clone(),
        voices: names,
        folder: packs.config.folder,
        broken,
    })
}

/// Packs that the engine of a server uses.
#[derive(Debug)]
pub struct Packs<R> {
    config: PacksConfig,
    runner: R,
    /// Manifests of the packs that the engine uses, by ID. Locked during a reload.
    loaded: Mutex<HashMap<String, PackManifest>>,
    /// Runtime for requests to other servers.
    runtime: Handle,
}

/// Result of a reload of the packs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// IDs of new or changed packs.
    pub loaded: Vec<String>,
    /// IDs of unchanged packs.
    pub kept: Vec<String>,
    /// IDs of packs that no longer exist.
    pub dropped: Vec<String>,
    /// Packs that cannot be used. A pack that the engine already used keeps its previous state.
    pub unusable: Vec<UnusableBackend>,
}

impl<R: Runner> Packs<R> {
    /// Creates a manager for the packs of a folder. `runner` runs their graphs, and `runtime` runs the requests for
    /// remote voices.
    pub fn new(config: PacksConfig, runner: R, runtime: Handle) -> Self {
        Self { config, runner, loaded: Mutex::default(), runtime }
    }

    /// Returns the threads that packs share.
    pub fn threads(&self) -> SharedThreads {
        self.config.shared_threads()
    }

    /// Updates the engine to use the packs that are currently installed, with the given routes. Unchanged packs are not
    /// loaded again. If this method returns an error, the engine does not change. The call blocks and takes a few
    /// seconds per new pack.
    pub fn share(&self, engine: &Engine, routes: &VoiceRoutes) -> Result<Change, VoicesError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let FolderScan { usable, mut unusable } = FolderScan::in_folder(&self.config.folder)?;
        let usable = self.within_memory(usable, &mut unusable)?;
        let mut shared = SharedBackends::new().falls_back(self.config.falls_back);
        let mut change = Change::default();
        let mut now: HashMap<String, PackManifest> = HashMap::new();
        for pack in usable {
            let (id, described) = (pack.id().to_owned(), pack.described());
            if loaded.get(&id) == Some(&described) {
                shared = shared.keep(&id);
                change.kept.push(id.clone());
            } else {
                match self.load(&pack) {
                    Ok(backend) => shared = backend.add_to(shared),
                    Err(error) => {
                        unusable.push(usable::unusable(&id, &Reasons(&error)));
                        continue;
                    }
                }
                change.loaded.push(id.clone());
            }
            now.insert(id, described);
        }
        for UnusableBackend { name, .. } in &unusable {
            if let Some(described) = loaded.get(name) {
                shared = shared.keep(name);
                now.insert(name.clone(), described.clone());
            }
        }
        let voices: Vec<_> = now.iter().map(|(id, described)| (id.as_str(), described.voices())).collect();
        let without: Vec<&str> = unusable.iter().map(|pack| pack.name.as_str()).collect();
        let without: Vec<&str> = without.into_iter().filter(|id| !now.contains_key(*id)).collect();
        for route in routes.without(&without).resolve(&voices)? {
            shared = shared.route(route);
        }
        engine.share(shared.unusable_backends(unusable.clone()))?;
        change.dropped.extend(loaded.keys().filter(|id| !now.contains_key(*id)).cloned());
        change.unusable = unusable;
        *loaded = now;
        Ok(change)
    }

    /// Starts a pack and returns its back end.
    fn load(&self, pack: &Usable) -> Result<LoadedPack<R>, VoicesError> {
        Ok(match pack {
            Usable::Trained(pack) => {
                let measured =
                    measure::measure_cached(&self.runner, &self.config.folder, pack, &Limits::default())?;
                let threads = self.threads();
                let voice = self.runner.start(pack, &measured, self.config.most_memory(), threads)?;
                LoadedPack::Trained(Box::new(PackBackend::new(voice, threads.threads, pause_samples)?))
            }
            Usable::Remote(manifest) => {
                LoadedPack::Remote(Box::new(RemoteBackend::new(manifest, &self.runtime)?))
            }
        })
    }

    /// Returns the packs that can be measured, or an error if the packs together exceed the memory limit. Packs that
    /// have no stored result are measured in separate processes. If a pack uses unlimited memory or time, or crashes,
    /// only its process ends, and the pack is added to `unusable`.
    fn within_memory(
        &self,
        packs: Vec<Usable>,
        unusable: &mut Vec<UnusableBackend>,
    ) -> Result<Vec<Usable>, VoicesError> {
        let (mut usable, mut measured) = (Vec::new(), Vec::new());
        for pack in packs {
            if let Usable::Trained(trained) = &pack {
                match measure::measure_cached(&self.runner, &self.config.folder, trained, &Limits::default())
                {
                    Ok(known) => measured.push((pack.id().to_owned(), known)),
                    Err(error) => {
                        unusable.push(usable::unusable(pack.id(), &Reasons(&error)));
                        continue;
                    }
                }
            }
            usable.push(pack);
        }
        let needed = memory(measured.iter().map(|(_, measured)| measured), self.threads().threads);
        let most = self.config.most_memory();
        let largest = measured.iter().max_by_key(|(_, measured)| measured.resident_bytes);
        if let Some((id, _)) = largest.filter(|_| needed > most) {
            let (needed_mib, most_mib) = (needed >> 20, most >> 20);
            return Err(VoicesError::Memory { needed_mib, most_mib, largest: id.clone() });
        }
        Ok(usable)
    }
}

/// A pack that is ready to speak.
enum LoadedPack<R: Runner> {
    Trained(Box<PackBackend<R::Synthesis>>),
    Remote(Box<RemoteBackend>),
}

impl<R: Runner> LoadedPack<R> {
    fn add_to(self, shared: SharedBackends) -> SharedBackends {
        match self {
            Self::Trained(backend) => shared.backend(*backend),
            Self::Remote(backend) => shared.backend(*backend),
        }
    }
}
