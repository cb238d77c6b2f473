//! API reference: Markdown generated from the OpenAPI document, with one page per endpoint and an overview page.

use std::fmt::Write as _;

use serde_json::Value;

use super::samples;

/// Tags of the native API. All other tags denote APIs that are compatible with another service.
const OWN: [&str; 7] = ["speech", "sign-in", "usage", "lexicon", "catalogue", "health", "documents"];
/// Tag whose paths have no page in the reference, because these paths are pages themselves.
const WITHOUT_PAGES: &str = "documents";

/// Page of an endpoint.
pub(super) struct Endpoint {
    /// Path below `/docs/`.
    pub(super) name: String,
    /// Method and path of the endpoint.
    pub(super) title: String,
    /// Whether the endpoint belongs to an API that is compatible with another service.
    pub(super) is_foreign: bool,
    /// Text of the page, in Markdown.
    pub(super) text: String,
}

/// Returns the pages of all endpoints.
pub(super) fn endpoints(openapi: &str) -> Vec<Endpoint> {
    let document: Value = serde_json::from_str(openapi).unwrap_or_default();
    let mut pages = Vec::new();
    for tag in array(&document["tags"]).filter(|tag| tag["name"] != WITHOUT_PAGES) {
        for operation in operations(&document, string(&tag["name"])) {
            let mut text = String::new();
            describe(&mut text, &document, &operation);
            pages.push(Endpoint {
                name: operation.page(),
                title: operation.title(),
                is_foreign: !OWN.contains(&string(&tag["name"])),
                text,
            });
        }
    }
    pages
}

/// Returns the overview page with all endpoints, headers and schemas.
pub(super) fn overview(openapi: &str) -> String {
    let document: Value = serde_json::from_str(openapi).unwrap_or_default();
    let mut text =
        "# All endpoints\n\nGenerated from [`openapi.json`](openapi.json), which is generated from the code.\n\n"
            .to_owned();
    text += document["info"]["description"].as_str().unwrap_or_default();
    for tag in array(&document["tags"]) {
        let (name, what) = (string(&tag["name"]), string(&tag["description"]));
        // writing to a `String` cannot fail, here and below
        let _ = write!(text, "\n\n## {}\n\n{what}\n\n| endpoint | |\n| --- | --- |\n", capitalised(name));
        for operation in operations(&document, name) {
            let (title, what) = (operation.title(), operation.summary());
            let _ = if name == WITHOUT_PAGES {
                writeln!(text, "| `{title}` | {what} |")
            } else {
                writeln!(text, "| [`{title}`]({}.md) | {what} |", operation.page())
            };
        }
    }
    text += "\n\n## Headers\n\nHeaders of responses.\n\n| header | type | meaning |\n| --- | --- | --- |\n";
    for (name, header) in entries(&document["components"]["headers"]) {
        let _ =
            writeln!(text, "| `{name}` | {} | {} |", form(&header["schema"]), string(&header["description"]));
    }
    text += "\n\n## Schemas\n";
    for (name, schema) in entries(&document["components"]["schemas"]) {
        let _ = write!(text, "\n### {name}\n\n{}\n\n", string(&schema["description"]));
        if schema["properties"].is_object() {
            fields(&mut text, schema);
        } else {
            let _ = writeln!(text, "{}\n", form(schema));
        }
    }
    text
}

/// An operation of the OpenAPI document.
pub(super) struct Operation<'a> {
    /// HTTP method, in upper case.
    pub(super) method: String,
    pub(super) path: &'a str,
    pub(super) details: &'a Value,
    /// Example of the JSON body.
    pub(super) example: Option<&'a Value>,
}

impl Operation<'_> {
    fn title(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Returns the path of the operation's page below `/docs/`.
    fn page(&self) -> String {
        format!("api/{}", string(&self.details["operationId"]).replace('_', "-"))
    }

    fn summary(&self) -> String {
        string(&self.details["summary"]).replace('\n', " ")
    }

    /// Returns whether the operation opens a WebSocket.
    pub(super) fn is_socket(&self) -> bool {
        self.details["responses"]["101"].is_object()
    }
}

fn operations<'a>(document: &'a Value, tag: &str) -> Vec<Operation<'a>> {
    let mut found = Vec::new();
    for (path, item) in entries(&document["paths"]) {
        for (method, details) in entries(item).filter(|(_, details)| details["tags"][0] == tag) {
            let example = body(document, details).and_then(|schema| array(&schema["examples"]).next());
            found.push(Operation { method: method.to_uppercase(), path, details, example });
        }
    }
    found
}

