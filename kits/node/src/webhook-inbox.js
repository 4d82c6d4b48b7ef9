// A receiver of webhooks that tests can ask, and tell how to behave.

import { createServer } from "node:http";
// Those of the machine, also where a test fakes the global ones.
import { clearTimeout, setTimeout } from "node:timers";

import { refuseOthers } from "./settings.js";
import { HEADER_NAME, signatureFault } from "./signature.js";

/** Listens on a free port of this machine, keeps what is signed with its secret, and refuses all else with 400. */
export async function webhookInbox({ secret = "whsec_sample", toleranceS = 300, ...others } = {}) {
  refuseOthers(others, ["secret", "toleranceS"]);
  const inbox = new WebhookInbox(secret, toleranceS);
  await inbox.listen();
  return inbox;
}

class WebhookInbox {
  #server;
  #next = [];
  #waiting = new Set();
  #slow = new Set();

  constructor(secret, toleranceS) {
    this.secret = secret;
    this.toleranceS = toleranceS;
    this.attempts = [];
    this.#server = createServer((request, response) => this.#take(request, response));
    // An inbox that a test forgets must not keep its process.
    this.#server.unref();
  }

  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.url = `http://127.0.0.1:${this.#server.address().port}/webhooks`;
  }

  /** All that came with a valid signature and was answered with 204, in order. */
  get received() {
    return this.attempts.filter(isTaken);
  }

  /** All that came with a signature that does not fit; `fault` says why. */
  get refused() {
    return this.attempts.filter((webhook) => webhook.fault !== undefined);
  }

  /** Answers the next genuine webhooks with this status, so that they are sent again later. */
  failNext(times = 1, status = 500) {
    this.#next.push(...Array(times).fill({ status, slowMs: 0 }));
  }

  /** Answers the next genuine webhooks only after so long; after ten seconds the service has given up. */
  slowNext(slowMs, times = 1) {
    this.#next.push(...Array(times).fill({ status: 204, slowMs }));
  }

  /** The first webhook of that verification (or any) that was taken; rejects after the time-out. */
  wait(verificationId, { timeoutMs = 10_000, where = () => true, ...others } = {}) {
    refuseOthers(others, ["timeoutMs", "where"]);
    const find = () =>
      this.attempts.find(
        (webhook) =>
          isTaken(webhook) &&
          (verificationId === undefined || webhook.verificationId === verificationId) &&
          where(webhook),
      );
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found !== undefined) {
          clearTimeout(timer);
          this.#waiting.delete(look);
          resolve(found);
        }
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(this.#missing(verificationId, timeoutMs)));
      }, timeoutMs);
      this.#waiting.add(look);
      look();
    });
  }

  /** Forgets what came, and how the next ones were to be answered. */
  clear() {
    this.attempts = [];
    this.#next = [];
  }

  /** Stops listening; slow answers are given at once. */
  async close() {
    for (const release of this.#slow) {
      release();
    }
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeIdleConnections?.();
    });
  }

  async #take(request, response) {
    const pieces = [];
    try {
      for await (const piece of request) {
        pieces.push(piece);
      }
    } catch {
      return; // The sender has gone: there is nobody to answer.
    }
    const body = Buffer.concat(pieces);
    const headers = [];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      if (request.rawHeaders[at].toLowerCase() === HEADER_NAME.toLowerCase()) {
        headers.push(request.rawHeaders[at + 1]);
      }
    }
    let fault = signatureFault(this.secret, headers, body, { toleranceS: this.toleranceS });
    let envelope = {};
    if (fault === undefined) {
      try {
        envelope = JSON.parse(body.toString("utf8"));
      } catch {
        fault = "the body is no JSON";
      }
    }
    const { status, slowMs } =
      fault === undefined ? (this.#next.shift() ?? { status: 204, slowMs: 0 }) : { status: 400, slowMs: 0 };
    if (slowMs > 0) {
      await this.#pause(slowMs);
    }
    const verificationId = envelope.verificationId ?? "";
    this.attempts.push({ body, headers: request.headers, answered: status, fault, envelope, verificationId });
    response.writeHead(status, { Connection: "close" }).end();
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  #pause(slowMs) {
    return new Promise((resolve) => {
      const release = () => {
        clearTimeout(timer);
        this.#slow.delete(release);
        resolve();
      };
      const timer = setTimeout(release, slowMs);
      this.#slow.add(release);
    });
  }

  #missing(verificationId, timeoutMs) {
    const what = verificationId === undefined ? "webhook" : `webhook of ${verificationId}`;
    const lines = [`no ${what} came within ${timeoutMs} ms; ${this.attempts.length} came to ${this.url}`];
    for (const webhook of this.attempts) {
      const why = webhook.fault === undefined ? "" : `, ${webhook.fault}`;
      lines.push(`  ${webhook.verificationId || "?"}: answered ${webhook.answered}${why}`);
    }
    lines.push("Results are due by the account's clock: move it with clock.advance(…) or clock.next()");
    return lines.join("\n");
  }
}

function isTaken(webhook) {
  return webhook.fault === undefined && webhook.answered === 204;
}
