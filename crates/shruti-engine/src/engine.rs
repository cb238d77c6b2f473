//! The engine: admits streams and routes them to its back ends.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use shruti_backend::{Backend, Description, Style, VoiceDescription};
use shruti_clock::{Clock, SystemClock};
use shruti_lang::{Language, VoiceEngine, VoiceId};
use shruti_text::Settings;

use crate::admission::Admission;
use crate::binding::{Alternatives, Binding};
use crate::channel::{Channel, Listener};
use crate::error::SpeakError;
use crate::executor::Executor;
use crate::executors::DynExecutor;
use crate::executors::{Executors, Permits, Running};
use crate::routes::{LanguageRoute, Speaker};
use crate::seats::{SeatPool, Seats};
use crate::shared::{Route, SharedBackend, SharedBackends, SharedParts, SharedThreads, UnusableBackend};
use crate::speech::{Request, Speech};
use crate::speech_task::SpeechTask;
use crate::stats::{Counter, Stats};
use crate::step_times::Stopwatch;
use crate::voices::{Catalogue, NoSuchVoice, Voice, Voices};
use crate::workers::{Workers, WorkersOwner};

/// Sample rate of all audio that listeners receive, in samples per second.
const SAMPLE_RATE: u32 = shruti_lang::SAMPLE_RATE;

/// Maximum number of unspoken characters: the default for a stream, and a fixed limit for a turn.
pub const MAX_UNSPOKEN: usize = 20_000;

/// A speech synthesis engine: routes texts to the back ends of their voices and enforces limits.
///
/// Streams continue after the engine is dropped. The engine's threads end when the last stream has been dropped as
/// well.
pub struct Engine {
    voices: RwLock<Arc<Voices>>,
    /// Back ends that were added at build time, and their voices.
    own: Vec<Arc<Running>>,
    own_voices: Catalogue,
    shared: SharedParts,
    /// Current shared back ends; locked while they are replaced.
    shared_running: Mutex<Vec<Arc<Running>>>,
    unusable_backends: Mutex<Vec<UnusableBackend>>,
    admission: Arc<Admission>,
    alternatives: Alternatives,
    /// Default synthesis method of the built-in voices.
    preferred: VoiceEngine,
    max_speeches: Option<usize>,
    max_unspoken: usize,
    refused: Counter,
}

/// Current state of a back end of an engine.
#[derive(Clone, Debug)]
pub struct BackendState {
    /// Properties and capabilities of the back end.
    pub description: Description,
    /// Statistics since the back end was added.
    pub stats: Stats,
    /// Whether the back end can speak; see [`Backend::is_usable`].
    pub is_usable: bool,
}

/// Builder for an [`Engine`].
#[must_use]
pub struct EngineBuilder {
    backends: Vec<OwnBackend>,
    voice_engine: VoiceEngine,
    shared_threads: SharedThreads,
    max_speeches: Option<usize>,
    max_unspoken: usize,
    clock: Arc<dyn Clock>,
}

/// A back end of an [`EngineBuilder`].
struct OwnBackend {
    /// Creates the executor of the back end; called with the engine's clock when the engine is built.
    start: Box<dyn FnOnce(Arc<dyn Clock>) -> Running>,
    /// Whether the back end overrides voices of earlier back ends.
    overrides: bool,
}

/// Error when building an engine or replacing its shared back ends.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no back end.
    #[error("an engine needs at least one back end")]
    NoBackend,
    /// Two back ends provide the same language of the same voice.
    #[error("voice '{voice}' has more than one back end for {language}")]
    DuplicateVoice {
        /// Name of the voice.
        voice: VoiceId,
        /// The language.
        language: Language,
    },
    /// The description of a back end is invalid, its name is not unique, or a back end to keep does not exist.
    #[error("back end '{backend}': {what}")]
    Description {
        /// Name of the back end.
        backend: String,
        /// Description of the problem.
        what: &'static str,
    },
    /// The voice, the back end or the speaker of a route does not exist, the speaker does not speak the language, or a
    /// back end overrides a voice that does not exist.
    #[error("'{voice}' in {language}: {what}")]
    Route {
        /// Name of the voice.
        voice: VoiceId,
        /// The language.
        language: Language,
        /// Description of the problem.
        what: String,
    },
    /// The operating system failed to start a thread.
    #[error("cannot start the threads of a back end")]
    Threads(#[from] std::io::Error),
}

