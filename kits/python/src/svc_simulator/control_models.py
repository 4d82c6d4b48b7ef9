"""What the control API takes and answers. Written by kits/generate.py from /openapi.json: change that, not this."""

from typing import Any, Dict, List, Literal, TypedDict, Union


class _NewAccount(TypedDict):
    id: str


class NewAccount(_NewAccount, total=False):
    walletInr: float
    allowlist: List[str]
    rateLimit: "RateLimit"
    webhook: "NewWebhook"


class RateLimit(TypedDict):
    perSecond: int
    burst: int


class NewWebhook(TypedDict):
    url: str
    secret: str


class Fork(TypedDict):
    id: str


class WalletChange(TypedDict, total=False):
    topUp: float
    balance: float


class _NewReceiver(TypedDict):
    url: str
    secret: str


class NewReceiver(_NewReceiver, total=False):
    environment: "Environment"


Environment = Literal['test', 'live']


class Allowlist(TypedDict):
    networks: List[str]


class NewKey(TypedDict):
    environment: "Environment"
    name: str


class KeyRotation(TypedDict):
    environment: "Environment"


class KeyToRevoke(TypedDict):
    key: str


class ClockChange(TypedDict, total=False):
    advance: str
    set: str
    next: bool
    freeze: bool


CallStatus = Literal['completed', 'pending', 'failed']


class _CallToMake(TypedDict):
    account: str
    path: str


class CallToMake(_CallToMake, total=False):
    environment: "Environment"
    method: "Method"
    body: Dict[str, Any]
    text: str
    idempotencyKey: str
    referenceId: str
    key: str


Method = Literal['GET', 'POST']


DeliveryState = Literal['due', 'delivered', 'dead']


class _Decision(TypedDict):
    decision: "DecisionWord"


class Decision(_Decision, total=False):
    account: str


DecisionWord = Literal['allow', 'refuse']


class _Trigger(TypedDict):
    account: str


class Trigger(_Trigger, total=False):
    environment: "Environment"
    verificationId: str
    operation: str
    body: Dict[str, Any]


EventKind = Literal['callAnswered', 'resultReady', 'deliveryAttempted', 'deliveryRequested', 'keyEnded', 'limitRestored', 'idempotencyKeyLapsed', 'clockSet', 'accountChanged', 'accountReset']


class NewScenarios(TypedDict):
    account: str
    toml: str


class _CheckedText(TypedDict):
    toml: str


class CheckedText(_CheckedText, total=False):
    account: str


class RewrittenScenarios(TypedDict):
    account: str
    toml: str


class _Explain(TypedDict):
    account: str
    operation: str


class Explain(_Explain, total=False):
    environment: "Environment"
    body: Dict[str, Any]
    referenceId: str
    idempotencyKey: str
    headers: Dict[str, Any]


ForecastRequest = TypedDict(
    "ForecastRequest",
    {
        "mix": str,
        "traffic": str,
        "account": str,
        "allAccounts": bool,
        "prices": str,
        "wallet": float,
        "from": str,
        "days": int,
        "span": str,
        "callsPerMonth": int,
        "asLive": bool,
        "retryWithin": str,
        "cacheFor": str,
    }, total=False,
)


class _Health(TypedDict):
    status: str
    product: str
    version: str
    sandbox: str
    live: str


class Health(_Health, total=False):
    scenarios: str
    replicas: List["Replica"]


class Replica(TypedDict):
    version: str
    differsIn: List[str]


class _Error(TypedDict):
    error: "ErrorDetails"


class Error(_Error, total=False):
    status: str


class _ErrorDetails(TypedDict):
    code: str
    message: str


class ErrorDetails(_ErrorDetails, total=False):
    mistakes: List["Mistake"]


class _Mistake(TypedDict):
    file: str
    line: int
    column: int
    message: str
    snippet: str


class Mistake(_Mistake, total=False):
    hint: str


