import type { IncomingHttpHeaders } from "node:http";

import type { Client, ClientSettings } from "./client.js";
import type * as control from "./control-models.js";

export { Client, ServiceError, TransportError } from "./client.js";
export type { Billing, CallOptions, ClientSettings, ErrorEnvelope, Result } from "./client.js";
export type { Operations } from "./operations.js";
export type * as control from "./control-models.js";

/** The path of the program: named by SVC_SIMULATOR, inside this package, or on the PATH, in that order. */
export declare function findBinary(): string;

/**
 * Starts the program on free ports. It ends with this process, or with `stop`. Relative paths among the arguments begin
 * in `cwd`, which is this process's where it is not given; a file svc-simulator.toml there is not read.
 */
export declare function startSimulator(settings?: { binary?: string; args?: string[]; cwd?: string }): Promise<Simulator>;
/** A simulator that runs already, such as one that a person looks at in the browser. */
export declare function connectSimulator(consoleUrl: string, settings?: { token?: string }): Promise<Simulator>;
/**
 * The simulator of the test run: the shared one where a set-up found it, else that of this process, as `svc-simulator` in
 * package.json, SVC_SIMULATOR_URL and SVC_SIMULATOR_CONSOLE_TOKEN say.
 */
export declare function sharedSimulator(): Promise<Simulator>;

export interface NewAccount {
  id?: string;
  /** What the wallet of live begins with, in rupees; 100000 where not given. */
  walletInr?: number;
  allowlist?: string[];
  rateLimit?: control.RateLimit;
  webhook?: control.NewWebhook;
}

export interface Simulator {
  readonly consoleUrl: string;
  readonly sandboxUrl: string;
  readonly liveUrl: string;
  /** What the program has printed. */
  readonly output: string;
  /** Opens an account nobody else has. */
  openAccount(account?: NewAccount): Promise<Account>;
  /** An account that is there already, such as `local`, or that the first call with its key opens. */
  account(name: string): Account;
  /** People, companies and others with a story, by name. */
  personas(): Promise<Record<string, Persona>>;
  stop(): Promise<void>;
}

export interface Persona {
  name: string;
  display: string;
  kind: string;
  story: string;
  /** The value for a field of a request, such as `pan`. */
  identifiers: Record<string, string>;
}

/** A text such as "6h", or milliseconds. */
export type Duration = string | number;
export type Fields = Record<string, string | number | boolean | string[]>;

/** An account of its own: tests that have one each never meet. */
export interface Account {
  readonly name: string;
  readonly sandboxUrl: string;
  readonly liveUrl: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly clock: Clock;
  readonly wallet: Wallet;
  readonly deliveries: Deliveries;
  readonly scenarios: Scenarios;
  /** A client of the sandbox. */
  client(settings?: Partial<ClientSettings>): Client;
  /** A client of live, where the wallet pays. */
  liveClient(settings?: Partial<ClientSettings>): Client;
  state(): Promise<control.Account>;
  /** The call log, newest first; the filters are those of `GET /control/calls`. */
  calls(filters?: Record<string, string | number>): Promise<control.Call[]>;
  /** The calls as lines for people: what was sent and answered, and why. */
  report(): Promise<string>;
  /** Where results go, and what they are signed with; without an environment in both. */
  setWebhook(receiver: { url: string; secret: string; environment?: "test" | "live" }): Promise<void>;
  /** Decides what a person is asked on a consent screen. */
  decideConsent(verificationId: string, decision?: "allow" | "refuse"): Promise<control.Decided>;
  /**
   * Lets the next calls of an operation fail with this code; then it answers as it would without this. Calls are counted
   * by input: each PAN, say, fails so many times. What was asked for last comes first.
   */
  failNext(operation: string, code: string, settings?: { times?: number; when?: Fields }): Promise<string>;
  /**
   * Lets the next calls be pending; by the account's clock their result, or error, follows. They are counted as those
   * of `failNext` are, and then the operation answers as it would without this.
   */
  pendNext(
    operation: string,
    settings?: { after?: Duration; error?: string; times?: number; when?: Fields },
  ): Promise<string>;
  reset(): Promise<void>;
  delete(): Promise<void>;
}

