//! Files of `crates/shruti-voice/data`. Their numbers can be changed; comments and layout are preserved.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Lines of the files, by name.
#[derive(Clone)]
pub struct Data(BTreeMap<String, Vec<String>>);

/// Location of a number in the files.
#[derive(Clone, Debug)]
pub struct Place {
    file: String,
    line: usize,
    /// Index of the field in a table row, or of the element in a list.
    field: usize,
}

impl Data {
    /// Reads a data folder, including its languages.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for inner in ["", "languages"] {
            let listing = fs::read_dir(folder.join(inner)).with_context(|| folder.display().to_string())?;
            for entry in listing {
                let path = entry?.path();
                if path.is_file() {
                    let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                    files.insert(name, fs::read_to_string(&path)?.lines().map(str::to_owned).collect());
                }
            }
        }
        Ok(Self(files))
    }

    /// Writes the files to a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder.join("languages"))?;
        for (name, text) in self.texts() {
            fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    /// Returns the texts of the files, by name.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.0.iter().map(|(name, lines)| (name.clone(), lines.join("\n") + "\n")).collect()
    }

    /// Returns the location of a number: in a table by row and column, in TOML by section and key (`key.N` for the Nth
    /// element of a list).
    pub fn place(&self, file: &str, row: &str, column: &str) -> Result<Place> {
        let lines = self.0.get(file).with_context(|| format!("no file {file}"))?;
        let found =
            if file.ends_with(".tsv") { in_table(lines, row, column) } else { in_toml(lines, row, column) };
        let (line, field) = found.with_context(|| format!("{file} has no {row} {column}"))?;
        let place = Place { file: file.to_owned(), line, field };
        if self.get(&place).is_none() {
            bail!("{file} {row} {column} is not a number");
        }
        Ok(place)
    }

    pub fn get(&self, place: &Place) -> Option<f64> {
        self.span(place).and_then(|(from, to)| self.line(place)[from..to].trim().parse().ok())
    }

    pub fn set(&mut self, place: &Place, value: f64) {
        let Some((from, to)) = self.span(place) else { return };
        let digits = match value.abs() {
            v if v >= 300.0 => 0,
            v if v >= 30.0 => 1,
            v if v >= 1.0 => 2,
            _ => 4,
        };
        let text = format!("{value:.digits$}");
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
        let text = if text == "-0" { "0".to_owned() } else { text };
        let toml = place.file.ends_with(".toml");
        let text = if toml && !text.contains('.') { text + ".0" } else { text };
        if let Some(lines) = self.0.get_mut(&place.file) {
            lines[place.line].replace_range(from..to, &text);
        }
    }

    fn line(&self, place: &Place) -> &str {
        &self.0[&place.file][place.line]
    }

    /// Returns the byte range of the number in its line.
    fn span(&self, place: &Place) -> Option<(usize, usize)> {
        let line = self.line(place);
        let (start, end, separator) = if place.file.ends_with(".tsv") {
            (0, line.len(), '\t')
        } else {
            let start = line.find('=')? + 1;
            let end = line.find('#').unwrap_or(line.len());
            match (line[start..end].find('['), line[start..end].find(']')) {
                (Some(open), Some(close)) => (start + open + 1, start + close, ','),
                _ => (start, end, ','),
            }
        };
        let mut at = start;
        for (index, field) in line[start..end].split(separator).enumerate() {
            if index == place.field {
                let trimmed = field.trim_start();
                let from = at + field.len() - trimmed.len();
                return Some((from, from + trimmed.trim_end().len()));
            }
            at += field.len() + 1;
        }
        None
    }
}

/// Finds a row and a column in a table. The last comment before the first row contains the column names.
fn in_table(lines: &[String], row: &str, column: &str) -> Option<(usize, usize)> {
    let first = lines.iter().position(|line| !line.starts_with('#'))?;
    let header = lines[..first].last()?.trim_start_matches('#').trim();
    let field = header.split('\t').position(|name| name.trim() == column)?;
    let line = lines.iter().position(|line| line.split('\t').next() == Some(row))?;
    Some((line, field))
}

fn in_toml(lines: &[String], section: &str, key: &str) -> Option<(usize, usize)> {
    let (key, element) = key.split_once('.').map_or((key, 0), |(key, n)| (key, n.parse().unwrap_or(0)));
    let head = format!("[{section}]");
    let start = lines.iter().position(|line| line.starts_with(&head))?;
    let rest = lines[start + 1..].iter().take_while(|line| !line.starts_with('['));
    let offset =
        rest.into_iter().position(|line| line.split('=').next().is_some_and(|name| name.trim() == key))?;
    Some((start + 1 + offset, element))
}
