//! Compares the graphs written by `train/export` with their `PyTorch` originals:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example exported -- OUT
//! ```
//!
//! `OUT` is the folder written by `train/export/check.py`. Each graph runs on the inputs that `PyTorch` received, and
//! its outputs are compared with those of `PyTorch`. Then the folder is imported, and the samples decoded in chunks are
//! compared with those decoded in one run.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use rten::{ModelOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use shruti_neural::{Chunks, Settings, Synthesiser, import_folder};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let out = std::env::args().nth(1).ok_or("which folder of check.py?")?;
    let (pack, reference) = (Path::new(&out).join("pack"), Path::new(&out).join("reference"));
    let floats = |name: &str| -> Outcome<Vec<f32>> {
        let bytes = std::fs::read(reference.join(format!("{name}.f32")))?;
        Ok(bytes
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect())
    };
    let ids: Vec<i32> = floats("input")?.iter().map(|&id| id as i32).collect();
    let symbols = ids.len();
    let ids = Value::from(NdTensor::from_data([1, symbols], ids));
    let pitch = Value::from(NdTensor::from_data([1], floats("pitch")?));
    compare(&pack, "encoder", vec![ids, pitch], &["features", "durations"], &floats)?;
    let stretched = floats("stretched")?;
    let channels = floats("features")?.len() / symbols;
    let frames = stretched.len() / channels;
    let stretched = Value::from(NdTensor::from_data([1, frames, channels], stretched));
    compare(&pack, "mel_decoder", vec![stretched], &["mel"], &floats)?;
    let (scale, mut mel) = (floats("mel_scale")?[0], floats("mel")?);
    for value in &mut mel {
        *value *= scale;
    }
    let mel = Value::from(NdTensor::from_data([1, mel.len() / frames, frames], mel));
    compare(&pack, "vocoder", vec![mel], &["samples"], &floats)?;
    chunks(&pack)
}

/// Runs a graph and prints the maximum difference between its outputs and those of `PyTorch`.
fn compare(
    pack: &Path,
    graph: &str,
    inputs: Vec<Value>,
    outputs: &[&str],
    floats: &dyn Fn(&str) -> Outcome<Vec<f32>>,
) -> Outcome<()> {
    let model = ModelOptions::with_all_ops().load_file(pack.join(format!("{graph}.onnx")))?;
    let inputs = inputs.into_iter().map(ValueOrView::from);
    let inputs = model.input_ids().iter().copied().zip(inputs).collect();
    let results = model.run(inputs, model.output_ids(), None)?;
    for (value, output) in results.into_iter().zip(outputs) {
        let value: Tensor<f32> = value.into_tensor().ok_or("an output is not a tensor of floats")?;
        let (value, wanted) = (value.to_vec(), floats(output)?);
        let off = value.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let most = wanted.iter().fold(0.0, |most: f32, value| most.max(value.abs()));
        assert_eq!(value.len(), wanted.len(), "{output}");
        println!("{output}: {} values, off by {off:.2e} where they reach {most:.2}", value.len());
    }
    Ok(())
}

/// Imports the folder, and compares the samples decoded in chunks with those decoded in one run.
fn chunks(folder: &Path) -> Outcome<()> {
    let packs = tempfile::tempdir()?;
    let began = Instant::now();
    let pack = import_folder(packs.path(), folder)?;
    let manifest = pack.manifest();
    println!(
        "import: {:.1} s, (hop, context) {:?}, gain {} dB",
        began.elapsed().as_secs_f64(),
        manifest.graph.chunks().unwrap_or_default(),
        manifest.sound.gain_db
    );
    let synthesiser = Synthesiser::load(&pack, 4)?;
    let text = ["the same samples in chunks"; 2].join(" ");
    let words = text.split(' ').map(|word| word.chars().map(String::from).collect::<Vec<_>>());
    let sequence = synthesiser.symbols().sequence(words)?;
    let spoken = |chunks: Chunks| -> Outcome<Vec<i16>> {
        let mut prepared = synthesiser.prepare(&sequence, &Settings { chunks, ..Settings::default() })?;
        let mut samples = Vec::new();
        while let Some(block) = synthesiser.next(&mut prepared.passage)? {
            samples.extend(block);
        }
        Ok(samples)
    };
    let expected = spoken(Chunks::whole())?;
    for (name, chunks) in [
        ("25", Chunks::of(25)),
        ("40", Chunks::of(40)),
        ("100", Chunks::of(100)),
        ("growing", Chunks::default()),
    ] {
        let other = spoken(chunks)?.iter().zip(&expected).filter(|(a, b)| a != b).count();
        println!(
            "chunks of {name}: {other} of {} samples differ from those of the complete run",
            expected.len()
        );
    }
    Ok(())
}