class AccountList(TypedDict):
    accounts: List["AccountSummary"]


class AccountSummary(TypedDict):
    id: str
    now: str
    clock: "ClockState"
    live: "Balance"
    calls: "CallTotals"


ClockState = Literal['running', 'frozen']


class Balance(TypedDict):
    balance: float
    held: float
    charged: float


class CallTotals(TypedDict):
    test: int
    live: int


class _Account(TypedDict):
    id: str
    clock: "Clock"
    keys: List["Key"]
    allowlist: List[str]
    test: "EnvironmentState"
    live: "EnvironmentState"


class Account(_Account, total=False):
    rateLimit: "RateLimit"


class _Clock(TypedDict):
    now: str
    state: "ClockState"


class Clock(_Clock, total=False):
    aheadMs: int


class _Key(TypedDict):
    key: str
    environment: "Environment"
    state: "KeyState"


class Key(_Key, total=False):
    until: str


KeyState = Literal['active', 'rotated', 'revoked']


class EnvironmentStateUsage(TypedDict):
    calls: int
    completed: int
    noRecord: int
    failed: int
    billed: int
    amount: float


class _EnvironmentState(TypedDict):
    balance: float
    held: float
    charged: float
    calls: "CallCounts"
    pending: List["Pending"]
    deliveries: "DeliveryCounts"
    usage: "EnvironmentStateUsage"


class EnvironmentState(_EnvironmentState, total=False):
    toppedUp: float
    webhook: "Webhook"


class Webhook(TypedDict):
    url: str


class CallCounts(TypedDict):
    kept: int
    forgotten: int


class _Pending(TypedDict):
    verificationId: str
    endpoint: str


class Pending(_Pending, total=False):
    due: str
    waitsFor: "WaitsFor"


WaitsFor = Literal['consent', 'secondCall', 'answer']


class DeliveryCounts(TypedDict):
    due: int
    delivered: int
    dead: int
    forgotten: int


class AccountFile(TypedDict):
    format: int
    product: Literal['svc-simulator']
    version: str
    account: Dict[str, Any]
    scenarios: Dict[str, Any]


class Reset(TypedDict):
    accounts: List[str]


class WalletHistory(TypedDict):
    balance: float
    held: float
    charged: float
    toppedUp: float
    holds: List["Hold"]
    entries: List["WalletEntry"]
    forgotten: int


class _Hold(TypedDict):
    amount: float
    since: str
    verificationId: str
    endpoint: str


class Hold(_Hold, total=False):
    due: str
    waitsFor: "WaitsFor"


class _WalletEntry(TypedDict):
    at: str
    kind: "WalletEntryKind"
    amount: float
    balance: float
    held: float


class WalletEntry(_WalletEntry, total=False):
    verificationId: str
    endpoint: str


WalletEntryKind = Literal['topUp', 'withdrawal', 'hold', 'commit', 'release']


class Wallet(TypedDict):
    balance: float
    held: float
    charged: float
    toppedUp: float


class Receiver(TypedDict):
    url: str
    environments: List["Environment"]


class AddedKey(TypedDict):
    key: str
    environment: "Environment"


class RotatedKey(TypedDict):
    key: str
    environment: "Environment"
    replaces: "ReplacedKey"


class ReplacedKey(TypedDict):
    key: str
    until: str


class RevokedKey(TypedDict):
    key: str
    state: "KeyState"


class ClockReading(TypedDict):
    now: str
    state: "ClockState"


class MovedClock(TypedDict):
    now: str
    state: "ClockState"
    happened: List["Event"]


class _Event(TypedDict):
    at: str
    environment: "Environment"
    kind: "EventKind"


class Event(_Event, total=False):
    seq: int
    verificationId: str
    deliveryId: str
    status: "CallStatus"
    code: str
    httpStatus: int
    reason: str
    attempt: int
    state: "DeliveryState"
    delivers: bool
    key: str
    clock: "ClockState"


