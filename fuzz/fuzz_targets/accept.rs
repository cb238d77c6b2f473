//! Interprets each line of the bytes as the value of an `Accept` header.

#![no_main]

use http::{HeaderMap, HeaderValue, header};
use libfuzzer_sys::fuzz_target;
use shruti_service::synthesis::Representation;

fuzz_target!(|input: &[u8]| {
    let mut headers = HeaderMap::new();
    for line in input.split(|&byte| byte == b'\n').take(16) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(header::ACCEPT, value);
        }
    }
    let _ = Representation::negotiate(&headers);
});
