use super::*;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

#[test]
fn the_committed_document_is_current() {
    if std::env::var_os("SHRUTI_WRITE_DOCUMENTS").is_some() {
        std::fs::write(COMMITTED, json()).unwrap();
    }
    let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
    // `assert_eq!` would print both documents and hide the command that updates the file
    assert!(
        committed == json(),
        "docs/openapi.json is not what the code says; rewrite it with\n\n    \
         SHRUTI_WRITE_DOCUMENTS=1 cargo test --workspace --lib document\n"
    );
}
