//! Fuzz test: arbitrary bytes as a message or a body cause no panic, no memory growth and no uninformative error.
//!
//! The default number of inputs takes a few seconds. `SHRUTI_FUZZ_INPUTS=1000000` sets the number, `SHRUTI_FUZZ_SEED`
//! the seed. Both parsers receive every input. `fuzz/` contains the same test for libFuzzer, which searches for code
//! paths instead of generating random inputs.

#![allow(clippy::unwrap_used)] // a test may panic on invalid environment variables

mod checks;
mod inputs;

use inputs::Inputs;
use shruti_protocol::stream::ClientMessage;
use shruti_protocol::{ApiError, SynthesisRequest};

/// Default number of inputs.
const INPUTS: u64 = 100_000;

/// Maximum memory allocated at one time while parsing, in bytes per byte of input. The worst case is an array of
/// one-entry objects, `{"":0},` repeated: seven bytes that become a map node and a vector slot.
const BYTES_FOR_A_BYTE: u64 = 128;

/// Additional memory allowance for error messages, in bytes. Their length does not depend on the input size.
const BYTES_FOR_ANY: u64 = 4_096;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().unwrap())
}

/// Parses an input and returns the peak memory use, in bytes. Panics if memory stays allocated or the peak exceeds the
/// allowance.
fn weigh<T>(input: &[u8], read: fn(&[u8]) -> Result<T, ApiError>) -> u64 {
    let used = allocation_counter::measure(|| drop(read(input)));
    assert_eq!(used.bytes_current, 0, "parsing leaked memory: {}", shown(input));
    let allowed = BYTES_FOR_A_BYTE * input.len() as u64 + BYTES_FOR_ANY;
    assert!(used.bytes_max <= allowed, "{} bytes at once for {}", used.bytes_max, shown(input));
    used.bytes_max
}

fn shown(input: &[u8]) -> String {
    let start: String = String::from_utf8_lossy(input).chars().take(400).collect();
    format!("{} bytes: {start}", input.len())
}

#[test]
fn readers_survive_any_input_without_leaks() {
    let count = from_environment("SHRUTI_FUZZ_INPUTS", INPUTS);
    let mut inputs = Inputs::new(from_environment("SHRUTI_FUZZ_SEED", 0x5eed));
    let mut messages = 0_u64;
    let mut requests = 0_u64;
    let mut heaviest = (0.0, 0);
    let mut input = Vec::new();
    let all = allocation_counter::measure(|| {
        for _ in 0..count {
            inputs.next_into(&mut input);
            let bytes =
                weigh(&input, ClientMessage::from_json).max(weigh(&input, SynthesisRequest::from_json));
            let beyond = bytes.saturating_sub(BYTES_FOR_ANY) as f64 / input.len().max(1) as f64;
            if beyond > heaviest.0 {
                heaviest = (beyond, input.len());
            }
            match ClientMessage::from_json(&input) {
                Ok(message) => {
                    messages += 1;
                    checks::message(&message, &input);
                }
                Err(error) => checks::error(&error, &input),
            }
            match SynthesisRequest::from_json(&input) {
                Ok(request) => {
                    requests += 1;
                    checks::request(&request, &input);
                }
                Err(error) => checks::error(&error, &input),
            }
        }
        input = Vec::new();
    });
    println!(
        "{count} inputs: {messages} are messages, {requests} are requests; at most {:.1} bytes for a byte (of {}), \
         {} bytes left behind",
        heaviest.0, heaviest.1, all.bytes_current
    );
    assert_eq!(all.bytes_current, 0, "something has grown");
    // inputs that are always or never rejected would test little
    assert!(messages > count / 10 && messages < count * 9 / 10, "{messages} of {count} are messages");
    assert!(requests > count / 20 && requests < count * 9 / 10, "{requests} of {count} are requests");
}

#[test]
fn peak_memory_stays_within_the_bound() {
    let fill = |unit: &str, before: &str, after: &str| {
        let times = (shruti_protocol::limits::MAX_BODY_BYTES - before.len() - after.len()) / unit.len();
        format!("{before}{}{after}", unit.repeat(times))
    };
    let inputs = [
        fill(r#"{"":0},"#, r#"{"text":["#, "0]}"),
        fill("[],", r#"{"later":["#, "0]}"),
        fill("0,", r#"{"text":["#, "0]}"),
        fill("[0],", r#"{"lexicon":["#, "0]}"),
        fill("अ", r#"{"text":""#, r#""}"#),
        fill("\\u0905", r#"{"text":""#, r#""}"#),
        fill(r#""":0,"#, "{", r#""":0}"#),
        (0..9_000).fold("{".to_owned(), |all, n| format!("{all}\"{n}\":0,")) + r#""a":0}"#,
        fill("[", r#"{"text":"#, ""),
    ];
    for input in inputs {
        let bytes = weigh(input.as_bytes(), ClientMessage::from_json);
        let start: String = input.chars().take(20).collect();
        println!("{:.1} bytes for a byte of {start}", bytes as f64 / input.len() as f64);
    }
}
