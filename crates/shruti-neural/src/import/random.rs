//! Turns nodes that draw random numbers into inputs, so that equal requests produce equal samples.

use rten_onnx::onnx::{AttributeProto, DataLocation, DataType, GraphProto, NodeProto, TensorProto};

use super::cut::CutError;
use super::proto::{PREFIX, node, tensor};
use crate::model::NOISE;
use crate::noise::RUN;

/// Maximum number of repetitions of an input for a node that draws more numbers than the input has.
const MAX_REPEATS: i64 = 16;

/// Limit on the number of random numbers that a node may draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// At most the length of the input. This limits the duration of the audio that a graph can produce.
    Bounded,
    /// At most [`MAX_REPEATS`] times the length of the input. The input is repeated as needed. Used for graphs that
    /// draw numbers for each sample.
    Repeated,
}

/// Distribution and shape of the numbers that a node draws.
struct RandomDistribution {
    /// `true` for a normal distribution with a mean and a scale, `false` for a uniform distribution between two bounds.
    is_normal: bool,
    numbers: [f32; 2],
    /// Shape of the output, or `None` if the output has the shape of the node's input.
    shape: Option<Vec<i64>>,
}

impl RandomDistribution {
    fn of(node: &NodeProto) -> Option<Self> {
        let (is_normal, is_like) = match node.op_type.as_deref()? {
            "RandomNormalLike" => (true, true),
            "RandomNormal" => (true, false),
            "RandomUniformLike" => (false, true),
            "RandomUniform" => (false, false),
            _ => return None,
        };
        let attribute = |name: &str| {
            node.attribute.iter().find(|attribute: &&AttributeProto| attribute.name.as_deref() == Some(name))
        };
        let number = |name: &str, default: f32| {
            attribute(name).map_or(default, |attribute| attribute.f.unwrap_or(0.0))
        };
        let numbers = if is_normal {
            [number("mean", 0.0), number("scale", 1.0)]
        } else {
            [number("low", 0.0), number("high", 1.0)]
        };
        let shape = if is_like { None } else { Some(attribute("shape")?.ints.clone()) };
        Some(Self { is_normal, numbers, shape })
    }
}

/// Returns an error if the graph draws random numbers that cannot be replaced with an input, stores weights in other
/// files, or uses reserved names.
pub(super) fn check_nodes(graph: &GraphProto) -> Result<(), CutError> {
    check_graph(graph, 0)
}

fn check_graph(graph: &GraphProto, depth: usize) -> Result<(), CutError> {
    for tensor in &graph.initializer {
        check_tensor(tensor)?;
    }
    for node in &graph.node {
        let kind = node.op_type.as_deref().unwrap_or_default();
        let is_random =
            kind.starts_with("Random") || kind == "Multinomial" || kind == "Bernoulli" || kind == "Dropout";
        if is_random && (depth > 0 || RandomDistribution::of(node).is_none()) {
            return Err(CutError::Random(node.name.clone().unwrap_or_else(|| kind.to_owned())));
        }
        if let Some(name) =
            node.output.iter().find(|name| name.starts_with(PREFIX) || name.starts_with(NOISE))
        {
            return Err(CutError::Reserved(name.clone()));
        }
        for attribute in &node.attribute {
            attribute.t.as_ref().map_or(Ok(()), check_tensor)?;
            attribute.g.as_ref().map_or(Ok(()), |graph| check_graph(graph, depth + 1))?;
        }
    }
    Ok(())
}

fn check_tensor(tensor: &TensorProto) -> Result<(), CutError> {
    let is_outside = tensor.data_location.is_some_and(|location| location != DataLocation::DEFAULT);
    if is_outside || !tensor.external_data.is_empty() {
        return Err(CutError::ExternalData(tensor.name.clone().unwrap_or_default()));
    }
    Ok(())
}

