// Runs a program for as long as the process that started it lives.
//
// The guard reads its standard input, which the operating system closes when that process ends, however it ends. So a
// test run that is killed leaves no simulator behind. It takes the folder to remove at the end, and the command.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const [folder, program, ...rest] = process.argv.slice(2);

// Ctrl-C reaches the whole terminal; the simulator stays until the tests have been torn down.
process.on("SIGINT", () => {});

const child = spawn(program, rest, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => {
  console.error(String(error));
  process.exit(127);
});
let ending = false;
child.on("exit", (code) => {
  if (ending) {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(code ?? 1);
});

function end() {
  ending = true;
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), 5000).unref();
}
process.stdin.on("end", end);
process.stdin.on("error", end);
process.stdin.resume();
