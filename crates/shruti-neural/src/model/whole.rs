//! A single graph from symbols to samples, like that of Kokoro. The graph normalises over the whole utterance and
//! cannot run in chunks.
//!
//! Each voice is defined by a style table. An utterance uses the row for its number of symbols.

use rten::{Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use shruti_packs::{FileContent, PackVoice, WholeFiles, WholeGraph};

use super::acoustics::{Abilities, Acoustics, Model, ModelInput, Source};
use super::vits::NOISE;
use crate::load_error::LoadError;
use crate::noise::noise;
use crate::session::{GraphError, Session};
use crate::threads::Threads;

/// Names that published exports use for the symbol input.
const SYMBOL_INPUTS: [&str; 2] = ["input_ids", "tokens"];
/// Name of the input for a row of the style table.
pub(crate) const STYLE: &str = "style";
/// Name of the input for the speaking rate; 1.0 is the voice's own rate.
const SPEED: &str = "speed";
/// Maximum duration of an utterance, in seconds.
const MAX_SECONDS: usize = 120;
/// Nominal number of frames per second for the division of finished samples into chunks: about that of Piper's medium
/// voices.
const FRAMES_A_SECOND: u32 = 86;

#[derive(Debug)]
pub(super) struct Whole {
    session: Session,
    inputs: Vec<WholeInput>,
    styles: Vec<Styles>,
    has_durations: bool,
    rate: u32,
}

/// Kind of an input of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WholeInput {
    Symbols,
    Style,
    Speed,
    Noise(usize),
}

/// Style table of a speaker.
#[derive(Debug)]
pub(crate) struct Styles {
    rows: Vec<Vec<f32>>,
}

impl Whole {
    pub(super) fn load(
        graph: WholeGraph<FileContent>,
        voices: &[PackVoice],
        threads: &Threads,
    ) -> Result<Self, LoadError> {
        let WholeGraph { files: WholeFiles { whole, styles: tables }, rate } = graph;
        let session = Session::load("whole", whole.bytes, threads)?;
        let inputs = whole_inputs(&session)?;
        let wants_styles = inputs.contains(&WholeInput::Style);
        if wants_styles == tables.is_empty() {
            let (has, names) = if wants_styles { ("has", "no file") } else { ("has no", "files") };
            return Err(LoadError::Mismatch(format!(
                "the graph {has} input `{STYLE}`, but pack.toml names {names} in `graph.files.styles`"
            )));
        }
        let mut styles = Vec::new();
        for table in &tables {
            let width = session.input_width(STYLE)?;
            styles.push(Styles::parse(&table.path, &table.bytes, width)?);
        }
        let speakers = voices.iter().filter_map(|voice| voice.speaker);
        if let Some(speaker) = speakers.max().filter(|&speaker| speaker as usize >= styles.len()) {
            let count = styles.len();
            return Err(LoadError::Mismatch(format!(
                "pack.toml has a voice with `speaker` {speaker}, but only {count} files in `graph.files.styles`"
            )));
        }
        let has_durations = session.outputs().len() > 1;
        Ok(Self { session, inputs, styles, has_durations, rate })
    }
}

impl Model for Whole {
    fn abilities(&self) -> Abilities {
        Abilities { speakers: self.styles.len() > 1, pitch: false, durations: self.has_durations }
    }