class Timeline(TypedDict):
    now: str
    state: "ClockState"
    due: List["Due"]
    more: int
    waiting: List["Waiting"]


class _Due(TypedDict):
    at: str
    environment: "Environment"
    kind: "EventKind"


class Due(_Due, total=False):
    verificationId: str
    endpoint: str
    deliveryId: str
    attempt: int
    why: Literal['schedule', 'copy', 'hand']
    key: str


class _Waiting(TypedDict):
    environment: "Environment"
    verificationId: str
    endpoint: str


class Waiting(_Waiting, total=False):
    due: str
    waitsFor: "WaitsFor"


class UsageEndpointsItem(TypedDict):
    endpoint: str
    calls: int
    completed: int
    noRecord: int
    failed: int
    billed: int
    amount: float


class UsageTotals(TypedDict):
    calls: int
    completed: int
    noRecord: int
    failed: int
    billed: int
    amount: float


class _Usage(TypedDict):
    environment: "Environment"
    endpoints: List["UsageEndpointsItem"]
    totals: "UsageTotals"
    joinedDays: int


class Usage(_Usage, total=False):
    walletBalance: float


class CallList(TypedDict):
    calls: List["Call"]
    kept: int
    forgotten: int


class _Call(TypedDict):
    verificationId: str
    environment: "Environment"
    endpoint: str
    at: str
    status: "CallStatus"
    httpStatus: int
    charged: float
    because: str


class Call(_Call, total=False):
    pendingHttpStatus: int
    onTheWire: str
    code: str
    request: "ReceivedRequest"
    secondRequest: "ReceivedRequest"
    presentedKey: str
    account: str
    envelope: Dict[str, Any]
    stages: List["Stage"]
    pending: "Pending"
    money: "CallMoney"
    keys: List["KeyUse"]
    bundle: str
    steps: List["BundleStep"]
    curl: str


class _ReceivedRequest(TypedDict):
    method: str
    path: str
    headers: List["HeaderLine"]
    caller: str
    unknownMembers: List[str]


class ReceivedRequest(_ReceivedRequest, total=False):
    query: str
    body: str
    bodyEncoding: "Encoding"
    bodyBytes: int
    bodyCut: bool


class _HeaderLine(TypedDict):
    name: str
    value: str


class HeaderLine(_HeaderLine, total=False):
    encoding: "Encoding"


Encoding = Literal['base64']


class Stage(TypedDict):
    stage: "StageName"
    state: "StageState"


StageName = Literal['authenticate', 'allowlist', 'rateLimit', 'prepare', 'claim', 'room', 'flow', 'hold', 'resolve', 'settle']


StageState = Literal['passed', 'skipped', 'refused', 'waiting', 'notReached']


class _CallMoney(TypedDict):
    held: float


class CallMoney(_CallMoney, total=False):
    charged: float
    released: float


class _KeyUse(TypedDict):
    key: str
    replays: List["Replay"]
    others: List["OtherUse"]


class KeyUse(_KeyUse, total=False):
    claimedAt: str
    keptUntil: str


class Replay(TypedDict):
    at: str
    caller: str


class _OtherUse(TypedDict):
    verificationId: str
    endpoint: str
    at: str
    httpStatus: int


class OtherUse(_OtherUse, total=False):
    code: str


class _BundleStep(TypedDict):
    verificationId: str
    endpoint: str
    status: "CallStatus"


class BundleStep(_BundleStep, total=False):
    code: str


class _MadeCall(TypedDict):
    request: "SentCall"
    status: int
    headers: Dict[str, Any]
    answer: Dict[str, Any]


class MadeCall(_MadeCall, total=False):
    onTheWire: str


class _SentCall(TypedDict):
    method: "Method"
    url: str
    headers: Dict[str, Any]


class SentCall(_SentCall, total=False):
    body: str


class DeliveryList(TypedDict):
    deliveries: List["Delivery"]


