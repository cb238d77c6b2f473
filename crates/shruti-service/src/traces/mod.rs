//! Traces of requests and turns, for an `OpenTelemetry` collector.
//!
//! A [`Trace`] is the open span of a request or a turn. The engine records its steps, preparation and rendering
//! ([`StepTimes`](shruti_engine::StepTimes)); they become child spans when the trace ends. A request that is not
//! sampled therefore costs only one decision, and the engine does not depend on tracing.
//!
//! No attribute contains data that a caller can choose: no text, no names of turns, no paths except the router's
//! patterns, and no keys or addresses. Only the IDs and the sampling decision of a caller's own trace are used.

mod sampling;
mod trace;

pub(crate) use sampling::ConnectionTraces;
pub use sampling::{TraceOrigin, Traces};
pub use trace::Trace;
