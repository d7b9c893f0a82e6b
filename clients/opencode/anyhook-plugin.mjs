// @ts-check
// Anyhook for OpenCode: put this file and clients/typescript/anyhook.mjs into ~/.config/opencode/plugins, make a token with
// `anyhook serve --token opencode`, and start OpenCode with it as ANYHOOK_TOKEN. Your hooks then guard every tool call.
//
// OpenCode has no question that a plugin can put, so a question refuses. An error in a plugin blocks the call: it fails closed.

import { Anyhook } from "./anyhook.mjs";

/** @type {Record<string, string>} */
const TOOLS = {
  bash: "Bash", shell: "Bash", read: "Read", write: "Write", edit: "Edit", apply_patch: "Edit", glob: "Glob", grep: "Grep",
  list: "List", webfetch: "WebFetch", websearch: "WebSearch", todowrite: "TodoWrite", task: "Task",
};
/** @type {Record<string, string>} */
const FIELDS = { filePath: "file_path", oldString: "old_string", newString: "new_string", replaceAll: "replace_all" };
const BACK = Object.fromEntries(Object.entries(FIELDS).map(([theirs, ours]) => [ours, theirs]));

const renamed = (/** @type {object} */ fields, /** @type {Record<string, string>} */ names) =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [names[name] ?? name, value]));

/** @param {{directory: string, client?: any, token?: string, socket?: string}} context */
export const AnyhookPlugin = async ({ directory, client, token = process.env.ANYHOOK_TOKEN ?? "", socket }) => {
  const anyhook = new Anyhook({ token, socket, project: directory });
  /** Asks the hooks, and returns what they say in the universal form. */
  const ask = async (/** @type {string} */ event, /** @type {string} */ session, /** @type {object} */ fields = {}) => {
    const payload = { hookEventName: event, sessionId: session, cwd: directory, ...fields };
    const reply = await anyhook.run("universal", payload, event);
    if (reply.exit !== 0) throw new Error(reply.stderr || "refused by a hook");
    return reply.stdout === "" ? {} : JSON.parse(reply.stdout);
  };
  const reasonOf = (/** @type {any} */ said) => {
    const own = said.hookSpecificOutput ?? {};
    const isNo = ["deny", "ask"].includes(own.permissionDecision) || said.decision === "block" || said.continue === false;
    return isNo ? own.permissionDecisionReason ?? said.reason ?? said.stopReason ?? "refused by a hook" : undefined;
  };
  const contextOf = (/** @type {any} */ said) => said.hookSpecificOutput?.additionalContext;
  const guard = (/** @type {any} */ said) => {
    const reason = reasonOf(said);
    if (reason !== undefined) throw new Error(reason);
    return said;
  };

  return {
    "tool.execute.before": async (/** @type {any} */ input, /** @type {any} */ output) => {
      const toolInput = renamed(output.args, FIELDS);
      const call = { toolName: TOOLS[input.tool] ?? input.tool, toolInput, toolUseId: input.callID };
      const said = guard(await ask("pre-tool-use", input.sessionID, call));
      const updated = said.hookSpecificOutput?.updatedInput;
      if (updated !== undefined) {
        for (const name of Object.keys(output.args)) delete output.args[name];
        Object.assign(output.args, renamed(updated, BACK));
      }
    },
    "tool.execute.after": async (/** @type {any} */ input, /** @type {any} */ output) => {
      const call = { toolName: TOOLS[input.tool] ?? input.tool, toolInput: renamed(input.args, FIELDS), toolUseId: input.callID };
      const said = await ask("post-tool-use", input.sessionID, { ...call, toolResult: output.output });
      const texts = [reasonOf(said), contextOf(said)].filter((text) => text !== undefined);
      if (texts.length > 0) output.output = [output.output, ...texts].join("\n\n");
    },
    "chat.message": async (/** @type {any} */ input, /** @type {any} */ output) => {
      const texts = output.parts.filter((/** @type {any} */ part) => part.type === "text");
      const prompt = texts.map((/** @type {any} */ part) => part.text).join("\n");
      const context = contextOf(guard(await ask("pre-prompt", input.sessionID, { prompt })));
      if (context !== undefined && texts.length > 0) texts[texts.length - 1].text += `\n\n${context}`;
    },
    "experimental.session.compacting": async (/** @type {any} */ input, /** @type {any} */ output) => {
      const context = contextOf(await ask("pre-compact", input.sessionID));
      if (context !== undefined) output.context.push(context);
    },
    event: async (/** @type {any} */ { event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (event.type === "session.created") await ask("session-start", session);
      if (event.type !== "session.idle") return;
      const reason = reasonOf(await ask("stop", session));
      const parts = [{ type: "text", text: reason }];
      if (reason !== undefined) await client?.session.prompt({ path: { id: session }, body: { parts } });
    },
    dispose: async () => anyhook.close(),
  };
};
