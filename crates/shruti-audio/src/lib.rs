//! Forms in which samples are kept and sent: today WAV, for answers that are streamed and for files.

pub mod wav;
