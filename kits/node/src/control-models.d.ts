// Written by kits/generate.py from /openapi.json: change that, not this.

export interface NewAccount {
  /** What its keys say after `svc_test_` and `svc_live_`. */
  id: string;
  /** What is in its live wallet; nothing where it is left out. */
  walletInr?: number;
  /** The networks its keys may be used from; from anywhere where it is left out or empty. */
  allowlist?: Array<string>;
  /** How often keys may be used. */
  rateLimit?: RateLimit;
  webhook?: NewWebhook;
}

export interface RateLimit {
  /** Calls a second, in the long run. */
  perSecond: number;
  /** Calls at once, after a pause. */
  burst: number;
}

export interface NewWebhook {
  url: string;
  /** A webhook signing secret. It is read and never answered. */
  secret: string;
}

export interface Fork {
  /** The name of an account or of a key. */
  id: string;
}

export interface WalletChange {
  /** So much more. */
  topUp?: number;
  /** Just so much; not less than what is held. */
  balance?: number;
}

export interface NewReceiver {
  url: string;
  /** What deliveries are signed with. No answer has it. */
  secret: string;
  /** One of the two environments; the sandbox where none is named. */
  environment?: Environment;
}

export type Environment = "test" | "live";

export interface Allowlist {
  /** From anywhere where there is none. */
  networks: Array<string>;
}

export interface NewKey {
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** What it says after `svc_test_` or `svc_live_`. */
  name: string;
}

export interface KeyRotation {
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
}

export interface KeyToRevoke {
  /** The whole key. */
  key: string;
}

export interface ClockChange {
  /** It shows so much later. */
  advance?: string;
  /** It shows this instant, which must not be before what it shows. */
  set?: string;
  /** It shows when the next thing is due that `GET /control/accounts/{id}/timeline` lists. */
  next?: boolean;
  /** Whether it stands still: `true` before it is moved, `false` after. */
  freeze?: boolean;
}

export type CallStatus = "completed" | "pending" | "failed";

export interface CallToMake {
  account: string;
  /** One of the two environments; the sandbox where none is named. */
  environment?: Environment;
  method?: Method;
  /** With its query, where it has one: `/v1/usage?from=2026-01-01`. */
  path: string;
  /** The body. */
  body?: Record<string, unknown>;
  /** The body as it is to be sent, where it may be no JSON object. */
  text?: string;
  /** Its `Idempotency-Key`; none where it is left out. */
  idempotencyKey?: string;
  /** Its `X-Reference-Id`; none where it is left out. */
  referenceId?: string;
  /** The API key to present; where it is left out, the newest of the account that works. */
  key?: string;
}

export type Method = "GET" | "POST";

export type DeliveryState = "due" | "delivered" | "dead";

export interface Decision {
  /** Whose verification: a copy of an account knows those of its original, too. */
  account?: string;
  decision: DecisionWord;
}

export type DecisionWord = "allow" | "refuse";

export interface Trigger {
  account: string;
  /** One of the two environments; the sandbox where none is named. */
  environment?: Environment;
  /** A verification that is pending. */
  verificationId?: string;
  /** The operation or bundle to call, by its dotted name; where it is left out, the first whose result can come by webhook. */
  operation?: string;
  /** The body to call it with; where it is left out, a fixed input that is answered as pending, else the sample. */
  body?: Record<string, unknown>;
}

export type EventKind = "callAnswered" | "resultReady" | "deliveryAttempted" | "deliveryRequested" | "keyEnded" | "limitRestored" | "idempotencyKeyLapsed" | "clockSet" | "accountChanged" | "accountReset";

export interface NewScenarios {
  account: string;
  /** As they stand in a file. */
  toml: string;
}

export interface CheckedText {
  /** For whom they would be added, beside those that were; beside everybody's alone where it is left out. */
  account?: string;
  /** As it stands in a file. */
  toml: string;
}

export interface RewrittenScenarios {
  account: string;
  /** As it stands in a file. */
  toml: string;
}

export interface Explain {
  account: string;
  /** One of the two environments; the sandbox where none is named. */
  environment?: Environment;
  /** The dotted name of the operation. */
  operation: string;
  /** The body; the operation's sample where it is left out. */
  body?: Record<string, unknown>;
  /** Its `X-Reference-Id`; none where it is left out. */
  referenceId?: string;
  /** Its `Idempotency-Key`; none where it is left out. */
  idempotencyKey?: string;
  /** Other headers it sends, each by its name; none where it is left out. */
  headers?: Record<string, unknown>;
}

export interface ForecastRequest {
  /** A mix, as its file has it: TOML. */
  mix?: string;
  /** Calls that were made, as a file has them: a capture, or JSON, a line a call. */
  traffic?: string;
  /** The calls of this account that are kept, by its clock. */
  account?: string;
  /** The calls of all accounts that are kept, each by its account's clock. */
  allAccounts?: boolean;
  /** What calls cost, as a file has it: INR by endpoint, in TOML or JSON. */
  prices?: string;
  /** What is in the wallet, in INR. */
  wallet?: number;
  /** When that is: a day, which begins at midnight in UTC, or an instant. */
  from?: string;
  /** How many days a month has: 30 where neither this nor the mix says. */
  days?: number;
  /** Of calls that were made: how long they stand for, where their times do not say it. */
  span?: string;
  /** The same, as how many calls a month brings. */
  callsPerMonth?: number;
  /** Whether calls of the sandbox are reckoned as if they had been made on live. */
  asLive?: boolean;
  /** The same input, charged again so soon, is a repetition: five minutes where it is left out. */
  retryWithin?: string;
  /** For how long it would be remembered that there is no record: a day where it is left out. */
  cacheFor?: string;
}

