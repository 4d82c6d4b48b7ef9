// An account of the simulator, and what belongs to it: clock, wallet, deliveries, scenarios.

import { Client } from "./client.js";
import { refuseOthers } from "./settings.js";

const segment = encodeURIComponent;

/** An account with keys, clock, wallet, webhook and scenarios of its own: tests that have one each never meet. */
export class Account {
  #control;
  #path;

  constructor(control, name, sandboxUrl, liveUrl) {
    this.#control = control;
    this.#path = `/accounts/${segment(name)}`;
    this.name = name;
    this.sandboxUrl = sandboxUrl;
    this.liveUrl = liveUrl;
    this.testKey = `svc_test_${name}`;
    this.liveKey = `svc_live_${name}`;
    this.clock = new Clock(control, this.#path);
    this.wallet = new Wallet(control, this.#path);
    this.deliveries = new Deliveries(control, name);
    this.scenarios = new Scenarios(control, name);
  }

  client(settings = {}) {
    return new Client({ baseUrl: this.sandboxUrl, apiKey: this.testKey, ...settings });
  }

  liveClient(settings = {}) {
    return new Client({ baseUrl: this.liveUrl, apiKey: this.liveKey, ...settings });
  }

  state() {
    return this.#control.get(this.#path);
  }

  async calls(filters = {}) {
    return (await this.#control.get("/calls", { account: this.name, ...filters })).calls;
  }

  /** The calls as lines for people: what was sent and answered, and why. */
  async report() {
    const calls = await this.calls({ limit: 20 });
    const shown = calls.length > 0 ? calls.reverse().flatMap(lines) : await this.#none();
    return [`calls of account ${this.name}:`, ...shown].join("\n");
  }

  // A key that does not work is the usual reason.
  async #none() {
    const { calls } = await this.#control.get("/calls", { unauthenticated: "true", limit: 3 });
    if (calls.length === 0) {
      return ["none"];
    }
    const one = ({ at, environment, endpoint, httpStatus, code, presentedKey = "no key" }) =>
      `${at} ${environment} ${endpoint} ${httpStatus} ${code}, ${presentedKey}`;
    return ["none; the newest calls whose key does not work, whoever made them:", ...calls.map(one)];
  }

  async setWebhook({ url, secret, environment }) {
    await this.#control.send("PUT", `${this.#path}/webhook`, { url, secret, environment });
  }

  decideConsent(verificationId, decision = "allow") {
    return this.#control.send("POST", `/consents/${segment(verificationId)}`, { account: this.name, decision });
  }

  async reset() {
    await this.#control.send("POST", `${this.#path}/reset`, {});
  }

  async delete() {
    await this.#control.send("DELETE", this.#path);
  }

  failNext(operation, code, { times = 1, when = {}, ...others } = {}) {
    refuseOthers(others, ["times", "when"]);
    const outcomes = Array(times).fill(`{ error = ${toml(code)} }`);
    return this.#rule(`${operation} fails with ${code}`, operation, when, outcomes);
  }

  pendNext(operation, { after = "25s", error, times = 1, when = {}, ...others } = {}) {
    refuseOthers(others, ["after", "error", "times", "when"]);
    const end = error === undefined ? "{ success = {} }" : `{ error = ${toml(error)} }`;
    const outcome = `{ pending = {}, after = ${toml(duration(after))}, finally = ${end} }`;
    return this.#rule(`${operation} is pending`, operation, when, Array(times).fill(outcome));
  }

  #rule(name, operation, when, outcomes) {
    const conditions = Object.entries(when).map(([field, value]) => `${toml(field)} = ${toml(value)}`);
    return this.scenarios.add(
      `[[scenario]]\nname = ${toml(name)}\noperation = ${toml(operation)}\n` +
        (conditions.length > 0 ? `when = { ${conditions.join(", ")} }\n` : "") +
        `then = [${outcomes.join(", ")}]\nfall_through = true\n`,
    );
  }
}

class Clock {
  #control;
  #path;

  constructor(control, path) {
    this.#control = control;
    this.#path = path;
  }

  async now() {
    return new Date((await this.#control.get(`${this.#path}/clock`)).now);
  }

  freeze() {
    return this.#set({ freeze: true });
  }

  resume() {
    return this.#set({ freeze: false });
  }

  advance(time) {
    return this.#set({ advance: duration(time) });
  }

  next() {
    return this.#set({ next: true });
  }

  set(instant) {
    return this.#set({ set: instant.toISOString() });
  }

  timeline() {
    return this.#control.get(`${this.#path}/timeline`);
  }

  #set(change) {
    return this.#control.send("POST", `${this.#path}/clock`, change);
  }
}

class Wallet {
  #control;
  #path;

  constructor(control, path) {
    this.#control = control;
    this.#path = `${path}/wallet`;
  }

  async balance() {
    return (await this.history()).balance;
  }

  topUp(amount) {
    return this.#control.send("POST", this.#path, { topUp: amount });
  }

  setBalance(amount) {
    return this.#control.send("POST", this.#path, { balance: amount });
  }

  history() {
    return this.#control.get(this.#path);
  }
}

class Deliveries {
  #control;
  #account;

  constructor(control, account) {
    this.#control = control;
    this.#account = account;
  }

  async list({ state, verificationId, ...others } = {}) {
    refuseOthers(others, ["state", "verificationId"]);
    return (await this.#control.get("/deliveries", { account: this.#account, state, verificationId })).deliveries;
  }

  async redeliver(deliveryId) {
    await this.#control.send("POST", `/deliveries/${segment(deliveryId)}/redeliver`, {});
  }
}

class Scenarios {
  #control;
  #account;

  constructor(control, account) {
    this.#control = control;
    this.#account = account;
  }

  async add(text) {
    return (await this.#control.send("POST", "/scenarios", { account: this.#account, toml: text })).id;
  }

  async remove(added) {
    await this.#control.send("DELETE", `/scenarios/${segment(added)}`, undefined, { account: this.#account });
  }
}

/** A duration in the form that the simulator reads: a text as it is, a number of milliseconds. */
function duration(time) {
  return typeof time === "string" ? time : `${Math.round(time)}ms`;
}

/** A value in TOML; texts, numbers, truth values and lists are written as in JSON, which may leave out one escape. */
function toml(value) {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function lines(call) {
  const code = call.code === undefined ? "" : ` ${call.code}`;
  const later = call.pendingHttpStatus === undefined ? "" : `${call.pendingHttpStatus} pending, later `;
  const shown = [
    `${call.at} ${call.environment} ${call.endpoint} ${later}${call.httpStatus} ${call.status}${code}`,
    `    because ${call.because}`,
    `    ${call.verificationId}`,
  ];
  if (call.onTheWire !== undefined) {
    shown.push(`    on the wire ${call.onTheWire}`);
  }
  if (call.request !== undefined) {
    shown.push(`    sent ${call.request.body ?? ""}`);
    if (call.request.unknownMembers.length > 0) {
      shown.push(`    ignored, since no field is called so: ${call.request.unknownMembers.join(", ")}`);
    }
  }
  return shown;
}
