"""The pytest plugin: fixtures, one simulator a test run, and the calls of a failed test in its report."""

import os
from typing import Any, Dict, Generator, Iterator, List, Optional

import pytest

from .account import Account, Clock, Deliveries, Wallet
from .client import AsyncClient, Client
from .control import ControlError
from .control_models import Call
from .personas import Personas
from .simulator import Simulator, StartedSimulator
from .webhook_inbox import WebhookInbox

ACCOUNT = pytest.StashKey[Account]()
SHARED = pytest.StashKey[StartedSimulator]()
WORKER_INPUT = "svc_simulator"
CALLS_SHOWN = 20
TOKEN_VARIABLE = "SVC_SIMULATOR_CONSOLE_TOKEN"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("svc-simulator")
    group.addoption("--svc-simulator-url", metavar="URL",
                    help="console of a simulator that runs already, instead of starting one")
    group.addoption("--svc-simulator-token", metavar="TEXT", default=os.environ.get(TOKEN_VARIABLE),
                    help=f"the token of that console, where it asks for one; {TOKEN_VARIABLE} where it is not given")
    parser.addini("svc_simulator_arguments", "further arguments of `svc-simulator serve`", type="args", default=[])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With xdist: the process that hands out the tests starts one simulator for all workers."""
    config: pytest.Config = node.config
    if config.getoption("--svc-simulator-url"):
        return
    try:
        if SHARED not in config.stash:
            config.stash[SHARED] = _start(config)
        shared = config.stash[SHARED]
        node.workerinput[WORKER_INPUT] = {"console": shared.console_url}
    except Exception as error:  # A test run that asks for no fixture of ours must not fail for it.
        node.workerinput[WORKER_INPUT] = {"error": str(error)}


def pytest_unconfigure(config: pytest.Config) -> None:
    shared = config.stash.get(SHARED, None)
    if shared is not None:
        shared.stop()


def _start(config: pytest.Config) -> StartedSimulator:
    """The simulator of a run. Paths in the settings begin where these stand, wherever pytest was called."""
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    return Simulator.start(config.getini("svc_simulator_arguments"), folder=folder)


@pytest.fixture(scope="session")
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """The simulator: one for the whole run, also with xdist."""
    config = request.config
    url: Optional[str] = config.getoption("--svc-simulator-url")
    given: Dict[str, str] = getattr(config, "workerinput", {}).get(WORKER_INPUT, {})
    if "error" in given:
        pytest.fail(given["error"], pytrace=False)
    if url:
        yield _at(url, config.getoption("--svc-simulator-token"))
        return
    if "console" in given:
        yield Simulator.at(given["console"])
        return
    try:
        started = _start(config)
    except Exception as error:
        raise _failed(str(error)) from None
    yield started
    started.stop()


def _at(url: str, token: Optional[str]) -> Simulator:
    """The simulator that runs at a URL, which a person gave."""
    try:
        found = Simulator.at(url, token)
        # Its health is told without a token.
        found.control.get("/memory")
        return found
    except Exception as error:
        hint = ""
        if getattr(error, "code", None) == "NOT_THE_CONSOLE":
            hint = "; the console's is printed at the start, beside those of sandbox and live"
        elif getattr(error, "status", None) == 401:
            hint = f"; give its token with --svc-simulator-token, or in {TOKEN_VARIABLE}"
        raise _failed(f"--svc-simulator-url {url} leads to no console of a simulator: {error}{hint}") from None


def _failed(message: str) -> BaseException:
    """What pytest reports as this line and nothing else."""
    return pytest.fail.Exception(message, pytrace=False)


@pytest.fixture
def account(simulator: Simulator, request: pytest.FixtureRequest) -> Iterator[Account]:
    """An account of this test alone."""
    opened = simulator.open_account()
    request.node.stash[ACCOUNT] = opened
    yield opened
    try:
        opened.delete()
    except ControlError as error:
        # A test may have deleted it itself.
        if error.code != "ACCOUNT_NOT_FOUND":
            raise


@pytest.fixture
def clock(account: Account) -> Clock:
    """The account's clock."""
    return account.clock


@pytest.fixture
def wallet(account: Account) -> Wallet:
    """The account's wallet of live."""
    return account.wallet


@pytest.fixture
def deliveries(account: Account) -> Deliveries:
    """The account's webhooks, as the simulator sees them."""
    return account.deliveries


@pytest.fixture
def webhook_inbox(account: Account) -> Iterator[WebhookInbox]:
    """A receiver that is registered for the account."""
    inbox = WebhookInbox()
    account.set_webhook(inbox.url, inbox.secret)
    yield inbox
    inbox.close()


@pytest.fixture(scope="session")
def personas(simulator: Simulator) -> Personas:
    """People, companies and others with a story."""
    return simulator.personas


# Plain `client` and `async_client` are fixtures of pytest-django and of pytest-flask.
@pytest.fixture
def svc_client(account: Account) -> Client:
    """A client of the sandbox."""
    return account.client()


@pytest.fixture
def svc_live_client(account: Account) -> Client:
    """A client of live."""
    return account.live_client()


@pytest.fixture
def svc_async_client(account: Account) -> Iterator[AsyncClient]:
    """A client of the sandbox, for coroutines."""
    opened = account.async_client()
    yield opened
    opened.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows the account's calls, and why each came out so, where a test fails, or what sets it up."""
    report = yield
    account = item.stash.get(ACCOUNT, None)
    # After the teardown the account is gone.
    if report.when != "teardown" and report.failed and account is not None:
        report.sections.append((f"calls of account {account.name}", _calls(account)))
    return report


def _calls(account: Account) -> str:
    try:
        calls = account.calls(limit=CALLS_SHOWN)
        if not calls:
            return _none(account.calls_of_nobody(limit=3))
    except Exception as error:  # The report of the test matters more than why it can't be added to.
        return f"can't be read: {error}"
    lines: List[str] = []
    for call in reversed(calls):
        lines += _lines(call)
    return "\n".join(lines)


def _none(strangers: List[Call]) -> str:
    """That there are none: a key that does not work is the usual reason."""
    if not strangers:
        return "none"
    lines = ["none; the newest calls whose key does not work, whoever made them:"]
    for call in strangers:
        key = call.get("presentedKey", "no key")
        lines.append(f"{call['at']} {call['environment']} {call['endpoint']} {call['httpStatus']} {call['code']}, {key}")
    return "\n".join(lines)


def _lines(call: Call) -> List[str]:
    code = f" {call['code']}" if "code" in call else ""
    later = f"{call['pendingHttpStatus']} pending, later " if "pendingHttpStatus" in call else ""
    outcome = f"{later}{call['httpStatus']} {call['status']}{code}"
    lines = [f"{call['at']} {call['environment']} {call['endpoint']} {outcome}",
             f"    because {call['because']}", f"    {call['verificationId']}"]
    if "onTheWire" in call:
        lines.append(f"    on the wire {call['onTheWire']}")
    received = call.get("request")
    if received is not None:
        lines.append(f"    sent {received.get('body', '')}")
        unknown = received.get("unknownMembers")
        if unknown:
            lines.append(f"    ignored, since no field is called so: {', '.join(unknown)}")
    return lines
