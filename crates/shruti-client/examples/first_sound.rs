//! Measures the time from sending a text to receiving the first audible sample, with a bare socket and with this
//! client. The two measurements alternate, so that other load on the machine affects both. Prints the median and the
//! 95th percentile of each, and the overhead of the client.
//!
//! usage: `cargo run --release -p shruti-client --example first_sound -- http://127.0.0.1:8080 sk_... [ROUNDS]`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed measurement ends the program"
)]

use std::env::args;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use shruti_audio::has_audible;
use shruti_client::{Client, Conversation, Event};

const TEXT: &str = "ठीक है, मैं अभी आपका order देखती हूँ।";
const PAUSE: Duration = Duration::from_millis(20);

/// Minimal WebSocket client (a subset of RFC 6455) on a blocking socket.
struct BareSocket {
    socket: TcpStream,
    received: Vec<u8>,
}

impl BareSocket {
    fn open(host: &str, key: &str) -> Self {
        let mut socket = TcpStream::connect(host).unwrap();
        socket.set_nodelay(true).unwrap();
        write!(
            socket,
            "GET /v1/tts/stream HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\
             Authorization: Bearer {key}\r\n\r\n"
        )
        .unwrap();
        let mut bare = Self { socket, received: Vec::new() };
        let end = loop {
            if let Some(at) = bare.received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            bare.receive();
        };
        assert!(bare.received.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&bare.received));
        bare.received.drain(..end);
        bare.frame();
        bare
    }

    fn receive(&mut self) {
        let mut bytes = [0; 8_192];
        let size = self.socket.read(&mut bytes).unwrap();
        assert!(size > 0, "the connection ended");
        self.received.extend_from_slice(&bytes[..size]);
    }

    fn say(&mut self, message: &str) {
        let size = u16::try_from(message.len()).unwrap();
        // the masking key is all zeros
        let mut frame = vec![0x81];
        if size < 126 {
            frame.push(0x80 | size as u8);
        } else {
            frame.push(0xfe);
            frame.extend(size.to_be_bytes());
        }
        frame.extend([0; 4]);
        frame.extend(message.as_bytes());
        self.socket.write_all(&frame).unwrap();
    }

    fn take(&mut self, size: usize) -> Vec<u8> {
        while self.received.len() < size {
            self.receive();
        }
        self.received.drain(..size).collect()
    }

    /// Returns whether the next data frame contains audio (a binary frame), and the payload of the frame.
    fn frame(&mut self) -> (bool, Vec<u8>) {
        loop {
            let head = self.take(2);
            let size = match head[1] {
                126 => u16::from_be_bytes(self.take(2).try_into().unwrap()).into(),
                127 => u64::from_be_bytes(self.take(8).try_into().unwrap()) as usize,
                size => size.into(),
            };
            let data = self.take(size);
            if matches!(head[0] & 0xf, 1 | 2) {
                return (head[0] & 0xf == 2, data);
            }
        }
    }

    fn round(&mut self, number: usize) -> Duration {
        let begun = Instant::now();
        self.say(&format!(r#"{{"text":"{TEXT}","turn_id":"r{number}","final":true}}"#));
        let mut took = None;
        loop {
            let (is_sound, data) = self.frame();
            if is_sound && took.is_none() && has_audible(&data) {
                took = Some(begun.elapsed());
                self.say(r#"{"type":"cancel","id":"c"}"#);
            } else if !is_sound && data.windows(14).any(|bytes| bytes == b"turn.cancelled") {
                return took.expect("nothing was audible");
            }
        }
    }
}

async fn client_round(conversation: &mut Conversation) -> Duration {
    let begun = Instant::now();
    conversation.say(TEXT).await.unwrap();
    while let Some(event) = conversation.next().await {
        if let Event::Audio { samples, .. } = event.unwrap()
            && has_audible(&samples)
        {
            let took = begun.elapsed();
            conversation.barge_in(None).await.unwrap();
            return took;
        }
    }
    panic!("the conversation ended");
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = args().skip(1).collect();
    let [url, key, rounds @ ..] = arguments.as_slice() else { panic!("usage: first_sound URL KEY [ROUNDS]") };
    let rounds = rounds.first().map_or(200, |rounds| rounds.parse().unwrap());
    let mut bare = BareSocket::open(url.trim_start_matches("http://"), key);
    let mut conversation = Client::new(url, key).unwrap().converse().await.unwrap();
    let mut times = [("bare socket", Vec::new()), ("Conversation", Vec::new())];
    for number in 0..rounds {
        times[0].1.push(bare.round(number));
        tokio::time::sleep(PAUSE).await;
        times[1].1.push(client_round(&mut conversation).await);
        tokio::time::sleep(PAUSE).await;
    }
    let mut base = None;
    for (way, mut all) in times {
        all.sort();
        let [median, late] = [all.len() / 2, all.len() * 95 / 100].map(|at| all[at].as_secs_f64() * 1e3);
        let added = median - *base.get_or_insert(median);
        println!(
            "{way:12} first audible sample after p50 {median:6.2} ms, p95 {late:6.2} ms; {added:+.2} ms"
        );
    }
}
