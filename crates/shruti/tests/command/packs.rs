//! Tests of voice packs together with the built-in voices. The pack has random weights, so its speech is noise, but
//! deterministic.

use std::path::Path;
use std::process::{Command, Output};

use rten_onnx::onnx::{DataType, ModelProto, NodeProto, TensorProto};
use serde_json::{Value, json};
use shruti_neural::import_piper;
use shruti_protocol::ErrorCode;
use shruti_testkit::{Client, RawConnection, raw};

use crate::graph::{self, Size};
use crate::process::{SHRUTI, Service};

/// Voice of the pack. It speaks Hindi.
const VOICE: &str = "Test 0";
const TEXT: &str = "नमस्ते, आप कैसे हैं? मैं ठीक हूँ।";

/// Installs the pack `test` in a data folder.
fn install(data_dir: &Path) {
    install_graph(data_dir, &graph::piper(Size::SMALL));
}

fn install_graph(data_dir: &Path, model: &ModelProto) {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), model, 1);
    import_piper(&data_dir.join("packs"), &file, &graph::options(folder.path(), 1)).unwrap();
}

fn shruti(arguments: &[&str], data_dir: &Path) -> Output {
    Command::new(SHRUTI).args(arguments).arg("--data-dir").arg(data_dir).output().unwrap()
}

/// Makes the server reload its packs.
fn reload(data_dir: &Path) {
    let output = shruti(&["reload"], data_dir);
    assert!(output.status.success(), "{output:?}");
}

fn samples(bytes: &[u8]) -> Vec<i16> {
    bytes.as_chunks().0.iter().map(|&sample| i16::from_le_bytes(sample)).collect()
}

fn request(voice: &str) -> Value {
    json!({"text": TEXT, "voice": voice, "language": "hi"})
}

#[tokio::test]
async fn a_pack_speaks_under_its_own_name_and_for_a_built_in_voice() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    let flags = ["--voice-engine", "auto", "--voices", "ananya.hi=test/test 0"];
    let mut service = Service::start_with(folder.path(), &flags);
    let client = Client::new(service.address, &service.printed());
    let own = client.speak(&request(VOICE)).await;
    own.assert_speech("its own name");
    assert_eq!(client.speak(&request("Ananya")).await.samples, own.samples, "for Ananya's Hindi");
    let arjun = client.speak(&request("Arjun")).await;
    arjun.assert_speech("built in");
    assert_ne!(arjun.samples, own.samples);
    client.speak(&json!({"text": "வணக்கம்", "voice": "Ananya"})).await.assert_speech("her other languages");
    let tamil = json!({"text": "வணக்கம்", "voice": VOICE, "language": "ta"});
    let tamil = client.post(tamil.to_string()).await;
    tamil.assert_error(ErrorCode::UnsupportedLanguage);
    let voices: Value = serde_json::from_slice(&client.get("/v1/voices").await.body).unwrap();
    let voices = voices["voices"].as_array().unwrap();
    let [ananya, _, test] = voices.as_slice() else { panic!("{voices:?}") };
    assert_eq!(
        (&test["name"], &test["engine"], &test["languages"]),
        (&json!(VOICE), &json!("neural"), &json!(["hi"]))
    );
    let by_pack = json!({"language": "hi", "beta": false, "engine": "neural", "pack": "test", "deterministic": false, "pitch": false,
        "licence": {"spdx": "MIT", "attribution": "nobody", "commercial": true}});
    assert_eq!(test["by_language"], json!([by_pack]));
    let hindi = ananya["by_language"].as_array().unwrap().iter().find(|spoken| spoken["language"] == "hi");
    assert_eq!(hindi, Some(&by_pack));
    let bengali = &ananya["by_language"][1];
    assert_eq!(
        (&bengali["engine"], &bengali["pack"], &bengali["pitch"]),
        (&json!("learned"), &json!(null), &json!(true))
    );

    let file = folder.path().join("said.raw");
    let output =
        shruti(&["say", "-l", "hi", "--voice", "test 0", "-o", file.to_str().unwrap(), TEXT], folder.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(samples(&std::fs::read(file).unwrap()), own.samples, "without a server");
}