/// Returns the schema of an operation's JSON body.
fn body<'a>(document: &'a Value, details: &'a Value) -> Option<&'a Value> {
    let schema = &details["requestBody"]["content"]["application/json"]["schema"];
    document.pointer(schema["$ref"].as_str()?.trim_start_matches('#'))
}

fn describe(text: &mut String, document: &Value, operation: &Operation<'_>) {
    let details = operation.details;
    let _ = write!(text, "# `{}`\n\n{}\n", operation.title(), string(&details["summary"]));
    let _ = write!(text, "\n{}\n", string(&details["description"]));
    if details["security"].is_array() {
        *text += "\nRequires `Authorization: Bearer <API_KEY>`.\n";
    }
    *text += "\n## Example\n";
    *text += &samples::of(operation);
    *text += "\n## Parameters\n\n| parameter | in | type | meaning |\n| --- | --- | --- | --- |\n";
    for parameter in array(&details["parameters"]) {
        let required = if parameter["required"] == true { "**required.** " } else { "" };
        let (name, place) = (string(&parameter["name"]), string(&parameter["in"]));
        let what = string(&parameter["description"]);
        let _ = writeln!(text, "| `{name}` | {place} | {} | {required}{what} |", form(&parameter["schema"]));
    }
    if let Some(schema) = body(document, details) {
        *text += "\n## Body\n\n`application/json`:\n\n";
        fields(text, schema);
        for example in array(&schema["examples"]) {
            let _ = write!(text, "\n```json\n{example:#}\n```\n");
        }
    }
    for (status, answer) in entries(&details["responses"]) {
        let _ = write!(text, "\n## Response {status}\n\n{}\n", string(&answer["description"]));
        let headers: Vec<String> = entries(&answer["headers"]).map(|(name, _)| format!("`{name}`")).collect();
        let _ = write!(text, "\nHeaders: {}.\n", headers.join(", "));
        let content_types: Vec<String> = entries(&answer["content"])
            .map(|(name, content)| match &content["schema"] {
                Value::Null => format!("`{name}`"),
                schema => format!("`{name}` {}", form(schema)),
            })
            .collect();
        if !content_types.is_empty() {
            let _ = write!(text, "\nContent: {}.\n", content_types.join(" or "));
        }
        // one example is enough to show the format; the others are in the OpenAPI document
        if let Some((_, example)) = entries(&answer["content"]["application/json"]["examples"]).next() {
            let _ = write!(text, "\n```json\n{:#}\n```\n", example["value"]);
        }
    }
}

fn fields(text: &mut String, schema: &Value) {
    *text += "| field | type | meaning |\n| --- | --- | --- |\n";
    let must = |name: &str| array(&schema["required"]).any(|required| required == name);
    let mut all: Vec<(&String, &Value)> = entries(&schema["properties"]).collect();
    all.sort_by_key(|(name, _)| !must(name));
    for (name, field) in all {
        let required = if must(name) { "**required.** " } else { "" };
        let _ =
            writeln!(text, "| `{name}` | {} | {required}{} |", form(field), string(&field["description"]));
    }
}

/// Returns a short description of the values that a schema allows.
fn form(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next()) {
        return format!("[{name}](reference.md#{})", name.to_lowercase());
    }
    let mut parts = Vec::new();
    let known: Vec<String> =
        array(&schema["enum"]).filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
    if known.is_empty() {
        let kinds = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("any");
        parts.push(match kinds {
            "array" => format!("list of {}", form(&schema["items"])),
            other => other.to_owned(),
        });
    } else {
        parts.push(known.join(" "));
    }
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Number(least), Value::Number(most)) => parts.push(format!("{least} to {most}")),
        (Value::Number(least), _) => parts.push(format!("at least {least}")),
        _ => {}
    }
    if let Some(most) = schema["maxLength"].as_u64() {
        parts.push(format!("{} to {most} characters", schema["minLength"].as_u64().unwrap_or(0)));
    }
    if let Some(most) = schema["maxProperties"].as_u64() {
        let (word, value) = (form(&schema["propertyNames"]), form(&schema["additionalProperties"]));
        parts.push(format!("at most {most} entries: {word} → {value}"));
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        parts.push(format!("`{pattern}`"));
    }
    if let Some(default) = schema.get("default") {
        parts.push(format!("default `{default}`"));
    }
    if schema["type"][1] == "null" {
        parts.push("or `null`".to_owned());
    }
    parts.join(", ")
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn capitalised(word: &str) -> String {
    let mut rest = word.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}
