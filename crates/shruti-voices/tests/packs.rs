//! Tests of the packs of a folder. The graphs of the packs run in this process and have random weights, which are the
//! same in every run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../shruti-neural/tests/packs/graph.rs"]
#[allow(dead_code, reason = "a part of it is for other tests")]
mod graph;

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shruti_engine::{Engine, Request, SharedThreads};
use shruti_lang::{Language, VoiceEngine};
use shruti_neural::{Limits, Synthesiser, import_piper};
use shruti_packs::Pack;
use shruti_voices::measure::{self, Measured};
use shruti_voices::{Packs, PacksConfig, Runner, VoiceRoutes, VoicesError, WorkError, builder, engine_for};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const TEXT: &str = "नमस्ते, आप कैसे हैं?";
/// Name of the voice of the pack `test`.
const VOICE: &str = "Test 0";

/// Runner that runs packs in this process and counts the starts.
#[derive(Clone, Debug, Default)]
struct Here {
    started: Arc<AtomicUsize>,
}

impl Runner for Here {
    type Synthesis = Synthesiser;

    fn measure(&self, pack: &Path, _limits: &Limits) -> Result<Measured, VoicesError> {
        Ok(measure::here(pack)?)
    }

    fn start(
        &self,
        pack: &Pack,
        _measured: &Measured,
        _memory: u64,
        _threads: SharedThreads,
    ) -> Result<Synthesiser, VoicesError> {
        self.started.fetch_add(1, Ordering::Relaxed);
        Ok(Synthesiser::load(pack, 1).map_err(WorkError::from)?)
    }
}

/// A data folder with the pack `test`, and an engine that can use it.
struct Setup {
    folder: TempDir,
    runner: Here,
    packs: Packs<Here>,
    engine: Engine,
    _runtime: Runtime,
}

fn config(data_dir: &Path) -> PacksConfig {
    PacksConfig { threads: NonZero::new(1), ..PacksConfig::in_data_folder(data_dir) }
}

fn setup(change: impl FnOnce(&mut PacksConfig)) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    let file = graph::write(source.path(), &graph::piper(graph::Size::SMALL), 1);
    import_piper(&folder.path().join("packs"), &file, &graph::options(source.path(), 1)).unwrap();
    let (runtime, runner) = (Runtime::new().unwrap(), Here::default());
    let mut config = config(folder.path());
    change(&mut config);
    let packs = Packs::new(config, runner.clone(), runtime.handle().clone());
    let engine = builder(VoiceEngine::Rules).unwrap().shared_threads(packs.threads()).build().unwrap();
    Setup { folder, runner, packs, engine, _runtime: runtime }
}

fn speak(engine: &Engine, voice: &str) -> Vec<i16> {
    let request = Request { language: Some(Language::Hindi), ..Request::new(voice) };
    let mut speech = engine.speak_text(request, TEXT).unwrap();
    let mut samples = Vec::new();
    while let Some(chunk) = speech.blocking_next() {
        samples.extend(chunk.unwrap().samples);
    }
    samples
}

#[test]
fn a_pack_is_loaded_once_and_used_until_removed() {
    let Setup { folder, runner, packs, engine, .. } = setup(|_| ());
    let none = VoiceRoutes::default();
    let rules = speak(&engine, "Ananya");
    let change = packs.share(&engine, &"Ananya.hi=test/test 0".parse().unwrap()).unwrap();
    assert_eq!((change.loaded, change.kept), (vec!["test".to_owned()], Vec::new()));
    let own = speak(&engine, VOICE);
    assert_eq!(speak(&engine, "Ananya"), own, "by the route");
    assert_ne!(own, rules);

    let change = packs.share(&engine, &none).unwrap();
    assert_eq!((change.loaded, change.kept), (Vec::new(), vec!["test".to_owned()]));
    assert_eq!(runner.started.load(Ordering::Relaxed), 1);
    assert_eq!(speak(&engine, "Ananya"), rules, "without the route");

    // if a pack becomes invalid, the engine continues to use its previous state
    let (place, aside) = (folder.path().join("packs/test"), folder.path().join("aside"));
    let decoder = std::fs::read(place.join("decoder.onnx")).unwrap();
    std::fs::write(place.join("decoder.onnx"), "short").unwrap();
    let change = packs.share(&engine, &none).unwrap();
    let [unusable] = change.unusable.as_slice() else { panic!("{change:?}") };
    assert!(unusable.reason.contains("decoder.onnx: 5 bytes"), "{unusable:?}");
    assert_eq!(speak(&engine, VOICE), own);

    std::fs::write(place.join("decoder.onnx"), decoder).unwrap();
    std::fs::rename(&place, &aside).unwrap();
    let change = packs.share(&engine, &none).unwrap();
    assert_eq!(change.dropped, ["test"]);
    assert!(engine.voices().find(VOICE).is_none());
}

#[test]
fn invalid_packs_change_nothing() {
    let Setup { packs, engine, .. } = setup(|_| ());
    let error = packs.share(&engine, &"Ananya.te=test/Test 0".parse().unwrap()).unwrap_err();
    assert!(matches!(error, VoicesError::Route(_)), "{error:?}");
    assert!(engine.voices().find(VOICE).is_none());
}

#[test]
fn packs_above_the_memory_limit_are_rejected() {
    let Setup { folder, packs, engine, .. } = setup(|config| config.memory_mib = NonZero::new(1));
    let at = folder.path().join("packs");
    let pack = Pack::open(&at.join("test")).unwrap();
    let measured = Measured {
        resident_bytes: 3 << 20,
        run_bytes: 2 << 20,
        sound_seconds: 1.0,
        seconds_per_second: 0.1,
        longest_step_seconds: 0.1,
        load_seconds: 0.1,
    };
    measure::store(&at, &pack, &measured).unwrap();
    let error = packs.share(&engine, &VoiceRoutes::default()).unwrap_err().to_string();
    let expected =
        "the packs need 5 MiB when they all speak, but packs-memory is 1 MiB; the largest pack is test";
    assert_eq!(error, expected);
}

#[test]
fn an_engine_for_one_voice_has_its_pack_and_its_error_lists_the_voices() {
    let Setup { folder, _runtime: runtime, .. } = setup(|_| ());
    let engine = |voice: &str| {
        let config = config(folder.path());
        engine_for(&voice.into(), VoiceEngine::Rules, config, Here::default(), runtime.handle())
    };
    assert!(engine("ananya").unwrap().voices().find(VOICE).is_none(), "a built-in voice needs no pack");
    assert!(!speak(&engine("test 0").unwrap(), VOICE).is_empty());
    let error = engine("Anita").map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("voice 'Anita' does not exist; voices are Ananya, Arjun, Test 0"), "{error}");
    let error = engine("Ananiya").map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("; did you mean 'Ananya'?"), "{error}");
}