/// Replaces each node that draws random numbers with a slice of an input. A run fails if the input is too short.
/// Returns the names of the inputs, which the caller must add to the inputs of the graph.
pub(super) fn noise_as_inputs(graph: &mut GraphProto, length: Length) -> Result<Vec<String>, CutError> {
    let mut builder = Builder { nodes: Vec::with_capacity(graph.node.len()), weights: Vec::new(), length };
    let mut names = Vec::new();
    for old in std::mem::take(&mut graph.node) {
        let Some(drawn) = RandomDistribution::of(&old) else {
            builder.nodes.push(old);
            continue;
        };
        let name = format!("{NOISE}{}", names.len());
        let Some(output) = old.output.first() else {
            return Err(CutError::Random(old.name.unwrap_or_default()));
        };
        let shape = match (&drawn.shape, old.input.first()) {
            (Some(shape), _) => builder.wholes(&format!("{PREFIX}{name}_shape"), shape),
            (None, Some(like)) => builder.node("Shape", &[like], format!("{PREFIX}{name}_shape")),
            (None, None) => return Err(CutError::Random(old.name.unwrap_or_default())),
        };
        builder.draw(&name, &shape, &drawn, output);
        names.push(name);
    }
    graph.node = builder.nodes;
    graph.initializer.extend(builder.weights);
    graph.initializer.push(tensor(&zero(), DataType::INT64, &[1], &0_i64.to_le_bytes()));
    Ok(names)
}

fn zero() -> String {
    format!("{PREFIX}zero")
}

struct Builder {
    nodes: Vec<NodeProto>,
    weights: Vec<TensorProto>,
    length: Length,
}

impl Builder {
    /// Adds nodes that take the number of values required by `shape` from an input, and convert them to the
    /// distribution and the shape of the original node's output.
    fn draw(&mut self, input: &str, shape: &str, drawn: &RandomDistribution, output: &str) {
        let name = |what: &str| format!("{PREFIX}{input}_{what}");
        let count = self.node("ReduceProd", &[shape], name("count"));
        let numbers = match self.length {
            Length::Bounded => input.to_owned(),
            Length::Repeated => {
                let [most, run, less] = [
                    ("most", MAX_REPEATS),
                    ("run", RUN.cast_signed() as i64),
                    ("less", RUN.cast_signed() as i64 - 1),
                ]
                .map(|(what, value)| self.wholes(&name(what), &[value]));
                let rounded = self.node("Add", &[&count, &less], name("rounded"));
                let repeats = self.node("Div", &[&rounded, &run], name("wanted"));
                let repeats = self.node("Min", &[&repeats, &most], name("repeats"));
                self.node("Tile", &[input, &repeats], name("repeated"))
            }
        };
        let part = self.node("Slice", &[&numbers, &zero(), &count], name("part"));
        let [first, second] = drawn.numbers;
        let shaped = match (drawn.is_normal, [first, second]) {
            (true, [0.0, 1.0]) => part,
            (true, [mean, scale]) => self.affine(input, &part, "normal", mean, scale),
            (false, [low, high]) => {
                // the normal cumulative distribution function converts normally to uniformly distributed numbers
                let scaled = self.affine(input, &part, "scaled", 0.0, std::f32::consts::FRAC_1_SQRT_2);
                let spread = self.node("Erf", &[&scaled], name("erf"));
                self.affine(input, &spread, "uniform", f32::midpoint(low, high), (high - low) / 2.0)
            }
        };
        self.nodes.push(node("Reshape", &[&shaped, shape], output));
    }

    fn affine(&mut self, input: &str, x: &str, what: &str, offset: f32, scale: f32) -> String {
        let name = |part: &str| format!("{PREFIX}{input}_{what}_{part}");
        for (part, value) in [("scale", scale), ("offset", offset)] {
            self.weights.push(tensor(&name(part), DataType::FLOAT, &[], &value.to_le_bytes()));
        }
        let scaled = self.node("Mul", &[x, &name("scale")], name("scaled"));
        self.node("Add", &[&scaled, &name("offset")], name("moved"))
    }

    fn wholes(&mut self, name: &str, values: &[i64]) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.weights.push(tensor(name, DataType::INT64, &[values.len().cast_signed() as i64], &bytes));
        name.to_owned()
    }

    fn node(&mut self, kind: &str, inputs: &[&str], output: String) -> String {
        self.nodes.push(node(kind, inputs, &output));
        output
    }
}