export interface Health {
  /** `ok`, `ready`. */
  status: string;
  /** `svc-simulator`: who reads it knows that this is no real service. */
  product: string;
  /** The version of the simulator. */
  version: string;
  /** Where its sandbox is called. */
  sandbox: string;
  /** Where its live environment is called. */
  live: string;
  /** Of `ready`: that the last edit of the scenario files was refused, and those before it still hold. */
  scenarios?: string;
  /** Of `ready`: the other simulators that work with the same accounts. */
  replicas?: Array<Replica>;
}

export interface Replica {
  /** Its version. */
  version: string;
  /** In what it differs from this one, so that the same call may be answered differently: `version`, `rules`, `seed`. */
  differsIn: Array<string>;
}

export interface Error {
  /** How the simulator stands, where it takes no more calls. */
  status?: string;
  error: ErrorDetails;
}

export interface ErrorDetails {
  /** One of the codes of the answer's status. */
  code: string;
  /** What is wrong, and what to do. */
  message: string;
  /** Of scenarios: each mistake. */
  mistakes?: Array<Mistake>;
}

export interface Mistake {
  /** The file it stands in. */
  file: string;
  /** The line of the text, from 1. */
  line: number;
  /** The column of the line, from 1, in characters. */
  column: number;
  message: string;
  /** What to do about it. */
  hint?: string;
  /** The line, the place underlined, and the hint, as `check` prints it. */
  snippet: string;
}

export interface AccountList {
  accounts: Array<AccountSummary>;
}

export interface AccountSummary {
  id: string;
  /** What its clock shows. */
  now: string;
  /** Whether a clock runs. */
  clock: ClockState;
  /** What is in a wallet. */
  live: Balance;
  /** How many calls it answered in each environment. */
  calls: CallTotals;
}

export type ClockState = "running" | "frozen";

export interface Balance {
  /** Top-ups less charges; what is held is still in it. */
  balance: number;
  /** What is put aside for calls that have not ended. */
  held: number;
  /** An amount in INR, in an answer. */
  charged: number;
}

export interface CallTotals {
  test: number;
  live: number;
}

export interface Account {
  id: string;
  clock: Clock;
  keys: Array<Key>;
  /** The networks its keys may be used from; from anywhere where there is none. */
  allowlist: Array<string>;
  /** How often keys may be used. */
  rateLimit?: RateLimit;
  /** An account in one environment. */
  test: EnvironmentState;
  /** An account in one environment. */
  live: EnvironmentState;
}

export interface Clock {
  /** An instant, in UTC and to the millisecond where it is printed. */
  now: string;
  /** Whether a clock runs. */
  state: ClockState;
  /** Of one that runs: how far it is ahead of the machine's. */
  aheadMs?: number;
}

export interface Key {
  key: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** Whether a key works. */
  state: KeyState;
  /** Of a rotated one: when it stops working. */
  until?: string;
}

export type KeyState = "active" | "rotated" | "revoked";

export interface EnvironmentStateUsage {
  /** Calls of the endpoint, replays not among them. */
  calls: number;
  /** Those with a result. */
  completed: number;
  /** Those whose record does not exist. */
  noRecord: number;
  /** Those that ended in another error. */
  failed: number;
  /** Those that were charged. */
  billed: number;
  /** What was charged for them. */
  amount: number;
}

export interface EnvironmentState {
  /** Top-ups less charges; what is held is still in it. */
  balance: number;
  /** What is put aside for calls that have not ended. */
  held: number;
  /** An amount in INR, in an answer. */
  charged: number;
  /** On live: all that was ever put in, less what was taken out by hand. */
  toppedUp?: number;
  webhook?: Webhook;
  calls: CallCounts;
  /** What is still to come. */
  pending: Array<Pending>;
  deliveries: DeliveryCounts;
  /** What was spent since the account came into being, or was reset. */
  usage: EnvironmentStateUsage;
}

export interface Webhook {
  url: string;
}

export interface CallCounts {
  kept: number;
  /** Those that were forgotten to bound memory. */
  forgotten: number;
}

export interface Pending {
  verificationId: string;
  endpoint: string;
  /** When the result comes, by the account's clock. */
  due?: string;
  /** `consent`: A person on the consent page. `secondCall`: The call that carries what the first answer gave. `answer`: The real delay of a scenario. */
  waitsFor?: WaitsFor;
}

export type WaitsFor = "consent" | "secondCall" | "answer";

export interface DeliveryCounts {
  due: number;
  delivered: number;
  dead: number;
  /** Those that were forgotten to bound memory. */
  forgotten: number;
}

export interface AccountFile {
  /** The form of the file. */
  format: number;
  product: "svc-simulator";
  /** The version that wrote it. */
  version: string;
  /** All of the account, as this product reads it. */
  account: Record<string, unknown>;
  /** The scenarios that were added for it alone. */
  scenarios: Record<string, unknown>;
}

export interface Reset {
  /** Their ids, in order. */
  accounts: Array<string>;
}

export interface WalletHistory {
  /** Top-ups less charges; what is held is still in it. */
  balance: number;
  /** What is put aside for calls that have not ended. */
  held: number;
  /** An amount in INR, in an answer. */
  charged: number;
  /** An amount in INR, in an answer. */
  toppedUp: number;
  /** What is put aside now. */
  holds: Array<Hold>;
  /** What happened, newest first. */
  entries: Array<WalletEntry>;
  /** How many older movements were forgotten to bound memory. */
  forgotten: number;
}

