// The README's examples are tests, and are run as such.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const EXAMPLES = [...README.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);

test("the README has examples", () => assert.ok(EXAMPLES.length >= 4));

for (const [number, example] of EXAMPLES.entries()) {
  test(`example ${number + 1} passes`, () => {
    // Inside the package, where its own name leads to it.
    const folder = mkdtempSync(join(ROOT, ".readme-"));
    try {
      const file = join(folder, "example.test.js");
      writeFileSync(file, example);
      // Else the inner run believes that it is a part of this one, and prints for programs.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const run = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], { encoding: "utf8", env });
      assert.equal(run.status, 0, run.stdout + run.stderr);
      assert.match(run.stdout, /^# pass [1-9]/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