#[tokio::test]
async fn packs_are_added_and_removed_while_clips_continue() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    let mut service = Service::start(folder.path());
    let key = service.printed();
    let client = Client::new(service.address, &key);
    let before = client.speak(&request(VOICE)).await.samples;
    let long = json!({"text": TEXT.repeat(12), "voice": VOICE, "language": "hi"});
    let expected = client.speak(&long).await.samples;
    let mut running = RawConnection::open_small(service.address).await;
    running.send(raw::post_tts(&key, &long.to_string())).await;
    let (status, headers) = running.read_head().await;
    assert_eq!(status.as_u16(), 200);
    // the clip waits for its reader, so that it is still being synthesised when the pack is removed
    let metrics = client.get("/metrics").await;
    let active = "shruti_backend_speeches{backend=\"test\"} 1";
    assert!(std::str::from_utf8(&metrics.body).unwrap().contains(active), "the clip has ended");

    let (place, aside) = (folder.path().join("packs/test"), folder.path().join("aside"));
    std::fs::rename(&place, &aside).unwrap();
    reload(folder.path());
    service.wait_for_log("voice packs");
    client.post(request(VOICE).to_string()).await.assert_error(ErrorCode::UnknownVoice);
    client.speak(&request("Ananya")).await.assert_speech("built in");
    let (body, end) = running.read_body(&headers).await;
    assert!(end == raw::End::Whole && samples(&body) == expected, "{} bytes", body.len());

    std::fs::rename(&aside, &place).unwrap();
    reload(folder.path());
    service.wait_for_log("voice packs");
    assert_eq!(client.speak(&request(VOICE)).await.samples, before);

    // if the files of a pack are broken, the version that is loaded stays in use
    let decoder = place.join("decoder.onnx");
    let mut bytes = std::fs::read(&decoder).unwrap();
    bytes.push(0);
    std::fs::write(&decoder, bytes).unwrap();
    service.signal("-HUP");
    service.wait_for_log("decoder.onnx");
    assert_eq!(client.speak(&request(VOICE)).await.samples, before);
}

/// Adds a tensor of zeros to a model, and adds the sum of its elements to the model's output. At the given speed, the
/// tensor takes 8 GB; at other speeds, it has a single element.
fn add_trap(model: &mut ModelProto, speed: f32) {
    let graph = model.graph.as_mut().unwrap();
    let made = |kind: &str, inputs: &[&str], output: &str| NodeProto {
        op_type: Some(kind.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    };
    let weight = |name: &str, kind, bytes: &[u8]| TensorProto {
        name: Some(name.to_owned()),
        dims: vec![1],
        data_type: Some(kind),
        raw_data: Some(std::cell::RefCell::new(bytes.to_vec())),
        ..TensorProto::default()
    };
    graph.initializer.extend([
        weight("trap_at", DataType::INT64, &1_i64.to_le_bytes()),
        weight("trap_length", DataType::FLOAT, &(1.0 / speed).to_le_bytes()),
        weight("trap_near", DataType::FLOAT, &0.01_f32.to_le_bytes()),
        weight("trap_many", DataType::INT64, &2_000_000_000_i64.to_le_bytes()),
        weight("trap_one", DataType::INT64, &1_i64.to_le_bytes()),
    ]);
    let output = graph.output[0].name.clone().unwrap();
    let last = graph.node.iter_mut().find(|node| node.output.contains(&output)).unwrap();
    last.output = vec!["trap_before".to_owned()];
    graph.node.extend([
        made("Gather", &["scales", "trap_at"], "trap_scale"),
        made("Sub", &["trap_scale", "trap_length"], "trap_off"),
        made("Abs", &["trap_off"], "trap_distance"),
        made("Less", &["trap_distance", "trap_near"], "trap_is_near"),
        made("Where", &["trap_is_near", "trap_many", "trap_one"], "trap_shape"),
        made("ConstantOfShape", &["trap_shape"], "trap_zeros"),
        made("ReduceSum", &["trap_zeros"], "trap_sum"),
        made("Add", &["trap_before", "trap_sum"], &output),
    ]);
}

#[tokio::test]
async fn a_crashed_pack_process_does_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = graph::piper(Size::SMALL);
    add_trap(&mut model, 1.6);
    install_graph(folder.path(), &model);
    let mut service = Service::start_with(folder.path(), &["--packs-memory", "1024", "--packs-threads", "2"]);
    let client = Client::new(service.address, &service.printed());
    let before = client.speak(&request(VOICE)).await.samples;
    let trapped = json!({"text": TEXT, "voice": VOICE, "language": "hi", "speed": 1.6});
    client.post(trapped.to_string()).await.assert_error(ErrorCode::Overloaded);
    client.speak(&request("Ananya")).await.assert_speech("built in");
    service.wait_for_log("a new process runs the pack");
    assert_eq!(client.speak(&request(VOICE)).await.samples, before);
    assert!(service.process.terminate().success());
}

