// The typed client of the service; it works with the sandbox and with production, too.

import { request } from "./http.js";
import { PATHS } from "./operations.js";
import { refuseOthers } from "./settings.js";

/** The service answered with an error. */
export class ServiceError extends Error {
  constructor(httpStatus, envelope, retryAfter) {
    const { code, message, retryable } = envelope.error;
    super(`${code} (${httpStatus}): ${message}`);
    this.name = "ServiceError";
    this.httpStatus = httpStatus;
    this.envelope = envelope;
    this.code = code;
    this.reason = message;
    this.retryable = retryable;
    this.verificationId = envelope.verificationId;
    this.retryAfterS = /^[0-9]+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  }
}

/**
 * There was no answer that can be read, so nobody knows whether the call was executed. Repeat it with the same
 * idempotency key: it is then executed, and charged, once.
 */
export class TransportError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = "TransportError";
  }
}

/** Calls the service at a base URL with an API key. */
export class Client {
  #apiKey;

  constructor({ baseUrl, apiKey, timeoutMs = 30_000, ...others }) {
    refuseOthers(others, ["baseUrl", "apiKey", "timeoutMs"]);
    this.baseUrl = baseUrl.replace(/\/$/, "");
    this.timeoutMs = timeoutMs;
    this.#apiKey = apiKey;
  }

  /** Calls a path with a body of its own making. */
  call(path, body, { idempotencyKey, referenceId, ...others } = {}) {
    refuseOthers(others, ["idempotencyKey", "referenceId"]);
    if (!path.startsWith("/")) {
      throw new TypeError(`"${path}" is no path: one begins with a slash, such as /v1/verify/identity/pan`);
    }
    const headers = { "Content-Type": "application/json" };
    if (idempotencyKey !== undefined) {
      headers["Idempotency-Key"] = sendable("idempotencyKey", idempotencyKey);
    }
    if (referenceId !== undefined) {
      headers["X-Reference-Id"] = sendable("referenceId", referenceId);
    }
    return this.#send("POST", path, JSON.stringify(body), headers);
  }

  /** Looks a verification up. One that failed is thrown as its error. */
  verification(verificationId) {
    return this.#send("GET", `/v1/verifications/${encodeURIComponent(verificationId)}`, undefined, {});
  }

  /** What the account spent, by endpoint, from one day to another, both counted. */
  usage({ from, to, ...others } = {}) {
    refuseOthers(others, ["from", "to"]);
    const days = Object.entries({ from, to }).filter(([, day]) => day !== undefined);
    const query = days.length > 0 ? `?${new URLSearchParams(days)}` : "";
    return this.#send("GET", `/v1/usage${query}`, undefined, {});
  }

  async #send(method, path, body, headers) {
    let answer;
    try {
      answer = await request(method, this.baseUrl + path, {
        headers: { ...headers, Authorization: `Bearer ${this.#apiKey}` },
        body,
        timeoutMs: this.timeoutMs,
      });
    } catch (error) {
      throw new TransportError(error.message, { cause: error });
    }
    let envelope;
    try {
      envelope = JSON.parse(answer.text);
    } catch (error) {
      throw new TransportError(`${path}: the answer (${answer.status}) is no envelope`, { cause: error });
    }
    if (envelope.error !== undefined) {
      throw new ServiceError(answer.status, envelope, answer.headers["retry-after"]);
    }
    return {
      ...envelope,
      httpStatus: answer.status,
      pending: envelope.status === "pending",
      replayed: answer.headers["idempotent-replay"] === "true",
    };
  }
}

/** A text as a header has it: in UTF-8, written as the bytes that Node sends. */
function sendable(name, text) {
  if (/[\x00-\x1f\x7f]/.test(text)) {
    throw new TypeError(`${name}: ${JSON.stringify(text)} has a line break or another control character, which no header can have`);
  }
  return Buffer.from(String(text), "utf8").toString("latin1");
}

for (const [method, path] of Object.entries(PATHS)) {
  Client.prototype[method] = function (body, options) {
    return this.call(path, body, options);
  };
}
