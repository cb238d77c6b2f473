//! The `shruti bench latency` command, which measures the time to the first audible sample for each call style.

mod caller;
mod report;

use std::path::PathBuf;

use anyhow::Context;
use shruti_client::Client;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::SynthesisRequest;

use crate::times::Times;
use crate::{Server, show, write_json};
use caller::Turns;
use report::{Report, Row};

/// Number of rounds before the measurement. They warm up connections, caches and the CPU.
const WARM_UP: usize = 5;

/// Sentence of twelve words.
const SENTENCE: &str = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।";

/// Measure the time to the first audible sample for each call style
///
/// Each round makes one call of each style, so that all styles are measured under the same load of the machine. The
/// report also contains a floor: the time of the smallest exchange on the same kind of connection, `ping` on the
/// WebSocket and `GET /healthz` over HTTP.
#[derive(clap::Args)]
pub(crate) struct Args<S: Server> {
    #[command(flatten)]
    server: S,

    /// Number of rounds to measure, after the warm-up
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Text to speak
    #[arg(long, default_value = SENTENCE, hide_default_value = true)]
    text: String,

    /// Language of the text
    #[arg(short, long, value_name = "LANG", default_value = "hi")]
    language: Language,

    /// Voice to use
    #[arg(short, long, default_value = shruti_voice::Voice::ALL[0].name())]
    voice: VoiceId,

    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(super) fn run<S: Server>(args: &Args<S>) -> anyhow::Result<()> {
    // calls are sequential, so waking other threads would only add to the measured time
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure(args))?;
    if let Some(path) = &args.json {
        write_json(path, &report)?;
    }
    show(&report)
}

/// Measurements of one call style over HTTP.
struct HttpStyle {
    name: &'static str,
    published_ms: u32,
    client: Client,
    first_audio: Times,
    floor: Times,
}

impl HttpStyle {
    fn new(name: &'static str, published_ms: u32, client: Client) -> Self {
        Self { name, published_ms, client, first_audio: Times::new(), floor: Times::new() }
    }
}

/// Returns the HTTP call styles to measure: with a reused connection and with a new connection. With TLS, a new
/// connection is measured in two styles: with a resumed session and with a full handshake.
fn http_styles(server: &impl Server, is_secure: bool) -> anyhow::Result<Vec<HttpStyle>> {
    let mut styles = vec![HttpStyle::new("HTTP, connection reused", 88, server.client()?)];
    let new = server.builder()?.without_reuse();
    if is_secure {
        styles.push(HttpStyle::new("HTTP, new connection, TLS resumed", 389, new.build()?));
        let full = server.builder()?.without_reuse().without_resumption().build()?;
        styles.push(HttpStyle::new("HTTP, new connection, full TLS handshake", 389, full));
    } else {
        styles.push(HttpStyle::new("HTTP, new connection, no TLS", 389, new.build()?));
    }
    Ok(styles)
}

async fn measure<S: Server>(args: &Args<S>) -> anyhow::Result<Report> {
    let server = args.server.url().unwrap_or_default().to_owned();
    let is_secure = server.starts_with("https") || server.starts_with("wss");
    let request = SynthesisRequest {
        voice: Some(args.voice.clone()),
        language: Some(args.language),
        ..SynthesisRequest::new(&args.text)
    };
    let mut http = http_styles(&args.server, is_secure)?;
    let mut turns = Turns::open(&args.server.client()?, &args.text, args.language, &args.voice).await?;
    let (mut turn, mut ping, mut cancel) = (Times::new(), Times::new(), Times::new());
    for round in 0..WARM_UP + args.runs as usize {
        let counts = round >= WARM_UP;
        let note = |times: &mut Times, time| {
            if counts {
                times.record(time);
            }
        };
        note(&mut ping, turns.ping().await?);
        let spoken = turns.speak().await?;
        note(&mut turn, spoken.first_audio);
        note(&mut cancel, spoken.cancel);
        for style in &mut http {
            note(&mut style.floor, caller::healthz(&style.client).await?);
            note(&mut style.first_audio, caller::clip(&style.client, &request).await.context(style.name)?);
        }
    }
    let mut rows = vec![Row::new("WebSocket, per turn", "ping", 83, &turn, &ping)];
    rows.extend(http.iter().map(|style| {
        Row::new(style.name, "GET /healthz", style.published_ms, &style.first_audio, &style.floor)
    }));
    Ok(Report { server, runs: args.runs, rows, cancel: cancel.percentiles() })
}
