//! Access to the files of `data/<code>/`: embedded in the binary, or, with the feature `external-data`, loaded at run
//! time.
//!
//! [`text!`] and [`bytes!`] return a file by its path below `data/`, written in parts as for `concat!`. A file that was
//! not loaded is empty.

#[cfg(not(feature = "external-data"))]
macro_rules! bytes {
    ($($part:literal),+) => {
        &include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($part),+))[..]
    };
}
#[cfg(feature = "external-data")]
macro_rules! bytes {
    ($($part:literal),+) => { shruti_lang::external::bytes(concat!("text/", $($part),+)) };
}

#[cfg(not(feature = "external-data"))]
macro_rules! text {
    ($($part:literal),+) => { include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($part),+)) };
}
#[cfg(feature = "external-data")]
macro_rules! text {
    ($($part:literal),+) => { shruti_lang::external::text(concat!("text/", $($part),+)) };
}

pub(crate) use {bytes, text};
