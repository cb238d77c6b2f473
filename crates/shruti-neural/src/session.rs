//! A graph that has been loaded, and its runs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rten::{Model, ModelOptions, NodeId, RunOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::threads::Threads;

/// A graph could not be loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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

    /// Runs on these threads from now on.
    pub(crate) fn set_threads(&mut self, threads: &Threads) {
        self.threads = threads.clone();
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
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
    pub(crate) fn floats(&self, value: Value, output: &str) -> Result<NdTensor<f32, 3>, GraphError> {
        let wrong = |found: String, expected: &str| GraphError::Output {
            graph: self.name.to_owned(),
            output: output.to_owned(),
            found,
            expected: expected.to_owned(),
        };
        let tensor: Tensor<f32> = value
            .into_tensor()
            .ok_or_else(|| wrong("no tensor of floats".to_owned(), "a tensor of floats"))?;
        let mut shape = tensor.shape().to_vec();
        while shape.len() > 3 && shape[0] == 1 {
            shape.remove(0);
        }
        while shape.len() < 3 {
            shape.insert(0, 1);
        }
        let &[a, b, c] = shape.as_slice() else {
            return Err(wrong(format!("of shape {:?}", tensor.shape()), "of three dimensions"));
        };
        let data = tensor.into_data();
        if let Some(at) = data.iter().position(|value| !value.is_finite()) {
            return Err(wrong(format!("{} at {at}", data[at]), "finite"));
        }
        NdTensor::try_from_data([a, b, c], data).map_err(|error| wrong(error.to_string(), "whole"))
    }
}

/// What panics inside the runtime becomes an error: its crates are not ours, and a graph comes from outside.
fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| "the runtime panicked".to_owned())
}
