//! Replacement of operators that the runtime does not support with operators that it supports.
//!
//! Optimised exports of Kokoro-82M use two unsupported operators: `STFT`, and `FusedMatMul` of ONNX Runtime.

use std::collections::HashMap;
use std::f64::consts::TAU;

use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, GraphProto, NodeProto, TensorProto};

use super::proto::{PREFIX, node, tensor};

/// Maximum number of samples in a window of `STFT`. The transform becomes a convolution whose number of weights grows
/// with the square of the window.
const MAX_WINDOW: usize = 1_024;
/// Domain of ONNX Runtime's own operators.
const RUNTIME_DOMAIN: &str = "com.microsoft";

/// Error for a node that uses an operator in a way that cannot be rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the node {node:?} ({kind}): its {part} is {found}; it must be {expected}")]
pub struct OperatorError {
    node: String,
    kind: &'static str,
    part: &'static str,
    found: String,
    expected: String,
}

/// Nodes and weights that replace a node.
#[derive(Default)]
struct Replacement {
    nodes: Vec<NodeProto>,
    weights: Vec<TensorProto>,
}

/// Replaces all nodes that the runtime does not support. Returns whether there were any.
pub(super) fn replace_operators(graph: &mut GraphProto) -> Result<bool, OperatorError> {
    let constants = constants(graph);
    let mut replacements = HashMap::new();
    for (place, old) in graph.node.iter().enumerate() {
        let domain = old.domain.as_deref().unwrap_or_default();
        let replacement = match (domain, old.op_type.as_deref().unwrap_or_default()) {
            ("" | "ai.onnx", "STFT") => stft(old, &constants)?,
            (RUNTIME_DOMAIN, "FusedMatMul") => fused_mat_mul(old)?,
            _ => continue,
        };
        replacements.insert(place, replacement);
    }
    let is_changed = !replacements.is_empty();
    let mut nodes = Vec::with_capacity(graph.node.len() + 8 * replacements.len());
    for (place, old) in std::mem::take(&mut graph.node).into_iter().enumerate() {
        match replacements.remove(&place) {
            None => nodes.push(old),
            Some(replacement) => {
                nodes.extend(replacement.nodes);
                graph.initializer.extend(replacement.weights);
            }
        }
    }
    graph.node = nodes;
    Ok(is_changed)
}

/// Returns the constants of the graph that [`numbers`] can read, by name.
fn constants(graph: &GraphProto) -> HashMap<String, Vec<f64>> {
    let weights =
        graph.initializer.iter().filter_map(|tensor| Some((tensor.name.clone()?, numbers(tensor)?)));
    let nodes = graph.node.iter().filter(|node| node.op_type.as_deref() == Some("Constant"));
    let nodes = nodes.filter_map(|node| {
        let value = attribute(node, "value")?.t.as_ref()?;
        Some((node.output.first()?.clone(), numbers(value)?))
    });
    weights.chain(nodes).collect()
}

/// Returns the numbers of a small tensor, or `None` if it has more than [`MAX_WINDOW`] numbers or an unsupported type.
fn numbers(tensor: &TensorProto) -> Option<Vec<f64>> {
    let raw = tensor.raw_data.as_ref().map(|raw| raw.borrow());
    let raw = raw.as_ref().map_or(&[][..], |raw| raw.as_slice());
    if raw.len() > 8 * MAX_WINDOW {
        return None;
    }
    let numbers: Vec<f64> = match tensor.data_type? {
        DataType::FLOAT if raw.is_empty() => tensor.float_data.iter().map(|&x| f64::from(x)).collect(),
        DataType::FLOAT => {
            raw.as_chunks().0.iter().map(|&four| f64::from(f32::from_le_bytes(four))).collect()
        }
        DataType::INT64 if raw.is_empty() => tensor.int64_data.iter().map(|&x| x as f64).collect(),
        DataType::INT64 => raw.as_chunks().0.iter().map(|&eight| i64::from_le_bytes(eight) as f64).collect(),
        _ => return None,
    };
    (numbers.len() <= MAX_WINDOW).then_some(numbers)
}

fn attribute<'a>(node: &'a NodeProto, name: &str) -> Option<&'a AttributeProto> {
    node.attribute.iter().find(|attribute| attribute.name.as_deref() == Some(name))
}

fn integer(node: &NodeProto, name: &str, default: i64) -> i64 {
    attribute(node, name).map_or(default, |attribute| attribute.i.unwrap_or(0))
}

