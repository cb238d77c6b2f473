//! Client library for the service: clips over HTTP, conversations over WebSocket.
//!
//! ```no_run
//! use shruti_client::{Client, Event};
//! use shruti_protocol::SynthesisRequest;
//!
//! # async fn run() -> Result<(), shruti_client::Error> {
//! let client = Client::new("http://127.0.0.1:8080", "sk_…")?;
//!
//! // a clip: samples arrive as they are synthesised
//! let mut clip = client.speak(&SynthesisRequest::new("नमस्ते!")).await?;
//! while let Some(samples) = clip.next().await {
//!     let samples: bytes::Bytes = samples?; // 24 kHz, 16-bit little-endian, mono
//! }
//!
//! // a conversation: text is sent as it is generated, and the speech is interrupted when the user speaks
//! let mut conversation = client.converse().await?;
//! let turn = conversation.begin("आपका order ").await?;
//! conversation.append(&turn, "कल पहुँचेगा।").await?;
//! conversation.end(&turn).await?;
//! while let Some(event) = conversation.next().await {
//!     match event? {
//!         Event::Audio { samples, .. } => { /* play them */ }
//!         Event::Words(words) => { /* highlight them */ }
//!         Event::Done(_) => break,
//!         _ => {}
//!     }
//!     # let the_user_speaks = false;
//!     if the_user_speaks {
//!         // no sound of the turn follows this call
//!         let cancelled = conversation.barge_in(None).await?;
//!         println!("heard: {}", cancelled.heard.text);
//!         break;
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Connections
//!
//! A [`Client`] keeps its HTTP connections open and shares them between clips. A [`Conversation`] owns one WebSocket.
//! If the connection is lost between turns, the client reopens it, with increasing delays between attempts, and
//! sends the settings again. If it is lost during a turn, that turn first ends with [`Event::Lost`], because text
//! that the server had not received is lost.
//!
//! A [`LongText`] speaks a text of any length in turns, and resumes at the same position after a connection loss.
//!
//! # Threads
//!
//! Everything runs on the caller's tokio runtime. The futures are cancel safe: dropping one loses no events or
//! samples.

mod client;
mod clip;
mod connection;
mod conversation;
mod endpoint;
mod error;
mod event;
mod long_text;
mod server;
mod socket;
mod tls;
mod turn_cutter;
mod turns;
mod wire;

pub use client::{Client, ClientBuilder};
pub use clip::Clip;
pub use conversation::Conversation;
pub use error::Error;
pub use event::{Cancelled, Done, Event, Failed, Lost, Words};
pub use long_text::{LongText, Spoken, language_of_the_rest};
pub use tls::machine_trust;
pub use turn_cutter::{Cut, TurnCutter};
pub use wire::{Frame, Prepared, Wire};
