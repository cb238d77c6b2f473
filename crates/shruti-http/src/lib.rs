//! HTTP/1.1 and HTTP/2 server on sockets, with deadlines and memory limits.
//!
//! [`serve`] serves a router on one connection. [`Plumbing`] contains the timeouts, the certificate, and the memory
//! budget and handshake slots that all connections share. A handler finds the remote end of the connection ([`Peer`])
//! and the request body ([`RequestBody`]) in the extensions of the request.
//!
//! Errors that occur before there is a request use the error body of the API (`shruti_protocol`). This crate does not
//! depend on speech synthesis.

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
    Bucket, ConnectionSlot, Connections, ExceededLimit, Handshakes, MemoryBudget, Refusals, RefusedCounts,
    customer,
};
pub use method::method_name;
pub use networks::{InvalidNetworks, Networks};
pub use peer::Peer;
pub use plumbing::{ConnectionTimeouts, Plumbing};
pub use request_body::{RequestBody, require_json, require_media_type};
pub use request_id::{RequestId, client_request_id};
pub use tls::{CertificateFacts, SelfSigned, Tls, TlsError, TlsFiles, self_signed};
