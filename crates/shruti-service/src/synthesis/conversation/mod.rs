//! Turns on a WebSocket, independent of the message format. [`Pump`] passes commands to the turn machines and sends
//! their events, enforces the timeouts of the connection and charges the turns. A [`Dialect`] parses and writes the
//! messages of one API. Turns are spoken in [`Contexts`]; some APIs have one context, others several.

mod billing;
mod contexts;
mod dialect;
mod keepalive;
mod pump;
mod surrogates;
mod transport;
pub mod websocket;

pub use contexts::Contexts;
pub use dialect::{ClientCommand, ContextId, Dialect, InvalidMessage, NewContext, Outbox};
pub use keepalive::{IDLE_TIMEOUT, LONGEST_SESSION, MISSED_PINGS, PING_EVERY, STALL_TIMEOUT};
pub use pump::{MAX_MISTAKES, MAX_REFUSALS, MAX_UNREAD_ANSWERS, Pump};
pub use transport::Transport;
pub use websocket::{Upgrade, WebSocket, end_stream};
