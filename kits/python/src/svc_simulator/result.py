"""What a call came to: a result, or one of two errors."""

from typing import Any, Dict, Generic, Mapping, Optional, TypeVar, cast

Data = TypeVar("Data")


class NoData(Exception):
    """The result was asked for data that its envelope does not have."""


class Result(Generic[Data]):
    """The envelope of a call that did not fail: completed, or pending."""

    def __init__(self, http_status: int, envelope: Dict[str, Any], replayed: bool) -> None:
        self.http_status = http_status
        self.envelope = envelope
        self.replayed = replayed
        self.verification_id = cast(str, envelope["verificationId"])
        self.endpoint = cast(str, envelope["endpoint"])
        self.status = cast(str, envelope["status"])
        self.reference_id = cast(Optional[str], envelope.get("referenceId"))
        self.billing = cast(Dict[str, Any], envelope["billing"])
        self.meta = cast(Dict[str, Any], envelope["meta"])

    @property
    def pending(self) -> bool:
        """Whether the result is still to come, by webhook."""
        return self.status == "pending"

    @property
    def data(self) -> Data:
        """What was found. Of a pending call it holds only what is known already."""
        if "data" not in self.envelope:
            raise NoData(f"{self.endpoint} {self.verification_id} is {self.status} and has no data")
        return cast(Data, self.envelope["data"])

    def __repr__(self) -> str:
        return f"<Result {self.endpoint} {self.verification_id} {self.status}>"


class ServiceError(Exception):
    """The service answered with an error."""

    def __init__(self, http_status: int, envelope: Mapping[str, Any], retry_after: Optional[str]) -> None:
        error = envelope["error"]
        self.http_status = http_status
        self.envelope = envelope
        self.code = cast(str, error["code"])
        self.message = cast(str, error["message"])
        self.retryable = cast(bool, error["retryable"])
        self.verification_id = cast(Optional[str], envelope.get("verificationId"))
        self.retry_after_s = int(retry_after) if retry_after and retry_after.isdigit() else None
        super().__init__(f"{self.code} ({http_status}): {self.message}")


class TransportError(Exception):
    """There was no answer that can be read, so nobody knows whether the call was executed.

    Repeat it with the same idempotency key: it is then executed, and charged, once.
    """


def given(body: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of a body that were given: a field that is None is not sent."""
    return {name: value for name, value in body.items() if value is not None}


class Transport:
    """What the methods of all operations are made with."""

    def call(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[Any]":
        """Calls a path with a body of its own making, which is sent as it is: a member that is None as null."""
        raise NotImplementedError


class AsyncTransport:
    """The same for coroutines."""

    async def call(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[Any]":
        """Calls a path with a body of its own making, which is sent as it is: a member that is None as null."""
        raise NotImplementedError
