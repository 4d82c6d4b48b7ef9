"""Finds the simulator's program."""

import os
import shutil
import sys
from pathlib import Path

VARIABLE = "SVC_SIMULATOR"
PROGRAM = "svc-simulator.exe" if sys.platform == "win32" else "svc-simulator"


class BinaryNotFound(Exception):
    """There is no program to start, and the message says what to do about it."""


def find_binary() -> str:
    """The path of the program: named by SVC_SIMULATOR, inside this package, or on the PATH, in that order."""
    named = os.environ.get(VARIABLE)
    if named:
        if os.path.isfile(named) and os.access(named, os.X_OK):
            return os.path.abspath(named)
        raise BinaryNotFound(f"{VARIABLE} is {named!r}, which is no program that can be run: "
                             "set it to the path of svc-simulator, or unset it to look for it elsewhere")
    inside = Path(__file__).parent / "bin" / PROGRAM
    if inside.is_file():
        return str(inside)
    on_path = shutil.which("svc-simulator")
    if on_path:
        return on_path
    raise BinaryNotFound(
        f"svc-simulator was not found: it is not named by the variable {VARIABLE}, not inside this package "
        f"({inside}) and not on the PATH. Build it with `cargo build --release -p svc-simulator` in its repository and "
        f"set {VARIABLE}=…/target/release/svc-simulator, or install it with `cargo install --path simulator`")
