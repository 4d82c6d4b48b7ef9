// Finds the simulator's program.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = process.platform === "win32" ? "svc-simulator.exe" : "svc-simulator";
const INSIDE = fileURLToPath(new URL(`../bin/${PROGRAM}`, import.meta.url));

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The path of the program: named by SVC_SIMULATOR, inside this package, or on the PATH, in that order. */
export function findBinary({ env = process.env, inside = INSIDE } = {}) {
  const named = env.SVC_SIMULATOR;
  if (named) {
    if (isProgram(named)) {
      return resolve(named);
    }
    throw new Error(
      `SVC_SIMULATOR is '${named}', which is no program that can be run: ` +
        "set it to the path of svc-simulator, or unset it to look for it elsewhere",
    );
  }
  const onPath = (env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, PROGRAM));
  const found = [inside, ...onPath].find(isProgram);
  if (found === undefined) {
    throw new Error(
      "svc-simulator was not found: it is not named by the variable SVC_SIMULATOR, not inside this package " +
        `(${inside}) and not on the PATH. Build it with \`cargo build --release -p svc-simulator\` in its repository and ` +
        "set SVC_SIMULATOR=…/target/release/svc-simulator, or install it with `cargo install --path simulator`",
    );
  }
  return found;
}
