use super::*;

const SUM: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn file(url: &str, path: &str) -> String {
    format!("[[pack.file]]\nurl = \"{url}\"\npath = \"{path}\"\nbytes = 5\nsha256 = \"{SUM}\"\n")
}

fn piper() -> String {
    let files = [
        file("https://example.org/a.onnx", "a.onnx"),
        file("https://example.org/a.onnx.json", "a.onnx.json"),
        file("file:///srv/CARD", "CARD"),
    ];
    let head = "format = 1\n[[pack]]\nid = \"te-a\"\ntried = \"never run here\"\nimport = \"piper\"\n";
    let voice = "[[pack.voice]]\nname = \"A\"\nlanguages = [\"te\"]\n";
    let licence =
        "[pack.licence]\nspdx = \"MIT\"\nattribution = \"a\"\ncommercial = \"yes\"\nsource = \"s\"\n";
    format!("{head}{voice}{licence}text = \"CARD\"\n{}", files.concat())
}

#[test]
fn the_built_in_catalogue_is_well_formed() {
    Catalogue::built_in().unwrap();
}

#[test]
fn an_entry_for_an_importable_voice_is_parsed() {
    let catalogue = Catalogue::parse(&piper()).unwrap();
    let entry = catalogue.find("te-a").unwrap();
    assert_eq!(entry.form, CatalogueForm::Piper { graph: "a.onnx".to_owned(), input: None });
    assert_eq!((entry.bytes(), entry.licence_file().unwrap().url.as_str()), (15, "file:///srv/CARD"));
    let text = piper().replacen("import =", "reads = \"phones\"\nimport =", 1);
    let entry = &Catalogue::parse(&text).unwrap().entries[0];
    assert!(matches!(entry.form, CatalogueForm::Piper { input: Some(InputKind::Phones), .. }));
}

fn kokoro() -> String {
    let text = piper().replace("import = \"piper\"", "import = \"kokoro\"").replace("a.onnx.json", "a.bin");
    text.replacen("languages = [\"te\"]\n", "languages = [\"te\"]\nspeaker = 0\n", 1)
}

#[test]
fn kokoro_has_a_graph_and_a_style_table_per_voice() {
    let catalogue = Catalogue::parse(&kokoro()).unwrap();
    let form = CatalogueForm::Kokoro { graph: "a.onnx".to_owned(), styles: vec!["a.bin".to_owned()] };
    assert_eq!(catalogue.entries[0].form, form);
    for (from, to, named) in [
        ("import =", "reads = \"phones\"\nimport =", "`reads` is given"),
        ("import =", "input = 1\nimport =", "`input` is given"),
        ("speaker = 0", "speaker = 1", "1 files have the extension .bin, and a voice has `speaker` 1"),
        ("path = \"a.bin\"", "path = \"a.json\"", "0 files have the extension .bin"),
        ("path = \"a.onnx\"", "path = \"a.pt\"", "0 files have the extension .onnx"),
    ] {
        let text = kokoro().replacen(from, to, 1);
        assert_ne!(text, kokoro(), "{from}");
        let error = Catalogue::parse(&text).map(|_| ()).expect_err(to).to_string();
        assert!(error.contains(named), "{to}: {error}");
    }
}

#[test]
fn files_of_a_pack_are_a_manifest_with_urls() {
    let finds = IMPORT_PLACEHOLDERS.replace("\"\"", "\"CARD\"").replace("[graph]", "[pack.graph]");
    let finds = finds.replace("input =", "pack.input =").replace("sound =", "pack.sound =");
    // the tables of the entry must precede the tables of its files
    let (head, rest) = finds.split_once("[pack.graph]").unwrap();
    let text = piper().replace("import = \"piper\"\n", &head.replace("pack.", ""));
    let text = text.replacen("[pack.licence]", &format!("[pack.graph]{rest}[pack.licence]"), 1);
    let entry = Catalogue::parse(&text).unwrap().entries.remove(0);
    let CatalogueForm::Pack(manifest) = entry.form else { panic!("{entry:?}") };
    assert_eq!(Manifest::parse(&manifest.to_toml().unwrap()).unwrap(), *manifest);
}

#[test]
fn errors_name_the_fault() {
    let twice = format!("{}{}", piper(), piper().replacen("format = 1\n", "", 1));
    for (from, to, named) in [
        ("format = 1", "format = 2", "`format` is 2"),
        ("format = 1", "format = 1\nmirror = 1", "unknown field `mirror`"),
        ("te-a", "../a", "pack 1 (\"../a\"): `id`"),
        ("tried = \"never run here\"", "", "`tried` is missing"),
        ("never run here", "\\u001b", "`tried`"),
        ("import = \"piper\"", "import = \"torch\"", "`import` is \"torch\""),
        ("import = \"piper\"", "", "missing field"),
        ("import = \"piper\"", "import = \"piper\"\nreads = \"runes\"", "`reads`"),
        ("import = \"piper\"", "import = \"piper\"\nsound = 1", "`sound` is given"),
        ("https://example.org/a.onnx\"", "ftp://example.org/a.onnx\"", "`file[0].url`"),
        ("https://example.org/a.onnx\"", "https://example.org/a b\"", "`file[0].url`"),
        ("url = \"file:///srv/CARD\"\n", "", "`file[2].url` is missing"),
        ("path = \"CARD\"", "path = \"../CARD\"", "`file[2].path`"),
        ("text = \"CARD\"", "text = \"TERMS\"", "`licence.text`"),
        ("text = \"CARD\"\n", "", "`licence.text` is missing"),
        ("path = \"a.onnx.json\"", "path = \"b.json\"", "there is no file a.onnx.json"),
        ("path = \"a.onnx\"", "path = \"a.bin\"", "0 files have the extension .onnx"),
        ("bytes = 5", "bytes = 700000000", "600 MiB"),
        (SUM, "12", "`file[0].sha256`"),
        ("name = \"A\"", "name = \"\"", "`voice[0].name`"),
        (&piper(), &twice, "pack 2 (\"te-a\"): an earlier pack has the same id"),
    ] {
        let text = piper().replacen(from, to, 1);
        assert_ne!(text, piper(), "{from}");
        let error = Catalogue::parse(&text).map(|_| ()).expect_err(to).to_string();
        assert!(error.contains(named), "{to}: {error}");
    }
}
