//! Traces of requests and turns, for a collector of `OpenTelemetry`.
//!
//! A [`Trace`] is the span of a request or a turn while it lasts. What lies beneath, preparing and rendering, is written down
//! by the engine ([`StepTimes`](shruti_engine::StepTimes)) and becomes spans when the trace ends. So a request that is not sampled costs one decision,
//! and the engine knows nothing of traces.
//!
//! No attribute holds what a caller made up: no text, no names of turns, no paths beyond the router's patterns, nor any
//! key or address. Of a caller's own trace its ids are taken over, and its decision.

mod sampling;
mod speaking;
mod trace;

pub(crate) use sampling::ConnectionTraces;
pub use sampling::{TraceOrigin, Traces};
pub(crate) use speaking::TracedEngine;
pub use trace::Trace;
