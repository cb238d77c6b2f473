//! Layers of both networks. A sequence of `n` frames with `c` channels is a slice of `n · c` values, frame by frame.

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::NdTensorView;
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Sum, SumSquareSub};

use crate::weights::{Weights, WeightsError};

const NORM_EPSILON: f32 = 1e-5;

thread_local! {
    static GEMM: GemmExecutor = GemmExecutor::default();
    static INTEGER_GEMM: GemmExecutor<u8, i8, i32> = GemmExecutor::default();
}

/// A matrix product plus a bias, applied to each frame.
pub(crate) trait Product: Sized {
    /// Reads `weight` with the shape (outputs, inputs) and `bias` with one value per output.
    fn new(weights: &Weights) -> Result<Self, WeightsError>;

    /// Returns the outputs of the layer for each frame.
    fn apply(&self, frames: &[f32]) -> Vec<f32>;
}

/// Floating-point product.
pub(crate) struct Linear {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    pub(crate) fn of(weights: &Weights, weight: &str, bias: &str) -> Result<Self, WeightsError> {
        let (matrix, bias) = (weights.matrix(weight)?, weights.vector(bias)?);
        let view = NdTensorView::from_data([matrix.rows, matrix.columns], matrix.values.as_slice());
        let weights = GEMM.with(|gemm| gemm.prepack_b(view.transposed()));
        Ok(Self { weights, bias, inputs: matrix.columns })
    }

    pub(crate) fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }
}

impl Product for Linear {
    fn new(weights: &Weights) -> Result<Self, WeightsError> {
        Self::of(weights, "weight", "bias")
    }

    fn apply(&self, frames: &[f32]) -> Vec<f32> {
        let count = frames.len() / self.inputs;
        let mut output = vec![0.0; count * self.outputs()];
        let input = GemmInputA::Unpacked(NdTensorView::from_data([count, self.inputs], frames));
        let options = GemmOptions { bias: Some(BiasVector::Row(&self.bias)), ..GemmOptions::default() };
        let weights = GemmInputB::Packed(&self.weights);
        let result = GEMM.with(|gemm| gemm.gemm(&mut output, input, weights, options));
        debug_assert!(result.is_ok(), "{result:?}");
        output
    }
}

/// Product of 8-bit integers. The inputs are quantised with a scale per frame, the weights with a scale per output.
/// This product is faster than [`Linear`] and needs a quarter of the memory, with errors of about 0.3 %.
pub(crate) struct IntegerLinear {
    weights: PackedBMatrix<i8>,
    /// Sum of the weights per output. The sum, multiplied by the input's zero point, is subtracted from the product
    /// here, because rten-gemm 0.27 computes wrong products of packed matrices if the zero point is passed to it.
    sums: Vec<i32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    /// Maximum quantised input. With inputs above 127, the sum of two products can overflow 16 bits on processors
    /// without VNNI.
    most: u8,
}

#[cfg(test)]
impl IntegerLinear {
    /// Returns the maximum quantised input, which depends on the processor.
    pub(crate) fn levels(&self) -> u8 {
        self.most
    }
}

impl Product for IntegerLinear {
    fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let (matrix, bias) = (weights.scaled_matrix("weight")?, weights.vector("bias")?);
        let view = NdTensorView::from_data([matrix.rows, matrix.columns], matrix.values.as_slice());
        INTEGER_GEMM.with(|gemm| {
            let weights = gemm.prepack_b(view.transposed());
            let most = if gemm.may_saturate() { 127 } else { 255 };
            let rows = matrix.values.chunks_exact(matrix.columns.max(1));
            let sums = rows.map(|row| row.iter().map(|&weight| i32::from(weight)).sum()).collect();
            Ok(Self { weights, sums, scales: matrix.scales, bias, inputs: matrix.columns, most })
        })
    }

    fn apply(&self, frames: &[f32]) -> Vec<f32> {
        let (count, outputs) = (frames.len() / self.inputs, self.bias.len());
        let mut integers = Vec::with_capacity(frames.len());
        let mut frame_scales = Vec::with_capacity(count);
        for frame in frames.chunks_exact(self.inputs) {
            let (lowest, highest) =
                frame.iter().fold((0f32, 0f32), |(low, high), &value| (low.min(value), high.max(value)));
            let scale = ((highest - lowest) / f32::from(self.most)).max(f32::MIN_POSITIVE);
            let zero = (-lowest / scale).round();
            integers.extend(frame.iter().map(|value| (value / scale + (zero + 0.5)) as u8));
            frame_scales.push((scale, zero as i32));
        }
        let mut products = vec![0; count * outputs];
        let input = GemmInputA::Unpacked(NdTensorView::from_data([count, self.inputs], integers.as_slice()));
        let weights = GemmInputB::Packed(&self.weights);
        let result =
            INTEGER_GEMM.with(|gemm| gemm.gemm(&mut products, input, weights, GemmOptions::default()));
        debug_assert!(result.is_ok(), "{result:?}");
        let mut output = Vec::with_capacity(products.len());
        for (products, (frame_scale, zero)) in products.chunks_exact(outputs).zip(frame_scales) {
            let of_output = self.sums.iter().zip(&self.scales).zip(&self.bias);
            output.extend(products.iter().zip(of_output).map(|(product, ((sum, scale), bias))| {
                (product - zero * sum) as f32 * (scale * frame_scale) + bias
            }));
        }
        output
    }
}