fn integers(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: Some(name.to_owned()),
        ints: values.to_vec(),
        r#type: Some(AttributeType::INTS),
        ..AttributeProto::default()
    }
}

fn floats(name: &str, dims: &[i64], values: impl Iterator<Item = f32>) -> TensorProto {
    tensor(name, DataType::FLOAT, dims, &values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

fn wholes(name: &str, values: &[i64]) -> TensorProto {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    tensor(name, DataType::INT64, &[values.len().cast_signed() as i64], &bytes)
}

fn wrong(
    node: &NodeProto,
    kind: &'static str,
    part: &'static str,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> OperatorError {
    let node = node.name.clone().filter(|name| !name.is_empty());
    OperatorError {
        node: node.unwrap_or_else(|| "unnamed".to_owned()),
        kind,
        part,
        found: found.into(),
        expected: expected.into(),
    }
}

/// Returns the only output of a node after checking that its first `inputs` inputs are present.
fn ends<'a>(node: &'a NodeProto, kind: &'static str, inputs: usize) -> Result<&'a str, OperatorError> {
    let is_given = |at: usize| node.input.get(at).is_some_and(|input| !input.is_empty());
    match node.output.as_slice() {
        [output] if !output.is_empty() && (0..inputs).all(is_given) => Ok(output),
        _ => {
            let found = format!("{} inputs and {} outputs", node.input.len(), node.output.len());
            Err(wrong(node, kind, "number of values", found, format!("{inputs} inputs and 1 output")))
        }
    }
}

/// Rewrites an `STFT` of one signal, from `[1, samples]` or `[1, samples, 1]` to `[1, frames, bins, 2]`, as a
/// convolution. Its kernels are cosines and negative sines, multiplied by the window.
fn stft(old: &NodeProto, constants: &HashMap<String, Vec<f64>>) -> Result<Replacement, OperatorError> {
    const KIND: &str = "STFT";
    let output = ends(old, KIND, 2)?;
    let constant = |at: usize| match old.input.get(at).filter(|input| !input.is_empty()) {
        None => Ok(None),
        Some(input) => constants.get(input).map(Some).ok_or_else(|| {
            wrong(old, KIND, "step or window", "computed or too long", "a constant of at most 1,024 numbers")
        }),
    };
    let (step, window, length) = (constant(1)?, constant(2)?, constant(3)?);
    let size = match (window, length) {
        (Some(window), None) => window.len() as f64,
        (Some(window), Some(length)) if length[..] == [window.len() as f64] => window.len() as f64,
        (None, Some(length)) if length.len() == 1 => length[0],
        _ => {
            return Err(wrong(
                old,
                KIND,
                "window",
                "different in length from its frames",
                "of the same length",
            ));
        }
    };
    if !(2.0..=MAX_WINDOW as f64).contains(&size) {
        return Err(wrong(
            old,
            KIND,
            "window",
            format!("{size} samples"),
            format!("2 to {MAX_WINDOW} samples"),
        ));
    }
    let step = match step.map(Vec::as_slice) {
        Some(&[step]) if (1.0..=size).contains(&step) => step as i64,
        found => return Err(wrong(old, KIND, "step", format!("{found:?}"), format!("1 to {size} samples"))),
    };
    let size = size as usize;
    let bins = if integer(old, "onesided", 1) == 0 { size } else { size / 2 + 1 };
    let weight = move |row: usize, at: usize| {
        // reduce the angle modulo a full turn in integer arithmetic, which is exact
        let angle = TAU * ((row % bins) * at % size) as f64 / size as f64;
        let (sine, cosine) = libm::sincos(angle);
        let level = window.map_or(1.0, |window| window[at]);
        (level * if row < bins { cosine } else { -sine }) as f32
    };
    let weights = (0..2 * bins).flat_map(|row| (0..size).map(move |at| weight(row, at)));
    let [signal, kernel, flat, filtered, split, parts] =
        ["signal", "kernel", "flat", "filtered", "split", "parts"]
            .map(|what| format!("{PREFIX}{output}_{what}"));
    let (bins, size) = (bins.cast_signed() as i64, size.cast_signed() as i64);
    let weights = vec![
        floats(&kernel, &[2 * bins, 1, size], weights),
        wholes(&flat, &[1, 1, -1]),
        wholes(&split, &[1, 2, bins, -1]),
    ];
    let mut convolution = node("Conv", &[&signal, &kernel], &filtered);
    convolution.attribute = vec![integers("kernel_shape", &[size]), integers("strides", &[step])];
    let mut turned = node("Transpose", &[&parts], output);
    turned.attribute = vec![integers("perm", &[0, 3, 2, 1])];
    let nodes = vec![
        node("Reshape", &[&old.input[0], &flat], &signal),
        convolution,
        node("Reshape", &[&filtered, &split], &parts),
        turned,
    ];
    Ok(Replacement { nodes, weights })
}

/// Rewrites ONNX Runtime's `FusedMatMul` of tensors with three dimensions: the product multiplied by `alpha`, with the
/// last two dimensions of either factor optionally transposed.
fn fused_mat_mul(old: &NodeProto) -> Result<Replacement, OperatorError> {
    const KIND: &str = "FusedMatMul";
    let output = ends(old, KIND, 2)?;
    for name in ["transBatchA", "transBatchB"] {
        let value = integer(old, name, 0);
        if value != 0 {
            return Err(wrong(old, KIND, "transBatchA or transBatchB", value.to_string(), "0"));
        }
    }
    let mut made = Replacement::default();
    let mut factors = old.input.clone();
    for (factor, (flag, name)) in factors.iter_mut().zip([("transA", "a"), ("transB", "b")]) {
        if integer(old, flag, 0) != 0 {
            let turned = format!("{PREFIX}{output}_{name}");
            let mut turn = node("Transpose", &[factor], &turned);
            turn.attribute = vec![integers("perm", &[0, 2, 1])];
            made.nodes.push(turn);
            *factor = turned;
        }
    }
    let alpha = attribute(old, "alpha").map_or(1.0, |attribute| attribute.f.unwrap_or(0.0));
    if alpha.to_bits() == 1.0_f32.to_bits() {
        made.nodes.push(node("MatMul", &[&factors[0], &factors[1]], output));
    } else {
        let [product, scale] = ["product", "alpha"].map(|what| format!("{PREFIX}{output}_{what}"));
        made.weights.push(floats(&scale, &[], std::iter::once(alpha)));
        made.nodes.push(node("MatMul", &[&factors[0], &factors[1]], &product));
        made.nodes.push(node("Mul", &[&product, &scale], output));
    }
    Ok(made)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use rten_onnx::onnx::{ModelProto, OperatorSetIdProto, ValueInfoProto};
    use rten_tensor::NdTensor;
    use rten_tensor::prelude::*;

    use super::super::proto;
    use super::*;
    use crate::session::Session;
    use crate::threads::Threads;

    fn session(mut graph: GraphProto) -> Session {
        assert!(replace_operators(&mut graph).unwrap());
        let opset = OperatorSetIdProto { domain: None, version: Some(17) };
        let model = ModelProto {
            ir_version: Some(8),
            graph: Some(graph),
            opset_import: vec![opset],
            ..ModelProto::default()
        };
        Session::load("test", model.write_buf().unwrap(), &Threads::new(1)).unwrap()
    }

    fn graph(inputs: &[&str], node: NodeProto, weights: Vec<TensorProto>) -> GraphProto {
        GraphProto {
            input: inputs.iter().map(|name| proto::floats(name)).collect(),
            output: vec![ValueInfoProto { name: Some("out".to_owned()), r#type: None }],
            node: vec![node],
            initializer: weights,
            ..GraphProto::default()
        }
    }

    fn stft_graph(step: i64, window: &[f32], length: i64, onesided: Option<i64>) -> GraphProto {
        let mut node = node("STFT", &["signal", "step", "window", "length"], "out");
        node.attribute.extend(onesided.map(|value| AttributeProto {
            name: Some("onesided".to_owned()),
            i: Some(value),
            r#type: Some(AttributeType::INT),
            ..AttributeProto::default()
        }));
        let size = window.len().cast_signed() as i64;
        let scalar = |name: &str, value: i64| tensor(name, DataType::INT64, &[], &value.to_le_bytes());
        let weights = vec![
            scalar("step", step),
            floats("window", &[size], window.iter().copied()),
            scalar("length", length),
        ];
        graph(&["signal"], node, weights)
    }

    #[test]
    fn a_framed_transform_matches_its_definition() {
        let window: Vec<f32> = (0..8).map(|at| 0.1 * at as f32 + 0.2).collect();
        let signal: Vec<f32> = (0..21).map(|at| (at as f32 * 0.7).sin() + 0.1 * at as f32).collect();
        for (onesided, bins) in [(None, 5), (Some(1), 5), (Some(0), 8)] {
            let session = session(stft_graph(3, &window, 8, onesided));
            let input = NdTensor::from_data([1, 21], signal.clone());
            let output = session.run(vec![input.view().into()]).unwrap().remove(0);
            let output: rten_tensor::Tensor<f32> = output.into_tensor().unwrap();
            assert_eq!(output.shape(), [1, 5, bins, 2], "{onesided:?}");
            let found = output.to_vec();
            for frame in 0..5 {
                for bin in 0..bins {
                    let (mut real, mut imaginary) = (0.0, 0.0);
                    for at in 0..8 {
                        let x = f64::from(window[at]) * f64::from(signal[3 * frame + at]);
                        let angle = TAU * (bin * at) as f64 / 8.0;
                        real += x * angle.cos();
                        imaginary -= x * angle.sin();
                    }
                    let at = 2 * (frame * bins + bin);
                    let [a, b] = [found[at], found[at + 1]].map(f64::from);
                    assert!((a - real).abs() < 1e-4, "frame {frame}, bin {bin}: {a} for {real}");
                    assert!((b - imaginary).abs() < 1e-4, "frame {frame}, bin {bin}: {b} for {imaginary}");
                }
            }
        }
    }

    #[test]
    fn a_fused_product_has_transposed_factors() {
        let attribute = |name: &str, i: Option<i64>, f: Option<f32>| AttributeProto {
            name: Some(name.to_owned()),
            i,
            f,
            r#type: Some(if i.is_some() { AttributeType::INT } else { AttributeType::FLOAT }),
            ..AttributeProto::default()
        };
        // the product of [[1, 2, 3], [4, 5, 6]] transposed and [[1, 0], [2, 1]], plain or transposed
        for (turns_b, alpha, expected) in [
            (0, 1.0, [9.0, 4.0, 12.0, 5.0, 15.0, 6.0]),
            (1, 1.0, [1.0, 6.0, 2.0, 9.0, 3.0, 12.0]),
            (0, 0.5, [4.5, 2.0, 6.0, 2.5, 7.5, 3.0]),
        ] {
            let mut node = node("FusedMatMul", &["a", "b"], "out");
            node.domain = Some(RUNTIME_DOMAIN.to_owned());
            node.attribute = vec![
                attribute("transA", Some(1), None),
                attribute("transB", Some(turns_b), None),
                attribute("alpha", None, Some(alpha)),
            ];
            let session = session(graph(&["a", "b"], node, Vec::new()));
            let a = NdTensor::from_data([1, 2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            let b = NdTensor::from_data([1, 2, 2], vec![1.0, 0.0, 2.0, 1.0]);
            let output = session.run(vec![a.view().into(), b.view().into()]).unwrap().remove(0);
            let output: rten_tensor::Tensor<f32> = output.into_tensor().unwrap();
            assert_eq!((output.shape().to_vec(), output.to_vec()), (vec![1, 3, 2], expected.to_vec()));
        }
    }

    #[test]
    fn unsupported_operators_are_named() {
        let window = [0.5; 8];
        let mut computed = stft_graph(3, &window, 8, None);
        computed.initializer.remove(0);
        let mut batched = node("FusedMatMul", &["a", "b"], "out");
        batched.domain = Some(RUNTIME_DOMAIN.to_owned());
        batched.attribute = vec![AttributeProto { i: Some(1), ..integers("transBatchA", &[]) }];
        let mut alone = node("STFT", &["signal"], "out");
        alone.name = None;
        for (mut graph, named) in [
            (stft_graph(0, &window, 8, None), "its step is Some([0.0]); it must be 1 to 8 samples"),
            (stft_graph(9, &window, 8, None), "its step is Some([9.0])"),
            (stft_graph(3, &window, 7, None), "its window is different in length"),
            (stft_graph(3, &[0.5; 1], 1, None), "its window is 1 samples; it must be 2 to 1024 samples"),
            (stft_graph(3, &[0.5; 1_025], 1_025, None), "its step or window is computed or too long"),
            (computed, "(STFT): its step or window is computed"),
            (graph(&["signal"], alone, Vec::new()), "\"unnamed\" (STFT): its number of values is 1 inputs"),
            (graph(&["a", "b"], batched, Vec::new()), "(FusedMatMul): its transBatchA or transBatchB is 1"),
        ] {
            let error = replace_operators(&mut graph).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        let mut plain = graph(&["a"], node("Relu", &["a"], "out"), Vec::new());
        assert!(!replace_operators(&mut plain).unwrap());
        assert_eq!(plain.node.len(), 1);
    }
}
