#!/usr/bin/env python3
"""Builds two npm packages for `npx shruti`: one with the binary for its platform, and one that starts it.

usage: npm.py BINARY FOLDER

The second package lists the packages for all platforms in `PLATFORMS` as optional dependencies; npm installs only the
matching one. Needs `npm`.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from binary import platform_of
from wheel import NOTICES, ROOT, SUMMARY, version

# values of Node's `process.platform` and `process.arch`
PLATFORMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64")
ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def pack(folder, description, files):
    """Writes a package archive with these files into a folder and returns its path."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for name, source in files.items():
            shutil.copy(source, root / name)
        for notice in NOTICES:
            shutil.copy(ROOT / notice, root)
        description |= {"version": version(), "license": "(MIT OR Apache-2.0) AND CC-BY-SA-4.0"}
        (root / "package.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
        command = ["npm", "pack", "--silent", "--pack-destination", folder.resolve()]
        name = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    return folder / name


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    binary, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    machine, system = platform_of(binary)
    architecture = ARCHITECTURES[machine]
    carrier = {"name": f"@shruti/{system}-{architecture}", "description": f"The binary of shruti for {system}-{architecture}",
               "os": [system], "cpu": [architecture], "preferUnplugged": True}
    if system == "linux":
        carrier["libc"] = ["glibc"]
    print(pack(folder, carrier, {"shruti": binary}))
    starter = {"name": "shruti", "description": SUMMARY, "type": "module", "bin": {"shruti": "shruti.js"}, "engines": {"node": ">=18"},
               "optionalDependencies": {f"@shruti/{name}": version() for name in PLATFORMS}}
    print(pack(folder, starter, {"shruti.js": ROOT / "deploy/npm/shruti.js", "README.md": ROOT / "README.md"}))


if __name__ == "__main__":
    main()
