//! Images and audio files of the documentation, embedded in the binary.

use std::sync::LazyLock;

use crate::document::Document;

/// Content types of the files.
pub(super) const TYPES: [&str; 3] = ["image/png", "image/svg+xml", "audio/ogg"];

macro_rules! embed {
    ($($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("../../../../docs/", $path)))),*]
    };
}

/// Files by their paths in `docs/`. A test compares the list with the files that the pages use.
const FILES: &[(&str, &[u8])] = embed! {
    "audio/hi-ananya.opus" "audio/hi-arjun.opus"
    "audio/bn-ananya.opus" "audio/bn-arjun.opus"
    "audio/ta-ananya.opus" "audio/ta-arjun.opus"
    "audio/te-ananya.opus" "audio/te-arjun.opus"
    "audio/gu-ananya.opus" "audio/gu-arjun.opus"
    "audio/kn-ananya.opus" "audio/kn-arjun.opus"
    "audio/ml-ananya.opus" "audio/ml-arjun.opus"
    "audio/mr-ananya.opus" "audio/mr-arjun.opus"
    "audio/pa-ananya.opus" "audio/pa-arjun.opus"
    "audio/or-ananya.opus" "audio/or-arjun.opus"
    "audio/en-ananya.opus" "audio/en-arjun.opus"
    "img/load-1000.svg" "img/voices/clarity.png"
    "img/voices/bn.png" "img/voices/en.png" "img/voices/gu.png" "img/voices/hi.png" "img/voices/kn.png"
    "img/voices/ml.png" "img/voices/mr.png" "img/voices/or.png" "img/voices/pa.png" "img/voices/ta.png"
    "img/voices/te.png"
};

/// Returns the names under which the files are served: the part of each path after the last slash.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|&(path, _)| name(path))
}

fn name(path: &'static str) -> &'static str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the embedded file with this name. The name is compared as received: it is not decoded, and no file
/// is opened.
pub(super) fn find(wanted: &str) -> Option<&'static Document> {
    static DOCUMENTS: LazyLock<Vec<(&str, Document)>> = LazyLock::new(|| {
        let document = |&(path, bytes): &(&'static str, &'static [u8])| {
            let content_type = match path.rsplit_once('.')?.1 {
                "png" => TYPES[0],
                "svg" => TYPES[1],
                "opus" => TYPES[2],
                _ => return None,
            };
            Some((name(path), Document::new(content_type, bytes)))
        };
        FILES.iter().filter_map(document).collect()
    });
    DOCUMENTS.iter().find(|(known, _)| *known == wanted).map(|(_, document)| document)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_file_has_a_type_and_a_unique_name() {
        let names: HashSet<&str> = names().collect();
        assert_eq!(names.len(), FILES.len());
        for name in names {
            assert!(find(name).is_some(), "{name}");
        }
        assert!(find("../README.md").is_none());
    }
}
