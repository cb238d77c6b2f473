//! Splits a single-file VITS graph in two: from symbols to frames, and from frames to samples.
//!
//! The graph is cut at the decoder's input. Of all convolutions that depend on the durations, the decoder begins with
//! the nearest ancestor of the first transposed convolution. Random noise becomes an input, and the number of frames of
//! each symbol becomes an output.

use std::collections::{HashMap, HashSet};

use rten_onnx::onnx::{
    AttributeProto, DataType, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    ValueInfoProto,
};

use super::proto::{PREFIX, floats, node, tensor};
use super::random::{Length, check_nodes, noise_as_inputs};
use crate::model::{INPUTS, MAX_FRAMES_PER_SYMBOL, NOISE, SPEAKER};

pub(super) const MAX_NODES: usize = 100_000;

/// Reason why a graph cannot be split in two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// The file contains no graph.
    #[error("the file contains no graph")]
    Empty,
    /// The graph has more nodes than the importer accepts.
    #[error("the graph has {0} nodes; at most 100,000 are allowed")]
    TooLarge(usize),
    /// The inputs are not those of a Piper voice.
    #[error(
        "the graph has the inputs {0:?}; a Piper voice has \"input\", \"input_lengths\", \"scales\", and \"sid\" with speakers"
    )]
    Inputs(Vec<String>),
    /// The graph does not have exactly one output.
    #[error("the graph has {0} outputs; a Piper voice has one")]
    Outputs(usize),
    /// A weight is stored in another file.
    #[error("the weight {0:?} is in another file; a voice must be a single file")]
    ExternalData(String),
    /// The graph draws random numbers in a way that cannot be made reproducible.
    #[error("the node {0:?} draws random numbers that are neither normal nor uniform, or is in a subgraph")]
    Random(String),
    /// The graph does not round up exactly one value, so the durations of the symbols cannot be identified.
    #[error("the graph has {0} `Ceil` nodes; a VITS voice has one, which computes the frames of each symbol")]
    Durations(usize),
    /// The decoder cannot be identified.
    #[error("no decoder was found: {0}")]
    Decoder(&'static str),
    /// In addition to its frames, the decoder reads another value that varies over time.
    #[error("the decoder also reads {0:?}, which varies over time, so it cannot run in chunks")]
    ReadsMore(String),
    /// The graph uses a name that is reserved for the importer.
    #[error(
        "a value is named {0:?}; names that begin with \"shruti_\" or \"noise_\" are reserved for the importer"
    )]
    Reserved(String),
    /// The nodes are not in topological order, or two values have the same name.
    #[error("the value {0:?} is used before it is defined, or is defined twice")]
    Order(String),
}

/// Parts of a split graph.
pub(crate) struct Parts {
    /// The whole graph, with its noise as inputs.
    pub whole: ModelProto,
    /// The graph from symbols to frames, durations, and other values that the decoder reads.
    pub front: ModelProto,
    /// The graph from the frames and the other values to samples.
    pub decoder: ModelProto,
}

/// Splits a graph in two.
pub(crate) fn cut(model: ModelProto) -> Result<Parts, CutError> {
    let ModelProto { ir_version, graph, opset_import, .. } = model;
    let mut graph = graph.ok_or(CutError::Empty)?;
    let head = GraphMetadata { ir_version, opsets: opset_import };
    let output = check(&graph)?;
    let durations = bound_durations(&mut graph)?;
    let noises = noise_as_inputs(&mut graph, Length::Bounded)?;
    let inputs = || {
        let names = INPUTS.iter().map(|&name| name.to_owned()).chain(noises.iter().cloned());
        names.chain(graph.input.iter().filter_map(|input| input.name.clone()).filter(|name| name == SPEAKER))
    };
    let index = Index::new(&graph)?;
    let timed = index.dependents_of(&durations);
    let frames = index.decoder_input(&timed)?;
    let below = index.dependents_of(&frames);
    let decoder: HashSet<usize> = index.needed_for([output.clone()], &HashSet::from([frames.clone()]));
    let mut conditions = Vec::new();
    // collect the values of the front graph that the decoder reads in addition to its frames
    for at in sorted(&decoder) {
        for value in &index.reads[at] {
            let is_known = value == &frames || below.values.contains(value) || index.is_constant(value);
            if is_known || conditions.contains(value) {
                continue;
            }
            if timed.values.contains(value) {
                return Err(CutError::ReadsMore(value.clone()));
            }
            conditions.push(value.clone());
        }
    }
    let mut front_outputs = vec![frames.clone(), durations];
    front_outputs.extend(conditions.iter().cloned());
    let mut decoder_inputs = vec![frames];
    decoder_inputs.extend(conditions);
    let front_nodes = index.needed_for(front_outputs.iter().cloned(), &HashSet::new());
    let whole_nodes = index.needed_for([output.clone()], &HashSet::new());
    let front = head.model(&graph, &index, &front_nodes, inputs(), front_outputs);
    let whole = head.model(&graph, &index, &whole_nodes, inputs(), vec![output.clone()]);
    let decoder_model = head.model(&graph, &index, &decoder, decoder_inputs.into_iter(), vec![output]);
    Ok(Parts { whole, front, decoder: decoder_model })
}