impl Engine {
    /// Returns an engine builder.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            backends: Vec::new(),
            voice_engine: VoiceEngine::Auto,
            shared_threads: SharedThreads::default(),
            max_speeches: None,
            max_unspoken: MAX_UNSPOKEN,
            clock: Arc::new(SystemClock::new()),
        }
    }

    /// Starts a stream, or returns the reason for a refusal immediately. The stream has no text until [`Speech::push`]
    /// is called.
    pub fn speak(&self, request: Request) -> Result<Speech, SpeakError> {
        self.admitted(request).inspect_err(|refused| {
            if matches!(refused, SpeakError::Overloaded { .. } | SpeakError::Draining) {
                self.refused.add(1);
            }
        })
    }

    /// Starts a stream for a complete text.
    pub fn speak_text(&self, request: Request, text: &str) -> Result<Speech, SpeakError> {
        let mut speech = self.speak(request)?;
        speech.push(text)?;
        speech.finish();
        Ok(speech)
    }

    /// Binds a conversation to a synthesis method of the built-in voices. `voice` is the first voice of the
    /// conversation; if `wanted` is `None`, [`voice_engine`](Self::voice_engine) applies. Returns `None` if the voice
    /// has only one synthesis method, [`SpeakError::Overloaded`] if the learned voices are requested and have no
    /// capacity for another conversation, and [`SpeakError::NoLearnedVoices`] if the engine has no learned voices.
    pub fn bind(&self, voice: &VoiceId, wanted: Option<VoiceEngine>) -> Result<Option<Binding>, SpeakError> {
        let wanted = wanted.unwrap_or_else(|| self.voice_engine());
        if wanted == VoiceEngine::Learned && !self.alternatives.has_learned() {
            return Err(SpeakError::NoLearnedVoices);
        }
        let voices = self.voices();
        if !voices.find(voice.as_str()).is_some_and(|voice| self.alternatives.has_choice(voice)) {
            return Ok(None);
        }
        self.alternatives.bind(wanted).map(Some).inspect_err(|_| self.refused.add(1))
    }

    /// Returns the synthesis method of the built-in voices in conversations that do not request one.
    pub fn voice_engine(&self) -> VoiceEngine {
        if self.alternatives.has_learned() { self.preferred } else { VoiceEngine::Rules }
    }

    /// Returns the synthesis methods that a conversation can request for a voice; empty if the voice has only one.
    pub fn choices(&self, voice: &Voice) -> &'static [VoiceEngine] {
        if self.alternatives.has_choice(voice) { &VoiceEngine::ALL } else { &[] }
    }

    /// Returns the number of conversations that are bound to the learned voices, and its limit; `None` if there are no
    /// learned voices.
    pub fn seats(&self) -> Option<Seats> {
        self.alternatives.seats()
    }

    fn admitted(&self, request: Request) -> Result<Speech, SpeakError> {
        let Request { voice, language, speed, pitch, clarity, lexicon, binding, times } = request;
        let voices = self.voices();
        let voice = match voice {
            Some(name) => voices.find(name.as_str()).ok_or(SpeakError::UnknownVoice(name))?,
            None => voices.default_voice(),
        };
        let language = language.or(voice.only_language());
        let routes = voice.routes();
        let route = language.map(|language| routes.of_language(language)).transpose();
        let route = route.map_err(SpeakError::UnsupportedLanguage)?;
        if !(0.5..=2.0).contains(&speed) {
            return Err(SpeakError::OutOfRange("speed"));
        }
        if !(-6.0..=6.0).contains(&pitch) {
            return Err(SpeakError::OutOfRange("pitch"));
        }
        let excluded = self.alternatives.excluded(binding.as_deref());
        let shifts = |route: &LanguageRoute| route.speaker(&excluded).pitch;
        let can_shift = route.map_or_else(|| routes.languages().any(shifts), shifts);
        if pitch != 0.0 && !can_shift {
            return Err(SpeakError::UnsupportedPitch);
        }
        let executors = voices.executors();
        let name = voice.name().clone();
        let style = Style { voice: name.clone(), speed, pitch };
        let stopwatch = times.map(|times| Stopwatch::new(times, executors.now()));
        let settings = Settings { language, lexicon };
        let task = SpeechTask::new(settings, style, clarity, Arc::clone(routes)).timed(stopwatch);
        let mut task = task.without(excluded.clone());
        let mut permits = Permits::new(self.admission.admit(1)?, binding.as_deref().and_then(Binding::speak));
        executors.admit(routes.reader(), &mut permits)?;
        if let Some(route) = route
            && let Err(refused) = executors.admit(route.speaker(&excluded).backend, &mut permits)
        {
            let fallback = task.fall_back(route, &refused).ok_or(refused)?;
            executors.admit(fallback, &mut permits)?;
        }
        let channel = Channel::new(Arc::clone(executors), task, permits);
        Ok(Speech::new(Arc::new(Listener(Arc::new(channel))), name))
    }

    /// Replaces the shared back ends and the routes to them. Active streams continue with the back ends that they
    /// started with. If the back ends or routes are rejected, the engine does not change.
    pub fn share(&self, shared: SharedBackends) -> Result<(), BuildError> {
        if !shared.backends.is_empty() {
            self.shared.workers.0.start()?;
        }
        self.share_without_threads(shared)
    }

    pub(crate) fn share_without_threads(&self, shared: SharedBackends) -> Result<(), BuildError> {
        let SharedBackends { backends, routes, falls_back, unusable_backends } = shared;
        let mut running_now = self.shared_running.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = |name: &str| {
            let known = running_now.iter().find(|known| known.executor.description().name == name);
            known.map(Arc::clone)
        };
        let mut running = Vec::with_capacity(backends.len());
        for backend in backends {
            running.push(match backend {
                SharedBackend::New(start) => {
                    Arc::new(Running::new(start(&self.shared), Arc::clone(&self.shared.workers)))
                }
                SharedBackend::Kept(name) => kept(&name).ok_or(BuildError::Description {
                    backend: name,
                    what: "no shared back end has this name",
                })?,
            });
        }
        let names = self.own.iter().chain(&running).map(|running| &running.executor.description().name);
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                let what = "another back end has this name";
                return Err(BuildError::Description { backend: name.clone(), what });
            }
        }
        let mut catalogue = self.own_voices.clone();
        let first = self.own.len();
        add_routes(&mut catalogue, &running, first, routes, falls_back)?;
        let reader = |_| 0;
        add_voices(&mut catalogue, &running, first, reader)?;
        let all: Vec<Arc<Running>> = self.own.iter().chain(&running).map(Arc::clone).collect();
        self.admission.set_limit(limit(self.max_speeches, &all));
        let executors = Arc::new(Executors::new(all, Arc::clone(&self.shared.clock), self.max_unspoken));
        let voices = Arc::new(Voices::new(catalogue, executors));
        let before =
            std::mem::replace(&mut *self.voices.write().unwrap_or_else(PoisonError::into_inner), voices);
        *running_now = running;
        *self.unusable_backends.lock().unwrap_or_else(PoisonError::into_inner) = unusable_backends;
        drop(running_now);
        // back ends without active streams are dropped here, while no lock is held
        drop(before);
        Ok(())
    }

    /// Speaks a short text with every voice in each of its languages, except languages in beta, and discards the audio.
    /// Everything that is loaded or computed on first use is then ready, so that the first listener has no extra
    /// latency. Languages in beta are loaded by their first text. The call blocks for some tens of milliseconds.
    pub fn warm_up(&self) -> Result<(), SpeakError> {
        for voice in self.voices().iter() {
            for language in voice.languages().filter(|language| !language.is_beta()) {
                let request = Request { language: Some(language), ..Request::new(voice.name().clone()) };
                let mut speech = self.speak_text(request, "12")?;
                // a fault is ignored here, because it will recur and be reported to a listener
                while let Some(Ok(_)) = speech.blocking_next() {}
            }
        }
        Ok(())
    }

    /// Returns the current voices.
    pub fn voices(&self) -> Arc<Voices> {
        Arc::clone(&self.voices.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Refuses new streams from now on; active streams continue.
    pub fn drain(&self) {
        self.admission.drain();
    }

    /// Waits until no stream is active.
    pub async fn idle(&self) {
        self.admission.idle().await;
    }

    /// Returns the statistics of all back ends together, including removed ones.
    pub fn stats(&self) -> Stats {
        let voices = self.voices();
        let waiting = voices.executors().iter().map(|executor| executor.stats().waiting).sum();
        let own = self.own.iter().map(|running| running.executor.counters().stats());
        let shared = self.shared.all_counters();
        let done = own.chain(shared.iter().map(|counters| counters.stats()));
        let done = done.fold(Stats::default(), |sum, one| sum + one);
        Stats { active: self.admission.active(), waiting, refused: self.refused.get() + done.refused, ..done }
    }

    /// Returns the current state of the back ends. A back end counts a refusal only if the engine had already admitted
    /// the stream and its text was routed to the back end later.
    pub fn backends(&self) -> Vec<BackendState> {
        let state = |executor: &Arc<dyn DynExecutor>| BackendState {
            description: executor.description().clone(),
            stats: executor.stats(),
            is_usable: executor.is_usable(),
        };
        self.voices().executors().iter().map(state).collect()
    }

    /// Returns the shared back ends that cannot be used, as [reported](SharedBackends::unusable_backends).
    pub fn unusable_backends(&self) -> Vec<UnusableBackend> {
        self.unusable_backends.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
impl Engine {
    /// Runs the most urgent step of a back end on the caller's thread; returns `false` if there is none.
    pub(crate) fn step_of(&self, backend: usize) -> bool {
        self.voices().executors().of(backend).step()
    }

    /// Returns the threads of the shared back ends.
    pub(crate) fn shared_workers(&self) -> &Workers {
        &self.shared.workers.0
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

impl EngineBuilder {
    /// Adds a back end, with its own threads, and its voices.
    pub fn backend(self, backend: impl Backend) -> Self {
        self.own_backend(backend, false)
    }

    /// Adds a back end, with its own threads, that overrides voices of earlier back ends in the languages that it
    /// provides for them, except in conversations that are [bound](Engine::bind) to the rule-based voices. The original
    /// back end of a voice still reads its texts.
    pub fn overriding_backend(self, backend: impl Backend) -> Self {
        self.own_backend(backend, true)
    }

    fn own_backend(mut self, backend: impl Backend, overrides: bool) -> Self {
        let start = Box::new(move |clock| {
            let Description { name, threads, .. } = backend.description();
            let workers = Workers::new(name, *threads, 0);
            let owner = Arc::new(WorkersOwner(Arc::clone(&workers)));
            Running::new(Arc::new(Executor::new(backend, workers, clock)), owner)
        });
        self.backends.push(OwnBackend { start, overrides });
        self
    }

    /// Sets the synthesis method of the built-in voices for conversations that do not request one. The setting has no
    /// effect unless a back end [overrides](Self::overriding_backend) another. The default is [`VoiceEngine::Auto`].
    pub fn voice_engine(mut self, voice_engine: VoiceEngine) -> Self {
        self.voice_engine = voice_engine;
        self
    }

    /// Sets the number and the priority of the threads of [shared back ends](Engine::share). The threads start when the
    /// first shared back end is added.
    pub fn shared_threads(mut self, threads: SharedThreads) -> Self {
        self.shared_threads = threads;
        self
    }

    /// Sets the maximum number of concurrent streams across all back ends. The default is the sum of the limits of the
    /// back ends.
    pub fn max_speeches(mut self, max_speeches: usize) -> Self {
        self.max_speeches = Some(max_speeches);
        self
    }

    /// Sets the maximum number of unspoken characters of a stream. The default is 20,000.
    pub fn max_unspoken(mut self, characters: usize) -> Self {
        self.max_unspoken = characters;
        self
    }

    /// Sets the clock. The default is the system clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Validates the back ends and starts their threads.
    pub fn build(self) -> Result<Engine, BuildError> {
        let engine = self.build_without_threads()?;
        for running in &engine.own {
            running.start()?;
        }
        Ok(engine)
    }

    /// Validates the back ends and builds the engine without starting threads.
    pub(crate) fn build_without_threads(self) -> Result<Engine, BuildError> {
        let Self { backends, voice_engine, shared_threads, max_speeches, max_unspoken, clock } = self;
        if backends.is_empty() {
            return Err(BuildError::NoBackend);
        }
        let (mut own, mut catalogue) = (Vec::new(), Catalogue::default());
        let (mut learned, mut rules, mut seats) = (Vec::new(), Vec::new(), 0);
        for OwnBackend { start, overrides } in backends {
            let (number, running) = (own.len(), Arc::new(start(Arc::clone(&clock))));
            if overrides {
                rules.extend(override_voices(&mut catalogue, &running, number)?);
                learned.push(number);
                seats += running.executor.description().max_speeches as u64;
            } else {
                add_voices(&mut catalogue, std::slice::from_ref(&running), number, |backend| backend)?;
            }
            own.push(running);
        }
        let admission = Arc::new(Admission::new(limit(max_speeches, &own), Arc::clone(&clock)));
        let executors = Arc::new(Executors::new(own.clone(), Arc::clone(&clock), max_unspoken));
        let seat_pool = SeatPool::new(seats, Arc::clone(&clock));
        let SharedThreads { threads, niceness } = shared_threads;
        let workers = Arc::new(WorkersOwner(Workers::new("shared", threads, niceness)));
        Ok(Engine {
            voices: RwLock::new(Arc::new(Voices::new(catalogue.clone(), executors))),
            own,
            own_voices: catalogue,
            shared: SharedParts::new(workers, clock),
            shared_running: Mutex::default(),
            unusable_backends: Mutex::default(),
            admission,
            alternatives: Alternatives::new(learned, rules, seat_pool),
            preferred: voice_engine,
            max_speeches,
            max_unspoken,
            refused: Counter::default(),
        })
    }
}

/// Validates back ends and adds their voices. The back ends are numbered from `first`. `reader` returns the number of
/// the back end that reads the texts of a new voice, given the number of the back end that adds the voice.
fn add_voices(
    catalogue: &mut Catalogue,
    running: &[Arc<Running>],
    first: usize,
    reader: impl Fn(usize) -> usize,
) -> Result<(), BuildError> {
    for (number, running) in (first..).zip(running) {
        let description = running.executor.description();
        check(description)
            .map_err(|what| BuildError::Description { backend: description.name.clone(), what })?;
        for voice in &description.voices {
            let added = catalogue.add(voice, number, reader(number));
            let duplicate = |language| BuildError::DuplicateVoice { voice: voice.name.clone(), language };
            added.map_err(duplicate)?;
        }
    }
    Ok(())
}

/// Routes languages of existing voices to a back end that has voices of the same names. Returns the back ends that
/// spoke these languages before.
fn override_voices(
    catalogue: &mut Catalogue,
    running: &Running,
    number: usize,
) -> Result<HashSet<usize>, BuildError> {
    let mut overridden = HashSet::new();
    let description = running.executor.description();
    check(description).map_err(|what| BuildError::Description { backend: description.name.clone(), what })?;
    for VoiceDescription { name, languages, pitch, .. } in &description.voices {
        for &language in languages {
            let speaker = Speaker { backend: number, name: name.clone(), pitch: *pitch };
            let replaced = catalogue.replace(name.as_str(), LanguageRoute::new(language, speaker), true);
            overridden.extend(replaced.map_err(|NoSuchVoice| no_such_voice(name, language))?);
        }
    }
    Ok(overridden)
}

fn no_such_voice(voice: &VoiceId, language: Language) -> BuildError {
    BuildError::Route { voice: voice.clone(), language, what: "the voice does not exist".to_owned() }
}

/// Adds routes from languages of voices to back ends. The back ends are numbered from `first`.
fn add_routes(
    catalogue: &mut Catalogue,
    running: &[Arc<Running>],
    first: usize,
    routes: Vec<Route>,
    falls_back: bool,
) -> Result<(), BuildError> {
    for Route { voice, language, backend, speaker } in routes {
        let route_error = |what: String| BuildError::Route { voice: voice.clone(), language, what };
        let mut backends = (first..).zip(running);
        let found = backends.find(|(_, running)| running.executor.description().name == backend);
        let (number, running) =
            found.ok_or_else(|| route_error(format!("back end '{backend}' does not exist")))?;
        let found_voice = running.executor.description().voices.iter();
        let found_voice = found_voice
            .clone()
            .find(|found_voice| found_voice.name.as_str().eq_ignore_ascii_case(speaker.as_str()));
        let found_voice = found_voice
            .ok_or_else(|| route_error(format!("back end '{backend}' has no voice '{speaker}'")))?;
        if !found_voice.languages.contains(&language) {
            return Err(route_error(format!(
                "voice '{speaker}' of back end '{backend}' does not speak this language"
            )));
        }
        let speaker = Speaker { backend: number, name: found_voice.name.clone(), pitch: found_voice.pitch };
        let replaced = catalogue.replace(voice.as_str(), LanguageRoute::new(language, speaker), falls_back);
        replaced.map_err(|NoSuchVoice| no_such_voice(&voice, language))?;
    }
    Ok(())
}

/// Returns the maximum number of concurrent streams: the configured limit, or the sum of the limits of the back ends.
fn limit(max_speeches: Option<usize>, running: &[Arc<Running>]) -> u64 {
    let each = running.iter().map(|running| running.executor.description().max_speeches);
    max_speeches.unwrap_or_else(|| each.fold(0, usize::saturating_add)) as u64
}

/// Validates a description. Returns the first problem as an error.
fn check(description: &Description) -> Result<(), &'static str> {
    let faults = [
        (description.sample_rate != SAMPLE_RATE, "the sample rate must be 24000"),
        (
            *description.blocks.start() == 0 || description.blocks.is_empty(),
            "the block sizes must be a non-empty range from at least 1",
        ),
        (description.batch == 0, "the batch size must be at least 1"),
        (description.threads == 0, "the number of threads must be at least 1"),
        (description.voices.is_empty(), "there must be at least one voice"),
    ];
    faults.into_iter().find(|(wrong, _)| *wrong).map_or(Ok(()), |(_, what)| Err(what))
}
