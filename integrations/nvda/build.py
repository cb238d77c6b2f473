#!/usr/bin/env python3
"""Packages the add-on: build.py SHRUTI.DLL [OUT.nvda-addon]"""

import sys
import zipfile
from pathlib import Path

ADDON = Path(__file__).parent / "addon"


def main(library, out="shruti.nvda-addon"):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(ADDON.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(ADDON))
        archive.write(library, "synthDrivers/shruti/shruti.dll")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
