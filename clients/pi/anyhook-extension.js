// Anyhook for Pi (1.5) and Oh-my-Pi (18.2): `anyhook install --host pi` puts this file as index.ts, and anyhook.mjs beside it, into
// ~/.pi/agent/extensions/anyhook. Start the agent with a token of `anyhook serve --token pi` as ANYHOOK_TOKEN.
//
// Pi goes on without an extension that fails when it is loaded: nothing here fails before the first event. Without an answer of
// the server a tool and a prompt are refused.

import { Anyhook } from "./anyhook.mjs";

const TOOLS = { bash: "Bash", read: "Read", write: "Write", edit: "Edit", grep: "Grep", find: "Glob", ls: "LS" };
const FIELDS = { path: "file_path", oldText: "old_string", newText: "new_string", glob: "glob" };
const BACK = Object.fromEntries(Object.entries(FIELDS).map(([theirs, ours]) => [ours, theirs]));

/** Renames fields, also those of a list of edits. */
const renamed = (value, names) => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [names[name] ?? name, renamed(item, names)]));
};
const joined = (...texts) => texts.filter((text) => text).join("\n\n");

export default function (pi) {
  const project = process.cwd();
  // Oh-my-Pi alone brings this.
  const isOmp = pi.arktype !== undefined;
  let [anyhook, opening, context, told] = [];

  const tell = (ctx, text, kind) => (ctx.hasUI ? ctx.ui.notify(text, kind) : console.error(text));
  const ask = async (event, ctx, fields = {}) => {
    const [token, deadline] = [process.env.ANYHOOK_TOKEN ?? "", Number(process.env.ANYHOOK_DEADLINE) || 30];
    anyhook ??= new Anyhook({ token, project, deadline });
    const payload = { hook_event_name: event, session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...fields };
    const said = await anyhook.ask(isOmp ? "oh-my-pi" : "pi", payload, event);
    if (said.notice) tell(ctx, said.notice, "warning");
    if (said.stops) ctx.abort();
    return said;
  };
  /** Asks where an error of ours would go nowhere: it is a reason to refuse. */
  const asked = (...all) => ask(...all).catch((error) => ({ stops: false, reason: error.message }));
  const call = ({ toolName, toolCallId, input }) => {
    const known = Object.hasOwn(TOOLS, toolName);
    const tool_input = known ? renamed(input, FIELDS) : { ...input };
    // The files that Oh-my-Pi has read from the text of an edit.
    if (Array.isArray(input.paths)) tool_input.files = input.paths.map((path) => ({ path }));
    return { tool_name: known ? TOOLS[toolName] : toolName, tool_input, tool_use_id: toolCallId };
  };
  /** Asks about a prompt, and about the start of the session before the first one. Returns whether it is refused. */
  const prompted = async (prompt, ctx) => {
    let said = opening === undefined ? await asked("session_start", ctx) : {};
    if (said.reason === undefined) {
      opening ??= said.context ?? "";
      said = await asked("input", ctx, { prompt });
    }
    if (said.reason !== undefined) tell(ctx, said.reason, "error");
    context = said.reason === undefined ? joined(opening, said.context) : "";
    return said.reason !== undefined;
  };

  pi.on("input", async ({ text, source }, ctx) => {
    if (source === "extension") return undefined;
    told = true;
    return (await prompted(text, ctx)) ? { action: "handled" } : undefined;
  });
  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    // Without a terminal Oh-my-Pi tells of a prompt only here, where nothing but an end of the turn refuses it.
    if (isOmp && !told && (await prompted(prompt, ctx))) return void ctx.abort();
    told = false;
    const content = context;
    [opening, context] = [opening && "", ""];
    return content ? { message: { customType: "anyhook", content, display: true } } : undefined;
  });
  // An error here blocks the call.
  pi.on("tool_call", async (event, ctx) => {
    const said = await ask("tool_call", ctx, call(event));
    if (said.reason !== undefined) return { block: true, reason: said.reason };
    if (said.input === undefined) return undefined;
    const { files, ...own } = said.input;
    const input = Object.hasOwn(TOOLS, event.toolName) ? renamed(own, BACK) : own;
    // Oh-my-Pi takes them from the answer, Pi from the place of the old ones.
    if (isOmp) return { input };
    for (const name of Object.keys(event.input)) delete event.input[name];
    Object.assign(event.input, input);
    return undefined;
  });
  pi.on("tool_result", async (event, ctx) => {
    const tool_response = event.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    const said = await asked("tool_result", ctx, { ...call(event), tool_response });
    const text = joined(said.reason, said.context);
    const now = said.result === undefined ? event.content : [{ type: "text", text: String(said.result) }];
    return text || said.result !== undefined ? { content: text ? [...now, { type: "text", text }] : now } : undefined;
  });
  if (isOmp) {
    pi.on("session_stop", async (_event, ctx) => {
      const { reason, stops } = await asked("agent_end", ctx, { ends_when_idle: "no" });
      return reason === undefined || stops ? undefined : { decision: "block", reason };
    });
  } else {
    pi.on("agent_end", async ({ messages }, ctx) => {
      if (messages.at(-1)?.stopReason === "aborted") return;
      const { reason, stops } = await asked("agent_end", ctx, { ends_when_idle: ctx.hasUI ? "no" : "yes" });
      if (reason !== undefined && !stops && ctx.hasUI) pi.sendUserMessage(reason, { deliverAs: "followUp" });
    });
  }
  pi.on("session_before_compact", async (_event, ctx) => {
    const { reason } = await asked("session_before_compact", ctx);
    return reason === undefined ? undefined : { cancel: true };
  });
  pi.on("session_shutdown", async (_event, ctx) => {
    await asked("session_shutdown", ctx);
    anyhook?.close();
  });
}
