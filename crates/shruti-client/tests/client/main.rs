//! Tests of the client against a real server.
#![allow(clippy::unwrap_used, reason = "an error fails the test")]

mod cancels;
mod conversations;
mod errors;
mod long_texts;
mod losses;
mod relay;
mod vectors;

use shruti_client::Client;
use shruti_testkit::TestServer;

/// Creates a client of the server.
fn client(server: &TestServer) -> Client {
    Client::new(&format!("http://{}", server.address), &server.key).unwrap()
}