fn sorted(nodes: &HashSet<usize>) -> Vec<usize> {
    let mut nodes: Vec<usize> = nodes.iter().copied().collect();
    nodes.sort_unstable();
    nodes
}

/// Checks that the graph can be imported. Returns the name of its output.
fn check(graph: &GraphProto) -> Result<String, CutError> {
    if graph.node.len() > MAX_NODES {
        return Err(CutError::TooLarge(graph.node.len()));
    }
    let weights: HashSet<&str> =
        graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()).collect();
    let names = graph.input.iter().filter_map(|input| input.name.clone());
    let names: Vec<String> = names.filter(|name| !weights.contains(name.as_str())).collect();
    let (known, rest) = names.split_at(INPUTS.len().min(names.len()));
    if known != INPUTS || !(rest.is_empty() || rest == [SPEAKER]) {
        return Err(CutError::Inputs(names));
    }
    let [output] = graph.output.as_slice() else {
        return Err(CutError::Outputs(graph.output.len()));
    };
    check_nodes(graph)?;
    Ok(output.name.clone().unwrap_or_default())
}

/// Limits the output of the only `Ceil` node to [`MAX_FRAMES_PER_SYMBOL`] and returns the name of that output.
fn bound_durations(graph: &mut GraphProto) -> Result<String, CutError> {
    let is_ceil = |node: &NodeProto| node.op_type.as_deref() == Some("Ceil");
    let found: Vec<usize> = (0..graph.node.len()).filter(|&at| is_ceil(&graph.node[at])).collect();
    let &[at] = found.as_slice() else {
        return Err(CutError::Durations(found.len()));
    };
    let unbounded = format!("{PREFIX}durations");
    let most = format!("{PREFIX}most_frames");
    let output = graph.node[at].output.first_mut().ok_or(CutError::Durations(0))?;
    let durations = std::mem::replace(output, unbounded.clone());
    graph.node.insert(at + 1, node("Min", &[&unbounded, &most], &durations));
    graph.initializer.push(tensor(
        &most,
        DataType::FLOAT,
        &[],
        &f32::from(MAX_FRAMES_PER_SYMBOL).to_le_bytes(),
    ));
    Ok(durations)
}

/// Nodes and values that depend on a value.
struct Dependents {
    nodes: HashSet<usize>,
    values: HashSet<String>,
}

/// Properties of the nodes of a graph, and the node that produces each value.
struct Index {
    makes: HashMap<String, usize>,
    /// Values that each node reads, including outer values that only its subgraphs read.
    reads: Vec<Vec<String>>,
    kinds: Vec<String>,
    outputs: Vec<Vec<String>>,
    weights: HashSet<String>,
    is_static: Vec<bool>,
}

impl Index {
    fn new(graph: &GraphProto) -> Result<Self, CutError> {
        let weights: HashSet<String> =
            graph.initializer.iter().filter_map(|tensor| tensor.name.clone()).collect();
        let mut known: HashSet<&str> = weights.iter().map(String::as_str).collect();
        let noises = graph.node.iter().flat_map(|node| &node.input).filter(|name| name.starts_with(NOISE));
        known.extend(noises.map(String::as_str));
        known.extend(graph.input.iter().filter_map(|input| input.name.as_deref()));
        let (mut makes, mut reads, mut is_static) = (HashMap::new(), Vec::new(), Vec::<bool>::new());
        for (at, node) in graph.node.iter().enumerate() {
            let mut read = Vec::new();
            captures(node, &HashSet::new(), &mut read);
            if let Some(name) = read.iter().find(|name| !known.contains(name.as_str())) {
                return Err(CutError::Order(name.clone()));
            }
            let is_fixed = |name: &String| {
                weights.contains(name) || makes.get(name).is_some_and(|&maker: &usize| is_static[maker])
            };
            is_static.push(read.iter().all(is_fixed));
            for name in node.output.iter().filter(|name| !name.is_empty()) {
                if !known.insert(name) {
                    return Err(CutError::Order(name.clone()));
                }
                makes.insert(name.clone(), at);
            }
            reads.push(read);
        }
        let kinds = graph.node.iter().map(|node| node.op_type.clone().unwrap_or_default()).collect();
        let outputs = graph.node.iter().map(|node| node.output.clone()).collect();
        Ok(Self { makes, reads, kinds, outputs, weights, is_static })
    }

    /// Returns whether a value depends on no input.
    fn is_constant(&self, value: &str) -> bool {
        self.weights.contains(value) || self.makes.get(value).is_some_and(|&node| self.is_static[node])
    }

