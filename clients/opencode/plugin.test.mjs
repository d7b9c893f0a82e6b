// The plugin against a real server, which `crates/serve/tests/it/node.rs` starts. The host is played by this file.

import assert from "node:assert/strict";
import { Anyhook, AnyhookError } from "./anyhook.mjs";
import { AnyhookPlugin } from "./anyhook-plugin.mjs";

const { TOKEN: token, SOCKET: socket, PORT: port, PROJECT: directory } = process.env;
const prompts = [];
const client = { session: { prompt: async (prompt) => prompts.push(prompt) } };
const plugin = await AnyhookPlugin({ directory, client, token, socket });
const ids = { sessionID: "ses_1", callID: "call_1" };
const before = async (tool, args) => {
  const output = { args };
  await plugin["tool.execute.before"]({ tool, ...ids }, output);
  return output.args;
};

// It refuses, with the reason of the hook.
await assert.rejects(before("bash", { command: "git push" }), /not today/);
// It lets pass what no hook objects to.
assert.deepEqual(await before("bash", { command: "ls" }), { command: "ls" });
// It rewrites, in the names that OpenCode has for the fields.
assert.deepEqual(await before("bash", { command: "npm install" }), { command: "pnpm install" });
assert.equal((await before("read", { filePath: "/link" })).filePath, "/target");
// A question that OpenCode cannot put refuses.
await assert.rejects(before("write", { filePath: "/x/.env", content: "" }), /sure\?/);

// It informs the model after a tool, at a prompt and at a compaction.
const after = { title: "ls", output: "a b", metadata: {} };
await plugin["tool.execute.after"]({ tool: "bash", args: { command: "ls" }, ...ids }, after);
assert.match(after.output, /^a b\n\n.*seen after/s);
const message = { message: {}, parts: [{ type: "text", text: "Fix it" }] };
await plugin["chat.message"]({ ...ids }, message);
assert.match(message.parts[0].text, /^Fix it\n\n.*mind the rules/s);
// A stop that a hook refuses becomes a new prompt.
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
assert.match(prompts[0]?.body.parts[0].text, /not yet/);
await plugin.event({ event: { type: "session.created", properties: { info: { id: "ses_2" } } } });
await plugin["experimental.session.compacting"]({ sessionID: "ses_1" }, { context: [] });
await plugin.dispose();

// The client: a result with its report, by the port as well.
const anyhook = new Anyhook({ token, port: Number(port), project: directory });
const call = { hookEventName: "pre-tool-use", toolName: "Bash", toolInput: { command: "git push" }, cwd: directory };
const { result, report } = await anyhook.event(call);
assert.equal(result.verdict, "deny");
assert.equal(report.event.name, "tool:pre");
const broken = await anyhook.run("claude-code", { hook_event_name: "PreToolUse", tool_name: 1 });
assert.ok(broken.exit === 0 ? broken.stdout.includes("deny") : broken.stderr.length > 0, JSON.stringify(broken));
// A connection that is kept answers again and again.
for (let turn = 0; turn < 50; turn += 1) assert.equal((await anyhook.event(call)).result.verdict, "deny");
anyhook.close();

// It fails closed: a wrong token, no server, a relative project, a host that is not there.
const fails = async (options, host = "universal") => {
  const wrong = new Anyhook({ token, socket, project: directory, ...options });
  await assert.rejects(wrong.run(host, call), AnyhookError);
  wrong.close();
};
await fails({ token: "anyhook_test_0" });
await fails({ socket: `${socket}-none` });
await fails({}, "a host that is not known");
assert.throws(() => new Anyhook({ token, socket, project: "src" }), AnyhookError);
const down = await AnyhookPlugin({ directory, token, socket: `${socket}-none` });
await assert.rejects(down["tool.execute.before"]({ tool: "bash", ...ids }, { args: { command: "ls" } }), AnyhookError);
console.log("all held");