export interface Hold {
  /** An amount in INR, in an answer. */
  amount: number;
  /** When the call came in. */
  since: string;
  verificationId: string;
  endpoint: string;
  /** When the result comes, by the account's clock. */
  due?: string;
  /** `consent`: A person on the consent page. `secondCall`: The call that carries what the first answer gave. `answer`: The real delay of a scenario. */
  waitsFor?: WaitsFor;
}

export interface WalletEntry {
  /** An instant, in UTC and to the millisecond where it is printed. */
  at: string;
  /** What happened to the money. `topUp`: It was put in. `withdrawal`: It was taken out by hand. `hold`: It was put aside. `commit`: What was put aside was taken for good. `release`: What was put aside was given back. */
  kind: WalletEntryKind;
  /** An amount in INR, in an answer. */
  amount: number;
  /** The call that it was for. */
  verificationId?: string;
  /** What was called, as long as the call is kept. */
  endpoint?: string;
  /** What was in the wallet after it. */
  balance: number;
  /** What of it was put aside. */
  held: number;
}

export type WalletEntryKind = "topUp" | "withdrawal" | "hold" | "commit" | "release";

export interface Wallet {
  /** Top-ups less charges; what is held is still in it. */
  balance: number;
  /** What is put aside for calls that have not ended. */
  held: number;
  /** An amount in INR, in an answer. */
  charged: number;
  /** An amount in INR, in an answer. */
  toppedUp: number;
}

export interface Receiver {
  url: string;
  environments: Array<Environment>;
}

export interface AddedKey {
  key: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
}

export interface RotatedKey {
  key: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  replaces: ReplacedKey;
}

export interface ReplacedKey {
  key: string;
  /** When it stops working, by the account's clock. */
  until: string;
}

export interface RevokedKey {
  key: string;
  /** Whether a key works. */
  state: KeyState;
}

export interface ClockReading {
  /** An instant, in UTC and to the millisecond where it is printed. */
  now: string;
  /** Whether a clock runs. */
  state: ClockState;
}

export interface MovedClock {
  /** An instant, in UTC and to the millisecond where it is printed. */
  now: string;
  /** Whether a clock runs. */
  state: ClockState;
  /** In order. */
  happened: Array<Event>;
}

export interface Event {
  /** Its number among the account's events. */
  seq?: number;
  /** When, by the account's clock. */
  at: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** What kind of thing happened. */
  kind: EventKind;
  verificationId?: string;
  deliveryId?: string;
  /** How a call stands. */
  status?: CallStatus;
  /** Of what failed: the error. */
  code?: string;
  /** What a call was answered with, or what a receiver answered. */
  httpStatus?: number;
  /** Of an attempt that no receiver answered: why. */
  reason?: string;
  /** Of an attempt: which one it was, from 1. */
  attempt?: number;
  /** How a delivery stands. */
  state?: DeliveryState;
  /** Of a result: whether a delivery begins. */
  delivers?: boolean;
  /** The API key, or the idempotency key. */
  key?: string;
  /** Whether a clock runs. */
  clock?: ClockState;
}

export interface Timeline {
  /** What the account's clock shows. */
  now: string;
  /** Whether a clock runs. */
  state: ClockState;
  /** What comes by the clock, the first first. Moving the clock there does it. */
  due: Array<Due>;
  /** How many more there are. */
  more: number;
  /** What no clock brings: a person, a second call or the real delay of a scenario has to. */
  waiting: Array<Waiting>;
}

export interface Due {
  /** When, by the account's clock. */
  at: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** What kind of thing happened. */
  kind: EventKind;
  verificationId?: string;
  /** What was called. */
  endpoint?: string;
  deliveryId?: string;
  /** Of an attempt: which one it will be, from 1. */
  attempt?: number;
  /** Why an attempt was made. `schedule`: The schedule said so. `copy`: It was taken before; a scenario sends it more than once. `hand`: Somebody asked for it. */
  why?: "schedule" | "copy" | "hand";
  /** The API key, or the idempotency key. */
  key?: string;
}

export interface Waiting {
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  verificationId: string;
  endpoint: string;
  /** When the result comes, by the account's clock. */
  due?: string;
  /** `consent`: A person on the consent page. `secondCall`: The call that carries what the first answer gave. `answer`: The real delay of a scenario. */
  waitsFor?: WaitsFor;
}

export interface UsageEndpointsItem {
  /** The dotted name of the operation or the bundle. */
  endpoint: string;
  /** Calls of the endpoint, replays not among them. */
  calls: number;
  /** Those with a result. */
  completed: number;
  /** Those whose record does not exist. */
  noRecord: number;
  /** Those that ended in another error. */
  failed: number;
  /** Those that were charged. */
  billed: number;
  /** What was charged for them. */
  amount: number;
}

export interface UsageTotals {
  /** Calls of the endpoint, replays not among them. */
  calls: number;
  /** Those with a result. */
  completed: number;
  /** Those whose record does not exist. */
  noRecord: number;
  /** Those that ended in another error. */
  failed: number;
  /** Those that were charged. */
  billed: number;
  /** What was charged for them. */
  amount: number;
}

export interface Usage {
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** A row for each endpoint, by name. */
  endpoints: Array<UsageEndpointsItem>;
  /** All of them together. */
  totals: UsageTotals;
  /** On live: what is in the wallet now. */
  walletBalance?: number;
  /** How many of the oldest days were added to the day after them to bound memory. */
  joinedDays: number;
}

