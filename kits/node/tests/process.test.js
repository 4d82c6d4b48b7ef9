// Finding, starting and surely stopping the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { connectSimulator, startSimulator } from "svc-simulator";
import { findBinary } from "../src/binary.js";

const STARTS = `
import { startSimulator } from "svc-simulator";
console.log((await startSimulator()).consoleUrl);
`;

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folderOfOurs() {
  folders.push(mkdtempSync(join(tmpdir(), "svc-kit-")));
  return folders.at(-1);
}

function program(name, script) {
  const path = join(folderOfOurs(), name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function listens(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

async function isGoneWithin(url, ms) {
  const deadline = Date.now() + ms;
  while (await listens(url)) {
    if (Date.now() > deadline) {
      return false;
    }
    await pause(20);
  }
  return true;
}

async function owner(script) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: new URL("..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { child, url: String(line).trim() };
}

test("the program is named by the variable, else in the package for this machine, else on the path", () => {
  const [named, inside, onPath] = ["mine", "svc-simulator", "svc-simulator"].map((name) => program(name, "exit 0"));
  const PATH = join(onPath, "..");
  assert.equal(findBinary({ env: { SVC_SIMULATOR: named, PATH }, inside }), named);
  assert.equal(findBinary({ env: { PATH }, inside }), inside);
  assert.equal(findBinary({ env: { PATH }, inside: "/nowhere" }), onPath);
});

test("a program that is nowhere says what to do", () => {
  const ours = folderOfOurs();
  symlinkSync(new URL("../bin/svc-simulator.js", import.meta.url), join(ours, "svc-simulator"));
  assert.throws(() => findBinary({ env: { PATH: ours }, inside: "/nowhere" }), /cargo build --release -p svc-simulator/);
  assert.throws(() => findBinary({ env: { SVC_SIMULATOR: "/nowhere" } }), /'\/nowhere', which is no program/);
});

test("a failed start shows what was printed", async () => {
  const binary = program("fails", "echo cannot bind >&2; exit 3");
  await assert.rejects(startSimulator({ binary }), /exit code 3; it printed:\ncannot bind\n/);
  await assert.rejects(startSimulator({ args: ["--no-such-flag"] }), /unexpected argument '--no-such-flag'/);
});

test("a relative path begins in the folder that is named, and its settings are not read", async () => {
  const cwd = folderOfOurs();
  mkdirSync(join(cwd, "mine"));
  writeFileSync(join(cwd, "svc-simulator.toml"), "no setting");
  const simulator = await startSimulator({ args: ["--scenarios", "mine"], cwd });
  await simulator.stop();
});

test("a simulator that is stopped listens no more", async () => {
  const simulator = await startSimulator({ args: ["--seed", "of this test"] });
  assert.ok(await listens(simulator.sandboxUrl));
  assert.match(simulator.output, /svc-simulator is ready/);
  assert.equal((await connectSimulator(simulator.consoleUrl)).liveUrl, simulator.liveUrl);
  await simulator.stop();
  assert.ok(!(await listens(simulator.sandboxUrl)));
});

for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"]) {
  test(`a simulator ends with a process that gets ${signal}`, async () => {
    const { child, url } = await owner(`${STARTS} setInterval(() => {}, 1000);`);
    assert.ok(await listens(url));
    child.kill(signal);
    assert.ok(await isGoneWithin(url, 20_000));
  });
}

test("a simulator keeps no process that has nothing else to do", async () => {
  const { child, url } = await owner(STARTS);
  await once(child, "exit");
  assert.ok(await isGoneWithin(url, 20_000));
});
