"""Calls the simulator with the client that openapi-python-client made: a result, a failure, a promise."""

import sys

from svc_python import AuthenticatedClient
from svc_python.api.employment import verify_employment_uan
from svc_python.api.identity_and_kyc import verify_identity_pan
from svc_python.models import (
    Error503,
    VerifyEmploymentUanAnswer,
    VerifyEmploymentUanInput,
    VerifyIdentityPanAnswer,
    VerifyIdentityPanInput,
)

client = AuthenticatedClient(base_url=sys.argv[1], token="svc_test_local_python")

found = verify_identity_pan.sync(client=client, body=VerifyIdentityPanInput(pan="AAAAA0000A"), idempotency_key="python-1")
assert isinstance(found, VerifyIdentityPanAnswer), found
assert found.success and found.data.name_on_pan, found.data

down = verify_identity_pan.sync(client=client, body=VerifyIdentityPanInput(pan="AAAAA0503A"))
assert isinstance(down, Error503), down
assert down.error.retryable is True and down.error.message and down.error.code == "SVC_SOURCE_UNAVAILABLE", down.error

later = verify_employment_uan.sync_detailed(client=client, body=VerifyEmploymentUanInput(uan="100000000202"))
assert later.status_code == 202 and isinstance(later.parsed, VerifyEmploymentUanAnswer), later
assert later.parsed.status == "pending" and later.parsed.data.uan == "100000000202", later.parsed

print("python: a result, a failure and a promise are typed")