class _Delivery(TypedDict):
    id: str
    verificationId: str
    environment: "Environment"
    state: "DeliveryState"
    since: str
    attempts: List["Attempt"]


class Delivery(_Delivery, total=False):
    nextDue: str
    body: str
    account: str
    now: str
    planned: List[str]


class _Attempt(TypedDict):
    number: int
    due: str
    why: Literal['schedule', 'copy', 'hand']
    responseExcerpt: str


class Attempt(_Attempt, total=False):
    url: str
    signature: str
    signatureBase: str
    status: int
    reason: str


class ConsentList(TypedDict):
    consents: List["Consent"]


class _Consent(TypedDict):
    account: str
    environment: "Environment"
    verificationId: str
    endpoint: str
    since: str
    documents: List[str]
    redirect: str
    link: str


class Consent(_Consent, total=False):
    due: str


class _Decided(TypedDict):
    verificationId: str
    status: "CallStatus"
    redirect: str


class Decided(_Decided, total=False):
    code: str
    deliveryId: str


class _Triggered(TypedDict):
    verificationId: str


class Triggered(_Triggered, total=False):
    deliveryId: str
    note: str


class EventList(TypedDict):
    events: List["Event"]
    next: int
    missed: bool


class _ScenarioList(TypedDict):
    version: int
    scenarios: List["Scenario"]


class ScenarioList(_ScenarioList, total=False):
    refused: "RefusedEdit"
    warnings: List["Mistake"]
    leftOut: List["LeftOut"]


class RefusedEdit(TypedDict):
    at: str
    message: str


class _Scenario(TypedDict):
    name: str
    operations: List[str]
    file: str
    line: int
    order: int


class Scenario(_Scenario, total=False):
    added: str


class LeftOut(TypedDict):
    added: str
    message: str


class AddedScenarios(TypedDict):
    id: str
    scenarios: List[str]


class Check(TypedDict):
    scenarios: List[str]
    mistakes: List["Mistake"]


class _FileList(TypedDict):
    calls: int
    files: List["File"]


class FileList(_FileList, total=False):
    warnings: List["Mistake"]


class _File(TypedDict):
    file: str
    rules: int
    never: int
    fired: int


class File(_File, total=False):
    added: str


class _ScenarioFile(TypedDict):
    file: str
    calls: int
    toml: str
    rules: List["Rule"]


class ScenarioFile(_ScenarioFile, total=False):
    added: str


class Rule(TypedDict):
    name: str
    line: int
    operations: List[str]
    toml: str
    fired: int


class _Explanation(TypedDict):
    operation: str
    account: str
    environment: str
    body: Dict[str, Any]
    answer: "Answer"
    later: List["ScenarioMatch"]
    near: List["ScenarioMatch"]
    elsewhere: List["ScenarioMatch"]
    outcomes: List["Outcome"]


class Explanation(_Explanation, total=False):
    referenceId: str
    idempotencyKey: str
    headers: Dict[str, Any]
    refused: str
    decides: "ScenarioMatch"


class _Answer(TypedDict):
    status: int
    outcome: str
    because: str


class Answer(_Answer, total=False):
    delay_ms: int
    on_the_wire: str


class _ScenarioMatch(TypedDict):
    name: str
    file: str
    line: int


class ScenarioMatch(_ScenarioMatch, total=False):
    because: List[str]
    operations: List[str]


class _Outcome(TypedDict):
    outcome: str
    calls: List["ExplainedCall"]


class Outcome(_Outcome, total=False):
    status: int
    because: str


class _ExplainedCall(TypedDict):
    account: str
    environment: str
    key: str
    set: Dict[str, Any]
    body: Dict[str, Any]
    times: int


class ExplainedCall(_ExplainedCall, total=False):
    idempotencyKey: str
    referenceId: str
    headers: Dict[str, Any]


