//! Conversion of graphs that run as a whole to a form that the runtime supports.

use std::collections::HashMap;

use rten_onnx::onnx::{Dimension, GraphProto, ModelProto, ValueInfoProto};

use super::ImportError;
use super::cut::{CutError, MAX_NODES};
use super::operators::replace_operators;
use super::proto::floats;
use super::random::{Length, check_nodes, noise_as_inputs};

/// A graph that runs as a whole, read from a file.
pub(super) struct WholeModel {
    model: ModelProto,
    /// Whether the model differs from the file.
    is_changed: bool,
}

impl WholeModel {
    /// Parses a file. Replaces operators that the runtime does not support, and turns nodes that draw random numbers
    /// into inputs.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ImportError> {
        let mut model =
            ModelProto::parse_buf(bytes).map_err(|error| ImportError::Whole(error.to_string()))?;
        let graph = model.graph.as_mut().ok_or(CutError::Empty)?;
        if graph.node.len() > MAX_NODES {
            return Err(CutError::TooLarge(graph.node.len()).into());
        }
        check_nodes(graph)?;
        let mut is_changed = replace_operators(graph)?;
        let has_random = graph
            .node
            .iter()
            .any(|node| node.op_type.as_deref().is_some_and(|kind| kind.starts_with("Random")));
        if has_random {
            let names = noise_as_inputs(graph, Length::Repeated)?;
            graph.input.extend(names.iter().map(|name| floats(name)));
            is_changed = true;
        }
        Ok(Self { model, is_changed })
    }

    fn graph(&self) -> Result<&GraphProto, ImportError> {
        Ok(self.model.graph.as_ref().ok_or(CutError::Empty)?)
    }

    /// Returns the last dimension of an input, if the file specifies it.
    pub(super) fn input_width(&self, name: &str) -> Result<Option<usize>, ImportError> {
        let inputs = &self.graph()?.input;
        let input = inputs.iter().find(|input| input.name.as_deref() == Some(name));
        let shape = input.and_then(|input| input.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref());
        let last = shape.and_then(|shape| shape.dim.last());
        let value = last.and_then(|Dimension { dim_value, .. }| *dim_value);
        Ok(value.and_then(|value| usize::try_from(value).ok()).filter(|&value| value > 0))
    }

    /// Makes the durations of symbols the second output if the graph has one output and computes durations as Kokoro
    /// does: rounded, then clipped from below. Returns whether the graph outputs durations.
    pub(super) fn expose_durations(&mut self) -> Result<bool, ImportError> {
        let graph = self.model.graph.as_mut().ok_or(CutError::Empty)?;
        if graph.output.len() != 1 {
            return Ok(graph.output.len() > 1);
        }
        let Some(durations) = rounded_and_clipped(graph) else { return Ok(false) };
        graph.output.push(ValueInfoProto { name: Some(durations), r#type: None });
        self.is_changed = true;
        Ok(true)
    }

    /// Returns the file for the runtime: `bytes` unchanged if the model needed no change.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ImportError> {
        if !self.is_changed {
            return Ok(bytes);
        }
        drop(bytes);
        self.model.write_buf().map_err(|error| ImportError::Whole(error.to_string()))
    }
}

/// Returns the output of the only `Clip` whose input is the output of a `Round`, or `None` if there is not exactly one.
fn rounded_and_clipped(graph: &GraphProto) -> Option<String> {
    let kinds: HashMap<&str, &str> = graph
        .node
        .iter()
        .flat_map(|node| {
            node.output.iter().map(|output| (output.as_str(), node.op_type.as_deref().unwrap_or("")))
        })
        .collect();
    let mut found = graph.node.iter().filter(|node| {
        let input = node.input.first().map_or("", String::as_str);
        node.op_type.as_deref() == Some("Clip") && kinds.get(input) == Some(&"Round")
    });
    let node = found.next().filter(|_| found.next().is_none())?;
    node.output.first().cloned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::proto::node;
    use super::*;

    fn file(nodes: &[(&str, &str, &str)], outputs: &[&str]) -> Vec<u8> {
        let output = |name: &&str| ValueInfoProto { name: Some((*name).to_owned()), r#type: None };
        let graph = GraphProto {
            node: nodes.iter().map(|(kind, input, output)| node(kind, &[input], output)).collect(),
            input: vec![floats("style")],
            output: outputs.iter().map(output).collect(),
            ..GraphProto::default()
        };
        ModelProto { graph: Some(graph), ..ModelProto::default() }.write_buf().unwrap()
    }

    #[test]
    fn durations_become_an_output_if_one_node_rounds_and_clips() {
        let rounds = ("Round", "style", "a");
        let clips = ("Clip", "a", "b");
        for (nodes, outputs, expected) in [
            (vec![rounds, clips], vec!["sound"], vec!["sound", "b"]),
            (vec![rounds, clips], vec!["sound", "own"], vec!["sound", "own"]),
            (vec![rounds, clips, ("Clip", "a", "c")], vec!["sound"], vec!["sound"]),
            (vec![rounds, ("Clip", "style", "b")], vec!["sound"], vec!["sound"]),
            (vec![("Floor", "style", "a"), clips], vec!["sound"], vec!["sound"]),
        ] {
            let bytes = file(&nodes, &outputs);
            let mut model = WholeModel::read(&bytes).unwrap();
            assert_eq!(model.expose_durations().unwrap(), expected.len() > 1, "{nodes:?}");
            let written = model.write(bytes.clone()).unwrap();
            assert_eq!(written == bytes, expected == outputs, "a file that needs no change must not change");
            let graph = ModelProto::parse_buf(&written).unwrap().graph.unwrap();
            let names: Vec<&str> = graph.output.iter().filter_map(|output| output.name.as_deref()).collect();
            assert_eq!(names, expected, "{nodes:?}");
        }
    }

    #[test]
    fn only_graphs_are_accepted() {
        for bytes in [&b"\xff\xff\xff\xff"[..], &ModelProto::default().write_buf().unwrap()] {
            assert!(WholeModel::read(bytes).is_err(), "{bytes:?}");
        }
        let mut model = WholeModel::read(&file(&[], &["sound"])).unwrap();
        assert_eq!(model.input_width("style").unwrap(), None);
        assert!(!model.expose_durations().unwrap());
    }
}
