//! End-to-end tests with real sockets, a real store and the embedded voices.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod account_lexicon;
mod audio;
mod clarity;
mod clips;
mod cluster;
mod compat;
mod connections;
mod disk;
mod documents;
mod edges;
mod errors;
mod faults;
mod formats;
mod friendly;
mod heads;
mod hostile;
mod hosts;
mod lexicon;
mod limits;
mod load;
mod mailer;
mod metering;
mod metrics;
mod moving;
mod openapi;
mod pages;
mod remote;
mod revocations;
mod ssml;
mod stream;
mod streaming;
mod studio;
mod timed;
mod tls;
mod tokens;
mod traces;
mod unfinished;
mod voice_engine;
mod voices;
mod wyoming;

/// Returns a text of exactly `chars` characters that consists of sentences.
fn long_text(chars: usize) -> String {
    "नमस्ते, आप कैसे हैं? यह एक लंबा वाक्य है। ".chars().cycle().take(chars - 1).chain(['क']).collect()
}

/// A sentence in each language.
const SENTENCES: [(&str, &str); 15] = [
    ("hi", "नमस्ते, आप कैसे हैं? आज 25 तारीख है।"),
    ("bn", "নমস্কার, আপনি কেমন আছেন?"),
    ("ta", "வணக்கம், நீங்கள் எப்படி இருக்கிறீர்கள்?"),
    ("te", "నమస్కారం, మీరు ఎలా ఉన్నారు?"),
    ("gu", "નમસ્તે, તમે કેમ છો?"),
    ("kn", "ನಮಸ್ಕಾರ, ನೀವು ಹೇಗಿದ್ದೀರಿ?"),
    ("ml", "നമസ്കാരം, സുഖമാണോ?"),
    ("mr", "नमस्कार, तुम्ही कसे आहात?"),
    ("pa", "ਸਤ ਸ੍ਰੀ ਅਕਾਲ, ਤੁਸੀਂ ਕਿਵੇਂ ਹੋ?"),
    ("or", "ନମସ୍କାର, ଆପଣ କେମିତି ଅଛନ୍ତି?"),
    ("en", "Hello, how are you? The meeting is at 3 PM."),
    ("ne", "तपाईंलाई कस्तो छ?"),
    ("as", "নমস্কাৰ, আপুনি কেনে আছে?"),
    ("kok", "तुमी कशे आसात?"),
    ("ur", "سلام، آپ کیسے ہیں؟"),
];
