//! Trained voices that an operator brings, as packs. This project ships no trained weights.
//!
//! A [`Pack`] is a folder with a [`Manifest`], `pack.toml`, and the files that it names. It comes from a folder
//! ([`install_folder`]) or an archive ([`install_tar`]).

mod manifest;
mod pack;

pub use manifest::{
    Commercial, FORMAT, Graph, GraphFiles, GraphKind, Input, InputKind, Licence, MANIFEST, MAX_BYTES,
    MAX_MANIFEST_BYTES, Manifest, ManifestError, PackFile, PackVoice, Pauses, Scales, Sex, SoundSettings,
    Unknown, is_pack_id,
};
pub use pack::{Pack, PackError, Staging, install_folder, install_tar, remove_staged};
