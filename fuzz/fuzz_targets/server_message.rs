//! Interprets bytes as a message from the server, as a client does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_protocol::stream::ServerMessage;

fuzz_target!(|input: &[u8]| {
    if let Ok(message) = serde_json::from_slice::<ServerMessage>(input) {
        let written = serde_json::to_vec(&message).expect("a message is written as JSON");
        let again = serde_json::from_slice::<ServerMessage>(&written).expect("what was written is read");
        assert_eq!(again, message);
    }
});
