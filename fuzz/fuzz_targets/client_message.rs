//! Interprets bytes as a client message of a conversation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_protocol::stream::ClientMessage;

fuzz_target!(|input: &[u8]| {
    if let Ok(message) = ClientMessage::from_json(input) {
        let written = serde_json::to_vec(&message).expect("a message is written as JSON");
        assert_eq!(ClientMessage::from_json(&written), Ok(message));
    }
});
