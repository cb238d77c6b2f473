//! Interprets bytes as the body of `POST /v1/tts` and of `POST /v1/tokens`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_protocol::{SynthesisRequest, TokenRequest};

fuzz_target!(|input: &[u8]| {
    let _ = TokenRequest::from_json(input);
    if let Ok(request) = SynthesisRequest::from_json(input) {
        let written = serde_json::to_vec(&request).expect("a request is written as JSON");
        assert_eq!(SynthesisRequest::from_json(&written), Ok(request));
    }
});
