//! Text encoder: converts each symbol to a vector.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_simd::SimdOp;
use rten_tensor::NdTensorView;
use rten_vecmath::Softmax;

use crate::layers::{Block, Linear, Norm, Product, gelu};
use crate::weights::{Matrix, Weights, WeightsError};

const HEADS: usize = 2;

/// A network of two convolution blocks and one transformer layer that is applied repeatedly.
pub(crate) struct TextEncoder {
    symbols: Matrix,
    speakers: Matrix,
    blocks: Vec<Block<Linear>>,
    transformer: Transformer,
    norm: Norm,
    passes: usize,
}

impl TextEncoder {
    pub(crate) fn new(weights: &Weights, passes: usize) -> Result<Self, WeightsError> {
        let blocks = (0..2).map(|index| Block::new(&weights.child(&format!("convs.{index}")), 1));
        Ok(Self {
            symbols: weights.matrix("emb.weight")?,
            speakers: weights.matrix("speaker.weight")?,
            blocks: blocks.collect::<Result<_, _>>()?,
            transformer: Transformer::new(&weights.child("attn"))?,
            norm: Norm::new(&weights.child("norm"))?,
            passes,
        })
    }

    pub(crate) fn channels(&self) -> usize {
        self.symbols.columns
    }

    /// Returns one vector per symbol.
    pub(crate) fn encode(&self, symbols: &[u16], speaker: usize) -> Vec<f32> {
        let speaker = self.speakers.row(speaker);
        let embedded = symbols.iter().flat_map(|&symbol| {
            self.symbols.row(usize::from(symbol)).iter().zip(speaker).map(|(value, speaker)| value + speaker)
        });
        let mut vectors: Vec<f32> = embedded.collect();
        for block in &self.blocks {
            vectors = block.apply_whole(&vectors);
        }
        for _ in 0..self.passes {
            self.transformer.apply(&mut vectors);
        }
        self.norm.apply(&mut vectors);
        vectors
    }
}

/// A pre-norm transformer encoder layer (Vaswani et al. 2017, Xiong et al. 2020).
struct Transformer {
    attention_norm: Norm,
    attention_input: Linear,
    attention_output: Linear,
    norm: Norm,
    expand: Linear,
    contract: Linear,
}

impl Transformer {
    fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let attention = weights.child("self_attn");
        Ok(Self {
            attention_norm: Norm::new(&weights.child("norm1"))?,
            attention_input: Linear::of(&attention, "in_proj_weight", "in_proj_bias")?,
            attention_output: Linear::new(&attention.child("out_proj"))?,
            norm: Norm::new(&weights.child("norm2"))?,
            expand: Linear::new(&weights.child("linear1"))?,
            contract: Linear::new(&weights.child("linear2"))?,
        })
    }

    fn apply(&self, vectors: &mut [f32]) {
        let mut normed = vectors.to_vec();
        self.attention_norm.apply(&mut normed);
        let mixed = attend(&self.attention_input.apply(&normed), self.attention_output.inputs());
        add(vectors, &self.attention_output.apply(&mixed));
        normed.copy_from_slice(vectors);
        self.norm.apply(&mut normed);
        let mut hidden = self.expand.apply(&normed);
        gelu(&mut hidden);
        add(vectors, &self.contract.apply(&hidden));
    }
}

fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Returns the self-attention of a sequence. `projected` contains the query, key and value of each vector, with
/// `channels` values each.
fn attend(projected: &[f32], channels: usize) -> Vec<f32> {
    let gemm = GemmExecutor::<f32>::default();
    let count = projected.len() / (3 * channels);
    let width = channels / HEADS;
    let all = NdTensorView::from_data([count, 3 * channels], projected);
    let mut mixed = vec![0.0; count * channels];
    let (mut scores, mut values) = (vec![0.0; count * count], vec![0.0; count * width]);
    for head in 0..HEADS {
        let part = |which: usize| {
            let first = which * channels + head * width;
            all.slice((.., first..first + width))
        };
        let options = GemmOptions { alpha: (width as f32).sqrt().recip(), ..GemmOptions::default() };
        let (queries, keys) = (GemmInputA::Unpacked(part(0)), GemmInputB::Unpacked(part(1).transposed()));
        let result = gemm.gemm(&mut scores, queries, keys, options);
        debug_assert!(result.is_ok(), "{result:?}");
        for row in scores.chunks_exact_mut(count) {
            Softmax::new_mut(row).dispatch();
        }
        let scores = GemmInputA::Unpacked(NdTensorView::from_data([count, count], scores.as_slice()));
        let result = gemm.gemm(&mut values, scores, GemmInputB::Unpacked(part(2)), GemmOptions::default());
        debug_assert!(result.is_ok(), "{result:?}");
        for (mixed, values) in mixed.chunks_exact_mut(channels).zip(values.chunks_exact(width)) {
            mixed[head * width..][..width].copy_from_slice(values);
        }
    }
    mixed
}