/** Moving it does all that falls due on the way, and resolves when that is done. */
export interface Clock {
  now(): Promise<Date>;
  freeze(): Promise<control.MovedClock>;
  resume(): Promise<control.MovedClock>;
  advance(time: Duration): Promise<control.MovedClock>;
  /** Moves it to the first thing that falls due. */
  next(): Promise<control.MovedClock>;
  set(instant: Date): Promise<control.MovedClock>;
  /** What is still to come. */
  timeline(): Promise<control.Timeline>;
}

/** The prepaid wallet of live, in rupees. */
export interface Wallet {
  balance(): Promise<number>;
  topUp(amount: number): Promise<control.Wallet>;
  setBalance(amount: number): Promise<control.Wallet>;
  history(): Promise<control.WalletHistory>;
}

/** Webhooks that were sent, or will be. */
export interface Deliveries {
  list(filters?: { state?: "due" | "delivered" | "dead"; verificationId?: string }): Promise<control.Delivery[]>;
  /** Sends one again now, whatever came of it. */
  redeliver(deliveryId: string): Promise<void>;
}

/** Rules that hold for one account alone. */
export interface Scenarios {
  /** Adds the scenarios of a TOML text before all others; mistakes are thrown with line and hint. */
  add(toml: string): Promise<string>;
  remove(added: string): Promise<void>;
}

export interface Webhook {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly answered: number;
  /** Why it was refused; undefined where its signature fits. */
  readonly fault: string | undefined;
  readonly envelope: Record<string, any>;
  readonly verificationId: string;
}

/** Keeps what is signed with its secret, and refuses all else with 400. */
export interface WebhookInbox {
  readonly url: string;
  readonly secret: string;
  /** How far the time of a signature may be from now, in seconds; Infinity where a test fakes the clock. */
  toleranceS: number;
  /** All that came, whatever it was answered. */
  readonly attempts: Webhook[];
  readonly received: Webhook[];
  readonly refused: Webhook[];
  /** Answers the next genuine webhooks with this status, so that they are sent again later. */
  failNext(times?: number, status?: number): void;
  /** Answers the next genuine webhooks only after so long; after ten seconds the service has given up. */
  slowNext(slowMs: number, times?: number): void;
  /** The first webhook of that verification (or any) that was taken; rejects after the time-out. */
  wait(
    verificationId?: string,
    settings?: { timeoutMs?: number; where?: (webhook: Webhook) => boolean },
  ): Promise<Webhook>;
  clear(): void;
  close(): Promise<void>;
}

/** Listens on a free port of this machine. */
export declare function webhookInbox(settings?: { secret?: string; toleranceS?: number }): Promise<WebhookInbox>;

export interface Scene {
  simulator: Simulator;
  account: Account;
  client: Client;
  clock: Clock;
  wallet: Wallet;
  deliveries: Deliveries;
  /** A receiver that is registered for the account and closed after the test. */
  openInbox(settings?: { secret?: string; toleranceS?: number }): Promise<WebhookInbox>;
}

/** A test with an account of its own, whose error tells the account's calls and why each came out so. */
export declare function withAccount(body: (scene: Scene) => void | Promise<void>): () => Promise<void>;

/** The control API refused a request. */
export declare class ControlError extends Error {
  readonly status: number;
  readonly code: string;
  readonly mistakes: control.Mistake[];
}

export declare const HEADER_NAME: string;
/** The header for a body, signed now or at the given time (in seconds since 1970). */
export declare function sign(secret: string, body: string | Uint8Array, at?: number): string;
/** Why these values of the header do not sign exactly these bytes; undefined where they do. */
export declare function signatureFault(
  secret: string,
  headers: string[],
  body: string | Uint8Array,
  settings?: { toleranceS?: number },
): string | undefined;
