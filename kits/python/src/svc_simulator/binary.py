"""Finds the simulator's program."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import List

VARIABLE = "SVC_SIMULATOR"
PROGRAM = "svc-simulator.exe" if sys.platform == "win32" else "svc-simulator"


class BinaryNotFound(Exception):
    """There is no program to start, and the message says what to do about it."""


def packaged() -> List[Path]:
    """Where installers put the programs of a wheel: the environment's folder, the user's, that of `pip install --target`."""
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    folders = [sysconfig.get_path("scripts"), user, str(Path(__file__).parent.parent / "bin")]
    return [Path(folder) / PROGRAM for folder in folders]


def find_binary() -> str:
    """The path of the program: named by SVC_SIMULATOR, installed with this package, or on the PATH, in that order."""
    named = os.environ.get(VARIABLE)
    if named:
        if os.path.isfile(named) and os.access(named, os.X_OK):
            return os.path.abspath(named)
        raise BinaryNotFound(f"{VARIABLE} is {named!r}, which is no program that can be run: "
                             "set it to the path of svc-simulator, or unset it to look for it elsewhere")
    installed = [path for path in packaged() if path.is_file() and os.access(path, os.X_OK)]
    if installed:
        return str(installed[0])
    on_path = shutil.which("svc-simulator")
    if on_path:
        return os.path.abspath(on_path)
    raise BinaryNotFound(
        f"svc-simulator was not found: it is not named by the variable {VARIABLE}, was not installed with this package "
        f"({', '.join(str(path.parent) for path in packaged())}) and is not on the PATH. Install the wheel that holds it, or "
        "build it with `cargo build --release -p svc-simulator` in its repository and "
        f"set {VARIABLE}=…/target/release/svc-simulator, or install it with `cargo install --path simulator`")
