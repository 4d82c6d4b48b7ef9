// A running simulator: started by this process, shared by the whole test run, or found at its console's address.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { Account } from "./account.js";
import { findBinary } from "./binary.js";
import { Control } from "./control.js";
import { projectSettings, refuseOthers } from "./settings.js";

const START_TIMEOUT_MS = 30_000;
const GUARD = fileURLToPath(new URL("guard.js", import.meta.url));

/** The variable by which a run's set-up tells its workers where the simulator is. */
export const SHARED = "SVC_SIMULATOR_SHARED";

/** A simulator, its addresses, and the accounts that are opened in it. */
export class Simulator {
  #stop;
  #output;
  #people;
  #opened = 0;
  // Two processes that share a simulator never open the same account.
  #run = randomUUID().replaceAll("-", "").slice(0, 10);

  constructor({ consoleUrl, sandboxUrl, liveUrl, token, stop = async () => {}, output = () => "" }) {
    this.consoleUrl = consoleUrl;
    this.sandboxUrl = sandboxUrl;
    this.liveUrl = liveUrl;
    this.control = new Control(consoleUrl, token);
    this.#stop = stop;
    this.#output = output;
  }

  /** What the program has printed. */
  get output() {
    return this.#output();
  }

  /** Stops the program, where this process started it. */
  stop() {
    return this.#stop();
  }

  async openAccount({ id, walletInr = 100_000, ...members } = {}) {
    this.#opened += 1;
    const name = id ?? `t_${this.#run}_${this.#opened}`;
    await this.control.send("POST", "/accounts", { id: name, walletInr, ...members });
    return this.account(name);
  }

  account(name) {
    return new Account(this.control, name, this.sandboxUrl, this.liveUrl);
  }

  /** Everybody who is declared, by name, with the identifiers they are asked for by. */
  async personas() {
    this.#people ??= Object.fromEntries((await this.control.get("/people")).people.map(persona));
    return this.#people;
  }
}

/**
 * Starts the program on free ports. It ends with this process, or with `stop`. Relative paths among the arguments begin
 * in `cwd`, and a file svc-simulator.toml there is not read.
 */
export async function startSimulator({ binary = findBinary(), args = [], cwd = process.cwd(), ...unknown } = {}) {
  refuseOthers(unknown, ["binary", "args", "cwd"]);
  const folder = mkdtempSync(join(tmpdir(), "svc-simulator-"));
  const ports = join(folder, "ports.json");
  const log = join(folder, "output.txt");
  const file = openSync(log, "w");
  // What is named by a path is found from here, wherever the program runs.
  const program = binary === basename(binary) ? binary : resolve(binary);
  const command = [program, "serve", "--no-settings-file", "--console", "127.0.0.1:0"];
  const others = ["--sandbox", "127.0.0.1:0", "--live", "127.0.0.1:0", "--ports-file", ports, "--drain", "0s"];
  const guard = spawn(process.execPath, [GUARD, folder, ...command, ...others, ...args], {
    cwd,
    detached: true,
    env: environment(),
    stdio: ["pipe", file, file],
  });
  closeSync(file);
  const output = () => (existsSync(log) ? readFileSync(log, "utf8") : "");
  const ended = new Promise((resolve) => {
    guard.once("exit", (code) => resolve(code ?? 1));
    guard.once("error", () => resolve(127));
  });
  // A closed pipe of a guard that has ended is no error of ours.
  guard.stdin.on("error", () => {});
  const stop = async () => {
    guard.ref();
    guard.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const found = await addresses(ports, guard, ended, output);
    // Neither the guard nor its pipe keeps a process that has nothing else to do.
    guard.unref();
    guard.stdin.unref();
    return new Simulator({ ...found, stop, output });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A simulator that runs already, such as one that a person looks at in the browser. */
export async function connectSimulator(consoleUrl, { token, ...others } = {}) {
  refuseOthers(others, ["token"]);
  const { sandbox, live } = await new Control(consoleUrl, token).get("/health");
  return new Simulator({ consoleUrl: consoleUrl.replace(/\/$/, ""), sandboxUrl: sandbox, liveUrl: live, token });
}

/** The simulator that the project's settings name: one that runs already, or one that is started with their arguments. */
export async function projectSimulator() {
  const { url, token, args, cwd } = projectSettings();
  if (url === undefined) {
    return startSimulator({ args, cwd });
  }
  try {
    const found = await connectSimulator(url, { token });
    // Its health is told without a token.
    await found.control.get("/memory");
    return found;
  } catch (error) {
    const token = error.status === 401 ? "; give its token in SVC_SIMULATOR_CONSOLE_TOKEN" : "";
    const console = "; the console's is printed at the start, beside those of sandbox and live";
    const hint = error.code === "NOT_THE_CONSOLE" ? console : token;
    const named = `${url}, which SVC_SIMULATOR_URL or package.json names,`;
    throw new Error(`${named} leads to no console of a simulator: ${error.message}${hint}`, { cause: error });
  }
}

let ours;

/** The simulator of the test run: the shared one where a set-up found it, else that of this process. */
export function sharedSimulator() {
  const shared = process.env[SHARED];
  const token = process.env.SVC_SIMULATOR_CONSOLE_TOKEN || undefined;
  ours ??= shared ? connectSimulator(shared, { token }) : projectSimulator();
  return ours;
}

async function addresses(ports, guard, ended, output) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  // The file is written whole, once all listeners are bound.
  while (!existsSync(ports)) {
    if (guard.exitCode !== null || guard.signalCode !== null || guard.pid === undefined) {
      throw new Error(`the simulator ended with exit code ${await ended}; it printed:\n${output()}`);
    }
    if (Date.now() > deadline) {
      throw new Error(`the simulator was not ready in ${START_TIMEOUT_MS} ms; it printed:\n${output()}`);
    }
    await pause(10);
  }
  const found = JSON.parse(readFileSync(ports, "utf8"));
  return {
    consoleUrl: `http://${found.console}`,
    sandboxUrl: `http://${found.sandbox}`,
    liveUrl: `http://${found.live}`,
  };
}

/** The environment without settings of a simulator: a test run does not depend on its shell. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_SIMULATOR")));
}

function persona({ name, display, kind, story, identifiers }) {
  const byField = {};
  for (const { value, fields } of identifiers) {
    for (const field of fields) {
      byField[field] ??= value;
    }
  }
  return [name, { name, display, kind, story, identifiers: byField }];
}
