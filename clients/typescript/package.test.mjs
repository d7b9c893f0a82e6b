// The client as npm installs it, against a real server, which `crates/serve/tests/it/node.rs` starts.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import * as client from "@anyhook/client";

const { TOKEN: token, SOCKET: socket, PROJECT: project } = process.env;
const { Anyhook, AnyhookError } = client;
const anyhook = new Anyhook({ token, socket, project });
const call = (command) => ({
  session_id: "s-1", transcript_path: "/t.jsonl", cwd: project, permission_mode: "default",
  hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id: "1",
});

assert.match((await anyhook.ask("claude-code", call("git push"), "PreToolUse")).reason, /^not today/);
assert.deepEqual(await anyhook.run("claude-code", call("ls"), "PreToolUse"), { stdout: "", stderr: "", exit: 0 });
const pushes = { hookEventName: "pre-tool-use", toolName: "Bash", cwd: project, toolInput: { command: "git push" } };
assert.equal((await anyhook.event(pushes)).result.verdict, "deny");
anyhook.close();
const nowhere = new Anyhook({ token, socket: `${socket}-not`, project });
await assert.rejects(nowhere.ask("claude-code", call("ls"), "PreToolUse"), AnyhookError);

// The types have everything that there is, and nothing else.
const folder = path.dirname(createRequire(import.meta.url).resolve("@anyhook/client"));
const types = await readFile(path.join(folder, "anyhook.d.mts"), "utf8");
const typed = (pattern) => [...types.matchAll(pattern)].map(([, name]) => name).sort();
assert.deepEqual(typed(/^export class (\w+)/gm), Object.keys(client).sort());
assert.deepEqual(typed(/^ {2}(\w+)\(.*;$/gm), [...Object.getOwnPropertyNames(Anyhook.prototype), "constructor"].sort());
console.log("all held");
