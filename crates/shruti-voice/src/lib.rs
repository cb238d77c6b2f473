//! Phones to 24 kHz samples: the embedded parametric voice.
