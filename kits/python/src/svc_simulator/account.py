"""An account of the simulator, and what belongs to it: clock, wallet, deliveries, scenarios."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any, Dict, List, Optional, Union, cast

from . import control_models as models
from .client import AsyncClient, Client
from .control import Control, segment

Duration = Union[str, float, timedelta]


class Account:
    """An account with keys, clock, wallet, webhook and scenarios of its own: tests that have one each never meet."""

    def __init__(self, control: Control, name: str, sandbox_url: str, live_url: str) -> None:
        self.name = name
        self.sandbox_url = sandbox_url
        self.live_url = live_url
        self.test_key = f"svc_test_{name}"
        self.live_key = f"svc_live_{name}"
        self._control = control
        self._path = f"/accounts/{segment(name)}"
        self.clock = Clock(control, self._path)
        self.wallet = Wallet(control, self._path)
        self.deliveries = Deliveries(control, name)
        self.scenarios = Scenarios(control, name)

    def client(self, **settings: Any) -> Client:
        """A client of the sandbox."""
        return Client(self.sandbox_url, self.test_key, **settings)

    def live_client(self, **settings: Any) -> Client:
        """A client of live, where the wallet pays."""
        return Client(self.live_url, self.live_key, **settings)

    def async_client(self, **settings: Any) -> AsyncClient:
        """A client of the sandbox, for coroutines."""
        return AsyncClient(self.sandbox_url, self.test_key, **settings)

    def state(self) -> models.Account:
        """All that the control API tells of the account."""
        return cast(models.Account, self._control.get(self._path))

    def calls(self, **filters: Any) -> List[models.Call]:
        """The call log, newest first; the filters are those of `GET /control/calls`."""
        return cast(List[models.Call], self._control.get("/calls", account=self.name, **filters)["calls"])

    def calls_of_nobody(self, limit: int) -> List[models.Call]:
        """The newest calls whose key is no account's or does not work: whoever made them."""
        return cast(List[models.Call], self._control.get("/calls", unauthenticated="true", limit=limit)["calls"])

    def set_webhook(self, url: str, secret: str, environment: Optional[str] = None) -> None:
        """Where results go, and what they are signed with; without an environment in both."""
        body = {"url": url, "secret": secret}
        if environment is not None:
            body["environment"] = environment
        self._control.send("PUT", f"{self._path}/webhook", body)

    def decide_consent(self, verification_id: str, allow: bool = True) -> models.Decided:
        """Decides what a person is asked on a consent screen."""
        decision = {"account": self.name, "decision": "allow" if allow else "refuse"}
        return cast(models.Decided, self._control.send("POST", f"/consents/{segment(verification_id)}", decision))

    def reset(self) -> None:
        """Begins anew: no calls, the first wallet, no scenarios of its own."""
        self._control.send("POST", f"{self._path}/reset", {})

    def delete(self) -> None:
        """Removes the account."""
        self._control.send("DELETE", self._path)

    def fail_next(self, operation: str, code: str, *, times: int = 1, **condition: Any) -> str:
        """Lets the next calls of an operation fail with this code; then it answers as it would without this.

        Calls are counted by input: each PAN, say, fails so many times. Fields of the request narrow it down, such as
        `pan="AAAAA0000A"`. What was asked for last comes first.
        """
        outcome = f"{{ error = {_toml(code)} }}"
        return self._rule(f"{operation} fails with {code}", operation, condition, [outcome] * times)

    def pend_next(
        self,
        operation: str,
        *,
        after: Duration = "25s",
        error: Optional[str] = None,
        times: int = 1,
        **condition: Any,
    ) -> str:
        """Lets the next calls of an operation be pending; by the account's clock their result, or error, follows.

        They are counted as those of `fail_next` are, and then it answers as it would without this.
        """
        end = f"{{ error = {_toml(error)} }}" if error else "{ success = {} }"
        outcome = f"{{ pending = {{}}, after = {_toml(_text(after))}, finally = {end} }}"
        return self._rule(f"{operation} is pending", operation, condition, [outcome] * times)

    def _rule(self, name: str, operation: str, condition: Dict[str, Any], outcomes: List[str]) -> str:
        when = ", ".join(f"{_toml(field)} = {_toml(value)}" for field, value in condition.items())
        return self.scenarios.add(
            f"[[scenario]]\nname = {_toml(name)}\noperation = {_toml(operation)}\n"
            + (f"when = {{ {when} }}\n" if when else "") + f"then = [{', '.join(outcomes)}]\nfall_through = true\n")


