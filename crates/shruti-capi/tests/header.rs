//! Compares the committed header with the header generated from the sources.
//! `SHRUTI_WRITE_DOCUMENTS=1 cargo test -p shruti-capi` updates the committed header.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let sources = ["types", "engine", "api"].map(|name| folder.join(format!("src/{name}.rs")));
    let builder =
        sources.iter().fold(cbindgen::Builder::new().with_config(config), cbindgen::Builder::with_src);
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    // the header shows the safety sections under the heading "Requirements"
    let header = without_safety(&String::from_utf8(header).unwrap());
    let path = folder.join("include/shruti.h");
    if std::env::var_os("SHRUTI_WRITE_DOCUMENTS").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == header,
        "include/shruti.h is stale: run SHRUTI_WRITE_DOCUMENTS=1 cargo test -p shruti-capi"
    );
}

/// Replaces the heading of each safety section with "Requirements:", and removes the backquotes.
fn without_safety(header: &str) -> String {
    header.replace("// # Safety\n//\n", "// Requirements:\n").replace('`', "")
}
