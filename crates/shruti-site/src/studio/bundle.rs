//! JavaScript bundler that joins modules into one file, so that a page on a slow connection waits for one response
//! instead of fifty.
//!
//! Each module becomes a function that returns its exports, after the modules that it imports. The entry module comes
//! last and is not wrapped, so that only it may use top-level `await`, and its exports stay exports. Only the syntax of
//! the Studio's modules is supported, on separate lines: `import { a, b as c } from "./x.js";`, `import * as x from
//! "./x.js";` and `export` before a function, class or constant. Anything else is an error, which a test over the
//! embedded modules detects.
//!
//! Code that only some visitors need is a *part*: a separate file that the script loads with `import("./x.js")`. A part
//! gets the modules that it shares with the script from the script, so that each module exists only once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use thiserror::Error;

/// Reason why modules cannot be joined.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum BundleError {
    /// A module does not exist.
    #[error("{importer} imports {module}, which does not exist")]
    Missing { importer: String, module: String },
    /// There is an import cycle.
    #[error("{0} imports itself through other modules")]
    ImportCycle(String),
    /// A line has unsupported syntax.
    #[error("{module}: cannot read {line:?}")]
    Form { module: String, line: String },
}

/// Joins the module `entry` and all modules that it imports. `sources` contains every module by name, for example
/// `pages/keys.js`. `parts` contains the URL of each part by the name of its entry module.
pub(super) fn bundle(
    entry: &str,
    sources: &BTreeMap<&str, &str>,
    parts: &BTreeMap<&str, String>,
) -> Result<String, BundleError> {
    let mut bundler = Bundler { parts, ..Bundler::of(sources) };
    let module = bundler.entry(entry)?;
    if !parts.is_empty() {
        let modules =
            bundler.constants.iter().filter_map(|(name, constant)| Some((name, constant.as_ref()?)));
        let modules: Vec<String> = modules.map(|(name, constant)| format!("{name:?}: {constant}")).collect();
        // writing to a `String` cannot fail
        let _ = writeln!(bundler.script, "const {MODULES} = {{ {} }};", modules.join(", "));
    }
    bundler.script.push_str(&module.head);
    bundler.script.push_str(&module.body);
    if !module.exports.is_empty() {
        // writing to a `String` cannot fail
        let _ = writeln!(bundler.script, "export {{ {} }};", module.exports.join(", "));
    }
    Ok(bundler.script)
}

/// Joins the part with the entry module `entry`. It omits the modules that are in the script of `shell`, which loads
/// the part.
pub(super) fn part(entry: &str, shell: &str, sources: &BTreeMap<&str, &str>) -> Result<String, BundleError> {
    let mut of_shell = Bundler { parts_are_known: false, ..Bundler::of(sources) };
    of_shell.entry(shell)?;
    let shared = of_shell.constants.into_keys().map(|name| {
        let constant = format!("{MODULES}[{name:?}]");
        (name, Some(constant))
    });
    let mut bundler = Bundler { constants: shared.collect(), ..Bundler::of(sources) };
    let Module { head, body, exports } = bundler.entry(entry)?;
    Ok(format!(
        "let $loaded;\nexport const load = ({MODULES}) => $loaded ??= (() => {{\n{}{head}{body}return {{ {} }};\n}})();\n",
        bundler.script,
        exports.join(", ")
    ))
}

/// Name of the constant that contains the exports of all modules of a script, by module name.
const MODULES: &str = "$modules";

/// Prefix of the constants that contain the exports of a module.
const CONSTANT: &str = "$module_";

struct Bundler<'a> {
    sources: &'a BTreeMap<&'a str, &'a str>,
    parts: &'a BTreeMap<&'a str, String>,
    /// Whether `parts` is complete. If it is not, any part is accepted.
    parts_are_known: bool,
    /// Constant with the exports of each module; `None` while the imports of the module are being written.
    constants: BTreeMap<String, Option<String>>,
    script: String,
}

/// A parsed module.
#[derive(Default)]
struct Module {
    /// Imports, as constants.
    head: String,
    body: String,
    exports: Vec<String>,
}

impl<'a> Bundler<'a> {
    fn of(sources: &'a BTreeMap<&'a str, &'a str>) -> Self {
        static NONE: BTreeMap<&str, String> = BTreeMap::new();
        Self {
            sources,
            parts: &NONE,
            parts_are_known: true,
            constants: BTreeMap::new(),
            script: String::new(),
        }
    }

    /// Parses the entry module and writes all modules that it imports.
    fn entry(&mut self, entry: &str) -> Result<Module, BundleError> {
        let Some(source) = self.sources.get(entry) else {
            return Err(BundleError::Missing { importer: entry.to_owned(), module: entry.to_owned() });
        };
        self.read(entry, source)
    }

