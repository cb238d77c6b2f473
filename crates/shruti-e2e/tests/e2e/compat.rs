//! Tests of the APIs that are compatible with other services, as the clients of these services use them.

pub(crate) mod cartesia_http;
mod cartesia_socket;
mod deepgram;
mod elevenlabs_first_message;
mod elevenlabs_hostile;
mod elevenlabs_http;
mod elevenlabs_socket;
mod hostile;
pub(crate) mod json_socket;
mod openai;
mod sarvam;
mod sarvam_socket;
mod sign_in;
mod telephony;
mod usage;