    /// Returns everything that depends on a value, including the value itself.
    fn dependents_of(&self, value: &str) -> Dependents {
        let mut reached = Dependents { nodes: HashSet::new(), values: HashSet::from([value.to_owned()]) };
        // nodes are in topological order: each node follows the producers of its inputs
        for (at, reads) in self.reads.iter().enumerate() {
            if reads.iter().any(|name| reached.values.contains(name)) {
                reached.nodes.insert(at);
                reached.values.extend(self.outputs[at].iter().cloned());
            }
        }
        reached
    }

    /// Returns the nodes needed to compute `values` from the values in `given`. The result includes only nodes that
    /// depend on the given values, and nodes that depend on no input. If `given` is empty, it includes all needed
    /// nodes.
    fn needed_for(
        &self,
        values: impl IntoIterator<Item = String>,
        given: &HashSet<String>,
    ) -> HashSet<usize> {
        let below: Vec<Dependents> = given.iter().map(|value| self.dependents_of(value)).collect();
        let is_part = |node: usize| {
            given.is_empty()
                || self.is_static[node]
                || below.iter().any(|reached| reached.nodes.contains(&node))
        };
        let mut nodes = HashSet::new();
        let mut open: Vec<String> = values.into_iter().collect();
        while let Some(value) = open.pop() {
            if given.contains(&value) {
                continue;
            }
            if let Some(&node) = self.makes.get(&value)
                && is_part(node)
                && nodes.insert(node)
            {
                open.extend(self.reads[node].iter().cloned());
            }
        }
        nodes
    }

    /// Returns the name of the value that is the decoder's input.
    fn decoder_input(&self, timed: &Dependents) -> Result<String, CutError> {
        let first = self.kinds.iter().position(|kind| kind == "ConvTranspose");
        let first = first.ok_or(CutError::Decoder("there is no ConvTranspose"))?;
        // breadth-first search, so that the nearest node is found first
        let mut level = vec![first];
        let mut seen = HashSet::from([first]);
        while !level.is_empty() {
            let mut above = Vec::new();
            for value in
                level.iter().flat_map(|&node| &self.reads[node]).filter(|value| timed.values.contains(*value))
            {
                if let Some(&node) = self.makes.get(value)
                    && seen.insert(node)
                {
                    above.push(node);
                }
            }
            for &node in &above {
                if self.kinds[node] == "Conv"
                    && let Some(input) = self.reads[node].first()
                    && timed.values.contains(input)
                {
                    return Ok(input.clone());
                }
            }
            level = above;
        }
        Err(CutError::Decoder("no Conv precedes the first ConvTranspose and depends on the durations"))
    }
}

/// Adds the values that a node and its subgraphs read from outside the node to `read`.
fn captures(node: &NodeProto, own: &HashSet<&str>, read: &mut Vec<String>) {
    let inputs = node.input.iter().filter(|name| !name.is_empty() && !own.contains(name.as_str()));
    read.extend(inputs.cloned());
    for graph in node.attribute.iter().filter_map(|attribute: &AttributeProto| attribute.g.as_ref()) {
        let mut inside = own.clone();
        inside.extend(graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()));
        inside.extend(graph.input.iter().filter_map(|input| input.name.as_deref()));
        inside.extend(graph.node.iter().flat_map(|node| &node.output).map(String::as_str));
        for node in &graph.node {
            captures(node, &inside, read);
        }
        let outputs = graph.output.iter().filter_map(|output| output.name.as_ref());
        read.extend(outputs.filter(|name| !inside.contains(name.as_str())).cloned());
    }
}

/// Metadata of the original file that is copied to each part.
struct GraphMetadata {
    ir_version: Option<i64>,
    opsets: Vec<OperatorSetIdProto>,
}

impl GraphMetadata {
    fn model(
        &self,
        graph: &GraphProto,
        index: &Index,
        nodes: &HashSet<usize>,
        inputs: impl Iterator<Item = String>,
        outputs: Vec<String>,
    ) -> ModelProto {
        let read: HashSet<&String> = nodes.iter().flat_map(|&node| &index.reads[node]).collect();
        let is_read = |tensor: &&TensorProto| tensor.name.as_ref().is_some_and(|name| read.contains(name));
        let known: HashMap<&str, &ValueInfoProto> =
            graph.input.iter().filter_map(|input| Some((input.name.as_deref()?, input))).collect();
        let input =
            |name: String| known.get(name.as_str()).map_or_else(|| floats(&name), |&info| info.clone());
        let output = |name: String| ValueInfoProto { name: Some(name), r#type: None };
        let part = GraphProto {
            node: sorted(nodes).into_iter().map(|at| graph.node[at].clone()).collect(),
            initializer: graph.initializer.iter().filter(is_read).cloned().collect(),
            input: inputs.map(input).collect(),
            output: outputs.into_iter().map(output).collect(),
            value_info: Vec::new(),
        };
        ModelProto {
            ir_version: self.ir_version,
            graph: Some(part),
            opset_import: self.opsets.clone(),
            metadata_props: Vec::new(),
            producer_name: Some("shruti".to_owned()),
            producer_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }
    }
}
