//! Turns on a WebSocket, whatever the messages: [`Pump`] moves commands in and events out, keeps the times of the
//! connection and has it paid for; a [`Dialect`] reads and writes the messages of one API. What is spoken is spoken in
//! [`Contexts`], of which some APIs have one and others many.

mod billing;
mod contexts;
mod dialect;
mod keepalive;
mod pump;
mod surrogates;
mod transport;
pub mod websocket;

pub use contexts::Contexts;
pub use dialect::{ClientCommand, ContextId, Dialect, Mistake, NewContext, Outbox};
pub use keepalive::{IDLE_TIMEOUT, LONGEST_SESSION, MISSED_PINGS, PING_EVERY, STALL_TIMEOUT};
pub use pump::{MAX_MISTAKES, MAX_REFUSALS, MAX_UNREAD_ANSWERS, Pump};
pub use transport::Transport;
pub use websocket::{Upgrade, WebSocket, end_stream};