export interface CallList {
  calls: Array<Call>;
  /** How many are kept, whether or not they are wanted. */
  kept: number;
  /** How many older ones were forgotten to bound memory. */
  forgotten: number;
}

export interface Call {
  verificationId: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  endpoint: string;
  /** When it came in, by the account's clock; of an unauthenticated call by the machine's. */
  at: string;
  /** How a call stands. */
  status: CallStatus;
  /** The HTTP status of its newest answer. */
  httpStatus: number;
  /** The HTTP status that its call was answered with as pending, where the result came later: all else is of that result. */
  pendingHttpStatus?: number;
  /** What its latest caller saw in the place of the first answer, where a scenario broke it on the wire. */
  onTheWire?: string;
  code?: string;
  /** In INR. */
  charged: number;
  /** Why it got this outcome. */
  because: string;
  /** A request as it came in. Its credentials are `***`. */
  request?: ReceivedRequest;
  /** A request as it came in. Its credentials are `***`. */
  secondRequest?: ReceivedRequest;
  /** Of an unauthenticated call: the key it presented, cut to its prefix. */
  presentedKey?: string;
  /** Of one call alone, and in a list of all accounts: whose it is. Of an unauthenticated call: whose key it presented, where that is known and does not work. */
  account?: string;
  /** Of one call alone: its newest envelope, as a look-up gives it. Of an unauthenticated call: its answer. */
  envelope?: Record<string, unknown>;
  /** Of one call alone: the stages it walked, where its record says so. */
  stages?: Array<Stage>;
  pending?: Pending;
  /** What was put aside for a call, and what became of it. */
  money?: CallMoney;
  /** Of one call alone: the idempotency keys it brought, and who else did. */
  keys?: Array<KeyUse>;
  /** Of the step of a bundle: the `verificationId` of the bundle, which has the price of all its steps. */
  bundle?: string;
  /** Of one bundle alone: its steps, of a bundle that failed, too. */
  steps?: Array<BundleStep>;
  /** Of one call alone whose request is known whole: the same as a line for a shell that has the key in `SVC_API_KEY`. */
  curl?: string;
}

export interface ReceivedRequest {
  method: string;
  /** Undecoded. */
  path: string;
  /** What followed the path's question mark. */
  query?: string;
  /** Every line of them, the names in lower case, in the order in which each name came first. */
  headers: Array<HeaderLine>;
  /** The body: its first 8 KiB. Left out where it did not arrive whole, or was too long to be read. */
  body?: string;
  /** How bytes that are no text are written. */
  bodyEncoding?: Encoding;
  /** How many bytes the whole body has. */
  bodyBytes?: number;
  /** Whether the body was longer than what is shown of it. */
  bodyCut?: boolean;
  /** The caller's address: the other end of the connection, or what a trusted proxy says. */
  caller: string;
  /** The members of the body that no field of the operation names, which are ignored: the first 32. */
  unknownMembers: Array<string>;
}

export interface HeaderLine {
  name: string;
  value: string;
  /** How bytes that are no text are written. */
  encoding?: Encoding;
}

export type Encoding = "base64";

export interface Stage {
  /** The stages, in the order in which a call walks them. */
  stage: StageName;
  /** What became of a call at a stage. `passed`: It went on. `skipped`: There was nothing to do for it. `refused`: It ended here, refused. `waiting`: Its result is still to come. `notReached`: It ended before. */
  state: StageState;
}

export type StageName = "authenticate" | "allowlist" | "rateLimit" | "prepare" | "claim" | "room" | "flow" | "hold" | "resolve" | "settle";

export type StageState = "passed" | "skipped" | "refused" | "waiting" | "notReached";

export interface CallMoney {
  /** An amount in INR, in an answer. */
  held: number;
  /** What of it was taken for good. Left out while it is held. */
  charged?: number;
  /** What of it was given back. Left out while it is held. */
  released?: number;
}

export interface KeyUse {
  key: string;
  /** When this call claimed it; left out where it did not. */
  claimedAt?: string;
  /** From when on it may be used anew, if this call has ended by then. */
  keptUntil?: string;
  /** When this call's answer was given again: the newest that this replica gave since its start. */
  replays: Array<Replay>;
  /** The other calls that brought the key, newest first, as far as they are kept. */
  others: Array<OtherUse>;
}

export interface Replay {
  /** By the account's clock. */
  at: string;
  caller: string;
}

export interface OtherUse {
  verificationId: string;
  endpoint: string;
  /** An instant, in UTC and to the millisecond where it is printed. */
  at: string;
  httpStatus: number;
  code?: string;
}

export interface BundleStep {
  verificationId: string;
  endpoint: string;
  /** How a call stands. */
  status: CallStatus;
  code?: string;
}

export interface MadeCall {
  /** A call as it was sent. */
  request: SentCall;
  /** The HTTP status of its answer. */
  status: number;
  /** The headers of the answer that the service sets. */
  headers: Record<string, unknown>;
  /** The envelope. */
  answer: Record<string, unknown>;
  /** What a client would see in the place of the answer, where a scenario breaks it on the wire. */
  onTheWire?: string;
}

export interface SentCall {
  method: Method;
  url: string;
  headers: Record<string, unknown>;
  body?: string;
}

export interface DeliveryList {
  deliveries: Array<Delivery>;
}

