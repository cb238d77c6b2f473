//! Doors for the targets of `fuzz/`, which are outside this crate. Only there when a build is instrumented for fuzzing.

use http::HeaderMap;

/// Chooses a form for these headers.
pub fn accept(headers: &HeaderMap) {
    let _ = crate::synthesis::Representation::negotiate(headers);
}

/// Reads a body as each of the Studio's requests would.
pub fn studio_body(body: &[u8]) {
    crate::studio::read_body(body);
}
