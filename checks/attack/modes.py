"""Checks the modes of folders (700) and files (600) that a server writes, regardless of earlier modes and the umask.

usage: python3 checks/attack/modes.py target/release/shruti
"""

import os
import subprocess
import tempfile

import cases
import harness


def modes(folder):
    """Returns modes by name; names of folders end with a slash."""
    found = {"./": os.stat(folder).st_mode & 0o777}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        found[entry.name + "/" * entry.is_dir()] = entry.stat().st_mode & 0o777
    return found


def is_private(found):
    return all(mode == (0o700 if name.endswith("/") else 0o600) for name, mode in found.items())


def told(found):
    return " ".join(f"{name}:{mode:03o}" for name, mode in found.items())


def run_once(binary, data_dir, flags, umask):
    """Starts a server and shuts it down. Returns the modes while it ran, the modes afterwards, and its log."""
    with tempfile.TemporaryDirectory() as folder:
        server = harness.Server(binary, *flags, folder=folder, data_dir=data_dir, umask=umask).start()
        running = modes(data_dir)
        server.stop()
        return running, modes(data_dir), server.log_text()


def main():
    binary = cases.binary("modes.py")
    table = cases.Cases("modes of the data folder and its files")
    for flags in [[], ["--tls-self-signed"]]:
        for existed in [False, True]:
            with tempfile.TemporaryDirectory() as parent:
                folder = os.path.join(parent, "data")
                if existed:
                    os.mkdir(folder)
                    os.chmod(folder, 0o755)
                running, after, _ = run_once(binary, folder, flags, 0o022)
                case = f"{' '.join(flags) or 'plain'}, the folder {'existed with mode 755' if existed else 'is created'}"
                table.note(case, is_private(running) and is_private(after), told(running))
                if not existed:
                    continue
                for name in os.listdir(folder):
                    os.chmod(os.path.join(folder, name), 0o644)
                os.chmod(folder, 0o755)
                doctor = subprocess.run(
                    [binary, "doctor", "--listen", "127.0.0.1:0", "--data-dir", folder, *flags],
                    capture_output=True,
                    check=False,
                    text=True,
                ).stdout
                says = "users can access" in doctor and "users can read files in" in doctor
                table.note(f"{case}: the doctor reports 755 and 644", says, "yes" if says else doctor)
                running, _, log = run_once(binary, folder, flags, 0)
                ok = is_private(running) and "only its owner can" in log
                table.note(f"{case}: left open by an older version, umask 000", ok, told(running))
    with tempfile.TemporaryDirectory() as parent:
        folder, copy = os.path.join(parent, "data"), os.path.join(parent, "copy.db")
        run_once(binary, folder, [], 0o022)
        subprocess.run(
            [binary, "store", "backup", copy, "--data-dir", folder], check=True, capture_output=True, umask=0
        )
        mode = os.stat(copy).st_mode & 0o777
        table.note("a backup", mode == 0o600, f"{mode:03o}")
        trap, elsewhere = os.path.join(parent, "trap"), os.path.join(parent, "elsewhere.db")
        os.mkdir(trap)
        os.symlink(elsewhere, os.path.join(trap, "shruti.db"))
        refused = subprocess.run(
            [binary, "store", "copy", trap, "--data-dir", folder], check=False, capture_output=True, umask=0
        ).returncode
        made = os.path.exists(elsewhere)
        table.note("a copy through a dangling link", refused and not made, "created" if made else "refused")
        code = subprocess.run(
            [binary, "promo", "create", "--chars", "5", "--data-dir", folder],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
        content = b"".join(open(path, "rb").read() for path in paths)
        held = code.replace("-", "").encode() in content
        table.note("a promo code is in no file", not held, "found" if held else "not found")
        left = sorted(os.path.relpath(path, folder) for path in paths)
        table.note("a clean shutdown leaves one file", left == ["shruti.db"], " ".join(left))
    table.end()


if __name__ == "__main__":
    main()
