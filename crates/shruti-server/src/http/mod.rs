//! What every HTTP request and answer has, whatever its path: who asks from where, its body, its id, its errors.
//! What of it knows neither the store nor the routes is in `shruti_http`.

pub(crate) mod cors;
mod document;
mod error_response;
pub(crate) mod errors;
pub(crate) mod host;
mod origin;
mod server_url;

pub(crate) use shruti_http::{
    ClientInfo, Peer, RequestBody, RequestId, Scheme, client_request_id, method_name, require_json,
    require_media_type, was_passed_on,
};

pub(crate) use document::Document;
pub(crate) use error_response::{ErrorDialect, ErrorPage, ErrorResponse, Native, finish};
pub(crate) use origin::{RequestOrigin, keeps_secure_cookies};
pub(crate) use server_url::ServerUrl;
