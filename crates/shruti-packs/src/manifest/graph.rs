//! `[graph]`: the parts of a voice model and their parameters.

use serde::{Deserialize, Serialize};

use super::{ManifestError, check};

/// Graph of a pack. `F` represents a file: its name in a manifest, or its content after it has been read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Graph<F = String> {
    /// VITS: symbols to latent frames, and latent frames to samples.
    Vits(VitsGraph<F>),
    /// An acoustic model and a vocoder: symbols to features and durations, repeated features to a mel spectrogram, and
    /// the mel spectrogram to samples.
    AcousticVocoder(AcousticVocoderGraph<F>),
    /// A single graph: symbols to samples in one run. The run cannot be split into chunks.
    Whole(WholeGraph<F>),
}

/// A VITS graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VitsGraph<F = String> {
    /// Files of the parts.
    pub files: VitsFiles<F>,
    /// Output sample rate in Hz, 8,000 to 48,000.
    pub rate: u32,
    /// Samples per frame, 32 to 2,048.
    pub hop: usize,
    /// Number of context frames, 0 to 100, that the decoder needs on each side of a chunk to produce the same samples
    /// as in a single run.
    pub context: usize,
    /// Values of the input `scales`.
    pub scales: Scales,
}

/// Files of a VITS graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VitsFiles<F = String> {
    /// Graph from symbols to frames, which runs as a whole.
    pub front: F,
    /// Graph from frames to samples, which runs in chunks.
    pub decoder: F,
}

/// Values of a graph's input `scales`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    /// Amount of noise in the frames, 0.0 to 2.0.
    pub noise: f32,
    /// Scale factor for the durations of symbols, 0.25 to 4.0.
    pub length: f32,
    /// Amount of noise in the durations, 0.0 to 2.0.
    pub duration_noise: f32,
}

/// A two-part acoustic model with length regulation between the parts, followed by a vocoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcousticVocoderGraph<F = String> {
    /// Files of the parts.
    pub files: AcousticVocoderFiles<F>,
    /// Output sample rate in Hz, 8,000 to 48,000.
    pub rate: u32,
    /// Samples per frame of the mel spectrogram, 32 to 2,048.
    pub hop: usize,
    /// Number of context frames, 0 to 100, that the vocoder needs on each side of a chunk to produce the same samples
    /// as in a single run.
    pub context: usize,
    /// Scale factor for the durations of symbols, 0.25 to 4.0.
    #[serde(default = "one")]
    pub length: f32,
    /// Scale factor for the input of the vocoder, 0.1 to 10.0, which converts a mel spectrogram between logarithm
    /// bases.
    #[serde(default = "one")]
    pub mel_scale: f32,
}

/// Files of an acoustic model and a vocoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcousticVocoderFiles<F = String> {
    /// Graph from symbols to features and durations.
    pub encoder: F,
    /// Graph from features, each repeated according to its duration, to a mel spectrogram.
    pub mel_decoder: F,
    /// Graph from a mel spectrogram to samples, which runs in chunks.
    pub vocoder: F,
}

/// A graph that runs as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeGraph<F = String> {
    /// Files of the graph.
    pub files: WholeFiles<F>,
    /// Output sample rate in Hz, 8,000 to 48,000.
    pub rate: u32,
}

/// Files of a graph that runs as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeFiles<F = String> {
    /// Graph from symbols to samples.
    pub whole: F,
    /// Style table of each speaker, indexed by the voices' `speaker`: rows of little-endian floats, where the first row
    /// is for utterances of one symbol. Empty if the graph has no input `style`.
    // `default` without a function would require `F: Default`
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<F>,
}

fn one() -> f32 {
    1.0
}

impl<F> Graph<F> {
    /// Returns the output sample rate, in Hz.
    pub fn rate(&self) -> u32 {
        match self {
            Self::Vits(graph) => graph.rate,
            Self::AcousticVocoder(graph) => graph.rate,
            Self::Whole(graph) => graph.rate,
        }
    }

    /// Returns the samples per frame and the context frames on each side of a chunk, or `None` if the graph runs as a
    /// whole.
    pub fn chunks(&self) -> Option<(usize, usize)> {
        match self {
            Self::Vits(graph) => Some((graph.hop, graph.context)),
            Self::AcousticVocoder(graph) => Some((graph.hop, graph.context)),
            Self::Whole(_) => None,
        }
    }

    /// Sets the values that [`chunks`](Self::chunks) returns. Has no effect if the graph runs as a whole.
    pub fn set_chunks(&mut self, hop: usize, context: usize) {
        match self {
            Self::Vits(graph) => (graph.hop, graph.context) = (hop, context),
            Self::AcousticVocoder(graph) => (graph.hop, graph.context) = (hop, context),
            Self::Whole(_) => {}
        }
    }

    /// Returns whether the voices are defined by style tables.
    pub fn has_styles(&self) -> bool {
        matches!(self, Self::Whole(graph) if !graph.files.styles.is_empty())
    }
}

impl Graph {
    /// Returns the graph with the name of each file replaced by the result of `read`.
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

    /// Returns the field and the file name of each file.
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

    /// Checks every field except the names of files.
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
