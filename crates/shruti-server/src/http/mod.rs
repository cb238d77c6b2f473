//! What every HTTP request and answer has, whatever its path: who asks from where, its body, its id, its errors.

pub(crate) mod client_info;
pub(crate) mod cors;
mod document;
mod error_response;
pub(crate) mod errors;
pub(crate) mod host;
mod method;
mod origin;
mod peer;
mod request_body;
mod request_id;

pub(crate) use client_info::ClientInfo;
pub(crate) use document::Document;
pub(crate) use error_response::{ErrorDialect, ErrorPage, ErrorResponse, Native, finish};
pub(crate) use method::method_name;
pub(crate) use origin::{RequestOrigin, keeps_secure_cookies};
pub(crate) use peer::Peer;
pub(crate) use request_body::{RequestBody, require_json, require_media_type};
pub(crate) use request_id::{RequestId, client_request_id};
