//! Sequence diagrams, of the little Mermaid that our documents use, as SVG: a browser needs a script for Mermaid.

use std::fmt::Write as _;

use super::markdown::escape;

const WIDTH: u32 = 640;
const MARGIN: u32 = 90;
const STEP: u32 = 34;

/// Draws a diagram; `None` for what is not known here.
pub(super) fn draw(source: &str) -> Option<String> {
    let mut lines = source.lines().map(str::trim).filter(|line| !line.is_empty());
    (lines.next()? == "sequenceDiagram").then_some(())?;
    let mut people: Vec<(&str, &str)> = Vec::new();
    let mut steps = Vec::new();
    for line in lines {
        if let Some(person) = line.strip_prefix("participant ") {
            people.push(person.split_once(" as ").unwrap_or((person, person)));
        } else {
            steps.push(line);
        }
    }
    let spread =
        (WIDTH - 2 * MARGIN) / u32::try_from(people.len()).ok()?.checked_sub(1).filter(|&gaps| gaps > 0)?;
    let x = |id: &str| {
        let at = people.iter().position(|(known, _)| *known == id.trim())?;
        Some(MARGIN + spread * u32::try_from(at).ok()?)
    };
    let height = 48 + STEP * u32::try_from(steps.len()).ok()?;
    let mut svg = format!(
        "<svg class=\"diagram\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Sequence diagram\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n"
    );
    for (id, name) in &people {
        let x = x(id)?;
        let name = escape(name);
        // writing to a string cannot fail
        let _ = writeln!(svg, "<line class=\"life\" x1=\"{x}\" y1=\"30\" x2=\"{x}\" y2=\"{height}\"/>");
        let _ = writeln!(svg, "<text class=\"who\" x=\"{x}\" y=\"20\">{name}</text>");
    }
    for (step, y) in steps.into_iter().zip((62..).step_by(STEP as usize)) {
        let (what, words) = step.split_once(':')?;
        let words = escape(words.trim());
        if let Some(id) = what.strip_prefix("Note over ") {
            let x = x(id)?;
            let _ = writeln!(svg, "<text class=\"note\" x=\"{}\" y=\"{}\">{words}</text>", x + 10, y - 6);
            continue;
        }
        let (from, to, class) = match what.split_once("-->>") {
            Some((from, to)) => (from, to, "answer"),
            None => what.split_once("->>").map(|(from, to)| (from, to, "ask"))?,
        };
        let (from, to) = (x(from)?, x(to)?);
        let middle = u32::midpoint(from, to);
        let _ = writeln!(svg, "<line class=\"{class}\" x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>");
        let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{}\">{words}</text>", y - 6);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_drawn_and_others_are_left() {
        let source = "sequenceDiagram\n participant A as Ann\n participant B\n A->>B: <hi>\n Note over A: waits\n B-->>A: yes\n";
        let svg = draw(source).unwrap();
        for part in ["&lt;hi&gt;", "class=\"answer\"", ">Ann<", "class=\"note\""] {
            assert!(svg.contains(part), "{svg}");
        }
        for other in [
            "",
            "graph TD\n a-->b",
            "sequenceDiagram\n A->>B: hi",
            "sequenceDiagram\nparticipant A\nA->>A: x",
        ] {
            assert!(draw(other).is_none(), "{other}");
        }
    }
}
