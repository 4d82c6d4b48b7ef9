// Runs a program of the package for this machine in place of a script: what npm puts on the path.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { packaged, PLATFORM_PACKAGE } from "./binary.js";

/** Runs the program with the arguments of this process, hands signals on to it, and ends as it ends. */
export function run(name) {
  const program = packaged(name);
  if (program === undefined) {
    console.error(`error: the package ${PLATFORM_PACKAGE}, which holds ${name} for this machine, is not installed`);
    process.exit(1);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends its own to both, and a second one would mean: at once.
      if (signal === "SIGTERM" || !process.stdin.isTTY) {
        child.kill(signal);
      }
    });
  }
  child.on("error", (error) => {
    console.error(`error: ${program} can't be run: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}
