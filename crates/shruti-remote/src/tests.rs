//! Tests with a scripted server: responses in memory with a paused clock for timing, and sockets for connections.

mod sockets;

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use shruti_backend::{Backend, BackendError, Job, Prepared, Rendered, Style};
use shruti_lang::Language;
use shruti_packs::RemoteManifest;
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::error::RequestError;
use crate::transport::{Body, Transport};
use crate::{RemoteBackend, RemoteLoadError, RemoteRenderState};

const MANIFEST: &str = r#"
format = 1
id = "away"
[[voice]]
name = "Meera"
languages = ["hi"]
upstream = "af_heart"
[licence]
spdx = "Apache-2.0"
attribution = "somebody"
commercial = "yes"
source = "nowhere"
[remote]
protocol = "openai"
url = "http://127.0.0.1:1/v1"
insecure = true
model = "kokoro"
rate = 24000
"#;

const TEXT: &str = "मेरे पास 5 किताबें हैं, क्या आप लेंगे?";

/// Step in sending the body of a response.
#[derive(Clone, Debug)]
enum Step {
    Bytes(Vec<u8>),
    Wait(Duration),
    Break,
}

/// Response to a request.
#[derive(Clone, Debug)]
enum Answer {
    /// Status, headers and body.
    Sound(u16, Vec<(&'static str, &'static str)>, Vec<Step>),
    Refuse,
    Never,
}

fn ok(steps: Vec<Step>) -> Answer {
    Answer::Sound(200, vec![("content-type", "audio/pcm")], steps)
}

fn status(status: u16) -> Answer {
    Answer::Sound(status, Vec::new(), Vec::new())
}

fn of_type(content_type: &'static str, steps: Vec<Step>) -> Answer {
    Answer::Sound(200, vec![("content-type", content_type)], steps)
}

/// Returns samples that count up, so that a lost sample is detected.
fn tone(samples: usize) -> Vec<i16> {
    (0..samples).map(|n| i16::try_from(1_000 + n % 20_000).unwrap()).collect()
}

fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

fn wav(rate: u32, samples: &[i16], length: Option<u64>) -> Vec<u8> {
    let mut file = shruti_audio::wav::header(shruti_audio::Encoding::S16Le, rate, length);
    file.extend(bytes(samples));
    file
}

fn body(steps: Vec<Step>) -> Body {
    let steps = stream::unfold(steps.into_iter(), |mut steps| async move {
        loop {
            match steps.next()? {
                Step::Bytes(bytes) => return Some((Ok(Frame::data(Bytes::from(bytes))), steps)),
                Step::Wait(wait) => tokio::time::sleep(wait).await,
                Step::Break => return Some((Err("reset".to_owned()), Vec::new().into_iter())),
            }
        }
    });
    StreamBody::new(steps).boxed_unsync()
}

/// A server that follows a script and repeats the last response.
#[derive(Clone)]
struct Script {
    answers: Arc<Mutex<Vec<Answer>>>,
    asked: Arc<Mutex<Vec<Request<Full<Bytes>>>>>,
    /// Number of requests that have neither ended nor been dropped.
    open: Arc<AtomicUsize>,
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Script {
    fn new(mut answers: Vec<Answer>) -> Self {
        answers.reverse();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default(), open: Arc::default() }
    }

