// What a project says of the simulator of its tests: `svc-simulator` in its package.json, and two variables.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const KEY = "svc-simulator";

/** The nearest package.json at or above a folder, or undefined. */
function manifestOf(folder) {
  const path = join(folder, "package.json");
  if (existsSync(path)) {
    return path;
  }
  const above = dirname(folder);
  return above === folder ? undefined : manifestOf(above);
}

function isListOfTexts(value) {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The settings of the project that a folder is in. Relative paths among `args` begin in `cwd`. */
export function projectSettings({ env = process.env, folder = process.cwd() } = {}) {
  const path = manifestOf(resolve(folder));
  const said = path === undefined ? {} : (JSON.parse(readFileSync(path, "utf8"))[KEY] ?? {});
  const { args = [], url, ...others } = said;
  if (!isListOfTexts(args) || !["string", "undefined"].includes(typeof url) || Object.keys(others).length > 0) {
    const known = '{ "args": ["--scenarios", "scenarios"] }, or { "url": "http://127.0.0.1:8800" }';
    throw new Error(`${path}: "${KEY}" is ${JSON.stringify(said)}; write ${known}`);
  }
  return {
    args,
    cwd: path === undefined ? folder : dirname(path),
    url: env.SVC_SIMULATOR_URL || url,
    token: env.SVC_SIMULATOR_CONSOLE_TOKEN || undefined,
  };
}

/** Throws where a call names a setting that there is not: what is misspelt would do nothing. */
export function refuseOthers(others, known) {
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) {
    throw new TypeError(`there is no setting "${unknown}"; there is ${known.join(", ")}`);
  }
}
