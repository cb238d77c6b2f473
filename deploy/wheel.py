#!/usr/bin/env python3
"""Builds a wheel that contains the binary, for `pip install shruti` and `uvx shruti`.

usage: wheel.py BINARY FOLDER

The platform tag is determined from the binary: on Linux, the newest glibc version required by its symbols (PEP 600).
Needs `readelf`.
"""
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

from binary import glibc_of, platform_of

ROOT = Path(__file__).resolve().parents[1]
SUMMARY = "Streaming text-to-speech for eleven languages of India, self-hosted"
NOTICES = ("LICENSE-MIT", "LICENSE-APACHE", "crates/shruti-translit/data/NOTICE.md", "crates/shruti-learned/data/NOTICE-voices.md")


def version():
    return re.search(r'^\[workspace\.package\].*?^version = "(.+?)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M | re.S)[1]


def platform_tag(binary):
    """Returns the tag of the platforms on which a binary runs."""
    machine, system = platform_of(binary)
    if system == "darwin":
        return f"macosx_11_0_{machine}"
    major, minor = glibc_of(binary)
    return f"manylinux_{major}_{minor}_{machine}"


def write(archive, name, content, mode=0o644):
    """Adds a file and returns its line of the RECORD file."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    binary, folder = Path(sys.argv[1]), Path(sys.argv[2])
    tag = f"py3-none-{platform_tag(binary)}"
    release = f"shruti-{version()}"
    info = f"{release}.dist-info"
    metadata = (f"Metadata-Version: 2.4\nName: shruti\nVersion: {version()}\nSummary: {SUMMARY}\n"
                "License-Expression: (MIT OR Apache-2.0) AND CC-BY-SA-4.0\n"
                + "".join(f"License-File: {Path(notice).name}\n" for notice in NOTICES)
                + "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text(encoding="utf-8"))
    wheel = f"Wheel-Version: 1.0\nGenerator: deploy/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{release}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        record = write(archive, f"{release}.data/scripts/shruti", binary.read_bytes(), 0o755)
        for notice in NOTICES:
            record += write(archive, f"{info}/licenses/{Path(notice).name}", (ROOT / notice).read_bytes())
        record += write(archive, f"{info}/METADATA", metadata.encode())
        record += write(archive, f"{info}/WHEEL", wheel.encode())
        write(archive, f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode())
    print(path)


if __name__ == "__main__":
    main()
