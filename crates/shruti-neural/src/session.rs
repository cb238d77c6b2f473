//! A graph that has been loaded, and its runs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rten::{Dimension, Model, ModelOptions, NodeId, RunOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use serde::{Deserialize, Serialize};

use crate::threads::Threads;

/// A graph could not be loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum GraphError {
    /// It is no ONNX file that the runtime can read.
    #[error("{graph}: not a graph that can be loaded: {reason}")]
    Load {
        /// Which part of the pack.
        graph: String,
        /// What the runtime said.
        reason: String,
    },
    /// A run failed.
    #[error("{graph}: the run failed: {reason}")]
    Run {
        /// Which part of the pack.
        graph: String,
        /// What the runtime said.
        reason: String,
    },
    /// What it gave is not what a graph of its kind gives.
    #[error("{graph}: its output `{output}` is {found}; it must be {expected}")]
    Output {
        /// Which part of the pack.
        graph: String,
        /// Which output.
        output: String,
        /// What it is.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// It has not the inputs and outputs that a graph of its kind has.
    #[error("{graph}: {reason}")]
    Interface {
        /// Which part of the pack.
        graph: String,
        /// What is missing or too much.
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
    /// Loads an ONNX file; weights outside of it are refused.
    pub(crate) fn load(name: &'static str, bytes: Vec<u8>, threads: &Threads) -> Result<Self, GraphError> {
        let failed = |reason| GraphError::Load { graph: name.to_owned(), reason };
        let load = || ModelOptions::with_all_ops().prepack_weights(true).load(bytes);
        let model = contained(load).map_err(failed)?.map_err(|error| failed(error.to_string()))?;
        Ok(Self { name, model, threads: threads.clone() })
    }

    /// The names of its inputs, in their order.
    pub(crate) fn inputs(&self) -> Vec<String> {
        self.names(self.model.input_ids())
    }

    /// The names of its outputs, in their order.
    pub(crate) fn outputs(&self) -> Vec<String> {
        self.names(self.model.output_ids())
    }

    fn names(&self, ids: &[NodeId]) -> Vec<String> {
        let name = |&id: &NodeId| {
            self.model.node_info(id).and_then(|node| node.name()).unwrap_or_default().to_owned()
        };
        ids.iter().map(name).collect()
    }

    /// Runs it: all inputs in their order, all outputs in theirs.
    pub(crate) fn run(&self, inputs: Vec<ValueOrView<'_>>) -> Result<Vec<Value>, GraphError> {
        let failed = |reason| GraphError::Run { graph: self.name.to_owned(), reason };
        let inputs = self.model.input_ids().iter().copied().zip(inputs).collect();
        let options = RunOptions::default().with_thread_pool(Some(self.threads.pool()));
        let run = || self.model.run(inputs, self.model.output_ids(), Some(options));
        contained(run).map_err(failed)?.map_err(|error| failed(error.to_string()))
    }

    /// An output as floats of three dimensions; leading dimensions of 1 are left out or added. All must be finite.
    pub(crate) fn floats(&self, value: Option<Value>, output: &str) -> Result<NdTensor<f32, 3>, GraphError> {
        let value = value.ok_or_else(|| self.wrong(output, "missing".to_owned(), "there"))?;
        let tensor: Tensor<f32> = value
            .into_tensor()
            .ok_or_else(|| self.wrong(output, "no tensor of floats".to_owned(), "a tensor of floats"))?;
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

    /// The length of an input's last dimension, which the file must say.
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
            _ => Err(self.interface(format!("the file does not say how wide its input `{input}` is"))),
        }
    }

    /// An output is not what it must be.
    pub(crate) fn wrong(&self, output: &str, found: String, expected: &str) -> GraphError {
        let (graph, output, expected) = (self.name.to_owned(), output.to_owned(), expected.to_owned());
        GraphError::Output { graph, output, found, expected }
    }

    /// The inputs and outputs are not what they must be.
    pub(crate) fn interface(&self, reason: String) -> GraphError {
        GraphError::Interface { graph: self.name.to_owned(), reason }
    }
}

/// What panics inside the runtime becomes an error: its crates are not ours, and a graph comes from outside.
fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| "the runtime panicked".to_owned())
}
