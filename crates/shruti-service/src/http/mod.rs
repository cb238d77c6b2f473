//! Parts of HTTP requests and responses that do not depend on the path: host, origin, CORS and errors. The parts that
//! depend on neither the store nor the routes are in `shruti_http`.

pub mod cors;
mod error_response;
pub mod errors;
pub mod host;
mod hosts;
mod key_headers;
mod origin;
mod server_url;

pub use shruti_http::{
    ClientInfo, Peer, RequestBody, RequestId, Scheme, client_request_id, method_name, require_json,
    require_media_type, was_passed_on,
};

pub use error_response::{ErrorDialect, ErrorPage, ErrorResponse, Native, finish};
pub use hosts::{HostNames, HostOwner, Hosts, InvalidHostNames};
pub(crate) use key_headers::KEY_HEADERS;
pub use origin::{RequestOrigin, keeps_secure_cookies};
pub use server_url::ServerUrl;
