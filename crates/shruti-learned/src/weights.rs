//! Weights file: named tensors in the safetensors format.
//!
//! Matrices are stored as 8-bit integers with a scale per row (`NAME` and `NAME.scale`), everything else as 32-bit
//! floats. `train/voice/export.py` writes the file.

use std::borrow::Cow;

use safetensors::{Dtype, SafeTensors};

/// Error for an unusable weights file.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is not a safetensors file.
    #[error("not a safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A tensor is missing, or has the wrong type, number of dimensions or number of scales.
    #[error("tensor {name}: expected {expected}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// Expected type and dimensions.
        expected: &'static str,
    },
}

/// Tensors whose names share a prefix.
#[derive(Clone, Debug)]
pub(crate) struct Weights<'a> {
    tensors: &'a SafeTensors<'a>,
    prefix: Cow<'static, str>,
}

/// A matrix in row-major order.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

/// A matrix of 8-bit integers in row-major order, with one scale per row.
#[derive(Clone, Debug)]
pub(crate) struct ScaledMatrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<i8>,
    pub(crate) scales: Vec<f32>,
}

impl Matrix {
    pub(crate) fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.columns..][..self.columns]
    }
}

impl<'a> Weights<'a> {
    pub(crate) fn new(tensors: &'a SafeTensors<'a>) -> Self {
        Self { tensors, prefix: Cow::Borrowed("") }
    }

    /// Returns the tensors whose names start with the current prefix, `name` and a dot.
    pub(crate) fn child(&self, name: &str) -> Self {
        Self { tensors: self.tensors, prefix: Cow::Owned(format!("{}{name}.", self.prefix)) }
    }

    /// Returns a one-dimensional tensor of floats.
    pub(crate) fn vector(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let name = format!("{}{name}", self.prefix);
        let expected = "a one-dimensional tensor of 32-bit floats";
        let tensor = self.tensors.tensor(&name);
        match tensor.ok().filter(|tensor| tensor.dtype() == Dtype::F32 && tensor.shape().len() == 1) {
            Some(tensor) => Ok(floats(tensor.data())),
            None => Err(WeightsError::Tensor { name, expected }),
        }
    }

    /// Returns a two-dimensional tensor as floats. The file may store it as floats or as scaled 8-bit integers.
    pub(crate) fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        let full_name = format!("{}{name}", self.prefix);
        let tensor = self.tensors.tensor(&full_name).ok().filter(|tensor| tensor.dtype() == Dtype::F32);
        if let Some(tensor) = tensor {
            let &[rows, columns] = tensor.shape() else {
                return Err(WeightsError::Tensor { name: full_name, expected: "a two-dimensional tensor" });
            };
            return Ok(Matrix { rows, columns, values: floats(tensor.data()) });
        }
        let ScaledMatrix { rows, columns, values, scales } = self.scaled_matrix(name)?;
        let values = values.chunks_exact(columns.max(1)).zip(scales);
        let values = values.flat_map(|(row, scale)| row.iter().map(move |&value| f32::from(value) * scale));
        Ok(Matrix { rows, columns, values: values.collect() })
    }

    /// Returns a two-dimensional tensor of scaled 8-bit integers.
    pub(crate) fn scaled_matrix(&self, name: &str) -> Result<ScaledMatrix, WeightsError> {
        let full_name = format!("{}{name}", self.prefix);
        let tensor = self.tensors.tensor(&full_name).ok().filter(|tensor| tensor.dtype() == Dtype::I8);
        let scales = self.vector(&format!("{name}.scale"))?;
        match tensor.as_ref().map(|tensor| (tensor.shape(), tensor.data())) {
            Some((&[rows, columns], data)) if rows == scales.len() => {
                let values = data.iter().map(|&byte| byte.cast_signed()).collect();
                Ok(ScaledMatrix { rows, columns, values, scales })
            }
            _ => Err(WeightsError::Tensor { name: full_name, expected: "a matrix with one scale per row" }),
        }
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}
