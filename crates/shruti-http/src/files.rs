//! Reader for files that the operator configures.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Reads a file of at most `most` bytes. The file must be a regular file: reading a pipe could block forever, and a
/// pipe is empty when it is read a second time.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // with `O_NONBLOCK`, opening a pipe returns immediately, and the type check below rejects it
    let file =
        OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if !file.metadata()?.is_file() {
        let what = "it is not a regular file, and only regular files can be reloaded while the server runs";
        return Err(io::Error::other(what));
    }
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_regular_files_of_limited_size() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read_file(&file, 4).unwrap(), b"four");
        assert!(read_file(&file, 3).unwrap_err().to_string().contains("more than 3 bytes"));
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for other in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            let error = read_file(other, 4).unwrap_err().to_string();
            assert!(error.contains("not a regular file"), "{}: {error}", other.display());
        }
    }
}