class _Forecast(TypedDict):
    days: int
    endpoints: List["EndpointForecast"]
    total: "ForecastSum"
    free: List["ForecastFreeCalls"]
    flows: List["FlowForecast"]
    savings: "SavingsForecast"
    leftOut: "ForecastLeftOutLines"
    notes: List[str]


class Forecast(_Forecast, total=False):
    observed: "ForecastObservedTraffic"
    wallet: "WalletForecast"


_ForecastObservedTraffic = TypedDict(
    "_ForecastObservedTraffic",
    {
        "calls": int,
        "charged": float,
        "spanSeconds": int,
        "factor": str,
        "span": str,
    },
)


_OptionalForecastObservedTraffic = TypedDict(
    "_OptionalForecastObservedTraffic",
    {
        "from": str,
        "to": str,
    }, total=False,
)


class ForecastObservedTraffic(_ForecastObservedTraffic, _OptionalForecastObservedTraffic):
    """Members that are always there, and others."""


class EndpointForecast(TypedDict):
    endpoint: str
    title: str
    environment: str
    price: float
    priceFrom: "ForecastPriceOrigin"
    calls: int
    billed: int
    noRecord: int
    free: int
    amount: float
    latency: "ForecastTime"


ForecastPriceOrigin = Literal['contract', 'list', 'traffic']


class _ForecastTime(TypedDict):
    p50Ms: int
    p95Ms: int
    source: str


class ForecastTime(_ForecastTime, total=False):
    samples: int


class ForecastSum(TypedDict):
    calls: int
    billed: int
    noRecord: int
    free: int
    amount: float


class ForecastFreeCalls(TypedDict):
    why: str
    words: str
    calls: int


class _FlowForecast(TypedDict):
    name: str
    title: str
    runs: int
    p50Ms: int
    p95Ms: int
    source: str
    steps: List["StepForecast"]


class FlowForecast(_FlowForecast, total=False):
    samples: int
    note: str


class _StepForecast(TypedDict):
    name: str
    p50Ms: int
    p95Ms: int
    source: str


class StepForecast(_StepForecast, total=False):
    samples: int


class SavingsForecast(TypedDict):
    idempotencyKeys: "ForecastSavedCalls"
    noRecordCache: "ForecastSavedCalls"
    both: "ForecastSavedCalls"


class ForecastSavedCalls(TypedDict):
    calls: int
    amount: float


class _WalletForecast(TypedDict):
    balance: float
    words: str


class WalletForecast(_WalletForecast, total=False):
    dry: "DryForecast"


class _DryForecast(TypedDict):
    day: int
    call: int
    endpoint: str
    price: float
    left: float


class DryForecast(_DryForecast, total=False):
    at: str


class ForecastLeftOutLines(TypedDict):
    count: int
    reasons: Dict[str, Any]
    first: List["ForecastLeftOutLine"]


class ForecastLeftOutLine(TypedDict):
    file: str
    line: int
    why: str
    text: str


class OperationList(TypedDict):
    operations: List["OperationRow"]
    bundles: List["OperationRow"]


class _OperationRow(TypedDict):
    id: str
    title: str
    category: str
    path: str
    price: float
    canBePending: bool


class OperationRow(_OperationRow, total=False):
    steps: List[str]


class _OperationForm(TypedDict):
    id: str
    title: str
    category: str
    path: str
    price: float
    canBePending: bool
    fields: List["Field"]
    sample: Dict[str, Any]
    inputs: List["NamedInput"]
    people: List["AskedPerson"]


class OperationForm(_OperationForm, total=False):
    steps: List[str]


class _Field(TypedDict):
    name: str
    about: str
    rule: str
    required: bool
    identifies: bool
    mayBeEmpty: bool
    type: "Type"
    example: Any


class Field(_Field, total=False):
    format: str
    oneOf: List[str]
    min: float
    max: float
    minItems: int
    items: "Kind"
    fields: List["Field"]
    default: Any


Type = Literal['text', 'integer', 'number', 'boolean', 'list', 'object']


class _Kind(TypedDict):
    type: "Type"