    fn set(&self, answer: Answer) {
        *self.answers.lock().unwrap() = vec![answer];
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn transport(&self) -> Transport {
        let script = self.clone();
        Arc::new(move |request| {
            script.asked.lock().unwrap().push(request);
            script.open.fetch_add(1, Ordering::SeqCst);
            let open = Open(Arc::clone(&script.open));
            let mut answers = script.answers.lock().unwrap();
            let answer = if answers.len() > 1 { answers.pop().unwrap() } else { answers[0].clone() };
            Box::pin(async move {
                match answer {
                    Answer::Sound(status, headers, steps) => {
                        let mut response = Response::builder().status(status);
                        for (name, value) in headers {
                            response = response.header(name, value);
                        }
                        let body = body(steps).map_frame(move |frame| {
                            let _held = &open;
                            frame
                        });
                        Ok(response.body(body.boxed_unsync()).unwrap())
                    }
                    Answer::Refuse => Err(RequestError::Connection("refused".to_owned())),
                    Answer::Never => {
                        std::future::pending::<Infallible>().await;
                        drop(open);
                        unreachable!()
                    }
                }
            })
        })
    }

    fn backend(&self) -> RemoteBackend {
        backend_of(MANIFEST, self.transport())
    }
}

fn backend_of(manifest: &str, transport: Transport) -> RemoteBackend {
    let manifest = RemoteManifest::parse(manifest).unwrap();
    RemoteBackend::with_transport(&manifest, &Handle::current(), transport).unwrap()
}

fn utterances(text: &str) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language: Some(Language::Hindi), ..Settings::default() });
    reader.push(text);
    reader.finish();
    std::iter::from_fn(|| reader.next_utterance()).collect()
}

fn style() -> Style {
    Style { voice: "Meera".into(), speed: 1.0, pitch: 0.0 }
}

fn prepare(backend: &RemoteBackend) -> Result<Prepared<RemoteRenderState>, BackendError> {
    let utterance = utterances(TEXT).remove(0);
    backend.prepare_written(&utterance, &|| TEXT.to_owned(), &style())
}

/// Renders to the end and returns the samples and the result.
async fn listen(
    backend: &RemoteBackend,
    mut prepared: Prepared<RemoteRenderState>,
) -> (Vec<i16>, Result<(), BackendError>) {
    let mut received = Vec::new();
    loop {
        let rendered = poll_fn(|context| {
            let mut block = [0; 1_000];
            match step(backend, &mut prepared, &mut block, context) {
                Ok(Rendered::Pending(0)) => Poll::Pending,
                outcome => Poll::Ready((outcome, block)),
            }
        });
        let (outcome, block) = rendered.await;
        match outcome {
            Ok(Rendered::Samples(written) | Rendered::Pending(written)) => {
                received.extend_from_slice(&block[..written]);
                if written < block.len() && matches!(outcome, Ok(Rendered::Samples(_))) {
                    return (received, Ok(()));
                }
            }
            Err(error) => return (received, Err(error)),
        }
    }
}

fn step(
    backend: &RemoteBackend,
    prepared: &mut Prepared<RemoteRenderState>,
    block: &mut [i16],
    context: &Context<'_>,
) -> Result<Rendered, BackendError> {
    let mut job = Job {
        render_state: &mut prepared.render_state,
        block,
        outcome: Ok(Rendered::Samples(0)),
        waker: context.waker().clone(),
    };
    backend.render(std::slice::from_mut(&mut job));
    job.outcome
}

async fn speak(script: &Script) -> (Vec<i16>, Result<(), BackendError>) {
    let backend = script.backend();
    let prepared = prepare(&backend).unwrap();
    listen(&backend, prepared).await
}

