//! Parser for tab-separated tables: a name and N fields per line; lines that start with `#` are comments.

use shruti_lang::Language;

/// A row. A name such as `ml/i` means `i` in Malayalam only.
pub(super) struct Row<'a, R> {
    pub(super) language: Option<Language>,
    pub(super) name: &'a str,
    pub(super) fields: R,
}

/// Parses all rows of a table of numbers; an error names the file and the line.
pub(super) fn rows<'a, const N: usize>(file: &str, text: &'a str) -> Result<Vec<Row<'a, [f32; N]>>, String> {
    read(file, text, |fields: &[&str; N], fault| {
        let mut numbers = [0.0; N];
        for (number, field) in numbers.iter_mut().zip(fields) {
            *number = field.parse().map_err(|_| fault(field))?;
        }
        Ok(numbers)
    })
}

/// Parses all rows of a table. The second argument of `parse` creates the error for a field that is not a number.
pub(super) fn read<'a, const N: usize, R>(
    file: &str,
    text: &'a str,
    parse: impl Fn(&[&str; N], &dyn Fn(&str) -> String) -> Result<R, String>,
) -> Result<Vec<Row<'a, R>>, String> {
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let line_number = index + 1;
            let mut fields = line.split('\t').map(str::trim);
            let name = fields.next().unwrap_or_default();
            let (language, name) = match name.split_once('/') {
                None => (None, name),
                Some((code, name)) => {
                    let unknown = |_| format!("{file}:{line_number}: '{code}' is not a language");
                    (Some(code.parse().map_err(unknown)?), name)
                }
            };
            let fields: Vec<&str> = fields.collect();
            let Ok(fields) = <&[&str; N]>::try_from(fields.as_slice()) else {
                return Err(format!("{file}:{line_number}: {} fields, expected {N}", fields.len()));
            };
            let fields = parse(fields, &|field| format!("{file}:{line_number}: '{field}' is not a number"))?;
            Ok(Row { language, name, fields })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_file_and_line() {
        let fault = |text| rows::<2>("t.tsv", text).err().unwrap_or_default();
        assert_eq!(fault("# x\na\t1\n"), "t.tsv:2: 1 fields, expected 2");
        assert_eq!(fault("a\t1\tb\n"), "t.tsv:1: 'b' is not a number");
        assert_eq!(fault("xx/a\t1\t2\n"), "t.tsv:1: 'xx' is not a language");
    }

    #[test]
    fn a_name_can_be_specific_to_a_language() {
        let read = rows::<2>("t.tsv", "a\t1\t2.5\nml/a\t3\t4\n").unwrap();
        assert_eq!((read[0].language, read[0].name, read[0].fields), (None, "a", [1.0, 2.5]));
        assert_eq!((read[1].language, read[1].name), (Some(Language::Malayalam), "a"));
    }
}
