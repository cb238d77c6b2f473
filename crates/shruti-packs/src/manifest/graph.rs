//! `[graph]`: which parts a voice has, and what they need.

use serde::{Deserialize, Serialize};

use super::{ManifestError, check};

/// A pack's graph; `F` is what stands for a file: its name in a manifest, its content once it has been read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Graph<F = String> {
    /// VITS: symbols to latent frames, and those to sound.
    Vits(VitsGraph<F>),
    /// An acoustic model and a vocoder: symbols to features and durations, repeated features to mel, mel to sound.
    AcousticVocoder(AcousticVocoderGraph<F>),
    /// Symbols to sound in one run, which cannot be cut into chunks.
    Whole(WholeGraph<F>),
}

/// A VITS graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VitsGraph<F = String> {
    /// The files of its parts.
    pub files: VitsFiles<F>,
    /// Samples a second of what it renders, 8,000 to 48,000.
    pub rate: u32,
    /// Samples of a frame, 32 to 2,048.
    pub hop: usize,
    /// Frames on each side that the decoder needs to make a chunk as it makes the whole, 0 to 100.
    pub context: usize,
    /// What goes into its input `scales`.
    pub scales: Scales,
}

/// The files of a VITS graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VitsFiles<F = String> {
    /// From symbols to frames: run whole.
    pub front: F,
    /// From frames to sound: run in chunks.
    pub decoder: F,
}

/// What goes into a graph's input `scales`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    /// How much noise the frames get, 0.0 to 2.0.
    pub noise: f32,
    /// How long symbols are, 0.25 to 4.0.
    pub length: f32,
    /// How much noise the durations get, 0.0 to 2.0.
    pub duration_noise: f32,
}

/// An acoustic model in two parts, between which features are repeated, and a vocoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcousticVocoderGraph<F = String> {
    /// The files of its parts.
    pub files: AcousticVocoderFiles<F>,
    /// Samples a second of what it renders, 8,000 to 48,000.
    pub rate: u32,
    /// Samples of a frame of mel, 32 to 2,048.
    pub hop: usize,
    /// Frames on each side that the vocoder needs to make a chunk as it makes the whole, 0 to 100.
    pub context: usize,
    /// How long symbols are, 0.25 to 4.0.
    #[serde(default = "one")]
    pub length: f32,
    /// What mel is multiplied by before the vocoder, 0.1 to 10.0: from a logarithm to another base.
    #[serde(default = "one")]
    pub mel_scale: f32,
}

/// The files of an acoustic model and a vocoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcousticVocoderFiles<F = String> {
    /// From symbols to features and durations.
    pub encoder: F,
    /// From features, each repeated for its duration, to mel.
    pub mel_decoder: F,
    /// From mel to sound: run in chunks.
    pub vocoder: F,
}

/// A graph that runs whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeGraph<F = String> {
    /// Its files.
    pub files: WholeFiles<F>,
    /// Samples a second of what it renders, 8,000 to 48,000.
    pub rate: u32,
}

/// The files of a graph that runs whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeFiles<F = String> {
    /// From symbols to sound.
    pub whole: F,
    /// A table of styles for each speaker, by the voices' `speaker`: rows of little-endian floats, the first for
    /// utterances of one symbol. Empty where the graph has no input `style`.
    // not `default` alone, which would ask for a default of `F`
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<F>,
}

fn one() -> f32 {
    1.0
}

impl<F> Graph<F> {
    /// Samples a second of what it renders.
    pub fn rate(&self) -> u32 {
        match self {
            Self::Vits(graph) => graph.rate,
            Self::AcousticVocoder(graph) => graph.rate,
            Self::Whole(graph) => graph.rate,
        }
    }

    /// Samples of a frame, and frames of context on each side of a chunk; `None` where it runs whole.
    pub fn chunks(&self) -> Option<(usize, usize)> {
        match self {
            Self::Vits(graph) => Some((graph.hop, graph.context)),
            Self::AcousticVocoder(graph) => Some((graph.hop, graph.context)),
            Self::Whole(_) => None,
        }
    }

