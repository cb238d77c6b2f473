//! Entry points for the fuzz targets in the folder `fuzz/`. This module is compiled only in fuzzing builds.

/// Parses a body in the same way as the Studio's endpoints.
pub fn studio_body(body: &[u8]) {
    crate::studio::read_body(body);
}