    /// Writes a module after its imports, and returns the constant that contains its exports.
    fn write(&mut self, importer: &str, name: &str) -> Result<String, BundleError> {
        match self.constants.get(name) {
            Some(Some(constant)) => return Ok(constant.clone()),
            Some(None) => return Err(BundleError::ImportCycle(name.to_owned())),
            None => {}
        }
        let Some(source) = self.sources.get(name) else {
            return Err(BundleError::Missing { importer: importer.to_owned(), module: name.to_owned() });
        };
        self.constants.insert(name.to_owned(), None);
        let Module { head, body, exports } = self.read(name, source)?;
        let finished =
            self.constants.values().flatten().filter(|constant| constant.starts_with(CONSTANT)).count();
        let constant = format!("{CONSTANT}{}", finished + 1);
        // writing to a `String` cannot fail
        let _ = writeln!(
            self.script,
            "const {constant} = (() => {{\n{head}{body}return {{ {} }};\n}})();",
            exports.join(", ")
        );
        self.constants.insert(name.to_owned(), Some(constant.clone()));
        Ok(constant)
    }

    /// Parses a module and writes its imports.
    fn read(&mut self, name: &str, source: &str) -> Result<Module, BundleError> {
        let mut module = Module::default();
        // imports precede everything else; a similar line further down is part of a string
        let mut imports = true;
        let mut quoted = false;
        for line in source.lines() {
            let comment = !quoted && line.starts_with("//");
            let form = || BundleError::Form { module: name.to_owned(), line: line.to_owned() };
            if imports && line.starts_with("import ") {
                let (taken, from) = imported(line).ok_or_else(form)?;
                let constant = self.write(name, &resolved(name, from))?;
                let _ = writeln!(module.head, "const {taken} = {constant};");
                continue;
            }
            imports &= comment || line.is_empty();
            if comment || line.is_empty() && !quoted {
                continue;
            }
            let exported = if quoted { None } else { line.strip_prefix("export ") };
            if let Some(declared) = exported {
                module.exports.push(declared_name(declared).ok_or_else(form)?.to_owned());
            }
            module.body.push_str(&self.with_part(name, exported.unwrap_or(line))?);
            module.body.push('\n');
            quoted ^= ends_in_other_quotation(line);
        }
        Ok(module)
    }

    /// Replaces the module name in a dynamic import by the URL of the part. Other lines are unchanged.
    fn with_part<'l>(&self, module: &str, line: &'l str) -> Result<Cow<'l, str>, BundleError> {
        const LOAD: &str = "import(\"";
        let Some((before, rest)) = line.split_once(LOAD) else { return Ok(Cow::Borrowed(line)) };
        let form = || BundleError::Form { module: module.to_owned(), line: line.to_owned() };
        let (from, after) = rest.split_once("\")").ok_or_else(form)?;
        let name = resolved(module, from);
        let address = match self.parts.get(name.as_str()) {
            Some(address) => address.as_str(),
            None if self.parts_are_known => {
                return Err(BundleError::Missing { importer: module.to_owned(), module: name });
            }
            None => from,
        };
        Ok(Cow::Owned(format!("{before}import({address:?}).then((part) => part.load({MODULES})){after}")))
    }
}

/// Converts an import line. Returns the left side of an equivalent constant, and the path of the module.
fn imported(line: &str) -> Option<(String, &str)> {
    let (taken, from) = line.strip_prefix("import ")?.split_once(" from \"")?;
    let from = from.strip_suffix("\";")?;
    let taken = match taken.strip_prefix("* as ") {
        Some(whole) => whole.to_owned(),
        None if taken.starts_with('{') && taken.ends_with('}') => taken.replace(" as ", ": "),
        None => return None,
    };
    Some((taken, from))
}

