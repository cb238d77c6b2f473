//! Interprets bytes as the request bodies of three Studio endpoints: signing up, signing in, and creating a key.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| shruti_site::fuzzing::studio_body(input));