class Clock:
    """The account's clock. Moving it does all that falls due on the way, and returns when that is done."""

    def __init__(self, control: Control, path: str) -> None:
        self._control = control
        self._path = f"{path}/clock"

    @property
    def now(self) -> datetime:
        """The account's time."""
        return datetime.fromisoformat(self._control.get(self._path)["now"].replace("Z", "+00:00"))

    def freeze(self) -> models.MovedClock:
        """Stops it until it is moved."""
        return self._set({"freeze": True})

    def resume(self) -> models.MovedClock:
        """Lets it run with the machine's again."""
        return self._set({"freeze": False})

    def advance(self, duration: Duration) -> models.MovedClock:
        """Moves it forward: `"6h"`, a timedelta, or seconds."""
        return self._set({"advance": _text(duration)})

    def next(self) -> models.MovedClock:
        """Moves it to the first thing that falls due."""
        return self._set({"next": True})

    def set(self, instant: datetime) -> models.MovedClock:
        """Moves it to an instant, which must have a time zone and lie ahead."""
        return self._set({"set": instant.isoformat()})

    async def advance_async(self, duration: Duration) -> models.MovedClock:
        """The same for coroutines: a receiver in the same event loop can answer meanwhile."""
        return await asyncio.to_thread(self.advance, duration)

    async def next_async(self) -> models.MovedClock:
        """The same for coroutines."""
        return await asyncio.to_thread(self.next)

    def timeline(self) -> models.Timeline:
        """What is still to come."""
        return cast(models.Timeline, self._control.get(self._path[: -len("/clock")] + "/timeline"))

    def _set(self, change: Dict[str, Any]) -> models.MovedClock:
        return cast(models.MovedClock, self._control.send("POST", self._path, change))


class Wallet:
    """The prepaid wallet of live, in rupees."""

    def __init__(self, control: Control, path: str) -> None:
        self._control = control
        self._path = f"{path}/wallet"

    @property
    def balance(self) -> float:
        """What it holds, reserved amounts included."""
        return self.history()["balance"]

    @property
    def held(self) -> float:
        """What is reserved by calls that have not ended."""
        return self.history()["held"]

    @property
    def charged(self) -> float:
        """What calls have cost."""
        return self.history()["charged"]

    def top_up(self, amount: float) -> models.Wallet:
        """Adds so many rupees."""
        return cast(models.Wallet, self._control.send("POST", self._path, {"topUp": amount}))

    def set_balance(self, amount: float) -> models.Wallet:
        """Sets what it holds."""
        return cast(models.Wallet, self._control.send("POST", self._path, {"balance": amount}))

    def history(self) -> models.WalletHistory:
        """How it came to what it holds."""
        return cast(models.WalletHistory, self._control.get(self._path))


class Deliveries:
    """Webhooks that were sent, or will be."""

    def __init__(self, control: Control, account: str) -> None:
        self._control = control
        self._account = account

    def list(self, *, state: Optional[str] = None, verification_id: Optional[str] = None) -> List[models.Delivery]:
        """The account's deliveries; `state` is due, delivered or dead."""
        found = self._control.get(
            "/deliveries", account=self._account, state=state, verificationId=verification_id)
        return cast("List[models.Delivery]", found["deliveries"])

    def redeliver(self, delivery_id: str) -> None:
        """Sends one again now, whatever came of it."""
        self._control.send("POST", f"/deliveries/{segment(delivery_id)}/redeliver", {})


class Scenarios:
    """Rules that hold for this account alone."""

    def __init__(self, control: Control, account: str) -> None:
        self._control = control
        self._account = account

    def add(self, toml: str) -> str:
        """Adds the scenarios of a TOML text before all others; mistakes are raised with line and hint."""
        answer = self._control.send("POST", "/scenarios", {"account": self._account, "toml": toml})
        return str(answer["id"])

    def remove(self, added: str) -> None:
        """Takes away what `add` returned this for."""
        self._control.send("DELETE", f"/scenarios/{segment(added)}", query={"account": self._account})


def _text(duration: Duration) -> str:
    """A duration in the form that the simulator reads."""
    if isinstance(duration, str):
        return duration
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    return f"{round(seconds * 1000)}ms"


def _toml(value: Any) -> str:
    """A value in TOML; texts, numbers, truth values and lists are written as in JSON, which may leave out one escape."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
