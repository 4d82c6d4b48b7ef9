"""The service's suite: nothing but the kit's fixtures beside pytest."""

import json
import threading
import urllib.error
import urllib.request
from typing import Any, Dict, Iterator

import pytest

from onboarding import Onboarding, Service, Verifications
from svc_simulator import HEADER_NAME, Account, Clock, Deliveries, sign

SECRET = "whsec_onboarding"
ASHA = {"name": "Asha Rao", "pan": "AAAAA0000A", "mobile": "9000000001", "uan": "100000000001"}
BODY = b'{"verificationId":"svcv_1","status":"completed"}'


@pytest.fixture
def service(account: Account) -> Iterator[Service]:
    """The service, told the simulator's address, the account's key, and where its webhooks go."""
    verifications = Verifications(account.sandbox_url, account.test_key, wait=lambda seconds: None)
    served = Service(Onboarding(verifications), SECRET)
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    account.set_webhook(f"{served.url}/webhooks", SECRET)
    yield served
    served.shutdown()
    served.server_close()


def send(url: str, body: Any = None, **headers: str) -> Dict[str, str]:
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, content, headers), timeout=30) as answer:
        result: Dict[str, str] = json.load(answer)
    return result


def apply(service: Service, **changes: str) -> Dict[str, str]:
    return send(f"{service.url}/applicants", {**ASHA, **changes})


def confirm(service: Service, applicant: Dict[str, str], otp: str = "000000") -> Dict[str, str]:
    return send(f"{service.url}/applicants/{applicant['id']}/otp", {"otp": otp})


def look(service: Service, applicant: Dict[str, str]) -> Dict[str, str]:
    return send(f"{service.url}/applicants/{applicant['id']}")


def test_applicant_with_everything_right_is_approved(service: Service) -> None:
    applicant = apply(service)
    assert applicant["state"] == "otp_sent"
    assert confirm(service, applicant)["state"] == "approved"


def test_unknown_pan_is_refused(service: Service) -> None:
    assert apply(service, pan="AAAAA9999A")["reason"] == "SVC_NO_RECORD_FOUND"


def test_name_of_somebody_else_is_refused(service: Service) -> None:
    assert apply(service, name="Vikram Singh")["reason"] == "NAME_DIFFERS"


def test_wrong_otp_is_refused(service: Service) -> None:
    assert confirm(service, apply(service), otp="999999")["reason"] == "WRONG_OTP"


def test_history_that_is_pending_arrives_by_webhook(service: Service, account: Account, clock: Clock) -> None:
    account.pend_next("verify.employment.uan", after="20m")
    applicant = apply(service)
    assert confirm(service, applicant)["state"] == "waiting"
    clock.advance("20m")
    assert look(service, applicant)["state"] == "approved"


def test_history_that_fails_at_last_is_refused(service: Service, account: Account, clock: Clock) -> None:
    account.pend_next("verify.employment.uan", after="20m", error="SVC_NO_RECORD_FOUND")
    applicant = apply(service)
    confirm(service, applicant)
    clock.advance("20m")
    assert look(service, applicant)["reason"] == "SVC_NO_RECORD_FOUND"


def test_source_that_is_down_for_two_calls_is_asked_again(service: Service, account: Account) -> None:
    account.fail_next("verify.identity.pan", "SVC_SOURCE_UNAVAILABLE", times=2)
    assert apply(service)["state"] == "otp_sent"
    assert [call["httpStatus"] for call in account.calls(endpoint="verify.identity.pan")] == [200, 503, 503]


def test_source_that_stays_down_is_given_up(service: Service, account: Account) -> None:
    account.fail_next("verify.identity.pan", "SVC_SOURCE_UNAVAILABLE", times=9)
    assert apply(service)["reason"] == "UNAVAILABLE"
    assert len(account.calls()) == 3


def test_answer_that_is_lost_is_asked_for_again_and_executed_once(service: Service, account: Account) -> None:
    account.scenarios.add(
        '[[scenario]]\nname = "lost"\noperation = "verify.identity.pan"\nthen = { success = {}, wire = "reset" }')
    assert apply(service)["state"] == "otp_sent"
    assert len(account.calls(endpoint="verify.identity.pan")) == 1


def test_two_webhooks_of_one_result_do_no_harm(service: Service, account: Account, clock: Clock) -> None:
    account.scenarios.add("""
        [[scenario]]
        name = "twice"
        operation = "verify.employment.uan"
        then = { pending = {}, after = "1m", webhook = { copies = 2 } }
    """)
    applicant = apply(service)
    confirm(service, applicant)
    clock.advance("1h")
    assert look(service, applicant)["state"] == "approved"


def test_webhook_with_a_wrong_signature_changes_nothing(
    service: Service, account: Account, clock: Clock, deliveries: Deliveries
) -> None:
    account.scenarios.add("""
        [[scenario]]
        name = "forged"
        operation = "verify.employment.uan"
        then = { pending = {}, after = "1m", webhook = { signature = "wrong" } }
    """)
    applicant = apply(service)
    confirm(service, applicant)
    clock.advance("1m")
    assert look(service, applicant)["state"] == "waiting"
    assert [attempt["status"] for attempt in deliveries.list()[0]["attempts"]] == [400]


@pytest.mark.parametrize(
    "signature",
    ["", "t=1,v1=00", sign("whsec_other", BODY), sign(SECRET, BODY + b" "), sign(SECRET, BODY, at=1_000_000_000)],
    ids=["none", "short", "another secret", "another body", "old"],
)
def test_what_is_not_signed_by_the_service_is_refused(service: Service, signature: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="400"):
        send(f"{service.url}/webhooks", BODY, **{HEADER_NAME: signature})
    send(f"{service.url}/webhooks", BODY, **{HEADER_NAME: sign(SECRET, BODY)})
