// A small onboarding service: PAN, mobile number by OTP, employment history by webhook.

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 3;
const TOLERANCE_S = 300;
const HEADER = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/;

/** A verification that came to an error, after all attempts. */
class CallFailed extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** Calls the Verification Service, and tries again where that can help. */
export class Verifications {
  constructor({ baseUrl, apiKey, wait = pause }) {
    Object.assign(this, { baseUrl, apiKey, wait });
  }

  /** The envelope of a call that did not fail. `key` names what is done, and is never used for anything else. */
  async call(path, body, key) {
    let failed = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (attempt > 0) {
        await this.wait(100 * 2 ** attempt);
      }
      let envelope;
      try {
        // No answer: it may have been executed, so the key stays. An error: it is the key's result for good.
        envelope = await this.#post(path, body, `${key}-${failed}`);
      } catch {
        continue;
      }
      if (envelope.error === undefined) {
        return envelope;
      }
      if (!envelope.error.retryable) {
        throw new CallFailed(envelope.error.code);
      }
      failed += 1;
    }
    throw new CallFailed("UNAVAILABLE");
  }

  async #post(path, body, key) {
    const answer = await fetch(this.baseUrl + path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return answer.json();
  }
}

/** The steps of an onboarding, and whom they are about. */
export class Onboarding {
  #applicants = new Map();
  #waiting = new Map();
  // A result may come before the answer that says it will: it waits here.
  #early = new Map();
  // Results come at least once. A service would keep this in its database, with what it decided.
  #taken = new Set();

  constructor(verifications) {
    this.verifications = verifications;
  }

  applicant(id) {
    return this.#applicants.get(id);
  }

  /** Checks the PAN, then sends an OTP. */
  async apply({ name, pan, mobile, uan }) {
    const applicant = { id: randomUUID(), uan, state: "new", reason: "" };
    this.#applicants.set(applicant.id, applicant);
    return this.#step(applicant, async () => {
      const checked = await this.verifications.call("/v1/verify/identity/pan", { pan, name }, `${applicant.id}-pan`);
      if (checked.data.nameMatchScore < 0.9) {
        throw new CallFailed("NAME_DIFFERS");
      }
      const path = "/v1/verify/identity/mobile-otp/start";
      const otp = await this.verifications.call(path, { mobile }, `${applicant.id}-otp-start`);
      applicant.otpRequest = otp.data.request_id;
      applicant.state = "otp_sent";
    });
  }

  /** Checks the OTP, then asks for the employment history. */
  async confirm(applicant, otp) {
    if (applicant.state !== "otp_sent") {
      return applicant;
    }
    return this.#step(applicant, async () => {
      const body = { request_id: applicant.otpRequest, otp };
      const path = "/v1/verify/identity/mobile-otp/verify";
      const checked = await this.verifications.call(path, body, `${applicant.id}-otp-${otp}`);
      // A wrong OTP is a call that succeeded: it found out that the OTP is wrong.
      if (!checked.data.otp_validated) {
        throw new CallFailed("WRONG_OTP");
      }
      const uan = { uan: applicant.uan };
      const history = await this.verifications.call("/v1/verify/employment/uan", uan, `${applicant.id}-history`);
      const early = this.#early.get(history.verificationId);
      this.#early.delete(history.verificationId);
      if (history.status === "pending" && early === undefined) {
        applicant.state = "waiting";
        this.#waiting.set(history.verificationId, applicant);
      } else {
        decide(applicant, early ?? history);
      }
    });
  }

  /** Takes a result, once. */
  take(envelope) {
    const { verificationId } = envelope;
    if (this.#taken.has(verificationId)) {
      return;
    }
    this.#taken.add(verificationId);
    const applicant = this.#waiting.get(verificationId);
    if (applicant === undefined) {
      this.#early.set(verificationId, envelope);
    } else {
      this.#waiting.delete(verificationId);
      decide(applicant, envelope);
    }
  }

  async #step(applicant, work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CallFailed)) {
        throw error;
      }
      Object.assign(applicant, { state: "refused", reason: error.code });
    }
    return applicant;
  }
}

function decide(applicant, envelope) {
  if (envelope.error !== undefined) {
    Object.assign(applicant, { state: "refused", reason: envelope.error.code });
  } else if (envelope.data.employmentHistory.length === 0) {
    Object.assign(applicant, { state: "refused", reason: "NO_EMPLOYMENT" });
  } else {
    applicant.state = "approved";
  }
}

/** Whether a webhook was signed with our secret, just now. */
export function isGenuine(secret, headers, body) {
  const parts = headers.length === 1 ? HEADER.exec(headers[0]) : null;
  if (parts === null) {
    return false;
  }
  const [, moment, signature] = parts;
  const expected = createHmac("sha256", secret).update(`${moment}.`).update(body).digest();
  return (
    timingSafeEqual(expected, Buffer.from(signature, "hex")) &&
    Math.abs(Date.now() / 1000 - Number(moment)) <= TOLERANCE_S
  );
}

/** The service, not listening yet. */
export function service(onboarding, webhookSecret) {
  return createServer(async (request, response) => {
    const answer = (status, content) => {
      response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
      response.end(JSON.stringify(content));
    };
    try {
      const pieces = [];
      for await (const piece of request) {
        pieces.push(piece);
      }
      const body = Buffer.concat(pieces);
      const parts = request.url.split("/").slice(1);
      if (parts[0] === "webhooks") {
        const headers = request.headersDistinct["x-service-signature"] ?? [];
        if (!isGenuine(webhookSecret, headers, body)) {
          return answer(400, { error: "the signature does not fit" });
        }
        onboarding.take(JSON.parse(body));
        return answer(200, {});
      }
      let applicant = onboarding.applicant(parts[1]);
      if (request.method === "POST" && parts.length === 1) {
        applicant = await onboarding.apply(JSON.parse(body));
      } else if (request.method === "POST" && applicant !== undefined) {
        await onboarding.confirm(applicant, JSON.parse(body).otp);
      }
      if (applicant === undefined) {
        return answer(404, { error: "no such applicant" });
      }
      const { id, state, reason } = applicant;
      return answer(200, { id, state, reason });
    } catch (error) {
      return answer(500, { error: error.message });
    }
  });
}
