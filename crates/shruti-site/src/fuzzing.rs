//! Entry points for the targets of `fuzz/`, which are outside this crate. Compiled only in builds for fuzzing.

/// Reads a body as each of the Studio's requests would.
pub fn studio_body(body: &[u8]) {
    crate::studio::read_body(body);
}
