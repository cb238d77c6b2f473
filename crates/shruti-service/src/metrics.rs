//! Metrics of the server, in the text format of `OpenMetrics` (Prometheus).
//!
//! No label contains text from a caller: paths are the patterns of the router, and error codes are those of the API.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::exemplar::HistogramWithExemplars;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use shruti_engine::{BackendState, Engine};
use shruti_lang::SAMPLE_RATE;
use shruti_mail::Mailer;
use shruti_protocol::ErrorCode;
use shruti_traces::Exporter;

use crate::clips::{CacheStats, ClipCache};
use crate::limits::Streams;
use crate::traces::Trace;

/// Bucket bounds of the time to first audio and of the response time of a cancel, in seconds: 0.1 ms to 5 s.
const LATENCIES: [f64; 12] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.06, 0.1, 0.5, 5.0];
/// Bucket bounds of the lead of a turn (sent audio ahead of the playhead), in seconds. They range from no lead to the
/// maximum lead that a client can set.
const LEADS: [f64; 9] = [0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 10.0, 60.0];

/// Metrics since the start of the server.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    errors: Family<ErrorLabels, Counter>,
    first_audio: Family<ApiLabels, Exemplified, fn() -> Exemplified>,
    first_audio_count: AtomicU64,
    first_audio_us: AtomicU64,
    cancel: Histogram,
    lead: Exemplified,
    underruns: Counter,
    characters: Counter,
}

/// Count and sum of the times to first audio of all APIs since the start of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstAudioTotals {
    /// Number of measurements.
    pub count: u64,
    /// Sum of all measurements.
    pub total: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    path: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ApiLabels {
    api: &'static str,
}

/// Label of an exemplar: the ID of its trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Exemplar {
    trace_id: String,
}

/// Histogram with links to traces.
type Exemplified = HistogramWithExemplars<Exemplar>;

/// API that requested the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKind {
    /// `POST /v1/tts`.
    Clip,
    /// `GET /v1/clips`.
    ClipUrl,
    /// A turn of `/v1/tts/stream`.
    Turn,
    /// API of OpenAI.
    OpenAi,
    /// API of Cartesia.
    Cartesia,
    /// API of Deepgram.
    Deepgram,
    /// API of ElevenLabs.
    ElevenLabs,
    /// API of Sarvam.
    Sarvam,
    /// API that jambonz calls.
    Jambonz,
    /// API that Vapi calls.
    Vapi,
    /// The Wyoming protocol.
    Wyoming,
}

impl ApiKind {
    /// Returns the name in metrics, logs and usage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::ClipUrl => "clip_url",
            Self::Turn => "turn",
            Self::OpenAi => "openai",
            Self::Cartesia => "cartesia",
            Self::Deepgram => "deepgram",
            Self::ElevenLabs => "elevenlabs",
            Self::Sarvam => "sarvam",
            Self::Jambonz => "jambonz",
            Self::Vapi => "vapi",
            Self::Wyoming => "wyoming",
        }
    }
}

impl Metrics {
    /// Creates metrics whose counters start at zero. The arguments are queried when the metrics are read.
    pub(crate) fn new(
        engine: Arc<Engine>,
        streams: Arc<Streams>,
        mailer: Option<Mailer>,
        exporter: Option<Exporter>,
        clips: Option<Arc<ClipCache>>,
    ) -> Self {
        let first_audio: Family<_, _, fn() -> _> =
            Family::new_with_constructor(|| Exemplified::new(LATENCIES.into_iter()));
        let (requests, errors) = (Family::default(), Family::default());
        let (cancel, lead) = (Histogram::new(LATENCIES), Exemplified::new(LEADS.into_iter()));
        let (underruns, characters) = (Counter::default(), Counter::default());
        let mut registry = Registry::with_prefix("shruti");
        registry.register("requests", "HTTP requests", requests.clone());
        registry.register(
            "errors",
            "Errors sent to clients, including those in conversations",
            errors.clone(),
        );
        registry.register_with_unit(
            "first_audio",
            "Time from the first speakable text to the first audible sample, inside the server",
            Unit::Seconds,
            first_audio.clone(),
        );
        registry.register_with_unit(
            "cancel",
            "Time from a cancel until its reply is written to the socket",
            Unit::Seconds,
            cancel.clone(),
        );
        registry.register_with_unit(
            "lead",
            "Lead of a turn over its playhead when it had been sent completely",
            Unit::Seconds,
            lead.clone(),
        );
        registry.register(
            "underruns",
            "Underruns in conversations: the listener ran out of audio while there was text to speak",
            underruns.clone(),
        );
        registry.register("characters", "Characters of text whose audio was sent", characters.clone());
        registry.register_collector(Box::new(Present { engine, streams, mailer, exporter, clips }));
        Self {
            registry,
            requests,
            errors,
            first_audio,
            first_audio_count: AtomicU64::new(0),
            first_audio_us: AtomicU64::new(0),
            cancel,
            lead,
            underruns,
            characters,
        }
    }

