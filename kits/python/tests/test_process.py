"""Finding, starting and surely stopping the program."""

import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Callable
from urllib.parse import urlsplit

import pytest

from svc_simulator import BinaryNotFound, Simulator, StartFailed, find_binary
from svc_simulator import binary as binary_module
from svc_simulator.binary import packaged

STARTS = """
import sys
from svc_simulator import Simulator
print(Simulator.start().console_url, flush=True)
sys.stdin.read()
"""


def program(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def listens(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((parts.hostname or "", parts.port or 0)) == 0


def becomes(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def gone_within(url: str, seconds: float) -> bool:
    return becomes(lambda: not listens(url), seconds)


def test_program_is_named_by_the_variable_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = program(tmp_path, "mine", "exit 0")
    program(tmp_path, "svc-simulator", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SVC_SIMULATOR", named)
    assert find_binary() == named


def test_program_of_the_wheel_comes_before_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nowhere, scripts, on_path = (tmp_path / name for name in ("nowhere", "scripts", "path"))
    scripts.mkdir()
    on_path.mkdir()
    program(on_path, "svc-simulator", "exit 0")
    monkeypatch.delenv("SVC_SIMULATOR", raising=False)
    monkeypatch.setenv("PATH", str(on_path))
    monkeypatch.setattr(binary_module, "packaged", lambda: [nowhere / "svc-simulator", scripts / "svc-simulator"])
    assert find_binary() == str(on_path / "svc-simulator")
    expected = program(scripts, "svc-simulator", "exit 0")
    assert find_binary() == expected


def test_wheel_is_looked_for_where_installers_put_its_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(binary_module, "__file__", str(tmp_path / "svc_simulator" / "binary.py"))
    folders = [path.parent for path in packaged()]
    assert folders[0] == Path(sysconfig.get_path("scripts"))
    assert folders[-1] == tmp_path / "bin"


def test_program_that_is_nowhere_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SVC_SIMULATOR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(binary_module, "packaged", lambda: [tmp_path / "svc-simulator"])
    with pytest.raises(BinaryNotFound, match="cargo build --release -p svc-simulator"):
        find_binary()


def test_variable_that_names_no_program_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_SIMULATOR", "/nowhere/svc-simulator")
    with pytest.raises(BinaryNotFound, match="'/nowhere/svc-simulator', which is no program"):
        find_binary()


def test_failed_start_shows_what_was_printed(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="exit code 3; it printed:\ncannot bind\n"):
        Simulator.start(binary=program(tmp_path, "fails", "echo cannot bind >&2; exit 3"))


def test_unknown_argument_shows_the_usage() -> None:
    with pytest.raises(StartFailed, match="unexpected argument '--no-such-flag'"):
        Simulator.start(["--no-such-flag"])


def test_relative_path_begins_in_the_folder_of_whoever_starts_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    with Simulator.start(["--scenarios", "mine"], folder=tmp_path) as started:
        assert started.personas
    monkeypatch.chdir(tmp_path)
    with Simulator.start(["--scenarios", "mine"]) as started:
        assert started.personas


def test_settings_of_the_shell_do_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_SIMULATOR_CONSOLE_TOKEN", "secret")
    with Simulator.start() as started:
        assert started.personas


def test_stopped_twice_and_nothing_listens() -> None:
    with Simulator.start(["--seed", "of this test"]) as started:
        assert listens(started.sandbox_url)
        assert "svc-simulator is ready" in started.output
    started.stop()
    assert not listens(started.sandbox_url)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_simulator_and_its_folder_end_with_a_process_that_is_killed(how: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True, env={**os.environ, "TMPDIR": str(tmp_path)},
        # A run in the background was told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        assert listens(url) and list(tmp_path.iterdir())
        os.killpg(owner.pid, how)
        owner.wait(timeout=20)
        assert gone_within(url, 20)
        assert becomes(lambda: not list(tmp_path.iterdir()), 20), "the folder is left behind"


def test_simulator_that_runs_already_is_used(simulator: Simulator) -> None:
    found = Simulator.at(simulator.console_url)
    assert (found.sandbox_url, found.live_url) == (simulator.sandbox_url, simulator.live_url)
    opened = found.open_account()
    assert found.account(opened.name).state()["id"] == opened.name
    opened.delete()
