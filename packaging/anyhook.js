#!/usr/bin/env node
// Starts the program that lies in the package of this platform: same arguments, same streams, same end.
"use strict";

const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");
const { optionalDependencies } = require("../package.json");

const name = `@anyhook/${process.platform}-${process.arch}`;

// 78: something has to be set up first. 2 would be an answer to an agent.
function fail(why, help) {
  process.stderr.write(`error: ${why}\nhelp: ${help}\n`);
  process.exit(78);
}

function program() {
  try {
    return require.resolve(`${name}/bin/anyhook`);
  } catch {
    if (!(name in optionalDependencies)) {
      const known = Object.keys(optionalDependencies).join(", ");
      fail(`npm has no anyhook for this platform: \`${name}\` is none of ${known}`, "build it from source with cargo");
    }
    fail(
      `the npm package \`${name}\`, which has the program, is not installed`,
      "install anyhook on this machine, without --omit=optional; on a Linux without glibc, build it from source with cargo",
    );
  }
}

// A terminal sends Ctrl-C to the program too, and a second one would mean something else there.
const atTerminal = [0, 1, 2].some((stream) => isatty(stream));
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => atTerminal || child.kill(signal));
}
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

// Only now: a signal in between would end this process and not the program.
const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });

child.on("error", (error) => fail(`\`${child.spawnfile}\` does not start: ${error.message}`, "install anyhook again"));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
