//! Measures the latency that a remote voice adds to the time to first byte of its server, over loopback, and the time
//! to first audio of concurrent streams.
//!
//! Start the example `upstream` first. Its address is the argument; the default is 127.0.0.1:8880.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use shruti_engine::{Engine, Request, SharedBackends};
use shruti_packs::RemoteManifest;
use shruti_remote::RemoteBackend;
use shruti_voice::ParametricBackend;
use tokio::runtime::Handle;

const TEXT: &str = "नमस्ते जी।";
const RUNS: usize = 200;
const PARALLEL: usize = 50;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8880".to_owned());
    let manifest = format!(
        "format = 1\nid = 'away'\n[[voice]]\nname = 'Away'\nlanguages = ['hi']\nupstream = 'Arjun'\n\
         [licence]\nspdx = 'MIT'\nattribution = 'Shruti'\ncommercial = 'yes'\nsource = 'here'\n\
         [remote]\nprotocol = 'openai'\nurl = 'http://{address}/v1'\ninsecure = true\nmodel = 'any'\nrate = 24000\n\
         max_requests = 200\n"
    );
    let remote = RemoteBackend::new(&RemoteManifest::parse(&manifest)?, &Handle::current())?;
    let engine = Engine::builder().backend(ParametricBackend::new()).build()?;
    engine.share(SharedBackends::new().backend(remote))?;
    let uri = format!("http://{address}/v1/audio/speech");
    let client = Client::builder(TokioExecutor::new()).build_http();
    let (mut alone, mut through) = (Vec::new(), Vec::new());
    for run in 0..RUNS + 10 {
        let began = Instant::now();
        let body = format!("{{\"input\":\"{TEXT}\",\"voice\":\"Arjun\"}}");
        let request = http::Request::post(&uri).body(Full::new(Bytes::from(body)))?;
        let mut response = client.request(request).await?;
        let _ = response.frame().await;
        let direct = began.elapsed();
        while response.frame().await.is_some() {}
        let began = Instant::now();
        let first = first_sound(&engine).await?;
        if run >= 10 {
            alone.push(direct);
            through.push(first.duration_since(began));
        }
    }
    print("the server's own first byte", &mut alone);
    print("first audio through the engine", &mut through);
    let began = Instant::now();
    let speeches = (0..PARALLEL).map(|_| first_sound(&engine));
    let firsts = futures_util::future::join_all(speeches).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut firsts: Vec<Duration> = firsts.into_iter().map(|first| first.duration_since(began)).collect();
    print(&format!("first audio of {PARALLEL} concurrent streams"), &mut firsts);
    println!("all {PARALLEL} complete after {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// Synthesises the text, reads all of the audio, and returns the time at which the first audio arrived.
async fn first_sound(engine: &Engine) -> Result<Instant, Failure> {
    let mut speech = engine.speak_text(Request::new("Away"), TEXT)?;
    let mut first = None;
    while let Some(chunk) = speech.next().await {
        chunk?;
        first.get_or_insert_with(Instant::now);
    }
    first.ok_or_else(|| "no audio".into())
}

fn print(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{what}: p50 {:.2} ms, p90 {:.2}, p99 {:.2}", at(0.5), at(0.9), at(0.99));
}
