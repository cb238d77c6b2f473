//! Sampling of requests and turns.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, SpanKind, TraceContextExt, TraceFlags, TraceState};
use opentelemetry::{Context, InstrumentationScope};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    IdGenerator, RandomIdGenerator, Sampler, SamplingDecision, ShouldSample, SpanData,
};
use shruti_clock::Clock;
use shruti_http::Bucket;

use super::trace::{Kind, Trace};
use crate::config::TracesConfig;
use crate::http::RequestId;

/// Maximum number of traces per second that all callers together can request with `traceparent`. Further requests are
/// sampled as if they had no `traceparent`, so that callers cannot control the amount of exported data.
const ASKED_RATE: f64 = 10.0;
/// Maximum burst of traces that callers can request.
const ASKED_BURST: f64 = 100.0;

/// Sampler for traces, with the exporter of their spans.
pub struct Traces {
    config: TracesConfig,
    sampler: Sampler,
    ids: RandomIdGenerator,
    pub(super) scope: InstrumentationScope,
    pub(super) clock: Arc<dyn Clock>,
    asked: Mutex<Bucket>,
}

/// Trace context of a request.
#[derive(Clone, Debug, Default)]
pub struct TraceOrigin {
    /// Span of the caller, from the `traceparent` of the request.
    parent: Option<SpanContext>,
    /// Trace of the request, if it is sampled.
    trace: Option<Arc<Trace>>,
}

impl TraceOrigin {
    /// Returns the trace of the request, if it is sampled.
    pub fn trace(&self) -> Option<&Arc<Trace>> {
        self.trace.as_ref()
    }

    /// Returns the span that the turns of a connection link to: the span of the request that opened the connection, or
    /// the caller's span.
    fn link(&self) -> Option<SpanContext> {
        self.trace.as_ref().map(|trace| trace.context().clone()).or_else(|| self.parent.clone())
    }
}

/// Trace context that the turns of a connection share. It does not keep the trace of the opening request open.
pub(crate) struct ConnectionTraces {
    traces: Arc<Traces>,
    parent: Option<SpanContext>,
    link: Option<SpanContext>,
    id: RequestId,
    /// Name of the API.
    by: &'static str,
}

impl ConnectionTraces {
    /// Creates the trace context of a connection.
    pub(crate) fn new(traces: Arc<Traces>, origin: &TraceOrigin, id: RequestId, by: &'static str) -> Self {
        Self { traces, parent: origin.parent.clone(), link: origin.link(), id, by }
    }

    /// Starts the trace of a turn, if it is sampled. Each turn has a separate trace, because a common trace would last
    /// as long as the connection.
    pub(crate) fn turn(&self) -> Option<Arc<Trace>> {
        let Self { traces, parent, link, id, by } = self;
        if !traces.is_sampled(parent.as_ref()) {
            return None;
        }
        let trace = Trace::begin(Arc::clone(traces), Kind::Turn, None, link.clone(), *id);
        trace.spoken_by(by);
        Some(Arc::new(trace))
    }
}

impl Traces {
    /// Creates a sampler with the settings of the operator.
    pub(crate) fn new(config: TracesConfig, clock: Arc<dyn Clock>) -> Self {
        let sampler = Sampler::TraceIdRatioBased(config.sample);
        let scope = InstrumentationScope::builder("shruti").with_version(env!("CARGO_PKG_VERSION")).build();
        let bucket = Mutex::new(Bucket::full(ASKED_RATE, ASKED_BURST, clock.now().monotonic));
        Self { config, sampler, ids: RandomIdGenerator::default(), scope, clock, asked: bucket }
    }

    /// Returns the trace context of a request. If `may_trace` is `false`, the request gets no trace.
    pub fn request(self: &Arc<Self>, id: RequestId, headers: &HeaderMap, may_trace: bool) -> TraceOrigin {
        let parent = parent(headers);
        if !may_trace || !self.is_sampled(parent.as_ref()) {
            return TraceOrigin { parent, trace: None };
        }
        let trace = Trace::begin(Arc::clone(self), Kind::Request, parent.clone(), None, id);
        TraceOrigin { parent, trace: Some(Arc::new(trace)) }
    }

    fn is_sampled(&self, parent: Option<&SpanContext>) -> bool {
        match parent {
            Some(parent) if !parent.is_sampled() => false,
            Some(_) if self.may_ask() => true,
            // decided with a new ID, because a caller could choose an ID that is always sampled
            _ => {
                let id = self.ids.new_trace_id();
                let result = self.sampler.should_sample(None, id, "", &SpanKind::Server, &[], &[]);
                result.decision == SamplingDecision::RecordAndSample
            }
        }
    }

    fn may_ask(&self) -> bool {
        let now = self.clock.now().monotonic;
        let mut bucket = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *bucket = bucket.refilled(ASKED_RATE, ASKED_BURST, now);
        bucket.take().is_ok()
    }

    /// Creates a span context in the trace of `parent`, or in a new trace.
    pub(super) fn context(&self, parent: Option<&SpanContext>) -> SpanContext {
        let trace = parent.map_or_else(|| self.ids.new_trace_id(), SpanContext::trace_id);
        let span = self.ids.new_span_id();
        SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::default())
    }

    pub(super) fn send(&self, spans: Vec<SpanData>) {
        self.config.exporter.send(spans);
    }
}

/// Returns the caller's span, from `traceparent`; `None` if the header is missing or invalid. `tracestate` is dropped,
/// because it can contain any text.
fn parent(headers: &HeaderMap) -> Option<SpanContext> {
    let extracted =
        TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers));
    let span = extracted.span();
    let context = span.span_context();
    let (trace, span, flags) = (context.trace_id(), context.span_id(), context.trace_flags());
    context.is_valid().then(|| SpanContext::new(trace, span, flags, true, TraceState::default()))
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    #[test]
    fn adopts_the_parent_span_without_its_state() {
        let given = |value: &str| {
            let headers = [("traceparent", value), ("tracestate", "vendor=words")];
            let headers =
                headers.map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            parent(&headers.into_iter().collect())
        };
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        for (flags, is_sampled) in [("01", true), ("00", false), ("03", true)] {
            let parent = given(&format!("00-{trace}-{span}-{flags}")).unwrap();
            assert_eq!(
                (parent.trace_id().to_string(), parent.span_id().to_string()),
                (trace.to_owned(), span.to_owned())
            );
            assert_eq!((parent.is_sampled(), parent.is_remote()), (is_sampled, true), "{flags}");
            assert_eq!(parent.trace_state(), &TraceState::default());
        }
        let zero = format!("00-{}-{span}-01", "0".repeat(32));
        for wrong in ["", "00", &zero, &format!("ff-{trace}-{span}-01"), &format!("00-{trace}-{span}")] {
            assert_eq!(given(wrong), None, "{wrong}");
        }
        assert_eq!(parent(&HeaderMap::new()), None);
    }
}