export interface Delivery {
  id: string;
  verificationId: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** How a delivery stands. */
  state: DeliveryState;
  /** When the next attempt is due, where one is. */
  nextDue?: string;
  /** What the schedule counts from. */
  since: string;
  attempts: Array<Attempt>;
  /** Of one delivery alone: the body, the same at each attempt. */
  body?: string;
  /** Of one delivery alone, and in a list of all accounts: whose it is. */
  account?: string;
  /** Of one delivery alone: what the account's clock shows. */
  now?: string;
  /** Of one delivery alone: when it is still to be attempted if the receiver never takes it. */
  planned?: Array<string>;
}

export interface Attempt {
  /** From 1. */
  number: number;
  /** When it was due, by the account's clock. */
  due: string;
  /** Why an attempt was made. `schedule`: The schedule said so. `copy`: It was taken before; a scenario sends it more than once. `hand`: Somebody asked for it. */
  why: "schedule" | "copy" | "hand";
  /** Where it went; nothing where no receiver was registered any more. */
  url?: string;
  /** The signature header, where one was sent. */
  signature?: string;
  /** Of one delivery alone: what was signed. */
  signatureBase?: string;
  /** What the receiver answered. */
  status?: number;
  /** Why it did not answer. */
  reason?: string;
  /** The first bytes of its answer. */
  responseExcerpt: string;
}

export interface ConsentList {
  consents: Array<Consent>;
}

export interface Consent {
  account: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  verificationId: string;
  endpoint: string;
  /** When the call came in, by the account's clock. */
  since: string;
  /** When the result comes although nobody decides, where a scenario says so. */
  due?: string;
  /** The documents that are asked for; all of them where it is empty. */
  documents: Array<string>;
  /** Where the person goes afterwards. */
  redirect: string;
  /** The consent page. */
  link: string;
}

export interface Decided {
  verificationId: string;
  /** How a call stands. */
  status: CallStatus;
  /** Of what failed: the error. */
  code?: string;
  /** Where the consent page would send the person. */
  redirect: string;
  /** The delivery that brings it to the receiver. */
  deliveryId?: string;
}

export interface Triggered {
  verificationId: string;
  /** The delivery that brings it to the receiver. */
  deliveryId?: string;
  /** Why there is no delivery. */
  note?: string;
}

export interface EventList {
  events: Array<Event>;
  /** Where to go on from. */
  next: number;
  /** Whether some that were asked for are known no more: memory is bounded, and neither a simulator that is started again nor an account that is opened anew knows what happened before. */
  missed: boolean;
}

export interface ScenarioList {
  /** Which set of everybody's scenarios is in force: 1 from the start, one more with each edit of the files that was taken. */
  version: number;
  refused?: RefusedEdit;
  /** What `check` calls a mistake of the files in force, which are used: rules that never win, answers that contradict themselves. It is looked for behind the start and behind each edit. */
  warnings?: Array<Mistake>;
  scenarios: Array<Scenario>;
  /** What was added for the account and decides nothing, because it does not fit what is in force now. */
  leftOut?: Array<LeftOut>;
}

export interface RefusedEdit {
  /** When it was read, by the machine's clock. */
  at: string;
  /** Every mistake, with file, line and snippet. */
  message: string;
}

export interface Scenario {
  name: string;
  operations: Array<string>;
  file: string;
  line: number;
  /** The lower one wins. The cases of one scenario share it. */
  order: number;
  /** Of one that was added: the id it was added under. */
  added?: string;
}

export interface LeftOut {
  /** The id it was added under. */
  added: string;
  /** Every mistake, with file, line and snippet. */
  message: string;
}

export interface AddedScenarios {
  /** What takes them away again. */
  id: string;
  /** Their names. */
  scenarios: Array<string>;
}

export interface Check {
  /** The names of the scenarios; none where there are mistakes. */
  scenarios: Array<string>;
  /** Every mistake, in order. */
  mistakes: Array<Mistake>;
}

export interface FileList {
  /** In how many kept calls and steps of bundles was counted. */
  calls: number;
  /** What `check` calls a mistake of everybody's files, which are used, as in the list of scenarios. */
  warnings?: Array<Mistake>;
  files: Array<File>;
}

export interface File {
  file: string;
  /** Of one that was added: the id it was added under. */
  added?: string;
  /** How many rules it has. */
  rules: number;
  /** How many of them decided none of the calls. */
  never: number;
  /** How many of the calls its rules decided. */
  fired: number;
}

export interface ScenarioFile {
  file: string;
  added?: string;
  /** In how many kept calls and steps of bundles was counted. */
  calls: number;
  /** All of it. */
  toml: string;
  /** Its rules, the first wins. */
  rules: Array<Rule>;
}

export interface Rule {
  name: string;
  /** Where it begins, from 1. */
  line: number;
  operations: Array<string>;
  /** Its own text. */
  toml: string;
  /** How many of the calls it decided. */
  fired: number;
}

export interface Explanation {
  /** The operation's dotted name. */
  operation: string;
  /** Who calls. */
  account: string;
  /** Where: `test` or `live`. */
  environment: string;
  /** Its `X-Reference-Id`, where it sends one. */
  referenceId?: string;
  /** Its `Idempotency-Key`, where it sends one. */
  idempotencyKey?: string;
  /** Other headers that it sends. */
  headers?: Record<string, unknown>;
  /** The body. */
  body: Record<string, unknown>;
  /** An answer in short. */
  answer: Answer;
  /** Why the call is refused, where it is: then no scenario counts. */
  refused?: string;
  /** A scenario. */
  decides?: ScenarioMatch;
  /** Scenarios that hold, too, and come later. */
  later: Array<ScenarioMatch>;
  /** Scenarios that came close, the nearest first, with what does not hold. */
  near: Array<ScenarioMatch>;
  /** Scenarios that would hold, and are for other operations. */
  elsewhere: Array<ScenarioMatch>;
  /** Every outcome of the operation, with an input that gives it where there is one. */
  outcomes: Array<Outcome>;
}

