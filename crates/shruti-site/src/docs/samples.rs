//! Code samples for an endpoint, in curl, Python and JavaScript. The pages show them as tabs, with the address of
//! the server that serves the page.

use serde_json::{Value, json};

use super::reference::Operation;

const SERVER: &str = "http://127.0.0.1:8080";

/// Returns the samples of an endpoint, in Markdown.
pub(super) fn of(operation: &Operation<'_>) -> String {
    let tag = text(&operation.details["tags"][0]);
    match (operation.is_socket(), tag) {
        (true, "speech") => socket(),
        (true, _) => {
            format!("\nClients of that service open this WebSocket; see [its messages](/docs/{tag}).\n")
        }
        (false, _) => Request::of(operation).samples(),
    }
}

/// HTTP request that a sample sends.
struct Request {
    method: String,
    url: String,
    has_key: bool,
    body: Option<Body>,
    /// Name of the output file, if the response is audio.
    file: Option<String>,
}

enum Body {
    Json(Value),
    /// Name of a TOML file.
    Toml(&'static str),
}

impl Request {
    fn of(operation: &Operation<'_>) -> Self {
        let details = operation.details;
        let mut url = format!("{SERVER}{}", operation.path);
        for parameter in details["parameters"].as_array().into_iter().flatten() {
            let example = parameter["example"].as_str().unwrap_or("Ananya");
            url = url.replace(&format!("{{{}}}", text(&parameter["name"])), example);
        }
        let mut example = operation.example.cloned();
        if let Some(body) = example.as_mut().filter(|_| operation.path == "/v1/tts") {
            // a format that every player supports; the default format has no header
            body["output_format"] = json!("mp3");
        }
        let toml = details["requestBody"]["content"]["application/toml"].is_object();
        let body = example.map(Body::Json).or(toml.then_some(Body::Toml("words.toml")));
        let chosen = match &body {
            Some(Body::Json(body)) if body["output_format"] == "mp3" => Some("mp3"),
            _ => ending(&details["responses"]["200"]["content"]),
        };
        Self {
            method: operation.method.clone(),
            url,
            has_key: details["security"].is_array(),
            body,
            file: chosen.map(|ending| format!("speech.{ending}")),
        }
    }

    fn samples(&self) -> String {
        let not_run = "<!-- not run: a page of the reference -->\n";
        let blocks = [("sh", self.curl()), ("python", self.python()), ("js", self.javascript())];
        blocks.map(|(language, code)| format!("\n{not_run}```{language}\n{code}\n```\n")).concat()
    }

    fn curl(&self) -> String {
        let mut lines = vec![format!("curl -sS --fail-with-body {}", self.url)];
        if let Some(file) = &self.file {
            lines[0].extend([" -o ", file]);
        }
        if !matches!((&self.body, self.method.as_str()), (None, "GET") | (Some(Body::Json(_)), "POST")) {
            lines[0].extend([" -X ", &self.method]);
        }
        if self.has_key {
            lines.push("-H \"Authorization: Bearer $SHRUTI_API_KEY\"".to_owned());
        }
        match &self.body {
            Some(Body::Json(body)) => {
                lines.push("-H 'content-type: application/json'".to_owned());
                lines.push(format!("-d '{}'", spaced(body).replace('\'', "'\\''")));
            }
            Some(Body::Toml(file)) => {
                lines.push("-H 'content-type: application/toml'".to_owned());
                lines.push(format!("--data-binary @{file}"));
            }
            None => {}
        }
        lines.join(" \\\n  ")
    }

    fn python(&self) -> String {
        let mut arguments = vec![format!("    \"{}\"", self.url)];
        if self.has_key {
            let key = "{os.environ['SHRUTI_API_KEY']}";
            arguments.push(format!("    headers={{\"Authorization\": f\"Bearer {key}\"}}"));
        }
        match &self.body {
            Some(Body::Json(body)) => arguments.push(format!("    json={}", python_literal(body))),
            Some(Body::Toml(file)) => arguments.push(format!("    data=open(\"{file}\", \"rb\")")),
            None => {}
        }
        let imports = if self.has_key { "import os\nimport requests\n\n" } else { "import requests\n\n" };
        let call =
            format!("response = requests.{}(\n{},\n)\n", self.method.to_lowercase(), arguments.join(",\n"));
        let rest = match &self.file {
            Some(file) => {
                format!("response.raise_for_status()\nopen(\"{file}\", \"wb\").write(response.content)")
            }
            None => "response.raise_for_status()\nprint(response.text)".to_owned(),
        };
        format!("{imports}{call}{rest}")
    }

