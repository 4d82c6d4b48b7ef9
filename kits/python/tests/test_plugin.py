"""The plugin, in a pytest of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from svc_simulator import Simulator
from test_process import gone_within

OPTIONS = ("-p", "no:cacheprovider", "-p", "no:randomly")


def test_failed_test_shows_its_calls_with_their_reason(pytester: pytest.Pytester, simulator: Simulator) -> None:
    pytester.makepyfile("""
        def test_fails(svc_client):
            svc_client.verify_identity_pan(pan="AAAAA0000A")
            svc_client.call("/v1/verify/identity/pan", {"pan": "AAAAA0503A", "nmae": "Asha"})
    """)
    result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", simulator.console_url)
    result.stdout.fnmatch_lines([
        "*ServiceError: SVC_SOURCE_UNAVAILABLE (503)*",
        "*- calls of account t_* -*",
        "* test verify.identity.pan 200 completed",
        "    because *",
        "    sent {\"pan\": \"AAAAA0000A\"}",
        "* test verify.identity.pan 503 failed SVC_SOURCE_UNAVAILABLE",
        "    because scenario \"the last digits are the status: 503\"*",
        "    ignored, since no field is called so: nmae",
    ])


def test_failed_test_without_a_call_shows_keys_that_did_not_work(
    pytester: pytest.Pytester, simulator: Simulator
) -> None:
    pytester.makepyfile("""
        import urllib.request

        def test_fails(account):
            headers = {"Authorization": "Bearer svc_test_nobody_here", "Content-Type": "application/json"}
            url = account.sandbox_url + "/v1/verify/identity/pan"
            urllib.request.urlopen(urllib.request.Request(url, b"{}", headers))
    """)
    result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", simulator.console_url)
    result.stdout.fnmatch_lines([
        "*- calls of account t_* -*",
        "none; the newest calls whose key does not work, whoever made them:",
        "* 401 SVC_AUTH_INVALID, svc_test_*",
    ])


def test_failed_set_up_shows_its_calls(pytester: pytest.Pytester, simulator: Simulator) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def verified(svc_client):
            svc_client.verify_identity_pan(pan="AAAAA0503A")

        def test_is_not_begun(verified):
            pass
    """)
    result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", simulator.console_url)
    result.stdout.fnmatch_lines(["*- calls of account t_* -*", "* 503 failed SVC_SOURCE_UNAVAILABLE"])


def test_passing_test_shows_none(pytester: pytest.Pytester, simulator: Simulator) -> None:
    pytester.makepyfile("def test_passes(svc_client): svc_client.verify_identity_pan(pan='AAAAA0000A')")
    result = pytester.runpytest_subprocess(*OPTIONS, "-rA", "--svc-simulator-url", simulator.console_url)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*calls of account*")


