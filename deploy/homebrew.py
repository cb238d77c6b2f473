#!/usr/bin/env python3
"""Prints the Homebrew formula of a release, with its archives for macOS and Linux and their checksums.

usage: homebrew.py SHA256SUMS RELEASE_URL HOMEPAGE

SHA256SUMS lists the archives of all platforms in `PLATFORMS`; RELEASE_URL is the URL of their folder.
"""
import re
import sys
from pathlib import Path

from wheel import SUMMARY, version

# Platform part of the archive's name, by Homebrew's names for the operating system and the processor.
PLATFORMS = {"macos": {"arm": "arm64-darwin", "intel": "x86_64-darwin"}, "linux": {"arm": "aarch64-linux", "intel": "x86_64-linux"}}

FORMULA = '''\
class Shruti < Formula
  desc "{summary}"
  homepage "{homepage}"
  version "{version}"
  license all_of: [{{ any_of: ["MIT", "Apache-2.0"] }}, "CC-BY-SA-4.0"]
{archives}
  def install
    bin.install "shruti"
    doc.install Dir["*.md"], Dir["LICENSE-*"], "docs"
    generate_completions_from_executable(bin/"shruti", "completions")
  end

  service do
    run [opt_bin/"shruti", "serve"]
    keep_alive true
    log_path var/"log/shruti.log"
    error_log_path var/"log/shruti.log"
  end

  test do
    system bin/"shruti", "say", "-l", "hi", "-o", testpath/"said.wav", "नमस्ते"
    assert_operator (testpath/"said.wav").size, :>, 10_000
  end
end
'''


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    sums, release, homepage = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2].rstrip("/"), sys.argv[3]
    checksums = {name: digest for digest, name in re.findall(r"^([0-9a-f]{64}) [ *](?:\./)?(\S+)$", sums, re.M)}
    archives = ""
    for system, processors in PLATFORMS.items():
        archives += f"\n  on_{system} do\n"
        for processor, platform in processors.items():
            name = f"shruti-{version()}-{platform}.tar.gz"
            if name not in checksums:
                sys.exit(f"{sys.argv[1]} has no {name}; a formula needs the archives of all platforms")
            archives += f'    on_{processor} do\n      url "{release}/{name}"\n      sha256 "{checksums[name]}"\n    end\n'
        archives += "  end\n"
    print(FORMULA.format(summary=SUMMARY, homepage=homepage, version=version(), archives=archives), end="")


if __name__ == "__main__":
    main()
