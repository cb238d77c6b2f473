//! Loading and running of graphs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rten::{Dimension, Model, ModelOptions, NodeId, RunOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use serde::{Deserialize, Serialize};

use crate::threads::Threads;

/// Error while a graph is loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum GraphError {
    /// The file is not an ONNX file that the runtime can read.
    #[error("{graph}: the graph cannot be loaded: {reason}")]
    Load {
        /// Part of the pack that failed.
        graph: String,
        /// Message of the runtime.
        reason: String,
    },
    /// A run failed.
    #[error("{graph}: the run failed: {reason}")]
    Run {
        /// Part of the pack that failed.
        graph: String,
        /// Message of the runtime.
        reason: String,
    },
    /// An output is missing, or its type, shape or values are wrong for this kind of graph.
    #[error("{graph}: its output `{output}` is {found}; it must be {expected}")]
    Output {
        /// Part of the pack that failed.
        graph: String,
        /// Name of the output.
        output: String,
        /// Actual value or shape.
        found: String,
        /// Expected value or shape.
        expected: String,
    },
    /// The graph does not have the inputs and outputs of its kind.
    #[error("{graph}: {reason}")]
    Interface {
        /// Part of the pack that failed.
        graph: String,
        /// Missing or unexpected input or output.
        reason: String,
    },
}

/// A loaded graph.
pub(crate) struct Session {
    name: &'static str,
    model: Model,
    threads: Threads,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Session {
    /// Loads an ONNX file. Weights in external files are rejected.
    pub(crate) fn load(name: &'static str, bytes: Vec<u8>, threads: &Threads) -> Result<Self, GraphError> {
        let failed = |reason| GraphError::Load { graph: name.to_owned(), reason };
        let load = || ModelOptions::with_all_ops().prepack_weights(true).load(bytes);
        let model = contained(load).map_err(failed)?.map_err(|error| failed(error.to_string()))?;
        Ok(Self { name, model, threads: threads.clone() })
    }

    /// Returns the names of the inputs, in order.
    pub(crate) fn inputs(&self) -> Vec<String> {
        self.names(self.model.input_ids())
    }

    /// Returns the names of the outputs, in order.
    pub(crate) fn outputs(&self) -> Vec<String> {
        self.names(self.model.output_ids())
    }

    fn names(&self, ids: &[NodeId]) -> Vec<String> {
        let name = |&id: &NodeId| {
            self.model.node_info(id).and_then(|node| node.name()).unwrap_or_default().to_owned()
        };
        ids.iter().map(name).collect()
    }

    /// Runs the graph. `inputs` contains all inputs in order; the result contains all outputs in order.
    pub(crate) fn run(&self, inputs: Vec<ValueOrView<'_>>) -> Result<Vec<Value>, GraphError> {
        let failed = |reason| GraphError::Run { graph: self.name.to_owned(), reason };
        let inputs = self.model.input_ids().iter().copied().zip(inputs).collect();
        let options = RunOptions::default().with_thread_pool(Some(self.threads.pool()));
        let run = || self.model.run(inputs, self.model.output_ids(), Some(options));
        contained(run).map_err(failed)?.map_err(|error| failed(error.to_string()))
    }

    /// Returns an output as floats with three dimensions. Leading dimensions of 1 are removed or added. All numbers
    /// must be finite.
    pub(crate) fn floats(&self, value: Option<Value>, output: &str) -> Result<NdTensor<f32, 3>, GraphError> {
        let value = value.ok_or_else(|| self.wrong(output, "missing".to_owned(), "there"))?;
        let tensor: Tensor<f32> = value
            .into_tensor()
            .ok_or_else(|| self.wrong(output, "not a tensor of floats".to_owned(), "a tensor of floats"))?;
        let mut shape = tensor.shape().to_vec();
        while shape.len() > 3 && shape[0] == 1 {
            shape.remove(0);
        }
        while shape.len() < 3 {
            shape.insert(0, 1);
        }
        let &[a, b, c] = shape.as_slice() else {
            return Err(self.wrong(output, format!("of shape {:?}", tensor.shape()), "of three dimensions"));
        };
        let data = tensor.into_data();
        if let Some(at) = data.iter().position(|value| !value.is_finite()) {
            return Err(self.wrong(output, format!("{} at {at}", data[at]), "finite"));
        }
        NdTensor::try_from_data([a, b, c], data)
            .map_err(|error| self.wrong(output, error.to_string(), "whole"))
    }

    /// Returns the length of the last dimension of an input. Fails if the file does not specify the length.
    pub(crate) fn input_width(&self, input: &str) -> Result<usize, GraphError> {
        let id = self
            .model
            .input_ids()
            .iter()
            .copied()
            .find(|&id| self.model.node_info(id).and_then(|node| node.name()) == Some(input));
        let shape = id.and_then(|id| self.model.node_info(id)).and_then(|node| node.shape());
        match shape.as_ref().and_then(|shape| shape.last()) {
            Some(Dimension::Fixed(width)) if *width > 0 => Ok(*width),
            _ => Err(self.interface(format!("the file does not specify the width of its input `{input}`"))),
        }
    }

    /// Returns the error for an invalid output.
    pub(crate) fn wrong(&self, output: &str, found: String, expected: &str) -> GraphError {
        let (graph, output, expected) = (self.name.to_owned(), output.to_owned(), expected.to_owned());
        GraphError::Output { graph, output, found, expected }
    }

    /// Returns the error for invalid inputs and outputs.
    pub(crate) fn interface(&self, reason: String) -> GraphError {
        GraphError::Interface { graph: self.name.to_owned(), reason }
    }
}

/// Turns a panic inside the runtime into an error, because graphs come from untrusted sources and this project does not
/// maintain the runtime's crates.
fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| "the runtime panicked".to_owned())
}
