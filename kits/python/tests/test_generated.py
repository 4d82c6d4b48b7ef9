"""The typed operations are those of the simulator."""

import subprocess
import sys
from pathlib import Path

from svc_simulator import Simulator

GENERATE = Path(__file__).resolve().parents[2] / "generate.py"


def test_operations_are_those_of_the_document(simulator: Simulator) -> None:
    run = subprocess.run(
        [sys.executable, str(GENERATE), f"{simulator.console_url}/openapi.json", "--check"],
        stdout=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 0, f"{run.stdout}run kits/generate.py with the simulator's /openapi.json"