    /// Counts a response on a path of the router.
    pub fn answered(&self, path: &str, status: u16) {
        self.requests.get_or_create(&RequestLabels { path: path.to_owned(), status }).inc();
    }

    /// Counts an error response.
    pub fn failed(&self, code: ErrorCode) {
        self.errors.get_or_create(&ErrorLabels { code: code.as_str() }).inc();
    }

    /// Records the time to first audio of a turn or clip, with its trace, if any.
    pub(crate) fn first_audio(&self, by: ApiKind, took: Duration, trace: Option<&Trace>) {
        let (exemplar, at) = exemplar(trace);
        let of_api = self.first_audio.get_or_create(&ApiLabels { api: by.as_str() });
        of_api.observe(took.as_secs_f64(), exemplar, at);
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.first_audio_us.fetch_add(us, Ordering::Relaxed);
        self.first_audio_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the count and the sum of the times to first audio. The histogram contains them too, but only as text.
    pub fn first_audio_totals(&self) -> FirstAudioTotals {
        FirstAudioTotals {
            count: self.first_audio_count.load(Ordering::Relaxed),
            total: Duration::from_micros(self.first_audio_us.load(Ordering::Relaxed)),
        }
    }

    /// Records the response time of a cancel.
    pub(crate) fn cancel_answered(&self, took: Duration) {
        self.cancel.observe(took.as_secs_f64());
    }

    /// Records the lead of a turn, that is, how far the sent audio was ahead of the playhead when the turn had been
    /// sent completely.
    pub(crate) fn sent_whole(&self, lead: Duration, trace: Option<&Trace>) {
        let (exemplar, at) = exemplar(trace);
        self.lead.observe(lead.as_secs_f64(), exemplar, at);
    }

    /// Counts `more` underruns.
    pub(crate) fn underruns(&self, more: u64) {
        self.underruns.inc_by(more);
    }

    /// Returns the counter of characters whose audio was sent. Clones share the count.
    pub(crate) fn characters(&self) -> Counter {
        self.characters.clone()
    }

    /// Returns all metrics as text.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Returns the exemplar for a trace and the current time; `None` for both without a trace.
fn exemplar(trace: Option<&Trace>) -> (Option<Exemplar>, Option<SystemTime>) {
    let label = trace.map(|trace| Exemplar { trace_id: trace.id().to_string() });
    (label, trace.map(|_| SystemTime::now()))
}

/// Collector of values that other components maintain.
struct Present {
    engine: Arc<Engine>,
    streams: Arc<Streams>,
    mailer: Option<Mailer>,
    exporter: Option<Exporter>,
    clips: Option<Arc<ClipCache>>,
}

impl fmt::Debug for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Present").finish_non_exhaustive()
    }
}

/// Encodes gauges, each given by name, help text and value.
fn encode_gauges(encoder: &mut DescriptorEncoder<'_>, gauges: &[(&str, &str, usize)]) -> fmt::Result {
    for &(name, help, now) in gauges {
        let gauge = ConstGauge::new(i64::try_from(now).unwrap_or(i64::MAX));
        gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
    }
    Ok(())
}

