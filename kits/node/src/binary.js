// Finds the simulator's program.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SUFFIX = process.platform === "win32" ? ".exe" : "";
const HERE = fileURLToPath(new URL("..", import.meta.url));

/** The package that holds the programs for this machine, which installers choose by its `os` and `cpu`. */
export const PLATFORM_PACKAGE = `@svc-simulator/${process.platform}-${process.arch}`;

/** The path of a program in the package for this machine, or undefined where that is not installed. */
export function packaged(program) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PLATFORM_PACKAGE}/package.json`);
    return join(dirname(manifest), "bin", program + SUFFIX);
  } catch {
    return undefined;
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    // What npm puts on the path for this package itself leads back here.
    return statSync(path).isFile() && !realpathSync(path).startsWith(join(HERE, "bin") + sep);
  } catch {
    return false;
  }
}

/** The path of the program: named by SVC_SIMULATOR, installed with this package, or on the PATH, in that order. */
export function findBinary({ env = process.env, inside = packaged("svc-simulator") } = {}) {
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
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = folders.map((folder) => join(folder, `svc-simulator${SUFFIX}`));
  const found = [inside ?? "", ...onPath].find(isProgram);
  if (found === undefined) {
    throw new Error(
      "svc-simulator was not found: it is not named by the variable SVC_SIMULATOR, not in the package for this machine " +
        `(${PLATFORM_PACKAGE}) and not on the PATH. Install that package, or build the program with ` +
        "`cargo build --release -p svc-simulator` in its repository and set SVC_SIMULATOR=…/target/release/svc-simulator, " +
        "or install it with `cargo install --path simulator`",
    );
  }
  return found;
}
