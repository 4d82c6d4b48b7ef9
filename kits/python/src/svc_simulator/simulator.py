"""A running simulator: started by this process, or found at its console's address."""

import atexit
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Type, Union

from .account import Account
from .binary import find_binary
from .control import Control
from .personas import Personas

START_TIMEOUT_S = 30.0
_GUARD = str(Path(__file__).with_name("_guard.py"))


class StartFailed(Exception):
    """The simulator did not start; the message ends with what it printed."""


class Simulator:
    """A simulator, its addresses, and the accounts that are opened in it."""

    def __init__(self, console_url: str, sandbox_url: str, live_url: str, token: Optional[str] = None) -> None:
        self.console_url = console_url
        self.sandbox_url = sandbox_url
        self.live_url = live_url
        self.control = Control(console_url, token)
        self._numbers = itertools.count(1)
        # Two processes that share a simulator never open the same account.
        self._run = uuid.uuid4().hex[:10]
        self._personas: Optional[Personas] = None

    @staticmethod
    def start(
        arguments: Sequence[str] = (), *, binary: Optional[str] = None, folder: "Union[str, os.PathLike[str], None]" = None
    ) -> "StartedSimulator":
        """Starts the program on free ports, with these further arguments of `svc-simulator serve`.

        Relative paths among them begin in `folder`; where none is given, in this process's working directory. A file
        svc-simulator.toml there is not read.
        """
        return StartedSimulator(binary or find_binary(), arguments, folder)

    @staticmethod
    def at(console_url: str, token: Optional[str] = None) -> "Simulator":
        """A simulator that runs already, such as one that a person looks at in the browser."""
        health = Control(console_url, token).get("/health")
        return Simulator(console_url.rstrip("/"), health["sandbox"], health["live"], token)

    def open_account(
        self, name: Optional[str] = None, *, wallet_inr: float = 100_000, **members: Any
    ) -> Account:
        """Opens an account nobody else has. Further members are those of `POST /control/accounts`."""
        name = name or f"t_{self._run}_{next(self._numbers)}"
        self.control.send("POST", "/accounts", {"id": name, "walletInr": wallet_inr, **members})
        return Account(self.control, name, self.sandbox_url, self.live_url)

    def account(self, name: str) -> Account:
        """An account that is there already, such as `local`, or that the first call with its key opens."""
        return Account(self.control, name, self.sandbox_url, self.live_url)

    @property
    def personas(self) -> Personas:
        """Everybody who is declared: people, companies, vehicles and others with a story."""
        if self._personas is None:
            self._personas = Personas(self.control.get("/people")["people"])
        return self._personas


class StartedSimulator(Simulator):
    """A simulator that ends with this process, or with `stop`."""

    def __init__(
        self, binary: str, arguments: Sequence[str], folder: "Union[str, os.PathLike[str], None]" = None
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="svc-simulator-"))
        self._log = self._folder / "output.txt"
        ports = self._folder / "ports.json"
        # What is named by a path is found from here, wherever the program runs.
        program = os.path.abspath(binary) if os.path.dirname(binary) else binary
        command = [program, "serve", "--no-settings-file", "--console", "127.0.0.1:0", "--sandbox", "127.0.0.1:0",
                   "--live", "127.0.0.1:0", "--ports-file", str(ports), "--drain", "0s", *arguments]
        with self._log.open("wb") as log:
            # -I: neither variables nor the working directory change what the guard runs.
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", _GUARD, str(self._folder), *command],
                stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                cwd=folder, env=_environment(), start_new_session=True)
        self._owner = os.getpid()
        atexit.register(self.stop)
        try:
            found = self._wait_for(ports)
        except BaseException:
            self.stop()
            raise
        super().__init__(*(f"http://{found[name]}" for name in ("console", "sandbox", "live")))

    @property
    def output(self) -> str:
        """What the program has printed."""
        try:
            return self._log.read_text("utf-8", "replace")
        except OSError:
            return ""

    def stop(self) -> None:
        """Stops the program. Doing so twice does no harm."""
        atexit.unregister(self.stop)
        # A forked child has a copy of this object, and must not stop its parent's simulator.
        if os.getpid() != self._owner:
            return
        if self._guard.stdin is not None and not self._guard.stdin.closed:
            self._guard.stdin.close()
        try:
            self._guard.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "StartedSimulator":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    def _wait_for(self, ports: Path) -> Dict[str, str]:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            # The file is written whole, once all listeners are bound.
            if ports.exists():
                found: Dict[str, str] = json.loads(ports.read_text())
                return found
            code = self._guard.poll()
            if code is not None:
                raise StartFailed(f"the simulator ended with exit code {code}; it printed:\n{self.output}")
            if time.monotonic() > deadline:
                raise StartFailed(f"the simulator was not ready in {START_TIMEOUT_S:g} s; it printed:\n{self.output}")
            time.sleep(0.01)


def _environment() -> Dict[str, str]:
    """The environment without settings of a simulator: a test run does not depend on its shell."""
    names: List[str] = [name for name in os.environ if not name.startswith("SVC_SIMULATOR")]
    return {name: os.environ[name] for name in names}