impl Collector for Present {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let stats = self.engine.stats();
        let gauges = [
            ("streams", "Clips and conversations open now", self.streams.total()),
            ("max_streams", "Maximum number of concurrent clips and conversations", self.streams.limit()),
            ("speeches", "Active synthesis streams", stats.active),
            ("queue", "Synthesis steps that wait for a processor core now", stats.waiting),
        ];
        encode_gauges(&mut encoder, &gauges)?;
        if let Some(seats) = self.engine.seats() {
            let gauges = [
                ("learned_conversations", "Conversations bound to the learned voices now", seats.taken),
                (
                    "max_learned_conversations",
                    "Maximum number of conversations bound to the learned voices",
                    seats.limit,
                ),
            ];
            encode_gauges(&mut encoder, &gauges)?;
        }
        let counters = [
            ("speeches_completed", "Synthesis streams that were read to the end", stats.completed),
            ("speeches_cancelled", "Synthesis streams cancelled before their end", stats.cancelled),
            ("speeches_broken", "Synthesis streams that failed", stats.faults),
            ("speeches_refused", "Synthesis streams refused for lack of capacity", stats.refused),
        ];
        for (name, help, count) in counters {
            let counter = ConstCounter::new(count);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        if let Some(mailer) = &self.mailer {
            let counts = mailer.counts();
            let counters = [
                ("mails_sent", "Emails that the mail server accepted", counts.sent),
                ("mails_refused", "Emails that the mail server rejected permanently", counts.refused),
                (
                    "mails_retried",
                    "Retries of emails after a temporary rejection or a failure",
                    counts.retried,
                ),
                ("mails_given_up", "Emails given up after the last attempt", counts.given_up),
                (
                    "mails_dropped",
                    "Emails dropped because the queue was full or the server stopped",
                    counts.dropped,
                ),
            ];
            for (name, help, count) in counters {
                let counter = ConstCounter::new(count);
                counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
            }
        }
        if let Some(clips) = &self.clips {
            encode_clips(&mut encoder, &clips.stats())?;
        }
        self.encode_backends(&mut encoder)?;
        if let Some(exporter) = &self.exporter {
            let counts = exporter.counts();
            let counters = [
                ("trace_spans_sent", "Spans that the collector accepted", counts.sent),
                ("trace_spans_failed", "Spans that the collector did not accept", counts.failed),
                ("trace_spans_dropped", "Spans dropped because the queue was full", counts.dropped),
            ];
            for (name, help, count) in counters {
                let counter = ConstCounter::new(count);
                counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
            }
        }
        let seconds = ConstCounter::new(stats.samples as f64 / f64::from(SAMPLE_RATE));
        let help = "Duration of audio sent to listeners";
        let descriptor =
            encoder.encode_descriptor("audio", help, Some(&Unit::Seconds), seconds.metric_type())?;
        seconds.encode(descriptor)
    }
}

/// Encodes the metrics of the clip cache.
fn encode_clips(encoder: &mut DescriptorEncoder<'_>, stats: &CacheStats) -> fmt::Result {
    let gauges = [
        ("clip_cache_clips", "Rendered clips in the cache now", stats.clips),
        ("clip_cache_size_bytes", "Size of the files in the cache now", stats.bytes as usize),
    ];
    encode_gauges(encoder, &gauges)?;
    let counters = [
        ("clip_cache_hits", "Clips that were found in the cache", stats.hits),
        ("clip_cache_misses", "Clips that were not found in the cache", stats.misses),
        ("clip_cache_evictions", "Clips removed from the cache to make room", stats.evictions),
        ("clip_cache_corrupt", "Corrupt files that were removed from the cache", stats.corrupt),
        ("clip_cache_failed_writes", "Clips that could not be written to the cache", stats.failed_writes),
    ];
    for (name, help, count) in counters {
        let counter = ConstCounter::new(count);
        counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
    }
    Ok(())
}

/// Metric of a back end: its name, its help text, and the function that returns its value.
type BackendMetric<N> = (&'static str, &'static str, fn(&BackendState) -> N);

impl Present {
    /// Encodes the metrics of each back end: the built-in voices and the voice packs.
    fn encode_backends(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let backends = self.engine.backends();
        let gauges: [BackendMetric<usize>; 3] = [
            ("backend_speeches", "Active synthesis streams of a back end", |backend| backend.stats.active),
            (
                "backend_max_speeches",
                "Maximum number of concurrent synthesis streams of a back end",
                |backend| backend.description.max_speeches,
            ),
            (
                "backend_usable",
                "Whether a back end is available: 0 while a server that it needs does not respond",
                |backend| backend.is_usable.into(),
            ),
        ];
        for (name, help, of) in gauges {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for backend in &backends {
                let gauge = ConstGauge::new(i64::try_from(of(backend)).unwrap_or(i64::MAX));
                gauge.encode(family.encode_family(&[("backend", backend.description.name.as_str())])?)?;
            }
        }
        let counters: [BackendMetric<u64>; 2] = [
            ("backend_full", "Synthesis streams that a back end refused for lack of capacity", |backend| {
                backend.stats.full
            }),
            ("backend_broken", "Synthesis streams that failed in a back end", |backend| backend.stats.faults),
        ];
        for (name, help, of) in counters {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for backend in &backends {
                let counter = ConstCounter::new(of(backend));
                counter.encode(family.encode_family(&[("backend", backend.description.name.as_str())])?)?;
            }
        }
        Ok(())
    }
}
