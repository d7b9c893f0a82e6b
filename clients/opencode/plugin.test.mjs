// The plugin against a real server, which `crates/serve/tests/it/node.rs` starts. The host is played by this file.

import assert from "node:assert/strict";
import { Anyhook, AnyhookError } from "./anyhook.mjs";
import { AnyhookPlugin } from "./anyhook-plugin.mjs";

const { TOKEN: token, SOCKET: socket, PORT: port, PROJECT: directory } = process.env;
const [prompts, toasts, answers, aborted] = [[], [], [], []];
const client = {
  session: { promptAsync: async (prompt) => prompts.push(prompt), abort: async ({ path }) => aborted.push(path.id) },
  tui: { showToast: async ({ body }) => toasts.push(body.message) },
  postSessionIdPermissionsPermissionId: async (answer) => answers.push(answer),
};
const plugin = await AnyhookPlugin({ directory, client, token, socket });
await plugin.config({ mcp: { "my.srv": {}, my: {} } });
const ids = { sessionID: "ses_1", callID: "call_1" };
const before = async (tool, args) => {
  const output = { args };
  await plugin["tool.execute.before"]({ tool, ...ids }, output);
  assert.equal(output.args, args, "OpenCode runs the object that it gave");
  return args;
};
const after = async (tool, output) => {
  await plugin["tool.execute.after"]({ tool, args: { command: "ls" }, ...ids }, output);
  return output;
};
const happens = (type, properties) => plugin.event({ event: { type, properties } });

// It refuses, with the reason of the hook.
await assert.rejects(before("bash", { command: "git push" }), /not today/);
// It lets pass what no hook objects to.
assert.deepEqual(await before("bash", { command: "ls" }), { command: "ls" });
// It rewrites, in the names that OpenCode has for the fields.
assert.deepEqual(await before("bash", { command: "npm install", workdir: "/x" }), { command: "pnpm install" });
assert.equal((await before("read", { filePath: "/link" })).filePath, "/target");
// A question that OpenCode cannot put refuses.
await assert.rejects(before("write", { filePath: "/x/.env", content: "" }), /sure\?/);
// A tool of a server has its server's name, also where the name of another server begins like it.
await assert.rejects(before("my_srv_drop", { table: "users" }), /no server/);
assert.deepEqual(await before("my_drop", { table: "users" }), { table: "users" });
// A hook that stops the agent ends the session's turn.
await assert.rejects(before("bash", { command: "halt now" }), /stop here/);
assert.deepEqual(aborted, ["ses_1"]);

// It informs the model after a tool, whatever form its result has.
assert.match((await after("bash", { title: "ls", output: "a b", metadata: {} })).output, /^a b\n\n.*seen after/s);
const image = { type: "image", data: "" };
const { content } = await after("my_srv_list", { content: [{ type: "text", text: "a b" }, image] });
assert.match(content[0].text, /^a b\n\n.*seen after/s);
assert.deepEqual(content.slice(1), [image]);
await plugin["tool.execute.after"]({ tool: "task", args: {}, ...ids }, undefined);

// It informs at a prompt, beside what the person wrote: at the first one also of the session's start.
const message = async (text) => {
  const parts = [{ id: "prt_1", type: "text", text }];
  await plugin["chat.message"]({ ...ids }, { message: { id: "msg_1" }, parts });
  return parts;
};
const [own, told] = await message("Fix it");
assert.equal(own.text, "Fix it");
assert.match(told.text, /^on main\n\n.*mind the rules/s);
assert.deepEqual([told.messageID, told.sessionID, told.synthetic], ["msg_1", "ses_1", true]);
assert.match((await message("And this"))[1].text, /^mind the rules/);
// It refuses a prompt, and tells the person why.
await assert.rejects(message("my password is x"), /a secret/);
assert.match(toasts.at(-1), /a secret/);
const compaction = { context: [] };
await plugin["experimental.session.compacting"]({ sessionID: "ses_1" }, compaction);
assert.deepEqual(compaction.context, ["keep the plan"]);

// A stop that a hook refuses becomes a new prompt; the end of a sub-agent is none.
await happens("session.created", { info: { id: "ses_2", parentID: "ses_1" } });
await happens("session.idle", { sessionID: "ses_2" });
assert.equal(prompts.length, 0);
await happens("session.idle", { sessionID: "ses_1" });
assert.match(prompts[0]?.body.parts[0].text, /not yet/);
// Nor is there one where a person or a hook ended the turn.
await happens("session.error", { sessionID: "ses_1", error: { name: "MessageAbortedError" } });
for (const _ of [1, 2]) await happens("session.idle", { sessionID: "ses_1" });
assert.equal(prompts.length, 1);
await message("Go on");
await happens("session.idle", { sessionID: "ses_1" });
assert.equal(prompts.length, 2);
// A hook answers beside the person who is asked for a permission.
const asked = (command) => ({ id: "per_1", sessionID: "ses_1", permission: "bash", metadata: { command } });
for (const command of ["git status", "git push", "ls"]) await happens("permission.asked", asked(command));
assert.deepEqual(answers.map(({ body }) => body.response), ["once", "reject"]);
assert.deepEqual(answers[0].path, { id: "ses_1", permissionID: "per_1" });
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
// OpenCode goes on without a plugin that fails when it is loaded: ours fails at the events, and refuses them.
for (const wrong of [{ socket: `${socket}-none` }, { token: "" }, { directory: "src" }]) {
  const down = await AnyhookPlugin({ directory, token, socket, ...wrong });
  await assert.rejects(down["tool.execute.before"]({ tool: "bash", ...ids }, { args: { command: "ls" } }), AnyhookError);
  await assert.rejects(down["chat.message"]({ ...ids }, { message: {}, parts: [] }), AnyhookError);
  await down.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
  await down.dispose();
}
console.log("all held");
