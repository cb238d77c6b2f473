//! Turns on a WebSocket, whatever the messages: [`Pump`] moves commands in and events out, keeps the times of the
//! connection and has it paid for; a [`Dialect`] reads and writes the messages of one API. What is spoken is spoken in
//! [`Contexts`], of which some APIs have one and others many.

mod billing;
mod contexts;
mod dialect;
mod keepalive;
mod pump;
mod surrogates;
pub(crate) mod websocket;

pub(crate) use contexts::Contexts;
pub(crate) use dialect::{ClientCommand, ContextId, Dialect, Mistake, NewContext, Outbox};
pub(crate) use keepalive::{IDLE_TIMEOUT, LONGEST_SESSION, MISSED_PINGS, PING_EVERY, STALL_TIMEOUT};
pub(crate) use pump::{MAX_MISTAKES, MAX_REFUSALS, MAX_UNREAD_ANSWERS, Pump};
pub(crate) use websocket::{Upgrade, WebSocket};
