//! Bytes as what a page of the Studio sends: the bodies of signing up and in, and of making a key.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| shruti_site::fuzzing::studio_body(input));
