//! Checks that the dependencies between the parts of the normaliser follow the order of the layers.

use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders of `src/normalize`. Each part uses only itself and the parts before it.
const LAYERS: [&str; 14] = [
    "scan",
    "chat",
    "evidence",
    "number",
    "spelling",
    "quantity",
    "time",
    "date",
    "identifier",
    "letters",
    "abbreviation",
    "forms",
    "signs",
    "classes",
];

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("the sources of the normalizer can be listed");
    entries.flat_map(|entry| rust_files(&entry.expect("the entry can be read").path())).collect()
}

/// Returns the names after `crate::normalize::` in a source text, including those in braces.
fn used_parts(source: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let uses = source.split("crate::normalize::").skip(1);
    uses.flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => {
            let list = list.split('}').next().unwrap_or_default();
            list.split(',').map(|item| item.split("::").next().unwrap_or_default().trim()).collect::<Vec<_>>()
        }
        None => vec![rest.split(|c: char| !is_name(c)).next().unwrap_or_default()],
    })
    .collect()
}

#[test]
fn each_layer_of_the_normalizer_uses_only_lower_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/normalize");
    for (layer, name) in LAYERS.into_iter().enumerate() {
        let file = folder.join(format!("{name}.rs"));
        let path = if file.is_file() { file } else { folder.join(name) };
        for file in rust_files(&path) {
            let source = fs::read_to_string(&file).expect("the source is UTF-8");
            for used in used_parts(&source) {
                let lower = LAYERS[..=layer].contains(&used);
                assert!(
                    lower || !LAYERS.contains(&used),
                    "{} uses {used}, which is above {name}: move what both need to a lower layer",
                    file.display()
                );
            }
        }
    }
}