/// A convolution over frames with all channels, computed as one matrix product over windows of frames.
pub(crate) struct Convolution {
    windows: Linear,
    channels: usize,
    width: usize,
}

impl Convolution {
    /// Reads `weight` with the shape (outputs, width · channels) and `bias`.
    pub(crate) fn new(weights: &Weights, channels: usize) -> Result<Self, WeightsError> {
        let windows = Linear::new(weights)?;
        let width = windows.inputs() / channels;
        Ok(Self { windows, channels, width })
    }

    /// Returns the number of frames on each side of a frame that affect the output of this frame.
    pub(crate) fn context(&self) -> usize {
        self.width / 2
    }

    /// Returns the output of the frames whose context is completely in `frames`. The output has fewer frames than the
    /// input, by twice the [context](Self::context).
    pub(crate) fn apply(&self, frames: &[f32]) -> Vec<f32> {
        let window = self.width * self.channels;
        let count = (frames.len() / self.channels + 1).saturating_sub(self.width);
        let starts = (0..count).map(|frame| frame * self.channels);
        let windows: Vec<f32> = starts.flat_map(|start| &frames[start..start + window]).copied().collect();
        self.windows.apply(&windows)
    }
}

/// Layer normalisation (Ba et al. 2016) of each frame.
pub(crate) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    pub(crate) fn new(weights: &Weights) -> Result<Self, WeightsError> {
        Ok(Self { weight: weights.vector("weight")?, bias: weights.vector("bias")? })
    }

    pub(crate) fn apply(&self, frames: &mut [f32]) {
        let channels = self.weight.len();
        for frame in frames.chunks_exact_mut(channels) {
            let mean = Sum::new(frame).dispatch() / channels as f32;
            let variance = SumSquareSub::new(frame, mean).dispatch() / channels as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: (variance + NORM_EPSILON).sqrt().recip(),
                element_scale: Some(&self.weight),
                bias: 0.0,
                element_bias: Some(&self.bias),
            };
            Normalize::new_mut(frame, options).dispatch();
        }
    }
}

/// Applies the Gaussian error linear unit.
pub(crate) fn gelu(values: &mut [f32]) {
    Gelu {}.map_mut(values);
}

/// A `ConvNeXt` block over frames (Liu et al. 2022): a depthwise convolution, normalisation, two matrix products and a
/// residual connection.
pub(crate) struct Block<P> {
    /// Weights of the depthwise convolution: one row of channels per frame of the window.
    depthwise: Vec<f32>,
    depthwise_bias: Vec<f32>,
    norm: Norm,
    expand: P,
    contract: P,
    scale: Vec<f32>,
    width: usize,
    dilation: usize,
}

impl<P: Product> Block<P> {
    pub(crate) fn new(weights: &Weights, dilation: usize) -> Result<Self, WeightsError> {
        let depthwise = weights.matrix("dw.weight")?;
        Ok(Self {
            width: depthwise.rows,
            depthwise: depthwise.values,
            depthwise_bias: weights.vector("dw.bias")?,
            norm: Norm::new(&weights.child("norm"))?,
            expand: P::new(&weights.child("pw1"))?,
            contract: P::new(&weights.child("pw2"))?,
            scale: weights.vector("gamma")?,
            dilation,
        })
    }

    /// Returns the number of frames on each side of a frame that affect the output of this frame.
    pub(crate) fn context(&self) -> usize {
        self.width / 2 * self.dilation
    }

    /// Returns the output of the frames whose context is completely in `frames`. The output has fewer frames than the
    /// input, by twice the [context](Self::context).
    pub(crate) fn apply(&self, frames: &[f32]) -> Vec<f32> {
        let channels = self.scale.len();
        let count = (frames.len() / channels).saturating_sub(2 * self.context());
        let mut hidden = Vec::with_capacity(count * channels);
        for frame in 0..count {
            let start = hidden.len();
            hidden.extend_from_slice(&self.depthwise_bias);
            let sums = &mut hidden[start..];
            for (tap, weights) in self.depthwise.chunks_exact(channels).enumerate() {
                let input = &frames[(frame + tap * self.dilation) * channels..][..channels];
                for ((sum, weight), value) in sums.iter_mut().zip(weights).zip(input) {
                    *sum += weight * value;
                }
            }
        }
        self.norm.apply(&mut hidden);
        let mut hidden = self.expand.apply(&hidden);
        gelu(&mut hidden);
        let mut output = self.contract.apply(&hidden);
        let residual = &frames[self.context() * channels..];
        for (frame, residual) in output.chunks_exact_mut(channels).zip(residual.chunks_exact(channels)) {
            for ((value, scale), residual) in frame.iter_mut().zip(&self.scale).zip(residual) {
                *value = residual + scale * *value;
            }
        }
        output
    }

    /// Returns the output of all frames of a complete sequence, which is padded with zeros on both sides.
    pub(crate) fn apply_whole(&self, frames: &[f32]) -> Vec<f32> {
        self.apply(&padded(frames, self.context() * self.scale.len()))
    }
}

/// Returns the values with `zeros` zeros added on each side.
pub(crate) fn padded(values: &[f32], zeros: usize) -> Vec<f32> {
    let mut padded = vec![0.0; zeros];
    padded.extend_from_slice(values);
    padded.resize(values.len() + 2 * zeros, 0.0);
    padded
}