export interface Answer {
  /** The HTTP status. */
  status: number;
  /** `completed`, `pending` or the error's code. */
  outcome: string;
  /** Why. */
  because: string;
  /** How long it is held back, in milliseconds, where it is. */
  delay_ms?: number;
  /** What a client sees in its place, where the scenario breaks it on the wire. */
  on_the_wire?: string;
}

export interface ScenarioMatch {
  /** Its name. */
  name: string;
  /** Its file. */
  file: string;
  /** Its line. */
  line: number;
  /** What the input has where it looks, or what does not hold. */
  because?: Array<string>;
  /** Of one for other operations: some of them. */
  operations?: Array<string>;
}

export interface Outcome {
  /** `completed`, `pending` or the error's code. */
  outcome: string;
  /** The HTTP status it comes with, where there is a way to it. */
  status?: number;
  /** Why the last call is answered so. */
  because?: string;
  /** The calls that lead to it, the last of which is answered so. None where no call of this operation is. */
  calls: Array<ExplainedCall>;
}

export interface ExplainedCall {
  /** Whose key it presents. */
  account: string;
  /** The listener: `test` or `live`. */
  environment: string;
  /** The environment its key is of. */
  key: string;
  /** Its `Idempotency-Key`. */
  idempotencyKey?: string;
  /** Its `X-Reference-Id`. */
  referenceId?: string;
  /** Other headers that it sends. */
  headers?: Record<string, unknown>;
  /** What is set in the sample body. */
  set: Record<string, unknown>;
  /** The body. */
  body: Record<string, unknown>;
  /** How many times it is made. */
  times: number;
}

export interface Forecast {
  /** How many days the month has. */
  days: number;
  /** What was seen. */
  observed?: ForecastObservedTraffic;
  /** What is called, the dearest first. */
  endpoints: Array<EndpointForecast>;
  /** Calls of a month, and what they cost. */
  total: ForecastSum;
  /** Calls a month that cost nothing, by why. */
  free: Array<ForecastFreeCalls>;
  /** What is called one after the other, and what is waited for. */
  flows: Array<FlowForecast>;
  /** What would be saved in a month. */
  savings: SavingsForecast;
  /** How long a wallet lasts. */
  wallet?: WalletForecast;
  /** Lines that say too little. */
  leftOut: ForecastLeftOutLines;
  /** How figures were come by, in sentences. */
  notes: Array<string>;
}

export interface ForecastObservedTraffic {
  /** How many calls. */
  calls: number;
  /** What they cost. */
  charged: number;
  /** When the first was made, where a call says so. */
  from?: string;
  /** When the last was made. */
  to?: string;
  /** The time that they stand for, in seconds. */
  spanSeconds: number;
  /** By what they are multiplied to make a month, to four decimals. */
  factor: string;
  /** How the span was come by, in a sentence. */
  span: string;
}

export interface EndpointForecast {
  /** The dotted name of an operation or a bundle. */
  endpoint: string;
  /** What it is. */
  title: string;
  /** `live` or `test`. */
  environment: string;
  /** What a conclusive live answer costs. */
  price: number;
  /** Where a price is from. `contract`: The contract's row. `list`: A list of prices. `traffic`: What the traffic says was charged. */
  priceFrom: ForecastPriceOrigin;
  /** How many calls. */
  calls: number;
  /** Those that are charged. */
  billed: number;
  /** Those of them that say there is no record. */
  noRecord: number;
  /** Those that cost nothing. */
  free: number;
  /** What they cost. */
  amount: number;
  /** How long something takes, in milliseconds. */
  latency: ForecastTime;
}

export type ForecastPriceOrigin = "contract" | "list" | "traffic";

export interface ForecastTime {
  /** Half take no longer. */
  p50Ms: number;
  /** Nineteen of twenty take no longer. */
  p95Ms: number;
  /** Where that comes from. */
  source: string;
  /** How many were measured. */
  samples?: number;
}

export interface ForecastSum {
  /** How many calls. */
  calls: number;
  /** Those that are charged. */
  billed: number;
  /** Those of them that say there is no record. */
  noRecord: number;
  /** Those that cost nothing. */
  free: number;
  /** What they cost. */
  amount: number;
}

export interface ForecastFreeCalls {
  /** Why. */
  why: string;
  /** The same in words. */
  words: string;
  /** How many a month. */
  calls: number;
}

export interface FlowForecast {
  /** Its name. */
  name: string;
  /** What it is. */
  title: string;
  /** How often it is run in a month. */
  runs: number;
  /** Half take no longer. */
  p50Ms: number;
  /** Nineteen of twenty take no longer. */
  p95Ms: number;
  /** Where that comes from. */
  source: string;
  /** How many were measured. */
  samples?: number;
  /** Its steps. */
  steps: Array<StepForecast>;
  /** What is to be known of it. */
  note?: string;
}

export interface StepForecast {
  /** What is called, or waited for. */
  name: string;
  /** Half take no longer. */
  p50Ms: number;
  /** Nineteen of twenty take no longer. */
  p95Ms: number;
  /** Where that comes from. */
  source: string;
  /** How many were measured. */
  samples?: number;
}

export interface SavingsForecast {
  /** Calls that need not be made. */
  idempotencyKeys: ForecastSavedCalls;
  /** Calls that need not be made. */
  noRecordCache: ForecastSavedCalls;
  /** Calls that need not be made. */
  both: ForecastSavedCalls;
}