    fn javascript(&self) -> String {
        let mut headers = Vec::new();
        if self.has_key {
            headers.push("    authorization: `Bearer ${process.env.SHRUTI_API_KEY}`".to_owned());
        }
        let body = match &self.body {
            Some(Body::Json(body)) => {
                headers.push("    \"content-type\": \"application/json\"".to_owned());
                Some(format!("JSON.stringify({})", spaced(body)))
            }
            Some(Body::Toml(file)) => {
                headers.push("    \"content-type\": \"application/toml\"".to_owned());
                Some(format!("await readFile(\"{file}\")"))
            }
            None => None,
        };
        let mut options = Vec::new();
        if self.method != "GET" {
            options.push(format!("  method: \"{}\",", self.method));
        }
        if !headers.is_empty() {
            options.push(format!("  headers: {{\n{},\n  }},", headers.join(",\n")));
        }
        options.extend(body.map(|body| format!("  body: {body},")));
        let options =
            if options.is_empty() { String::new() } else { format!(", {{\n{}\n}}", options.join("\n")) };
        let (import, rest) = match &self.file {
            Some(file) => (
                "import { writeFile } from \"node:fs/promises\";\n\n",
                format!("await writeFile(\"{file}\", new Uint8Array(await response.arrayBuffer()));"),
            ),
            None if matches!(self.body, Some(Body::Toml(_))) => (
                "import { readFile } from \"node:fs/promises\";\n\n",
                "console.log(await response.text());".to_owned(),
            ),
            None => ("", "console.log(await response.text());".to_owned()),
        };
        format!(
            "{import}const response = await fetch(\"{}\"{options});\n\
             if (!response.ok) throw new Error(await response.text());\n{rest}",
            self.url
        )
    }
}

/// Returns the samples for a WebSocket conversation.
fn socket() -> String {
    "\n<!-- not run: a page of the reference -->\n```python\n# pip install websockets\n\
     import asyncio, json, os, websockets\n\n\
     async def talk():\n    \
     headers = {\"Authorization\": f\"Bearer {os.environ['SHRUTI_API_KEY']}\"}\n    \
     url = \"ws://127.0.0.1:8080/v1/tts/stream\"\n    \
     async with websockets.connect(url, additional_headers=headers) as stream:\n        \
     await stream.send(json.dumps({\"text\": \"नमस्ते! आप कैसे हैं?\", \"final\": True}))\n        \
     with open(\"speech.pcm\", \"wb\") as file:\n            \
     async for message in stream:\n                \
     if isinstance(message, bytes):\n                    \
     file.write(message)\n                \
     elif json.loads(message)[\"type\"] in (\"turn.done\", \"turn.failed\", \"error\"):\n                    \
     print(message)\n                    \
     break\n\n\
     asyncio.run(talk())\n```\n\
     \n<!-- not run: a page of the reference -->\n```js\n// npm install ws\n\
     import { createWriteStream } from \"node:fs\";\nimport WebSocket from \"ws\";\n\n\
     const headers = { authorization: `Bearer ${process.env.SHRUTI_API_KEY}` };\n\
     const stream = new WebSocket(\"ws://127.0.0.1:8080/v1/tts/stream\", { headers });\n\
     const file = createWriteStream(\"speech.pcm\");\n\
     stream.on(\"open\", () => stream.send(JSON.stringify({ text: \"नमस्ते! आप कैसे हैं?\", final: true })));\n\
     stream.on(\"message\", (data, isBinary) => {\n  \
     if (isBinary) return file.write(data);\n  \
     const event = JSON.parse(data);\n  \
     if ([\"turn.done\", \"turn.failed\", \"error\"].includes(event.type)) {\n    \
     console.log(event);\n    \
     file.end();\n    \
     stream.close();\n  \
     }\n});\n```\n\nMore: [a conversation, message by message](/docs/websocket).\n"
        .to_owned()
}

/// Returns the file extension for a sample's output: `mp3` or `wav` if offered, otherwise `pcm`; `None` if
/// the response is not audio.
fn ending(content: &Value) -> Option<&'static str> {
    let types: Vec<&String> = content.as_object()?.keys().collect();
    let has = |kind: &str| types.iter().any(|known| known.starts_with(kind));
    match () {
        () if has("audio/mpeg") => Some("mp3"),
        () if has("audio/wav") => Some("wav"),
        () if has("audio/") => Some("pcm"),
        () => None,
    }
}

/// Formats JSON on one line, with spaces after colons and commas.
fn spaced(value: &Value) -> String {
    literal(value, ["true", "false", "null"])
}

fn python_literal(value: &Value) -> String {
    literal(value, ["True", "False", "None"])
}

fn literal(value: &Value, words: [&str; 3]) -> String {
    let [yes, no, none] = words;
    match value {
        Value::Null => none.to_owned(),
        Value::Bool(flag) => (if *flag { yes } else { no }).to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| literal(item, words)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), literal(value, words));
            // the text comes first, as is customary in examples
            let is_text = |name: &str| ["text", "input", "transcript"].contains(&name);
            let (text, others): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| is_text(name));
            format!("{{{}}}", text.into_iter().chain(others).map(field).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, body: Option<Body>, file: Option<&str>) -> Request {
        Request {
            method: method.to_owned(),
            url: format!("{SERVER}/v1/a"),
            has_key: true,
            body,
            file: file.map(str::to_owned),
        }
    }

    #[test]
    fn a_request_is_the_same_in_each_language() {
        let body = json!({"text": "it's", "strict": true, "voice": null});
        let speak = request("POST", Some(Body::Json(body)), Some("speech.mp3"));
        assert_eq!(
            speak.curl(),
            "curl -sS --fail-with-body http://127.0.0.1:8080/v1/a -o speech.mp3 \\\n  \
             -H \"Authorization: Bearer $SHRUTI_API_KEY\" \\\n  -H 'content-type: application/json' \\\n  \
             -d '{\"text\": \"it'\\''s\", \"strict\": true, \"voice\": null}'"
        );
        let python = speak.python();
        assert!(python.contains("json={\"text\": \"it's\", \"strict\": True, \"voice\": None},"), "{python}");
        assert!(python.contains("requests.post(\n    \"http://127.0.0.1:8080/v1/a\","), "{python}");
        let javascript = speak.javascript();
        assert!(
            javascript.contains("method: \"POST\",") && javascript.contains("\"strict\": true"),
            "{javascript}"
        );

        let list = request("GET", None, None);
        assert!(!list.curl().contains("-X") && !list.javascript().contains("method"), "{}", list.curl());
        let put = request("PUT", Some(Body::Toml("words.toml")), None);
        assert!(put.curl().contains("-X PUT") && put.curl().contains("@words.toml"), "{}", put.curl());
        assert!(put.javascript().contains("readFile(\"words.toml\")"), "{}", put.javascript());
    }
}
