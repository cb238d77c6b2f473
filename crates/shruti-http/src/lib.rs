//! HTTP/1.1 and HTTP/2 on sockets, under deadlines, whatever is served over them.
//!
//! [`serve`] takes a connection and a router. What it needs besides is [`Plumbing`]: times, a certificate, and the memory
//! and the handshakes that all connections share. A handler finds the other end of the connection ([`Peer`]) and the
//! request's body ([`RequestBody`]) among the request's extensions.
//!
//! Errors before there is a request are those of the contract (`shruti_protocol`); nothing here knows speech.

mod accept;
mod client_info;
mod connection;
mod files;
mod limits;
mod method;
mod networks;
mod peer;
mod plumbing;
mod request_body;
mod request_id;
mod tls;

pub use accept::accept;
pub use client_info::{ClientInfo, Scheme, was_passed_on};
pub use connection::{Stop, serve, tune};
pub use files::read_file;
pub use limits::{
    Bucket, ConnectionSlot, Connections, Handshakes, MemoryBudget, Refusals, Refused, TooMany, customer,
};
pub use method::method_name;
pub use networks::{Networks, NotNetworks};
pub use peer::Peer;
pub use plumbing::{ConnectionTimeouts, Plumbing};
pub use request_body::{RequestBody, require_json, require_media_type};
pub use request_id::{RequestId, client_request_id};
pub use tls::{CertificateFacts, SelfSigned, Tls, TlsError, TlsFiles, self_signed};
