//! Voice packs that an operator installs: the manifest, the files of a pack, the installation in a server's folder of
//! packs, and the catalogue of packs that can be pulled.
//!
//! A [`Pack`] is a folder with a [`Manifest`], `pack.toml`, and the files that the manifest names. A pack is installed
//! from a folder ([`install_folder`]) or an archive ([`install_tar`]), or written with a [`Staging`]. A pack whose
//! voices run on another server consists of a [`RemoteManifest`] and, optionally, a licence text.
//!
//! This crate neither runs graphs nor makes requests.
//!
//! # Security
//!
//! A pack may come from an untrusted source. Names, lengths and checksums are checked before anything is used, and
//! files are written only inside the pack's own folder.

mod catalogue;
mod hidden;
mod manifest;
mod pack;

pub use catalogue::{
    Catalogue, CatalogueEntry, CatalogueError, CatalogueForm, MAX_CATALOGUE_BYTES, RemoteFile,
};
pub use hidden::is_hidden;
pub use manifest::{
    AcousticVocoderFiles, AcousticVocoderGraph, Commercial, FORMAT, Graph, Input, InputKind, Licence,
    MANIFEST, MAX_BYTES, MAX_MANIFEST_BYTES, Manifest, ManifestError, PackFile, PackVoice, Pauses, Remote,
    RemoteManifest, RemoteProtocol, RemoteText, Scales, Sex, SoundSettings, Unknown, VitsFiles, VitsGraph,
    WholeFiles, WholeGraph, is_pack_id,
};
pub use pack::{
    FileContent, Installation, Installed, InstalledRemote, Pack, PackError, PackFiles, Staging,
    install_folder, install_tar, installed, installed_remotes, name_clash, read_manifest, read_plain,
    remove_leftovers, remove_pack, remove_staged,
};
