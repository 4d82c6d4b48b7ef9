"""The README's examples are tests, and are run as such."""

import re
from pathlib import Path

import pytest

from svc_simulator import Simulator

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_passes(pytester: pytest.Pytester, simulator: Simulator, number: int) -> None:
    example = EXAMPLES[number]
    tests = len(re.findall(r"^(?:async )?def test_", example, re.MULTILINE))
    assert tests > 0, "an example without a test would prove nothing"
    pytester.makepyfile(example)
    result = pytester.runpytest_subprocess(
        "-o", "asyncio_mode=auto", "--svc-simulator-url", simulator.console_url)
    result.assert_outcomes(passed=tests)


def test_readme_has_examples() -> None:
    assert len(EXAMPLES) >= 6
