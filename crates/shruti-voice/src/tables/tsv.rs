//! Tables of numbers: a name and N numbers a line, tabs between, `#` for remarks.

/// One line.
pub(super) struct Row<'a, const N: usize> {
    pub(super) name: &'a str,
    pub(super) numbers: [f32; N],
}

/// All lines of a table; a fault names the file and the line.
pub(super) fn rows<'a, const N: usize>(file: &str, text: &'a str) -> Result<Vec<Row<'a, N>>, String> {
    fields(text)
        .map(|(line, name, fields)| {
            if fields.len() != N {
                return Err(format!("{file}:{line}: {} numbers, {N} are wanted", fields.len()));
            }
            let mut numbers = [0.0; N];
            for (number, field) in numbers.iter_mut().zip(&fields) {
                *number = field.parse().map_err(|_| format!("{file}:{line}: '{field}' is no number"))?;
            }
            Ok(Row { name, numbers })
        })
        .collect()
}

/// Line number, name and further fields of each line that is not a remark.
pub(super) fn fields(text: &str) -> impl Iterator<Item = (usize, &str, Vec<&str>)> {
    text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty()).filter_map(
        |(index, line)| {
            let mut fields = line.split('\t').map(str::trim);
            let name = fields.next()?;
            Some((index + 1, name, fields.collect()))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_file_and_line() {
        let fault = |text| rows::<2>("t.tsv", text).err().unwrap_or_default();
        assert_eq!(fault("# x\na\t1\n"), "t.tsv:2: 1 numbers, 2 are wanted");
        assert_eq!(fault("a\t1\tb\n"), "t.tsv:1: 'b' is no number");
        assert_eq!(rows::<2>("t.tsv", "a\t1\t2.5\n").unwrap()[0].numbers, [1.0, 2.5]);
    }
}
