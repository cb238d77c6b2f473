//! The span of a request or a turn, and those beneath it.

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

/// What a trace is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A request over HTTP, to the last byte of its answer.
    Request,
    /// A turn of a conversation.
    Turn,
}

/// A request or a turn that is traced, while it lasts. Its spans are sent when the last that holds it lets go.
pub struct Trace {
    traces: Arc<Traces>,
    kind: Kind,
    context: SpanContext,
    parent: Option<SpanContext>,
    link: Option<SpanContext>,
    /// When it began, by the server's clock and by that of the wall, which is finer than the server has it.
    began: Duration,
    began_at: SystemTime,
    times: Arc<StepTimes>,
    told: Mutex<Told>,
}

/// What is known of it by now.
#[derive(Default)]
struct Told {
    name: Cow<'static, str>,
    attributes: Vec<KeyValue>,
    samples: usize,
    /// When its speech was begun.
    spoken_since: Option<Duration>,
    first_sound: Option<Duration>,
    /// How its speech ended.
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
        let told = Told {
            name: if kind == Kind::Turn { "turn".into() } else { Cow::default() },
            attributes: vec![KeyValue::new("shruti.request_id", id.to_string())],
            ..Told::default()
        };
        let (began_at, times) = (SystemTime::now(), Arc::default());
        Self { traces, kind, context, parent, link, began, began_at, times, told: Mutex::new(told) }
    }

    /// Its id, 32 hexadecimal digits.
    pub fn id(&self) -> TraceId {
        self.context.trace_id()
    }

    pub(super) fn context(&self) -> &SpanContext {
        &self.context
    }

    /// By which API something is spoken.
    pub(crate) fn spoken_by(&self, api: &'static str) {
        self.told().set("shruti.api", api);
    }

    /// From the text that could be spoken to the first audible sample, as the metrics have it.
    pub(crate) fn first_audio(&self, took: Duration) {
        self.told().set("shruti.first_audio_seconds", took.as_secs_f64());
    }

    /// A speech begins for it. Gives what the engine is to write its steps into.
    pub(super) fn speak(&self) -> Arc<StepTimes> {
        self.told().spoken_since = Some(self.now());
        Arc::clone(&self.times)
    }

    /// Takes note of what is told of its turn. Says whether the turn ends with it.
    pub(super) fn follow(&self, event: &Event) -> bool {
        match event {
            Event::Started { voice, language, .. } => {
                let mut told = self.told();
                told.set("shruti.voice", voice.to_string());
                told.set("shruti.language", language.code());
            }
            Event::Audio { samples, first_audible, .. } => {
                let mut told = self.told();
                told.samples += samples.len();
                if first_audible.is_some() {
                    told.first_sound = Some(self.now());
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

    /// Why its turn failed.
    pub(crate) fn failed(&self, code: ErrorCode) {
        let mut told = self.told();
        told.set("error.type", code.as_str());
        told.is_error = code.status() >= 500;
    }

    /// Its turn has ended, with so many characters spoken.
    pub(super) fn ended(&self, outcome: &'static str, chars: u32) {
        let mut told = self.told();
        told.outcome = Some(outcome);
        told.set("shruti.characters", i64::from(chars));
        // a request ends with its answer
        if self.kind == Kind::Turn {
            told.ended = Some(self.now());
        }
    }

    /// What the request asks for, said before it is answered: who asks may be gone by then. `route`: the router's pattern.
    pub fn asked(&self, method: &Method, route: &str, version: Version, scheme: Option<&'static str>) {
        let method = method_name(method);
        let mut told = self.told();
        told.name = format!("{method} {route}").into();
        told.set("http.request.method", method);
        told.set("http.route", route.to_owned());
        told.set("network.protocol.version", if version == Version::HTTP_2 { "2" } else { "1.1" });
        if let Some(scheme) = scheme {
            told.set("url.scheme", scheme);
        }
    }

    /// The request was answered.
    pub fn answered(&self, status: StatusCode, failed: Option<ErrorCode>) {
        let mut told = self.told();
        told.set("http.response.status_code", i64::from(status.as_u16()));
        if let Some(code) = failed {
            told.set("error.type", code.as_str());
        }
        told.is_error = status.is_server_error();
    }

    fn now(&self) -> Duration {
        self.traces.clock.now().monotonic
    }

    /// A time of the server's clock on the wall.
    fn at(&self, time: Duration) -> SystemTime {
        self.began_at + time.saturating_sub(self.began)
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It and what lies beneath.
    fn spans(&self, mut told: Told) -> Vec<SpanData> {
        let ended = told.ended.unwrap_or_else(|| self.now());
        let mut events = SpanEvents::default();
        let mut beneath = Vec::new();
        if let Some(since) = told.spoken_since {
            let worked = self.times.worked();
            let outcome = told.outcome.unwrap_or("abandoned");
            told.set("shruti.outcome", outcome);
            told.set("shruti.samples", i64::try_from(told.samples).unwrap_or(i64::MAX));
            told.set("shruti.prepare_seconds", worked.preparing.as_secs_f64());
            told.set("shruti.render_seconds", worked.rendering.as_secs_f64());
            for stretch in worked.stretches {
                let name = match stretch.step {
                    Step::Prepare => "prepare",
                    Step::Render => "render",
                };
                let context = self.traces.context(Some(&self.context));
                let busy = KeyValue::new("shruti.busy_seconds", stretch.busy.as_secs_f64());
                // a step of a turn that was given up ends after it
                let [begins, ends] = [stretch.begins, stretch.ends].map(|time| ended.min(since + time));
                beneath.push(SpanData {
                    parent_span_id: self.context.span_id(),
                    parent_span_is_remote: false,
                    span_kind: SpanKind::Internal,
                    attributes: vec![busy],
                    ..self.span(context, name.into(), begins, ends)
                });
            }
        }
        if let Some(first_sound) = told.first_sound {
            events.events.push(SpanEvent::new("first sound", self.at(first_sound), Vec::new(), 0));
        }
        let mut links = SpanLinks::default();
        links.links.extend(self.link.clone().map(|link| Link::new(link, Vec::new(), 0)));
        let own = SpanData {
            parent_span_id: self.parent.as_ref().map_or(SpanId::INVALID, SpanContext::span_id),
            parent_span_is_remote: self.parent.is_some(),
            attributes: told.attributes,
            events,
            links,
            status: if told.is_error { Status::error("") } else { Status::Unset },
            ..self.span(self.context.clone(), told.name, self.began, ended)
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

impl Told {
    fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(name, value));
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let told = std::mem::take(&mut *self.told());
        self.traces.send(self.spans(told));
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("id", &self.id()).finish_non_exhaustive()
    }
}
