"""The inbox: signatures, waiting, and receivers that fail."""

import time
import urllib.error
import urllib.request
from typing import Dict

import pytest

from svc_simulator import (
    HEADER_NAME, Account, Client, Clock, Deliveries, NoWebhook, WebhookInbox, sign, signature_fault)

BODY = b'{"verificationId":"svcv_1","status":"completed"}'
PENDING_UAN = "100000000202"


def post(inbox: WebhookInbox, body: bytes, headers: Dict[str, str]) -> int:
    request = urllib.request.Request(inbox.url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_result_comes_signed_once_it_is_due(svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox) -> None:
    pending = svc_client.verify_employment_uan(uan=PENDING_UAN)
    clock.advance("1h")
    webhook = webhook_inbox.wait(pending.verification_id)
    assert webhook.envelope["status"] == "completed"
    assert signature_fault(webhook_inbox.secret, [webhook.headers[HEADER_NAME.lower()]], webhook.body) is None


async def test_coroutine_waits_for_it(svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox) -> None:
    pending = svc_client.verify_employment_uan(uan=PENDING_UAN)
    await clock.advance_async("1h")
    assert (await webhook_inbox.wait_async(pending.verification_id)).answered == 204


def test_failing_receiver_gets_it_again(
    svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox, deliveries: Deliveries
) -> None:
    webhook_inbox.fail_next(2, status=503)
    pending = svc_client.verify_employment_uan(uan=PENDING_UAN)
    clock.advance("6h")
    webhook_inbox.wait(pending.verification_id)
    assert [webhook.answered for webhook in webhook_inbox.attempts] == [503, 503, 204]
    assert [attempt["status"] for attempt in deliveries.list()[0]["attempts"]] == [503, 503, 204]


def test_receiver_that_always_fails_gets_it_six_times(
    svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox, deliveries: Deliveries
) -> None:
    webhook_inbox.fail_next(99)
    svc_client.verify_employment_uan(uan=PENDING_UAN)
    clock.advance("24h")
    assert len(webhook_inbox.attempts) == 6
    dead = deliveries.list(state="dead")
    webhook_inbox.clear()
    deliveries.redeliver(dead[0]["id"])
    assert webhook_inbox.wait().verification_id == dead[0]["verificationId"]


def test_slow_receiver_is_waited_for(svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox) -> None:
    webhook_inbox.slow_next(0.3)
    svc_client.verify_employment_uan(uan=PENDING_UAN)
    began = time.monotonic()
    clock.advance("1h")
    assert time.monotonic() - began >= 0.3
    assert len(webhook_inbox.received) == 1


def test_wrong_signature_is_refused_with_the_reason(
    account: Account, svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox
) -> None:
    account.scenarios.add("""
        [[scenario]]
        name = "forged"
        operation = "verify.employment.uan"
        then = { pending = {}, after = "1s", webhook = { signature = "wrong" } }
    """)
    pending = svc_client.verify_employment_uan(uan="100000000001")
    clock.advance("1s")
    assert webhook_inbox.received == []
    assert [webhook.answered for webhook in webhook_inbox.refused] == [400]
    with pytest.raises(NoWebhook, match="answered 400, the signature does not fit the secret"):
        webhook_inbox.wait(pending.verification_id, timeout=0)


def test_faked_clock_neither_refuses_nor_hangs(
    monkeypatch: pytest.MonkeyPatch, svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox
) -> None:
    # What freezegun puts into the module.
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.0)
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    pending = svc_client.verify_employment_uan(uan=PENDING_UAN)
    webhook_inbox.tolerance_s = None
    clock.advance("1h")
    assert webhook_inbox.wait(pending.verification_id).envelope["status"] == "completed"
    with pytest.raises(NoWebhook):
        webhook_inbox.wait("svcv_another", timeout=0.05)


def test_waiting_in_vain_says_what_to_do(webhook_inbox: WebhookInbox) -> None:
    with pytest.raises(NoWebhook, match=r"0 came to http://127\.0\.0\.1:\d+/webhooks\n.*move it with clock"):
        webhook_inbox.wait(timeout=0.05)


def test_signed_by_hand_is_taken(webhook_inbox: WebhookInbox) -> None:
    assert post(webhook_inbox, BODY, {HEADER_NAME: sign(webhook_inbox.secret, BODY)}) == 204
    assert webhook_inbox.wait(where=lambda webhook: webhook.body == BODY).verification_id == "svcv_1"


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ([], "there are 0"),
        ([sign("whsec_sample", BODY)] * 2, "there are 2"),
        (["t=1,v1=abc"], "is not t="),
        ([sign("whsec_sample", BODY) + "\n"], "is not t="),
        ([sign("whsec_sample", BODY).upper().replace("T=", "t=").replace("V1=", "v1=")], "is not t="),
        ([sign("whsec_other", BODY)], "does not fit"),
        ([sign("whsec_sample", BODY + b"\n")], "does not fit"),
        ([sign("whsec_sample", BODY, at=1_000_000_000)], "more than 300 s"),
    ],
)
def test_signature_that_is_none(headers: "list[str]", why: str) -> None:
    assert why in str(signature_fault("whsec_sample", headers, BODY))


def test_signature_as_the_specification_computes_it() -> None:
    # printf '%s' '1800000000.{}' | openssl dgst -sha256 -hmac whsec_sample
    expected = "t=1800000000,v1=f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a"
    assert sign("whsec_sample", b"{}", at=1_800_000_000) == expected