export interface ForecastSavedCalls {
  /** How many. */
  calls: number;
  /** What they cost. */
  amount: number;
}

export interface WalletForecast {
  /** What is in it. */
  balance: number;
  /** The first call that a wallet does not cover. */
  dry?: DryForecast;
  /** The same in a sentence. */
  words: string;
}

export interface DryForecast {
  /** When, where it is said when all begins. */
  at?: string;
  /** On which day, from 1. */
  day: number;
  /** Which call it is, counted from 1. */
  call: number;
  /** What it calls. */
  endpoint: string;
  /** What it would cost. */
  price: number;
  /** What is left. */
  left: number;
}

export interface ForecastLeftOutLines {
  /** How many. */
  count: number;
  /** How many by why. */
  reasons: Record<string, unknown>;
  /** The first of them. */
  first: Array<ForecastLeftOutLine>;
}

export interface ForecastLeftOutLine {
  /** The file. */
  file: string;
  /** The line, from 1. */
  line: number;
  /** Why. */
  why: string;
  /** How it begins. */
  text: string;
}

export interface OperationList {
  operations: Array<OperationRow>;
  bundles: Array<OperationRow>;
}

export interface OperationRow {
  /** Its dotted name. */
  id: string;
  title: string;
  /** What it is listed under. */
  category: string;
  path: string;
  /** What a conclusive live answer costs; of a bundle the least it typically does. */
  price: number;
  /** Of a bundle: the operations that it runs. */
  steps?: Array<string>;
  /** Whether its answer may be pending. */
  canBePending: boolean;
}

export interface OperationForm {
  /** Its dotted name. */
  id: string;
  title: string;
  /** What it is listed under. */
  category: string;
  path: string;
  /** What a conclusive live answer costs; of a bundle the least it typically does. */
  price: number;
  /** Of a bundle: the operations that it runs. */
  steps?: Array<string>;
  /** Whether its answer may be pending. */
  canBePending: boolean;
  /** The fields of its body, in the contract's order. */
  fields: Array<Field>;
  /** A body that it takes. */
  sample: Record<string, unknown>;
  /** Bodies with an outcome of their own. */
  inputs: Array<NamedInput>;
  /** Who is declared and can be asked about. */
  people: Array<AskedPerson>;
}

export interface Field {
  name: string;
  /** What it is, for people. */
  about: string;
  /** What a value must be, for people. */
  rule: string;
  required: boolean;
  /** Whether it says who is asked about. */
  identifies: boolean;
  /** Whether a text may be empty. */
  mayBeEmpty: boolean;
  type: Type;
  /** Of a text: the name of its format. */
  format?: string;
  /** Of a text: the only values there are. */
  oneOf?: Array<string>;
  /** Of a number. */
  min?: number;
  max?: number;
  /** Of a list: the fewest items. */
  minItems?: number;
  /** What a value must be. Which members there are depends on `type`. */
  items?: Kind;
  /** Of an object: its fields; any where there is none. */
  fields?: Array<Field>;
  /** What it is where it is left out. */
  default?: unknown;
  /** A value that it takes. */
  example: unknown;
}

export type Type = "text" | "integer" | "number" | "boolean" | "list" | "object";

export interface Kind {
  type: Type;
  /** Of a text: the name of its format. */
  format?: string;
  /** Of a text: the only values there are. */
  oneOf?: Array<string>;
  /** Of a number. */
  min?: number;
  max?: number;
  /** Of a list: the fewest items. */
  minItems?: number;
  /** What a value must be. Which members there are depends on `type`. */
  items?: Kind;
  /** Of an object: its fields; any where there is none. */
  fields?: Array<Field>;
}

export interface NamedInput {
  /** The scenario. */
  name: string;
  /** `completed`, `pending` or the error's code. */
  outcome: string;
  /** What it sets in the sample. */
  set: Record<string, unknown>;
}

export interface AskedPerson {
  /** What the file calls them. */
  name: string;
  /** Their own name; of who has none, what they are. */
  display: string;
  story: string;
  /** What it sets in the sample to ask about them. */
  set: Record<string, unknown>;
}

export interface ErrorTable {
  errors: Array<ErrorRow>;
}

export interface ErrorRow {
  code: string;
  /** The HTTP status it comes with. */
  status: number;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** Whether a live call that ends so is billed. */
  billed: boolean;
  /** Whether running an operation can end so, and a scenario may ask for it; any other one refuses a call before. */
  outcome: boolean;
  /** When it comes. */
  meaning: string;
  /** The clause of the specification. */
  clause: string;
}

export interface PeopleList {
  people: Array<Person>;
  /** The sample subjects: who is asked about where examples ask, of each kind that has one. */
  samples: Array<SampleSubject>;
}

export interface Person {
  /** What the file calls them. */
  name: string;
  /** Their own name; of who has none, what they are. */
  display: string;
  /** What they are: `person`, `company` and so on. */
  kind: string;
  /** What they are there for. */
  story: string;
  file: string;
  line: number;
  identifiers: Array<Identifier>;
  /** Whom they have to do with. */
  others: Array<Other>;
  /** The rules that name them. */
  rules: Array<string>;
}

export interface Identifier {
  value: string;
  /** The request fields that it stands in. */
  fields: Array<string>;
  /** Whether a file says it; else the population gives it. */
  declared: boolean;
  /** The operations that ask by it. */
  operations: Array<string>;
}

export interface Other {
  role: string;
  /** What the file calls them. */
  name: string;
}

