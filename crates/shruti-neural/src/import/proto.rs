//! Constructors for parts of ONNX files.

use std::cell::RefCell;

use rten_onnx::onnx::{DataType, NodeProto, TensorProto, TypeProto, TypeProtoTensor, ValueInfoProto};

/// Prefix of the names that the importer adds.
pub(super) const PREFIX: &str = "shruti_";

/// Creates a node with one output.
pub(super) fn node(kind: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: Some(kind.to_owned()),
        name: Some(format!("{PREFIX}{kind}_{output}")),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

/// Creates a weight tensor.
pub(super) fn tensor(name: &str, kind: DataType, dims: &[i64], bytes: &[u8]) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        dims: dims.to_vec(),
        data_type: Some(kind),
        raw_data: Some(RefCell::new(bytes.to_vec())),
        ..TensorProto::default()
    }
}

/// Returns the description of a float tensor of any shape.
pub(super) fn floats(name: &str) -> ValueInfoProto {
    let tensor = TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape: None };
    let kind = TypeProto { tensor_type: Some(tensor), ..TypeProto::default() };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(kind) }
}
