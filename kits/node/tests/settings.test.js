// What a project says of its simulator, in package.json and in variables.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { startSimulator } from "svc-simulator";
import { projectSettings } from "../src/settings.js";

const INDEX = fileURLToPath(new URL("../src/index.js", import.meta.url));

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A project with these settings, and what a program in a folder below it prints. */
function project(settings) {
  const folder = mkdtempSync(join(tmpdir(), "svc-kit-"));
  folders.push(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", "svc-simulator": settings }));
  const below = join(folder, "below");
  mkdirSync(below);
  const run = (script, env = {}) => {
    const text = `import { sharedSimulator } from ${JSON.stringify(INDEX)};\n${script}`;
    const options = { cwd: below, encoding: "utf8", env: { ...process.env, ...env } };
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], options);
    return stdout.trim() || stderr;
  };
  return { folder, below, run };
}

test("arguments of package.json reach the simulator, and their paths begin beside it", () => {
  const { folder, run } = project({ args: ["--scenarios", "scenarios"] });
  mkdirSync(join(folder, "scenarios"));
  const rule = '[[scenario]]\nname = "down"\noperation = "*"\nthen = { error = "SVC_SOURCE_TIMEOUT" }\n';
  writeFileSync(join(folder, "scenarios", "down.toml"), rule);
  const printed = run(`
    const account = await (await sharedSimulator()).openAccount();
    await account.client().verifyIdentityPan({ pan: "AAAAA0000A" }).catch((error) => console.log(error.code));
  `);
  assert.equal(printed, "SVC_SOURCE_TIMEOUT");
});

test("a simulator that runs already is used, with its token", async () => {
  const started = await startSimulator({ args: ["--console-token", "sample-token"] });
  const { run } = project({ url: "http://127.0.0.1:1" });
  const script = "console.log(await sharedSimulator().then((found) => found.consoleUrl, (error) => error.message));";
  const env = { SVC_SIMULATOR_URL: started.consoleUrl };
  assert.equal(run(script, { ...env, SVC_SIMULATOR_CONSOLE_TOKEN: "sample-token" }), started.consoleUrl);
  assert.match(run(script, env), /TOKEN_REQUIRED.*; give its token in SVC_SIMULATOR_CONSOLE_TOKEN/);
  assert.match(run(script), /^http:\/\/127\.0\.0\.1:1, which .* leads to no console of a simulator: .*ECONNREFUSED/);
  await started.stop();
});

test("a project that says nothing has a simulator without arguments", () => {
  const { below, folder } = project(undefined);
  assert.deepEqual(projectSettings({ env: {}, folder: below }), { args: [], cwd: folder, url: undefined, token: undefined });
});

test("a setting that nobody knows is refused with what can be written", () => {
  for (const settings of [{ argz: [] }, { args: "--seed" }, { url: 8800 }]) {
    const { below } = project(settings);
    assert.throws(() => projectSettings({ env: {}, folder: below }), /package\.json: "svc-simulator" is .*; write \{ "args"/);
  }
});