class Kind(_Kind, total=False):
    format: str
    oneOf: List[str]
    min: float
    max: float
    minItems: int
    items: "Kind"
    fields: List["Field"]


class NamedInput(TypedDict):
    name: str
    outcome: str
    set: Dict[str, Any]


class AskedPerson(TypedDict):
    name: str
    display: str
    story: str
    set: Dict[str, Any]


class ErrorTable(TypedDict):
    errors: List["ErrorRow"]


class ErrorRow(TypedDict):
    code: str
    status: int
    retryable: bool
    billed: bool
    outcome: bool
    meaning: str
    clause: str


class PeopleList(TypedDict):
    people: List["Person"]
    samples: List["SampleSubject"]


class Person(TypedDict):
    name: str
    display: str
    kind: str
    story: str
    file: str
    line: int
    identifiers: List["Identifier"]
    others: List["Other"]
    rules: List[str]


class Identifier(TypedDict):
    value: str
    fields: List[str]
    declared: bool
    operations: List[str]


class Other(TypedDict):
    role: str
    name: str


class _SampleSubject(TypedDict):
    kind: str
    identifier: str
    field: str


class SampleSubject(_SampleSubject, total=False):
    name: str


class _Subject(TypedDict):
    identifier: str
    takenFor: str
    alternatives: List[str]
    today: str
    kind: str
    isSample: bool
    identifiers: List["KnownBy"]
    attributes: Dict[str, Any]
    links: List["Link"]


class Subject(_Subject, total=False):
    own: str
    name: str
    declared: "Declared"


class Declared(TypedDict):
    name: str
    story: str
    file: str
    line: int


class _KnownBy(TypedDict):
    name: str
    value: str


class KnownBy(_KnownBy, total=False):
    field: str
    sharedWith: "SharedWith"


class _SharedWith(TypedDict):
    kind: str
    isFound: bool


class SharedWith(_SharedWith, total=False):
    name: str


class _Link(TypedDict):
    relation: str
    kind: str
    identifier: str
    field: str


class Link(_Link, total=False):
    name: str


class AccessList(TypedDict):
    accesses: List["Access"]


class Access(TypedDict):
    verificationId: str
    environment: "Environment"
    at: str
    by: Literal['call', 'replay', 'lookUp']
    retainedUntil: str


class MemoryKeeps(TypedDict):
    calls: int
    deliveries: int
    bytes: int


class Memory(TypedDict):
    bytes: int
    atMost: int
    gaveWay: int
    keeps: "MemoryKeeps"
    pendingBytes: int
    accounts: "OpenedAccounts"
    unauthenticated: "UnauthenticatedMemory"
    shares: "Shares"
    forgotten: "Evicted"


class OpenedAccounts(TypedDict):
    openedByKeys: int
    atMost: int
    mostOfOneAddress: int
    atMostOfOneAddress: int
    idleMs: int
    gone: int


class UnauthenticatedMemory(TypedDict):
    calls: int
    callsAtMost: int
    bytes: int
    bytesAtMost: int
    forgotten: int


class Shares(TypedDict):
    delayedCalls: "Share"
    waits: "Share"


class Share(TypedDict):
    taken: int
    each: int
    all: int


class Evicted(TypedDict):
    calls: int
    deliveries: int
    idempotencyKeys: int
    flows: int
    sequences: int
    counters: int
    audit: int
    wallet: int
    joinedDays: int


class AccountMemory(TypedDict):
    test: "EnvironmentMemory"
    live: "EnvironmentMemory"


class EnvironmentMemory(TypedDict):
    endedBytes: int
    openBytes: int
    calls: int
    verifications: "KindMemory"
    sequences: "KindMemory"
    counters: "KindMemory"
    audit: "KindMemory"
    wallet: "KindMemory"
    forgotten: "Evicted"


class KindMemory(TypedDict):
    ended: int
    endedBytes: int
    open: int
    openBytes: int
