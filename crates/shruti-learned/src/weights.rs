//! The weights file: tensors by name, in the safetensors format.
//!
//! Matrices are stored as 8-bit integers with a scale for each row (`NAME` and `NAME.scale`), everything else as 32-bit
//! floats. `train/voice/export.py` writes the file.

use std::borrow::Cow;

use safetensors::{Dtype, SafeTensors};

/// A weights file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// It is not a safetensors file.
    #[error("not a safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A tensor is missing, or has another type or number of dimensions than the networks need.
    #[error("tensor {name}: {expected} expected")]
    Tensor {
        /// The name of the tensor.
        name: String,
        /// What the networks need.
        expected: &'static str,
    },
}

/// The tensors under one prefix.
#[derive(Clone, Debug)]
pub(crate) struct Weights<'a> {
    tensors: &'a SafeTensors<'a>,
    prefix: Cow<'static, str>,
}

/// A matrix in rows.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
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

    /// The tensors whose names begin with this one's prefix, `name` and a dot.
    pub(crate) fn child(&self, name: &str) -> Self {
        Self { tensors: self.tensors, prefix: Cow::Owned(format!("{}{name}.", self.prefix)) }
    }

    /// A tensor of floats of one dimension.
    pub(crate) fn vector(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let name = format!("{}{name}", self.prefix);
        let expected = "32-bit floats in one dimension";
        let tensor = self.tensors.tensor(&name);
        match tensor.ok().filter(|tensor| tensor.dtype() == Dtype::F32 && tensor.shape().len() == 1) {
            Some(tensor) => Ok(floats(tensor.data())),
            None => Err(WeightsError::Tensor { name, expected }),
        }
    }

    /// A tensor of two dimensions, of floats or of scaled 8-bit integers.
    pub(crate) fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        let full_name = format!("{}{name}", self.prefix);
        let error = |expected| WeightsError::Tensor { name: full_name.clone(), expected };
        let tensor = self.tensors.tensor(&full_name).map_err(|_| error("a matrix"))?;
        let &[rows, columns] = tensor.shape() else { return Err(error("two dimensions")) };
        let values = match tensor.dtype() {
            Dtype::F32 => floats(tensor.data()),
            Dtype::I8 => {
                let scales = self.vector(&format!("{name}.scale"))?;
                if scales.len() != rows {
                    return Err(error("a scale for each row"));
                }
                let rows = tensor.data().chunks_exact(columns.max(1)).zip(scales);
                rows.flat_map(|(row, scale)| {
                    row.iter().map(move |&byte| f32::from(byte.cast_signed()) * scale)
                })
                .collect()
            }
            _ => return Err(error("32-bit floats or 8-bit integers")),
        };
        Ok(Matrix { rows, columns, values })
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}