    fn prepare(&self, input: &ModelInput<'_>) -> Result<Acoustics, GraphError> {
        let ids = &input.sequence.ids;
        let style = self.styles.get(input.speaker.unwrap_or(0) as usize);
        let value = |kind: &WholeInput| -> ValueOrView<'_> {
            match kind {
                WholeInput::Symbols => Value::from(NdTensor::from_data([1, ids.len()], ids.clone())).into(),
                WholeInput::Style => {
                    let row = style.map_or(&[][..], |style| style.row(input.sequence.symbols));
                    NdTensorView::from_data([1, row.len()], row).into()
                }
                WholeInput::Speed => Value::from(NdTensor::from_data([1], vec![input.speed])).into(),
                WholeInput::Noise(number) => {
                    let table = noise(input.seed, *number);
                    NdTensorView::from_data([table.len()], table).into()
                }
            }
        };
        let mut outputs = self.session.run(self.inputs.iter().map(value).collect())?.into_iter();
        let samples = self.session.floats(outputs.next(), "samples")?.into_data();
        let most = MAX_SECONDS * self.rate as usize;
        if samples.is_empty() || samples.len() > most {
            let found = format!("{} samples", samples.len());
            return Err(self.session.wrong("samples", found, &format!("1 to {most} samples")));
        }
        let mut durations = Vec::new();
        if self.has_durations {
            let floats = self.session.floats(outputs.next(), "durations")?;
            if floats.len() != ids.len() {
                let found = format!("{} durations", floats.len());
                return Err(self.session.wrong(
                    "durations",
                    found,
                    &format!("one for each of {} symbols", ids.len()),
                ));
            }
            durations = floats.iter().map(|&duration| duration.max(0.0) as usize).collect();
        }
        let frame = (self.rate / FRAMES_A_SECOND) as usize;
        Ok(Acoustics { durations, source: Source::Samples { samples, frame } })
    }
}

impl Styles {
    /// Parses a style table: rows of `width` little-endian floats, where the first row is for utterances of one symbol.
    /// Errors contain `path`.
    pub(crate) fn parse(path: &str, bytes: &[u8], width: usize) -> Result<Self, LoadError> {
        let floats: Vec<f32> = bytes
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        let wrong = |reason: String| Err(LoadError::Mismatch(format!("{path}: {reason}")));
        if floats.is_empty() || !bytes.len().is_multiple_of(4 * width) {
            return wrong(format!("{} bytes; it must have one or more rows of {width} floats", bytes.len()));
        }
        if let Some(at) = floats.iter().position(|value| !value.is_finite()) {
            return wrong(format!("{} at {at}; it must be finite", floats[at]));
        }
        Ok(Self { rows: floats.chunks_exact(width).map(<[f32]>::to_vec).collect() })
    }

    /// Returns the row for a number of symbols, or the last row if there are more symbols than rows.
    fn row(&self, symbols: usize) -> &[f32] {
        &self.rows[symbols.clamp(1, self.rows.len()) - 1]
    }
}

fn whole_inputs(session: &Session) -> Result<Vec<WholeInput>, GraphError> {
    let names = session.inputs();
    let kind = |name: &String| match name.as_str() {
        name if SYMBOL_INPUTS.contains(&name) => Some(WholeInput::Symbols),
        STYLE => Some(WholeInput::Style),
        SPEED => Some(WholeInput::Speed),
        name => name.strip_prefix(NOISE)?.parse().ok().map(WholeInput::Noise),
    };
    let kinds: Option<Vec<WholeInput>> = names.iter().map(kind).collect();
    let is_whole =
        |kinds: &Vec<WholeInput>| kinds.contains(&WholeInput::Symbols) && kinds.contains(&WholeInput::Speed);
    kinds.filter(is_whole).ok_or_else(|| {
        session.interface(format!(
            "its inputs are {names:?}; it must have {:?} and {SPEED:?}, and may have {STYLE:?}",
            SYMBOL_INPUTS[0]
        ))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_style_row_is_selected_by_the_number_of_symbols() {
        let bytes: Vec<u8> =
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
        let styles = Styles::parse("styles.bin", &bytes, 2).unwrap();
        for (symbols, row) in [(0, [1.0, 2.0]), (1, [1.0, 2.0]), (3, [5.0, 6.0]), (9, [5.0, 6.0])] {
            assert_eq!(styles.row(symbols), row, "{symbols} symbols");
        }
        for (bytes, width) in [(&bytes[..], 4), (&bytes[..7], 2), (&[], 2), (&f32::NAN.to_le_bytes(), 1)] {
            let error =
                Styles::parse("styles.bin", bytes, width).map(|_| ()).expect_err("no table").to_string();
            assert!(error.starts_with("styles.bin: "), "{error}");
        }
    }
}
