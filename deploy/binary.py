#!/usr/bin/env python3
"""Prints the platform of a binary, from its header: `aarch64-linux`, `x86_64-linux`, `arm64-darwin` or `x86_64-darwin`.

usage: binary.py [--glibc] BINARY

With --glibc, prints the newest version of glibc that one of its symbols needs, such as 2.31. Needs `readelf`.
"""
import re
import subprocess
import sys
from pathlib import Path

# Values of e_machine (ELF) and cputype (Mach-O), mapped to the names that `uname -m` prints on such systems.
ELF, ELF_MACHINES = b"\x7fELF\x02\x01", {62: "x86_64", 183: "aarch64"}
MACH_O, MACH_O_MACHINES = b"\xcf\xfa\xed\xfe", {0x01000007: "x86_64", 0x0100000C: "arm64"}


def platform_of(binary):
    """Returns the machine and the system of a binary, as `uname` prints them; the system is in lower case."""
    with Path(binary).open("rb") as file:
        header = file.read(20)
    machine, system = None, None
    if header.startswith(ELF):
        machine, system = ELF_MACHINES.get(int.from_bytes(header[18:20], "little")), "linux"
    elif header.startswith(MACH_O):
        machine, system = MACH_O_MACHINES.get(int.from_bytes(header[4:8], "little")), "darwin"
    if machine is None:
        sys.exit(f"{binary} is not a binary for Linux or macOS on x86-64 or arm64")
    return machine, system


def glibc_of(binary):
    """Returns the newest version of glibc that a symbol of a Linux binary needs, as a tuple of numbers."""
    needed = subprocess.run(["readelf", "--version-info", binary], capture_output=True, text=True, check=True).stdout
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", needed))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--glibc"]
    if len(arguments) != 1:
        sys.exit(__doc__.split("\n\n")[1])
    if "--glibc" in sys.argv:
        print(".".join(map(str, glibc_of(arguments[0]))))
    else:
        print("-".join(platform_of(arguments[0])))


if __name__ == "__main__":
    main()