export interface SampleSubject {
  kind: string;
  name?: string;
  /** What they are asked for by. */
  identifier: string;
  /** The request field that it stands in. */
  field: string;
}

export interface Subject {
  /** What was looked for. */
  identifier: string;
  /** The request field it was taken for. */
  takenFor: string;
  /** Where many such texts lead to one subject: the subject's own, which answers hand out from there on. Left out where it is what was looked for. */
  own?: string;
  /** The other request fields that take such a text. */
  alternatives: Array<string>;
  /** The day of which `attributes` speak. */
  today: string;
  /** `person`, `company`, `vehicle` and so on. */
  kind: string;
  /** What it is called, where it has a name. */
  name?: string;
  /** Whether it is the sample one of its kind. */
  isSample: boolean;
  declared?: Declared;
  /** All that it is known by. */
  identifiers: Array<KnownBy>;
  /** What answers say of it. */
  attributes: Record<string, unknown>;
  /** Whom it has to do with. */
  links: Array<Link>;
}

export interface Declared {
  /** What the file calls it. */
  name: string;
  story: string;
  file: string;
  line: number;
}

export interface KnownBy {
  name: string;
  value: string;
  /** The request field that it is looked up by, where there is one: `kind` of this route. */
  field?: string;
  /** Who has an identifier, too. */
  sharedWith?: SharedWith;
}

export interface SharedWith {
  kind: string;
  name?: string;
  /** Whether they are who is found by it. */
  isFound: boolean;
}

export interface Link {
  /** What they are to them. */
  relation: string;
  kind: string;
  name?: string;
  identifier: string;
  field: string;
}

export interface AccessList {
  accesses: Array<Access>;
}

export interface Access {
  verificationId: string;
  /** One of the two environments; the sandbox where none is named. */
  environment: Environment;
  /** By the account's clock. */
  at: string;
  /** How an answer was accessed. `call`: It was given for the first time. `replay`: It was given again under its idempotency key. `lookUp`: It was looked up. */
  by: "call" | "replay" | "lookUp";
  /** The last day the answer is retained. */
  retainedUntil: string;
}

export interface MemoryKeeps {
  /** So many calls in the call log (`--keep-calls`); pending ones count, and are kept in any case. */
  calls: number;
  /** So many webhooks that have ended: `--keep-deliveries`. */
  deliveries: number;
  /** So many bytes of what may be evicted, and at most as many of what may not: `--keep-bytes`. */
  bytes: number;
}

export interface Memory {
  /** What all accounts take, in bytes. */
  bytes: number;
  /** What they may take: `--keep-total`. */
  atMost: number;
  /** How often something of the heaviest was evicted because all together took too much. */
  gaveWay: number;
  /** Of each account and environment. */
  keeps: MemoryKeeps;
  /** How much of it can't be forgotten now. An account whose part of it is more than twice what is left gets no further calls executed. */
  pendingBytes: number;
  /** The accounts that keys opened. */
  accounts: OpenedAccounts;
  /** The calls that no account could be found for, beside what accounts take. */
  unauthenticated: UnauthenticatedMemory;
  /** What accounts take of that which all of them use. */
  shares: Shares;
  /** How much was forgotten of each kind to bound memory. */
  forgotten: Evicted;
}

export interface OpenedAccounts {
  /** How many there are. */
  openedByKeys: number;
  /** How many there may be: `--max-accounts`. */
  atMost: number;
  /** How many of them the address has that opened most. */
  mostOfOneAddress: number;
  /** How many the keys of one address may open: `--max-accounts-per-address`. */
  atMostOfOneAddress: number;
  /** When an idle one goes: `--account-idle`. */
  idleMs: number;
  /** How many have gone. */
  gone: number;
}

export interface UnauthenticatedMemory {
  calls: number;
  callsAtMost: number;
  bytes: number;
  bytesAtMost: number;
  forgotten: number;
}

export interface Shares {
  /** What is taken of something. Nobody may have more than twice what is left, so that something is left for all. */
  delayedCalls: Share;
  /** What is taken of something. Nobody may have more than twice what is left, so that something is left for all. */
  waits: Share;
}

export interface Share {
  /** What all have now. */
  taken: number;
  /** What one account may have. */
  each: number;
  /** What all may have together: it follows from `--max-connections`. */
  all: number;
}

export interface Evicted {
  calls: number;
  deliveries: number;
  /** Those whose time was not over. */
  idempotencyKeys: number;
  flows: number;
  sequences: number;
  /** How often something was asked: what is asked again gets an id that it never had. */
  counters: number;
  audit: number;
  /** Movements of the wallet. */
  wallet: number;
  /** Days of the usage that were added to the day after them. */
  joinedDays: number;
}

export interface AccountMemory {
  test: EnvironmentMemory;
  live: EnvironmentMemory;
}

export interface EnvironmentMemory {
  /** What may be forgotten, in bytes. */
  endedBytes: number;
  /** What may not, because something is still to come of it, and the usage. */
  openBytes: number;
  /** So many calls are in the call log. */
  calls: number;
  /** What is kept of a kind. */
  verifications: KindMemory;
  /** What is kept of a kind. */
  sequences: KindMemory;
  /** What is kept of a kind. */
  counters: KindMemory;
  /** What is kept of a kind. */
  audit: KindMemory;
  /** What is kept of a kind. */
  wallet: KindMemory;
  /** How much was forgotten of each kind to bound memory. */
  forgotten: Evicted;
}

export interface KindMemory {
  /** How many have ended. */
  ended: number;
  endedBytes: number;
  /** How many are open: pending, due or running. */
  open: number;
  openBytes: number;
}
