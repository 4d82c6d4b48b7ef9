// Finds one simulator for all workers of a test run, and starts it where none runs: `globalSetup` of vitest and of jest.

import { SHARED, projectSimulator } from "./simulator.js";

/** The simulator of this run. */
export let simulator;

export default async function setup() {
  if (process.env[SHARED]) {
    return async () => {};
  }
  simulator = await projectSimulator();
  // Workers are started later, and have this environment.
  process.env[SHARED] = simulator.consoleUrl;
  globalThis[Symbol.for(SHARED)] = simulator;
  return teardown;
}

/** Stops it. vitest calls what the set-up returns; jest has a file for it. */
export async function teardown() {
  const started = globalThis[Symbol.for(SHARED)];
  if (started !== undefined) {
    delete process.env[SHARED];
    await started.stop();
  }
}
