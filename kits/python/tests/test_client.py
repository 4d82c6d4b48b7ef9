"""The client: results, errors, headers, and no answer at all."""

import asyncio
from datetime import date

import pytest

from svc_simulator import Account, AsyncClient, Client, NoData, ServiceError, TransportError, Wallet


def test_result_is_typed_and_repeats_the_reference(svc_client: Client) -> None:
    result = svc_client.verify_identity_pan(pan="AAAAA0000A", name="Asha Rao", reference_id="order-7")
    assert (result.status, result.reference_id, result.http_status) == ("completed", "order-7", 200)
    assert result.data["nameOnPan"] == "ASHA RAO"


def test_error_has_code_message_and_retryable(svc_client: Client) -> None:
    with pytest.raises(ServiceError) as raised:
        svc_client.verify_identity_pan(pan="AAAAA9999A")
    error = raised.value
    assert (error.code, error.retryable, error.http_status) == ("SVC_NO_RECORD_FOUND", False, 422)
    assert str(error) == "SVC_NO_RECORD_FOUND (422): The source has no such record."


def test_rate_limit_says_when_to_come_again(account: Account, svc_client: Client) -> None:
    account.fail_next("verify.identity.pan", "SVC_SOURCE_UNAVAILABLE")
    with pytest.raises(ServiceError) as raised:
        svc_client.verify_identity_pan(pan="AAAAA0000A")
    assert raised.value.retryable
    assert raised.value.retry_after_s is not None


def test_same_key_and_body_is_a_replay(account: Account, svc_client: Client) -> None:
    first = svc_client.verify_identity_pan(pan="AAAAA0000A", idempotency_key="order-7")
    again = svc_client.verify_identity_pan(pan="AAAAA0000A", idempotency_key="order-7")
    assert (first.replayed, again.replayed) == (False, True)
    assert first.verification_id == again.verification_id
    assert len(account.calls()) == 1


def test_reference_in_any_script_comes_back(svc_client: Client) -> None:
    result = svc_client.verify_identity_pan(pan="AAAAA0000A", reference_id="नमस्ते")
    assert result.envelope["referenceId"] == "नमस्ते"


def test_text_that_no_header_can_have_is_refused(account: Account, svc_client: Client) -> None:
    with pytest.raises(ValueError, match=r"idempotency_key: 'x\\ny' has a line break"):
        svc_client.verify_identity_pan(pan="AAAAA0000A", idempotency_key="x\ny")
    assert account.calls() == []


def test_optional_field_that_is_none_is_not_sent(account: Account, svc_client: Client) -> None:
    svc_client.verify_identity_pan(pan="AAAAA0000A")
    assert account.calls()[0]["request"].get("body") == '{"pan": "AAAAA0000A"}'


def test_body_of_its_own_making_is_sent_as_it_is(account: Account, svc_client: Client) -> None:
    with pytest.raises(ServiceError, match="must be a string, not null"):
        svc_client.call("/v1/verify/identity/pan", {"pan": None})
    assert account.calls()[0]["request"].get("body") == '{"pan": null}'


def test_operation_in_place_of_a_path_is_refused(svc_client: Client) -> None:
    with pytest.raises(ValueError, match="'verify.identity.pan' is no path: one begins with a slash"):
        svc_client.call("verify.identity.pan", {"pan": "AAAAA0000A"})


def test_live_call_is_paid_from_the_wallet(svc_live_client: Client, wallet: Wallet) -> None:
    before = wallet.balance
    result = svc_live_client.verify_identity_pan(pan="AAAAA0000A")
    assert result.billing["charged"]
    assert wallet.charged == result.billing["amount"] == before - wallet.balance


def test_empty_wallet_refuses(svc_live_client: Client, wallet: Wallet) -> None:
    wallet.set_balance(0)
    with pytest.raises(ServiceError, match="SVC_INSUFFICIENT_BALANCE"):
        svc_live_client.verify_identity_pan(pan="AAAAA0000A")
    wallet.top_up(100)
    assert svc_live_client.verify_identity_pan(pan="AAAAA0000A").status == "completed"


@pytest.mark.parametrize("wire", ['"reset"', '"garbage"', "{ cut_after = 20 }"])
def test_broken_wire_is_no_answer_and_the_key_brings_it(account: Account, svc_client: Client, wire: str) -> None:
    account.scenarios.add(
        f'[[scenario]]\nname = "broken"\noperation = "verify.identity.pan"\nthen = {{ success = {{}}, wire = {wire} }}')
    with pytest.raises(TransportError):
        svc_client.verify_identity_pan(pan="AAAAA0000A", idempotency_key="order-7")
    assert svc_client.verify_identity_pan(pan="AAAAA0000A", idempotency_key="order-7").replayed


def test_client_gives_up_after_its_timeout(account: Account) -> None:
    account.scenarios.add(
        '[[scenario]]\nname = "silent"\noperation = "*"\nthen = { success = {}, wire = "never" }')
    with pytest.raises(TransportError, match="timed out"):
        account.client(timeout=0.2).verify_identity_pan(pan="AAAAA0000A")


def test_look_up_of_a_pending_call(svc_client: Client) -> None:
    pending = svc_client.verify_employment_uan(uan="100000000202")
    assert svc_client.verification(pending.verification_id).pending


def test_usage_says_what_was_spent(svc_client: Client, svc_live_client: Client) -> None:
    billed = svc_live_client.verify_identity_pan(pan="AAAAA0000A").billing["amount"]
    spent = svc_live_client.usage().data
    assert [row["endpoint"] for row in spent["endpoints"]] == ["verify.identity.pan"]
    assert (spent["totals"]["calls"], spent["totals"]["amount"]) == (1, billed)
    assert svc_client.usage().data["endpoints"] == []
    assert svc_live_client.usage(from_=date(2001, 1, 1), to="2001-01-31").data["endpoints"] == []


async def test_usage_in_a_coroutine(svc_async_client: AsyncClient) -> None:
    assert (await svc_async_client.usage()).data["totals"]["calls"] == 0


def test_data_that_is_not_there_is_told() -> None:
    from svc_simulator import Result

    envelope = {"verificationId": "svcv_1", "endpoint": "e", "status": "pending", "billing": {}, "meta": {}}
    result: "Result[object]" = Result(202, envelope, False)
    with pytest.raises(NoData, match="svcv_1 is pending"):
        result.data


async def test_twenty_calls_at_once(svc_async_client: AsyncClient) -> None:
    results = await asyncio.gather(
        *(svc_async_client.verify_identity_pan(pan=f"AAAAA{number:04}B") for number in range(20)))
    assert len({result.verification_id for result in results}) == 20


async def test_error_in_a_coroutine(svc_async_client: AsyncClient) -> None:
    with pytest.raises(ServiceError, match="SVC_NO_RECORD_FOUND"):
        await svc_async_client.verify_identity_pan(pan="AAAAA9999A")
