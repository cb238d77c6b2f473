//! The span of a request or a turn, and its child spans.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use http::{Method, StatusCode, Version};
use opentelemetry::trace::{Event as SpanEvent, Link, SpanContext, SpanId, SpanKind, Status, TraceId};
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use shruti_engine::turn::{CancelState, Event};
use shruti_engine::{Step, StepTimes};
use shruti_protocol::ErrorCode;

use super::sampling::Traces;
use crate::http::{RequestId, method_name};

/// Kind of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An HTTP request, up to the last byte of its response.
    Request,
    /// A turn of a conversation.
    Turn,
}

/// A traced request or turn in progress. Its spans are sent when the last reference to it is dropped.
pub struct Trace {
    traces: Arc<Traces>,
    kind: Kind,
    context: SpanContext,
    parent: Option<SpanContext>,
    link: Option<SpanContext>,
    /// Start time, from the server's clock.
    began: Duration,
    /// Start time in wall clock time, with a higher resolution than the wall clock time of the server's clock.
    began_at: SystemTime,
    times: Arc<StepTimes>,
    data: Mutex<TraceData>,
}

/// Data of the trace so far.
#[derive(Default)]
struct TraceData {
    name: Cow<'static, str>,
    attributes: Vec<KeyValue>,
    samples: usize,
    /// Start time of the synthesis.
    spoken_since: Option<Duration>,
    first_sound: Option<Duration>,
    /// Outcome of the synthesis.
    outcome: Option<&'static str>,
    is_error: bool,
    ended: Option<Duration>,
}

impl Trace {
    pub(super) fn begin(
        traces: Arc<Traces>,
        kind: Kind,
        parent: Option<SpanContext>,
        link: Option<SpanContext>,
        id: RequestId,
    ) -> Self {
        let context = traces.context(parent.as_ref());
        let began = traces.clock.now().monotonic;
        let data = TraceData {
            name: if kind == Kind::Turn { "turn".into() } else { Cow::default() },
            attributes: vec![KeyValue::new("shruti.request_id", id.to_string())],
            ..TraceData::default()
        };
        let (began_at, times) = (SystemTime::now(), Arc::default());
        Self { traces, kind, context, parent, link, began, began_at, times, data: Mutex::new(data) }
    }

    /// Returns the trace ID, 32 hexadecimal digits.
    pub fn id(&self) -> TraceId {
        self.context.trace_id()
    }

    pub(super) fn context(&self) -> &SpanContext {
        &self.context
    }

    /// Sets the API that requested the synthesis.
    pub(crate) fn spoken_by(&self, api: &'static str) {
        self.data().set("shruti.api", api);
    }

    /// Sets the time to first audio, as in the metrics.
    pub(crate) fn first_audio(&self, took: Duration) {
        self.data().set("shruti.first_audio_seconds", took.as_secs_f64());
    }

    /// Records the start of the synthesis. Returns the object in which the engine records the times of its steps.
    pub(crate) fn speak(&self) -> Arc<StepTimes> {
        self.data().spoken_since = Some(self.now());
        Arc::clone(&self.times)
    }