def test_workers_share_one_simulator_and_no_account(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pathlib, pytest
        @pytest.mark.parametrize("number", range(16))
        def test_writes(simulator, account, svc_client, number):
            svc_client.verify_identity_pan(pan="AAAAA0000A")
            assert len(account.calls()) == 1
            pathlib.Path(f"seen-{number}").write_text(f"{simulator.console_url} {account.name}")
    """)
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", "8")
    result.assert_outcomes(passed=16)
    seen = [path.read_text().split() for path in pytester.path.glob("seen-*")]
    assert len({url for url, _ in seen}) == 1
    assert len({account for _, account in seen}) == 16
    assert gone_within(seen[0][0], 20)


def test_test_may_delete_its_account(pytester: pytest.Pytester, simulator: Simulator) -> None:
    pytester.makepyfile("def test_deletes(account): account.delete()")
    result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", simulator.console_url)
    result.assert_outcomes(passed=1)


def test_client_of_another_plugin_stays_what_it_is(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(flask_of_ours="""
        import pytest
        @pytest.fixture
        def client(): return "theirs"
        @pytest.fixture
        def async_client(): return "theirs"
    """)
    pytester.makepyfile("def test_has(client, async_client): assert client == async_client == 'theirs'")
    result = pytester.runpytest_subprocess(*OPTIONS, "-p", "flask_of_ours")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_missing_program_fails_only_what_asks_for_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("SVC_SIMULATOR", "/nowhere")
    pytester.makepyfile("def test_without(): pass\ndef test_with(svc_client): pass")
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", workers)
    result.assert_outcomes(passed=1, errors=1)
    # Once where the error is, once in the summary.
    assert str(result.stdout).count("SVC_SIMULATOR is '/nowhere', which is no program") <= 2


def test_url_that_leads_nowhere_is_named_with_its_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_with(account): pass")
    result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", "http://127.0.0.1:1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*--svc-simulator-url http://127.0.0.1:1 leads to no console of a simulator: *"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*During handling*")


@pytest.mark.parametrize("how", ["option", "variable", "none"])
def test_console_with_a_token_is_used_with_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    pytester.makepyfile("def test_with(account): assert account.calls() == []")
    options = ["--svc-simulator-token", "sample-token"] if how == "option" else []
    if how == "variable":
        monkeypatch.setenv("SVC_SIMULATOR_CONSOLE_TOKEN", "sample-token")
    with Simulator.start(["--console-token", "sample-token"]) as started:
        result = pytester.runpytest_subprocess(*OPTIONS, "--svc-simulator-url", started.console_url, *options)
    if how == "none":
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*give its token with --svc-simulator-token, or in SVC_SIMULATOR_CONSOLE_TOKEN*"])
    else:
        result.assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_folder_among_the_arguments_stands_beside_the_settings(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    pytester.makeini("[pytest]\nsvc_simulator_arguments = --scenarios scenarios")
    pytester.mkdir("scenarios").joinpath("down.toml").write_text(
        '[[scenario]]\nname = "down"\noperation = "verify.identity.pan"\nthen = { error = "SVC_SOURCE_TIMEOUT" }\n')
    pytester.path.joinpath("svc-simulator.toml").write_text('seed = "of a simulator that people start here"\n??')
    pytester.makepyfile("""
        import pytest, svc_simulator
        def test_fails(account):
            with pytest.raises(svc_simulator.ServiceError, match="SVC_SOURCE_TIMEOUT"):
                account.client().verify_identity_pan(pan="AAAAA0000A")
    """)
    # From below the folder of the settings.
    monkeypatch.chdir(pytester.mkdir("below"))
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", workers, str(pytester.path))
    result.assert_outcomes(passed=1)


def test_killed_worker_is_replaced_and_the_simulator_stays(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import os, signal, pytest
        def test_kills(svc_client):
            os.kill(os.getpid(), signal.SIGKILL)
        @pytest.mark.parametrize("number", range(6))
        def test_goes_on(svc_client, number):
            svc_client.verify_identity_pan(pan="AAAAA0000A")
    """)
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", "2")
    result.assert_outcomes(passed=6, failed=1)


def test_run_that_is_interrupted_stops_the_simulator(pytester: pytest.Pytester, tmp_path: Path) -> None:
    told = tmp_path / "told"
    pytester.makepyfile(f"""
        import pathlib, threading
        def test_waits(simulator):
            pathlib.Path({str(told) + ".new"!r}).write_text(simulator.console_url)
            pathlib.Path({str(told) + ".new"!r}).rename({str(told)!r})
            threading.Event().wait()
    """)
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", *OPTIONS, str(pytester.path)], cwd=pytester.path,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        # A run in the background was told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not told.exists():
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.02)
    url = told.read_text()
    # As a terminal does at Ctrl-C: to the whole group.
    os.killpg(run.pid, signal.SIGINT)
    output, _ = run.communicate(timeout=30)
    assert "KeyboardInterrupt" in output
    assert gone_within(url, 20)
