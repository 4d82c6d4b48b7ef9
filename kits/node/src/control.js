// The simulator's control API, as plain calls.

import { request } from "./http.js";

// Moving a clock takes as long as receivers take to answer, and the simulator's own limit is ten minutes.
const TIMEOUT_MS = 660_000;

/** The control API refused a request; the message is the simulator's own. */
export class ControlError extends Error {
  constructor(status, { code, message, mistakes = [] }) {
    super(`${code} (${status}): ${message}`);
    this.name = "ControlError";
    this.status = status;
    this.code = code;
    this.mistakes = mistakes;
  }
}

/** Sends requests to the control API and reads its answers. */
export class Control {
  constructor(url, token) {
    this.url = url.replace(/\/$/, "");
    this.headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  async send(method, path, body, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    const answer = await request(method, `${this.url}/control${path}${search}`, {
      headers: { ...this.headers, ...json },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.status >= 400) {
      throw new ControlError(answer.status, refusal(answer.text));
    }
    return answer.text === "" ? undefined : JSON.parse(answer.text);
  }

  get(path, query) {
    return this.send("GET", path, undefined, query);
  }
}

function refusal(text) {
  try {
    const answer = JSON.parse(text);
    if (answer.verificationId !== undefined) {
      return { code: "NOT_THE_CONSOLE", message: "this is an address of the API, which applications call" };
    }
    return answer.error;
  } catch {
    return { code: "NO_JSON", message: text };
  }
}
