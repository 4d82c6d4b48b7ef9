import type { Operations, UsageData } from "./operations.js";

export interface CallOptions {
  /** A repeated call with the same key and body gets the first answer, and is charged once. */
  idempotencyKey?: string;
  /** Your own reference; the envelope repeats it. */
  referenceId?: string;
}

export interface Billing {
  charged: boolean;
  amount: number;
  currency: "INR";
  walletBalanceAfter?: number;
}

/** The envelope of a call that did not fail: completed, or pending. */
export interface Result<Data> {
  success: boolean;
  verificationId: string;
  referenceId?: string | null;
  endpoint: string;
  status: "completed" | "pending";
  /** What was found. Of a pending call it holds only what is known already. */
  data: Data;
  billing: Billing;
  meta: { createdAt?: string; environment: "live" | "test"; latencyMs: number; provider?: string };
  httpStatus: number;
  pending: boolean;
  replayed: boolean;
}

export interface ErrorEnvelope {
  verificationId?: string;
  error: { code: string; message: string; retryable: boolean };
  [member: string]: unknown;
}

/** The service answered with an error. */
export declare class ServiceError extends Error {
  readonly httpStatus: number;
  readonly envelope: ErrorEnvelope;
  readonly code: string;
  /** The service's own message. */
  readonly reason: string;
  readonly retryable: boolean;
  readonly verificationId?: string;
  readonly retryAfterS?: number;
}

/** There was no answer that can be read. Repeat the call with the same idempotency key. */
export declare class TransportError extends Error {}

export interface ClientSettings {
  baseUrl: string;
  apiKey: string;
  timeoutMs?: number;
}

export declare class Client {
  constructor(settings: ClientSettings);
  readonly baseUrl: string;
  /** Calls a path with a body of its own making. */
  call(path: string, body: unknown, options?: CallOptions): Promise<Result<Record<string, unknown>>>;
  /** Looks a verification up. One that failed is thrown as its error. */
  verification(verificationId: string): Promise<Result<Record<string, unknown>>>;
  /** What the account spent, by endpoint, from one day to another, both counted: `GET /v1/usage`. */
  usage(days?: { from?: string; to?: string }): Promise<Result<UsageData>>;
}
export interface Client extends Operations {}