    /// Records an event of the turn. Returns whether the turn ends with it.
    pub(crate) fn follow(&self, event: &Event) -> bool {
        match event {
            Event::Started { voice, language, .. } => {
                let mut data = self.data();
                data.set("shruti.voice", voice.to_string());
                data.set("shruti.language", language.code());
            }
            Event::Audio { samples, first_audible, .. } => {
                let mut data = self.data();
                data.samples += samples.len();
                if first_audible.is_some() {
                    data.first_sound = Some(self.now());
                }
            }
            Event::Done { chars, first_audio, .. } => {
                if let (Kind::Turn, Some(first_audio)) = (self.kind, first_audio) {
                    self.first_audio(*first_audio);
                }
                self.ended("done", *chars);
                return true;
            }
            Event::Cancelled { chars, state: CancelState::Cancelled, .. } => {
                self.ended("cancelled", *chars);
                return true;
            }
            Event::Failed { chars, .. } => {
                self.ended("failed", *chars);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Sets the error code of the turn.
    pub(crate) fn failed(&self, code: ErrorCode) {
        let mut data = self.data();
        data.set("error.type", code.as_str());
        data.is_error = code.status() >= 500;
    }

    /// Records the end of the turn after `chars` spoken characters.
    pub(crate) fn ended(&self, outcome: &'static str, chars: u32) {
        let mut data = self.data();
        data.outcome = Some(outcome);
        data.set("shruti.characters", i64::from(chars));
        // a request ends with its response
        if self.kind == Kind::Turn {
            data.ended = Some(self.now());
        }
    }

    /// Sets the attributes of the request. Called before the response, because the client may disconnect. `route` is
    /// the router's pattern.
    pub fn asked(&self, method: &Method, route: &str, version: Version, scheme: Option<&'static str>) {
        let method = method_name(method);
        let mut data = self.data();
        data.name = format!("{method} {route}").into();
        data.set("http.request.method", method);
        data.set("http.route", route.to_owned());
        data.set("network.protocol.version", if version == Version::HTTP_2 { "2" } else { "1.1" });
        if let Some(scheme) = scheme {
            data.set("url.scheme", scheme);
        }
    }

    /// Sets the attributes of the response.
    pub fn answered(&self, status: StatusCode, failed: Option<ErrorCode>) {
        let mut data = self.data();
        data.set("http.response.status_code", i64::from(status.as_u16()));
        if let Some(code) = failed {
            data.set("error.type", code.as_str());
        }
        data.is_error = status.is_server_error();
    }

    fn now(&self) -> Duration {
        self.traces.clock.now().monotonic
    }

    /// Converts a time of the server's clock to wall clock time.
    fn at(&self, time: Duration) -> SystemTime {
        self.began_at + time.saturating_sub(self.began)
    }

    fn data(&self) -> MutexGuard<'_, TraceData> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the span of the trace and its child spans.
    fn spans(&self, mut data: TraceData) -> Vec<SpanData> {
        let ended = data.ended.unwrap_or_else(|| self.now());
        let mut events = SpanEvents::default();
        let mut beneath = Vec::new();
        if let Some(since) = data.spoken_since {
            let summary = self.times.summary();
            let outcome = data.outcome.unwrap_or("abandoned");
            data.set("shruti.outcome", outcome);
            data.set("shruti.samples", i64::try_from(data.samples).unwrap_or(i64::MAX));
            data.set("shruti.prepare_seconds", summary.preparing.as_secs_f64());
            data.set("shruti.render_seconds", summary.rendering.as_secs_f64());
            for step_span in summary.step_spans {
                let name = match step_span.step {
                    Step::Prepare => "prepare",
                    Step::Render => "render",
                };
                let context = self.traces.context(Some(&self.context));
                let busy = KeyValue::new("shruti.busy_seconds", step_span.busy.as_secs_f64());
                // a step of an abandoned turn may end after the turn
                let [begins, ends] = [step_span.begins, step_span.ends].map(|time| ended.min(since + time));
                beneath.push(SpanData {
                    parent_span_id: self.context.span_id(),
                    parent_span_is_remote: false,
                    span_kind: SpanKind::Internal,
                    attributes: vec![busy],
                    ..self.span(context, name.into(), begins, ends)
                });
            }
        }
        if let Some(first_sound) = data.first_sound {
            events.events.push(SpanEvent::new("first sound", self.at(first_sound), Vec::new(), 0));
        }
        let mut links = SpanLinks::default();
        links.links.extend(self.link.clone().map(|link| Link::new(link, Vec::new(), 0)));
        let own = SpanData {
            parent_span_id: self.parent.as_ref().map_or(SpanId::INVALID, SpanContext::span_id),
            parent_span_is_remote: self.parent.is_some(),
            attributes: data.attributes,
            events,
            links,
            status: if data.is_error { Status::error("") } else { Status::Unset },
            ..self.span(self.context.clone(), data.name, self.began, ended)
        };
        beneath.insert(0, own);
        beneath
    }

    fn span(
        &self,
        context: SpanContext,
        name: Cow<'static, str>,
        begins: Duration,
        ends: Duration,
    ) -> SpanData {
        SpanData {
            span_context: context,
            parent_span_id: SpanId::INVALID,
            parent_span_is_remote: false,
            span_kind: SpanKind::Server,
            name,
            start_time: self.at(begins),
            end_time: self.at(ends),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.traces.scope.clone(),
        }
    }
}

impl TraceData {
    fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(name, value));
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let data = std::mem::take(&mut *self.data());
        self.traces.send(self.spans(data));
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("id", &self.id()).finish_non_exhaustive()
    }
}