#[tokio::test]
async fn a_server_starts_without_unusable_packs() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    let decoder = folder.path().join("packs/test/decoder.onnx");
    std::fs::write(&decoder, "short").unwrap();
    let away = |id: &str, voice: &str| {
        let pack = folder.path().join("packs").join(id);
        std::fs::create_dir_all(&pack).unwrap();
        let manifest = format!(
            "format = 1\nid = '{id}'\n[[voice]]\nname = '{voice}'\nlanguages = ['hi']\nupstream = 'a'\n\
             [licence]\nspdx = 'MIT'\nattribution = 'nobody'\ncommercial = 'yes'\nsource = 'a test'\n\
             [remote]\nprotocol = 'openai'\nurl = 'http://127.0.0.1:9/v1'\ninsecure = true\nmodel = 'm'\n\
             rate = 24000\n"
        );
        std::fs::write(pack.join("pack.toml"), manifest).unwrap();
    };
    away("first", "Meera");
    away("second", "meera");
    away("third", "Arjun");
    let mut service = Service::start_with(folder.path(), &["--voices", "Ananya.hi=test/Test 0"]);
    let client = Client::new(service.address, &service.printed());
    client.speak(&request("Ananya")).await.assert_speech("built in");
    let voices: Value = serde_json::from_slice(&client.get("/v1/voices").await.body).unwrap();
    let names: Vec<&str> =
        voices["voices"].as_array().unwrap().iter().map(|voice| voice["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ananya", "Arjun", "Meera"]);
    service.process.terminate();
    let log = service.log.join().unwrap();
    let report = String::from_utf8(shruti(&["doctor"], folder.path()).stdout).unwrap();
    for reason in [
        "decoder.onnx: 5 bytes",
        "there is already a voice meera (in the pack first)",
        "there is already a voice Arjun (built in)",
    ] {
        assert!(log.contains(reason), "{reason}: {log}");
        assert!(report.contains(reason), "{reason}: {report}");
    }
}

#[tokio::test]
async fn a_remote_voice_works_while_its_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut upstream = Service::start(&folder.path().join("upstream"));
    let key = upstream.printed();
    let data_dir = folder.path().join("data");
    let pack = data_dir.join("packs/away");
    std::fs::create_dir_all(&pack).unwrap();
    let manifest = format!(
        "format = 1\nid = 'away'\n[[voice]]\nname = 'Meera'\nlanguages = ['hi']\nupstream = 'Arjun'\n\
         [licence]\nspdx = 'MIT'\nattribution = 'nobody'\ncommercial = 'yes'\nsource = 'a test'\n\
         [remote]\nprotocol = 'openai'\nurl = 'http://{}/v1'\ninsecure = true\nmodel = 'tts-1'\nrate = 24000\n\
         secret_env = 'UPSTREAM_KEY'\n",
        upstream.address
    );
    std::fs::write(pack.join("pack.toml"), manifest).unwrap();
    let mut service =
        Service::start_in(&data_dir, &["--voices", "Ananya.hi=away/Meera"], [("UPSTREAM_KEY", key.as_str())]);
    let client = Client::new(service.address, &service.printed());
    let own = client.speak(&request("Meera")).await;
    own.assert_speech("by the other server");
    assert_eq!(client.speak(&request("Ananya")).await.samples, own.samples, "for Ananya's Hindi");
    let voices: Value = serde_json::from_slice(&client.get("/v1/voices").await.body).unwrap();
    let meera = &voices["voices"][2];
    assert_eq!(
        (&meera["name"], &meera["engine"], &meera["timestamps"]),
        (&json!("Meera"), &json!("remote"), &json!([]))
    );
    let listed = shruti(&["voices", "list", "--voices", "Ananya.hi=away/Meera"], &data_dir);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("away: MIT (commercial use allowed), synthesised by http://127.0.0.1:"),
        "{listed}"
    );
    assert!(listed.contains("Ananya.hi = away/Meera"), "{listed}");
    let verified = String::from_utf8(shruti(&["voices", "verify"], &data_dir).stdout).unwrap();
    assert!(verified.contains("away\n  the manifest is valid"), "{verified}");
    let report = shruti(&["doctor"], &data_dir);
    assert!(!report.status.success());
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("the environment variable UPSTREAM_KEY"), "{report}");
    upstream.process.terminate();
    client.post(request("Meera").to_string()).await.assert_error(ErrorCode::Overloaded);
    client.speak(&request("Arjun")).await.assert_speech("built in");
}

#[test]
fn invalid_voice_routes_prevent_startup() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    for (voices, named) in [
        ("Ananya.hi=north/Test 0", "the pack 'north' is not installed"),
        ("Ananya.te=test/Test 0", "'Test 0' does not speak te"),
        ("Anita.hi=test/Test 0", "the voice does not exist"),
    ] {
        let output = shruti(&["serve", "--listen", "127.0.0.1:0", "--voices", voices], folder.path());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(named), "{voices}: {error}");
    }
}

#[test]
fn the_error_for_an_unknown_voice_lists_the_voices() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    let output = shruti(&["say", "--voice", "Anita", TEXT], folder.path());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("voice 'Anita' does not exist; voices are Ananya, Arjun, Test 0"), "{error}");
}

#[test]
fn reload_reports_that_no_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let stderr_of = |output: Output| {
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(stderr_of(shruti(&["reload"], folder.path())).contains("no server runs with the data folder"));
    // a server that is killed leaves its PID file behind
    let mut service = Service::start(folder.path());
    service.process.kill().unwrap();
    service.process.wait().unwrap();
    assert!(folder.path().join("serve.pid").exists());
    assert!(stderr_of(shruti(&["reload"], folder.path())).contains("no server runs with the data folder"));
}
