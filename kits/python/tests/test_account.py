"""An account's clock, scenarios, consents and personas."""

from datetime import timedelta

import pytest

from svc_simulator import Account, Client, Clock, ControlError, Personas, ServiceError, Simulator, WebhookInbox


def test_frozen_clock_moves_only_when_told(clock: Clock) -> None:
    clock.freeze()
    before = clock.now
    assert clock.now == before
    clock.advance("90m")
    clock.advance(30)
    clock.advance(timedelta(milliseconds=5))
    assert clock.now - before == timedelta(minutes=90, seconds=30, milliseconds=5)
    clock.set(before + timedelta(days=1))
    assert clock.now - before == timedelta(days=1)
    assert clock.resume()["state"] == "running"


def test_next_moves_to_what_is_due_first(account: Account, svc_client: Client, clock: Clock) -> None:
    clock.freeze()
    before = clock.now
    account.pend_next("verify.employment.uan", after="25s")
    svc_client.verify_employment_uan(uan="100000000001")
    assert [due["kind"] for due in clock.timeline()["due"]] == ["resultReady"]
    assert [event["kind"] for event in clock.next()["happened"]] == ["resultReady"]
    assert clock.now - before == timedelta(seconds=25)


def test_next_calls_fail_and_then_succeed(account: Account, svc_client: Client) -> None:
    account.fail_next("verify.identity.pan", "SVC_SOURCE_TIMEOUT", times=2, pan="AAAAA0000A")
    for _ in range(2):
        with pytest.raises(ServiceError, match="SVC_SOURCE_TIMEOUT"):
            svc_client.verify_identity_pan(pan="AAAAA0000A")
    assert svc_client.verify_identity_pan(pan="AAAAA0000A").status == "completed"
    assert svc_client.verify_identity_pan(pan="BBBPB0000B").status == "completed"


def test_any_text_is_asked_for(account: Account, svc_client: Client) -> None:
    name = 'quoted " \\ \u007f \n नमस्ते'
    account.fail_next("screen.negative-diligence", "SVC_SOURCE_TIMEOUT", name=name)
    with pytest.raises(ServiceError, match="SVC_SOURCE_TIMEOUT"):
        svc_client.screen_negative_diligence(name=name)


def test_afterwards_it_answers_as_it_would_have(account: Account, svc_client: Client) -> None:
    account.fail_next("*", "SVC_SOURCE_UNAVAILABLE")
    with pytest.raises(ServiceError, match="SVC_SOURCE_UNAVAILABLE"):
        svc_client.screen_negative_diligence(name="SANCTIONED PERSON")
    assert not svc_client.screen_negative_diligence(name="SANCTIONED PERSON").data["clean"]
    codes = []
    for _ in range(3):
        with pytest.raises(ServiceError) as raised:
            svc_client.verify_identity_pan(pan="AAAAA9999A")
        codes.append(raised.value.code)
    assert codes == ["SVC_SOURCE_UNAVAILABLE", "SVC_NO_RECORD_FOUND", "SVC_NO_RECORD_FOUND"]


def test_failures_of_one_operation_come_one_after_the_other(account: Account, svc_client: Client) -> None:
    codes = ["SVC_SOURCE_TIMEOUT", "SVC_PROVIDER_ERROR", "SVC_PROVIDER_ERROR"]
    for code in reversed(codes):
        account.fail_next("verify.identity.pan", code)
    for code in codes:
        with pytest.raises(ServiceError, match=code):
            svc_client.verify_identity_pan(pan="AAAAA0000A")
    assert svc_client.verify_identity_pan(pan="AAAAA0000A").status == "completed"


def test_pending_call_ends_in_the_error_asked_for(
    account: Account, svc_client: Client, clock: Clock, webhook_inbox: WebhookInbox
) -> None:
    account.pend_next("verify.employment.uan", after=timedelta(minutes=2), error="SVC_SOURCE_TIMEOUT")
    pending = svc_client.verify_employment_uan(uan="100000000001")
    clock.advance("2m")
    assert webhook_inbox.wait(pending.verification_id).envelope["error"]["code"] == "SVC_SOURCE_TIMEOUT"
    assert svc_client.verify_employment_uan(uan="100000000001").status == "completed"


def test_mistake_in_a_scenario_is_raised_with_its_hint(account: Account) -> None:
    with pytest.raises(ControlError, match="did you mean `operation`") as raised:
        account.scenarios.add('[[scenario]]\nname = "x"\noperatoin = "*"\nthen = { success = {} }')
    assert raised.value.code == "SCENARIO_MISTAKES"
    assert raised.value.mistakes


def test_removed_scenario_decides_nothing(account: Account, svc_client: Client) -> None:
    added = account.fail_next("*", "SVC_PROVIDER_ERROR", times=9)
    account.scenarios.remove(added)
    assert svc_client.verify_identity_pan(pan="AAAAA0000A").status == "completed"


def test_accounts_do_not_see_each_other(simulator: Simulator, account: Account) -> None:
    other = simulator.open_account()
    other.fail_next("*", "SVC_PROVIDER_ERROR")
    assert account.client().verify_identity_pan(pan="AAAAA0000A").status == "completed"
    assert other.calls() == []
    other.delete()


def test_reset_begins_anew(account: Account, svc_client: Client) -> None:
    svc_client.verify_identity_pan(pan="AAAAA0000A")
    account.reset()
    assert account.calls() == []


@pytest.mark.parametrize(("allow", "status"), [(True, "completed"), (False, "failed")])
def test_consent_is_decided(
    account: Account, svc_client: Client, webhook_inbox: WebhookInbox, allow: bool, status: str
) -> None:
    started = svc_client.verify_document_digilocker(redirect_url="https://app.example/return", requested_docs=["PAN"])
    assert account.calls()[0]["request"]["path"] == "/v1/verify/document/digilocker/start"
    account.decide_consent(started.verification_id, allow)
    assert webhook_inbox.wait(started.verification_id).envelope["status"] == status


def test_persona_is_known_by_every_operation(personas: Personas, svc_client: Client) -> None:
    kaveri = personas["expired_licence"]
    assert svc_client.verify_identity_pan(pan=kaveri["pan"]).data["nameOnPan"] == kaveri.display
    assert kaveri in personas.known_by("uan")


def test_unknown_persona_and_identifier_say_what_there_is(personas: Personas) -> None:
    with pytest.raises(KeyError, match="svc-simulator people"):
        personas["nobody"]
    with pytest.raises(KeyError, match="expired_licence has no cin, but"):
        personas["expired_licence"]["cin"]