    /// Sets what [`chunks`](Self::chunks) gives; changes nothing where it runs whole.
    pub fn set_chunks(&mut self, hop: usize, context: usize) {
        match self {
            Self::Vits(graph) => (graph.hop, graph.context) = (hop, context),
            Self::AcousticVocoder(graph) => (graph.hop, graph.context) = (hop, context),
            Self::Whole(_) => {}
        }
    }

    /// Whether its voices are files of styles.
    pub fn has_styles(&self) -> bool {
        matches!(self, Self::Whole(graph) if !graph.files.styles.is_empty())
    }
}

impl Graph {
    /// The graph with what `read` gives for the name of each file.
    pub(crate) fn try_map<F, E>(&self, mut read: impl FnMut(&str) -> Result<F, E>) -> Result<Graph<F>, E> {
        Ok(match self {
            Self::Vits(VitsGraph { files, rate, hop, context, scales }) => Graph::Vits(VitsGraph {
                files: VitsFiles { front: read(&files.front)?, decoder: read(&files.decoder)? },
                rate: *rate,
                hop: *hop,
                context: *context,
                scales: *scales,
            }),
            Self::AcousticVocoder(AcousticVocoderGraph { files, rate, hop, context, length, mel_scale }) => {
                Graph::AcousticVocoder(AcousticVocoderGraph {
                    files: AcousticVocoderFiles {
                        encoder: read(&files.encoder)?,
                        mel_decoder: read(&files.mel_decoder)?,
                        vocoder: read(&files.vocoder)?,
                    },
                    rate: *rate,
                    hop: *hop,
                    context: *context,
                    length: *length,
                    mel_scale: *mel_scale,
                })
            }
            Self::Whole(WholeGraph { files, rate }) => Graph::Whole(WholeGraph {
                files: WholeFiles {
                    whole: read(&files.whole)?,
                    styles: files.styles.iter().map(|path| read(path)).collect::<Result<_, _>>()?,
                },
                rate: *rate,
            }),
        })
    }

    /// Its files, each behind the field that names it.
    pub fn files(&self) -> Vec<(String, &str)> {
        let named = |name: &str| format!("graph.files.{name}");
        match self {
            Self::Vits(VitsGraph { files, .. }) => {
                vec![(named("front"), &files.front), (named("decoder"), &files.decoder)]
            }
            Self::AcousticVocoder(AcousticVocoderGraph { files, .. }) => vec![
                (named("encoder"), &files.encoder),
                (named("mel_decoder"), &files.mel_decoder),
                (named("vocoder"), &files.vocoder),
            ],
            Self::Whole(WholeGraph { files, .. }) => {
                let styles = files.styles.iter().enumerate();
                let styles = styles.map(|(at, path)| (named(&format!("styles[{at}]")), path.as_str()));
                std::iter::once((named("whole"), files.whole.as_str())).chain(styles).collect()
            }
        }
    }

    /// Checks every field but the names of files.
    pub(super) fn validate(&self) -> Result<(), ManifestError> {
        check((8_000..=48_000).contains(&self.rate()), "graph.rate", self.rate(), "8,000 to 48,000")?;
        if let Some((hop, context)) = self.chunks() {
            check((32..=2_048).contains(&hop), "graph.hop", hop, "32 to 2,048")?;
            check(context <= 100, "graph.context", context, "0 to 100")?;
        }
        let between = |field: &str, value: f32, least: f32, most: f32, expected: &'static str| {
            check((least..=most).contains(&value), field, value, expected)
        };
        match self {
            Self::Vits(VitsGraph { scales, .. }) => {
                between("graph.scales.noise", scales.noise, 0.0, 2.0, "0.0 to 2.0")?;
                between("graph.scales.length", scales.length, 0.25, 4.0, "0.25 to 4.0")?;
                between("graph.scales.duration_noise", scales.duration_noise, 0.0, 2.0, "0.0 to 2.0")
            }
            Self::AcousticVocoder(graph) => {
                between("graph.length", graph.length, 0.25, 4.0, "0.25 to 4.0")?;
                between("graph.mel_scale", graph.mel_scale, 0.1, 10.0, "0.1 to 10.0")
            }
            Self::Whole(_) => Ok(()),
        }
    }
}