/// Returns the name that a declaration introduces.
fn declared_name(declared: &str) -> Option<&str> {
    let rest = ["async function* ", "function* ", "async function ", "function ", "class ", "const "]
        .into_iter()
        .find_map(|kind| declared.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// Returns the name of the module that `importer` imports by the relative path `from`, for example `../dom.js`.
fn resolved(importer: &str, from: &str) -> String {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns whether a line has an odd number of backquotes, so that a template string starts or ends in it.
fn ends_in_other_quotation(line: &str) -> bool {
    let mut escaped = false;
    let backquotes = line.chars().filter(|&c| {
        let counts = c == '`' && !escaped;
        escaped = c == '\\' && !escaped;
        counts
    });
    backquotes.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundler(sources: &[(&'static str, &'static str)]) -> Result<String, BundleError> {
        bundle("a.js", &sources.iter().copied().collect(), &BTreeMap::new())
    }

    #[test]
    fn modules_stand_behind_what_they_import_and_the_entry_last() {
        let script = bundler(&[
            (
                "a.js",
                "// Entry.\n\nimport { one as first } from \"./b.js\";\nimport * as c from \"./d/c.js\";\n\nawait first(c.two);\n",
            ),
            ("b.js", "import { two } from \"./d/c.js\";\nexport function one() { return two; }\n"),
            ("d/c.js", "import { three } from \"../e.js\";\nexport const two = three;\n"),
            ("e.js", "export class Other {}\nexport const three = 3;\n"),
            ("unused.js", "export const four = 4;\n"),
        ]);
        let script = script.unwrap();
        assert_eq!(script.matches("return { two };").count(), 1, "once, however often it is imported");
        let places = ["return { Other, three };", "return { two };", "return { one };", "await"]
            .map(|part| script.find(part));
        assert!(places.is_sorted() && places[0].is_some(), "{script}");
        for number in 1..=3 {
            assert_eq!(script.matches(&format!("const $module_{number} =")).count(), 1, "{script}");
        }
        assert!(script.ends_with("await first(c.two);\n") && !script.contains("four"), "{script}");
    }

    #[test]
    fn what_the_entry_exports_the_whole_exports() {
        let script = bundler(&[
            ("a.js", "import { b } from \"./b.js\";\nexport class A {}\nexport const two = b;\n"),
            ("b.js", "export const b = 2;\n"),
        ]);
        assert!(script.unwrap().ends_with("class A {}\nconst two = b;\nexport { A, two };\n"));
    }

    #[test]
    fn lines_of_a_text_are_no_code() {
        let script = bundler(&[(
            "a.js",
            "const text = `// kept\nimport { x } from \"y\";\n\n// kept too\nexport nothing\n`;\n// gone\n",
        )]);
        assert_eq!(
            script.unwrap(),
            "const text = `// kept\nimport { x } from \"y\";\n\n// kept too\nexport nothing\n`;\n"
        );
    }

    #[test]
    fn what_cannot_be_joined_is_said() {
        let error = |sources| bundler(sources).unwrap_err();
        assert_eq!(
            error(&[("a.js", "import { x } from \"./b.js\";\n")]),
            BundleError::Missing { importer: "a.js".into(), module: "b.js".into() }
        );
        assert_eq!(
            error(&[
                ("a.js", "import { x } from \"./b.js\";\n"),
                ("b.js", "import { y } from \"./c.js\";\nexport const x = y;\n"),
                ("c.js", "import { x } from \"./b.js\";\nexport const y = x;\n"),
            ]),
            BundleError::ImportCycle("b.js".into())
        );
        for line in ["import x from \"./b.js\";", "export default 3;", "export { x };", "export let x = 1;"] {
            let sources: BTreeMap<&str, &str> = [("a.js", line)].into();
            let wanted = BundleError::Form { module: "a.js".into(), line: line.into() };
            assert_eq!(bundle("a.js", &sources, &BTreeMap::new()), Err(wanted));
        }
    }

    #[test]
    fn a_part_shares_the_modules_of_the_script_that_loads_it() {
        let sources: BTreeMap<&str, &str> = [
            ("a.js", "import { one } from \"./b.js\";\nconst part = (await import(\"./p/q.js\")).five(one);\n"),
            ("b.js", "export const one = 1;\n"),
            ("p/q.js", "import { one } from \"../b.js\";\nimport { six } from \"./r.js\";\nexport const five = () => one + six;\n"),
            ("p/r.js", "import * as b from \"../b.js\";\nexport const six = b.one;\n"),
        ]
        .into();
        let own = part("p/q.js", "a.js", &sources).unwrap();
        assert_eq!(own.matches("$modules[\"b.js\"]").count(), 2, "{own}");
        assert!(!own.contains("one = 1") && own.contains("const $module_1 = (() =>"), "{own}");
        assert!(own.contains("return { five };"), "{own}");
        let parts = BTreeMap::from([("p/q.js", "/assets/q-1.js".to_owned())]);
        let script = bundle("a.js", &sources, &parts).unwrap();
        assert!(script.contains("const $modules = { \"b.js\": $module_1 };"), "{script}");
        assert!(
            script
                .contains("await import(\"/assets/q-1.js\").then((part) => part.load($modules))).five(one)"),
            "{script}"
        );
        let missing = BundleError::Missing { importer: "a.js".into(), module: "p/q.js".into() };
        assert_eq!(bundle("a.js", &sources, &BTreeMap::new()), Err(missing));
    }
}