#[tokio::test(start_paused = true)]
async fn audio_is_complete_for_any_chunks() {
    let sound = tone(50_001);
    let bytes = bytes(&sound);
    let cut = |size: usize| bytes.chunks(size).map(|part| Step::Bytes(part.to_vec())).collect::<Vec<_>>();
    for size in [1, 3, 1_001, 200_000] {
        assert_eq!(
            speak(&Script::new(vec![ok(cut(size))])).await,
            (sound.clone(), Ok(())),
            "in {size} bytes"
        );
    }
    let odd = vec![Step::Bytes(bytes.clone()), Step::Bytes(vec![7])];
    assert_eq!(speak(&Script::new(vec![ok(odd)])).await, (sound.clone(), Ok(())), "half a sample is dropped");
    let wavs = [
        wav(24_000, &sound, Some(sound.len() as u64)),
        wav(24_000, &sound, None),
        [wav(24_000, &sound, Some(sound.len() as u64)), b"LIST\x04\0\0\0INFO".to_vec()].concat(),
    ];
    for file in wavs {
        for size in [1, 7, file.len()] {
            for content_type in ["audio/wav", "audio/pcm"] {
                let steps = file.chunks(size).map(|part| Step::Bytes(part.to_vec())).collect();
                let received = speak(&Script::new(vec![of_type(content_type, steps)])).await;
                assert_eq!(received, (sound.clone(), Ok(())), "{content_type} in {size} bytes");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn resampled_audio_is_independent_of_chunks() {
    let sound = tone(22_050);
    let manifest = MANIFEST.replace("rate = 24000", "rate = 22050");
    let mut received = Vec::new();
    for size in [1_001, 44_100] {
        let steps = bytes(&sound).chunks(size).map(|part| Step::Bytes(part.to_vec())).collect();
        let backend = backend_of(&manifest, Script::new(vec![ok(steps)]).transport());
        let prepared = prepare(&backend).unwrap();
        let (samples, end) = listen(&backend, prepared).await;
        assert_eq!((samples.len(), end), (24_000, Ok(())));
        received.push(samples);
    }
    assert!(received[0] == received[1]);
}

#[tokio::test(start_paused = true)]
async fn requests_match_openai_clients_and_the_key_is_hidden() {
    let script = Script::new(vec![ok(vec![Step::Bytes(bytes(&tone(100)))])]);
    let style = Style { speed: 1.25, ..style() };
    let utterance = utterances(TEXT).remove(0);
    for (text, stream, written) in [("raw", "true", TEXT), ("spoken", "false", "मेरे पास पाँच किताबें हैं,")]
    {
        let fields = format!("text = \"{text}\"\nstream = {stream}\nsecret_env = \"PATH\"\nrate =");
        let backend = backend_of(&MANIFEST.replace("rate =", &fields), script.transport());
        let prepared = backend.prepare_written(&utterance, &|| format!(" {TEXT} "), &style).unwrap();
        listen(&backend, prepared).await.1.unwrap();
        let request = script.asked.lock().unwrap().pop().unwrap();
        assert_eq!((request.method().as_str(), request.uri().path()), ("POST", "/v1/audio/speech"));
        let key = format!("Bearer {}", std::env::var("PATH").unwrap());
        assert_eq!(request.headers()["authorization"], key);
        assert!(!format!("{request:?} {backend:?}").contains(&key));
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let mut expected = serde_json::json!({"model": "kokoro", "voice": "af_heart", "input": written,
            "response_format": "pcm", "speed": 1.25});
        if stream == "true" {
            expected["stream"] = true.into();
        }
        assert_eq!(body, expected);
    }
    let manifest = MANIFEST.replace("rate =", "secret_env = \"NO_SUCH_VARIABLE_1\"\nrate =");
    let manifest = RemoteManifest::parse(&manifest).unwrap();
    let error = RemoteBackend::with_transport(&manifest, &Handle::current(), script.transport()).unwrap_err();
    assert_eq!(error, RemoteLoadError::MissingSecret("NO_SUCH_VARIABLE_1".to_owned()));
}

type Case = (&'static str, Vec<Answer>, &'static str, bool, u64, usize);

#[tokio::test(start_paused = true)]
async fn each_fault_returns_its_error_in_time() {
    let sound = || Step::Bytes(bytes(&tone(2_400)));
    let wait = |ms| Step::Wait(Duration::from_millis(ms));
    let silence = Step::Bytes(vec![0; 48_000]);
    let endless = vec![Step::Bytes(bytes(&tone(240_000))); 100];
    let slow: Vec<Step> = (0..100).flat_map(|_| [Step::Bytes(bytes(&tone(240))), wait(2_900)]).collect();
    // each case: name, responses, error message, whether a retry is allowed, milliseconds until the error, samples
    // before the error
    #[rustfmt::skip]
    let cases: Vec<Case> = vec![
        ("no response", vec![Answer::Never], "no audio from the upstream within 1.5s", true, 1_500, 0),
        ("no first byte", vec![ok(vec![wait(9_000)])], "within 1.5s", true, 1_500, 0),
        ("a stall", vec![ok(vec![sound(), wait(9_000)])], "stalled for 3s after 100 ms", true, 3_000, 2_400),
        ("a break", vec![ok(vec![sound(), Step::Break])], "broke after 100 ms of audio: reset", true, 0, 2_400),
        ("too slow", vec![ok(slow)], "too slow", true, 40_600, 3_360),
        ("refused twice", vec![Answer::Refuse], "no response from the upstream: refused", true, 0, 0),
        ("500 twice", vec![status(500)], "500", true, 0, 0),
        ("401", vec![status(401)], "secret_env", false, 0, 0),
        ("404", vec![status(404)], "the model and the voice", false, 0, 0),
        ("302", vec![status(302)], "redirects are not followed", false, 0, 0),
        ("429", vec![status(429)], "429", true, 0, 0),
        ("HTML", vec![of_type("text/html; charset=utf-8", vec![sound()])], "the upstream sent text/html;", false, 0, 0),
        ("MP3", vec![of_type("audio/mpeg", vec![sound()])], "audio/mpeg", false, 0, 0),
        ("another rate", vec![of_type("audio/pcm;rate=44100", vec![sound()])], "`remote.rate` is 24000", false, 0, 0),
        ("a header's rate", vec![ok(vec![Step::Bytes(wav(16_000, &tone(9), None))])], "16000", false, 0, 0),
        ("half a header", vec![ok(vec![Step::Bytes(wav(24_000, &[], None)[..20].to_vec())])], "an incomplete WAV header", false, 0, 0),
        ("nothing", vec![ok(vec![])], "the upstream sent no audio", false, 0, 0),
        ("an empty WAV", vec![ok(vec![Step::Bytes(wav(24_000, &[], Some(0)))])], "no audio", false, 0, 0),
        ("silence", vec![ok(vec![silence])], "no audio", false, 0, 24_000),
        ("endless sound", vec![ok(endless)], "more than 38s of audio", false, 0, 720_000),
    ];
    assert_eq!(TEXT.chars().count(), 38);
    for (name, answers, message, may_return, ms, samples) in cases {
        let script = Script::new(answers);
        let began = Instant::now();
        let (received, end) = speak(&script).await;
        let error = end.unwrap_err();
        assert!(error.to_string().contains(message), "{name}: {error}");
        assert_eq!(matches!(error, BackendError::Unavailable { .. }), may_return, "{name}: {error}");
        assert_eq!(began.elapsed().as_millis() as u64, ms, "{name}");
        assert_eq!(received.len(), samples, "{name}");
        tokio::task::yield_now().await;
        assert_eq!(script.open.load(Ordering::SeqCst), 0, "{name}: a request is open");
    }
}

#[tokio::test(start_paused = true)]
async fn only_failures_before_the_first_byte_are_retried_once() {
    let sound = || ok(vec![Step::Bytes(bytes(&tone(100)))]);
    for (answers, requests, is_well) in [
        (vec![status(500), sound()], 2, true),
        (vec![status(503), sound()], 2, true),
        (vec![Answer::Refuse, sound()], 2, true),
        (vec![ok(vec![Step::Break]), sound()], 2, true),
        (vec![status(500), status(500), sound()], 2, false),
        (vec![status(429), sound()], 1, false),
        (vec![status(401), sound()], 1, false),
        (vec![Answer::Never, sound()], 1, false),
        (vec![ok(vec![Step::Bytes(bytes(&tone(1))), Step::Break]), sound()], 1, false),
    ] {
        let script = Script::new(answers.clone());
        let end = speak(&script).await.1;
        assert_eq!((script.asked(), end.is_ok()), (requests, is_well), "{answers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn retries_stay_under_ten_percent_of_the_requests() {
    let sound = || ok(vec![Step::Bytes(bytes(&tone(100)))]);
    let script = Script::new(vec![sound()]);
    let backend = script.backend();
    let mut failed = 0;
    for n in 0..200 {
        // every second request fails once
        if n % 2 == 0 {
            *script.answers.lock().unwrap() = vec![sound(), status(500)];
        }
        let prepared = prepare(&backend).unwrap();
        failed += usize::from(listen(&backend, prepared).await.1.is_err());
    }
    let retries = script.asked() - 200;
    assert_eq!(retries, 100 - failed);
    // a tenth of 200, plus one per second of the ten-second window
    assert!((1..=30).contains(&retries), "{retries}");
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_gets_no_requests_until_the_next_probe() {
    let script = Script::new(vec![Answer::Never]);
    let backend = script.backend();
    let speak = async || listen(&backend, prepare(&backend).unwrap()).await.1;
    for _ in 0..5 {
        assert!(speak().await.is_err());
    }
    let Err(BackendError::Unavailable { retry_after, reason }) = speak().await else {
        panic!("it was asked")
    };
    assert_eq!((retry_after, script.asked()), (Duration::from_secs(5), 5), "{reason}");
    script.set(ok(vec![Step::Bytes(bytes(&tone(100)))]));
    assert!(speak().await.is_err(), "not before the time");
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(speak().await, Ok(()));
    assert_eq!(speak().await, Ok(()));
    assert_eq!(script.asked(), 7);
}

#[tokio::test(start_paused = true)]
async fn the_retry_time_of_a_busy_server_is_returned() {
    let script = Script::new(vec![Answer::Sound(429, vec![("retry-after", "17")], Vec::new())]);
    let Err(BackendError::Unavailable { retry_after, .. }) = speak(&script).await.1 else { panic!() };
    assert_eq!(retry_after, Duration::from_secs(17));
}

#[tokio::test(start_paused = true)]
async fn at_most_two_seconds_are_read_ahead_and_slow_listeners_are_served() {
    let script = Script::new(vec![ok(vec![Step::Bytes(bytes(&tone(2_400))); 100])]);
    let backend = script.backend();
    let mut prepared = prepare(&backend).unwrap();
    // wait longer than any time limit for the server
    tokio::time::sleep(Duration::from_mins(10)).await;
    let mut block = vec![0; 2_400 * 100];
    let context = Context::from_waker(Waker::noop());
    let Ok(Rendered::Pending(ready)) = step(&backend, &mut prepared, &mut block, &context) else { panic!() };
    assert_eq!(ready, 2_400 * 20);
    let (rest, end) = listen(&backend, prepared).await;
    assert_eq!((ready + rest.len(), end), (2_400 * 100, Ok(())));
}

#[tokio::test(start_paused = true)]
async fn cancels_at_any_point_leave_no_request_open() {
    let mut random = fastrand::Rng::with_seed(7);
    let steps: Vec<Step> = (0..20)
        .flat_map(|_| [Step::Wait(Duration::from_millis(50)), Step::Bytes(bytes(&tone(1_200)))])
        .collect();
    let script = Script::new(vec![ok(steps)]);
    let backend = script.backend();
    for _ in 0..100 {
        let prepared = prepare(&backend).unwrap();
        let listening = listen(&backend, prepared);
        let _ = tokio::time::timeout(Duration::from_millis(random.u64(0..1_500)), listening).await;
    }
    tokio::task::yield_now().await;
    assert_eq!(script.open.load(Ordering::SeqCst), 0);
    assert!(Handle::current().metrics().num_alive_tasks() == 0, "tasks are left");
    assert!(prepare(&backend).is_ok(), "cancels are not failures");
}

#[tokio::test(start_paused = true)]
async fn another_pitch_and_an_unknown_voice_are_rejected_immediately() {
    let script = Script::new(vec![Answer::Never]);
    let backend = script.backend();
    let utterance = utterances(TEXT).remove(0);
    for style in [Style { pitch: 1.0, ..style() }, Style { voice: "Nobody".into(), ..style() }] {
        assert!(matches!(backend.prepare(&utterance, &style), Err(BackendError::Unsupported(_))));
    }
    assert_eq!(script.asked(), 0);
}
