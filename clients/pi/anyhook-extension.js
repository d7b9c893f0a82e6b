// Anyhook for Pi (0.73): put this file as index.ts, and clients/typescript/anyhook.mjs, into ~/.pi/agent/extensions/anyhook, make
// a token with `anyhook serve --token pi`, and start Pi with it as ANYHOOK_TOKEN. Your hooks then guard every tool call.
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
  let [anyhook, opening, context] = [];

  const tell = (ctx, text, kind) => (ctx.hasUI ? ctx.ui.notify(text, kind) : console.error(text));
  const ask = async (event, ctx, fields = {}) => {
    const [token, deadline] = [process.env.ANYHOOK_TOKEN ?? "", Number(process.env.ANYHOOK_DEADLINE) || 30];
    anyhook ??= new Anyhook({ token, project, deadline });
    const payload = { hookEventName: event, sessionId: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...fields };
    const said = await anyhook.ask("universal", payload, event);
    if (said.notice) tell(ctx, said.notice, "warning");
    if (said.stops) ctx.abort();
    return said;
  };
  /** Asks where an error of ours would go nowhere: it is a reason to refuse. */
  const asked = (...all) => ask(...all).catch((error) => ({ stops: false, reason: error.message }));
  const call = ({ toolName, toolCallId, input }) => {
    const known = Object.hasOwn(TOOLS, toolName);
    return { toolName: known ? TOOLS[toolName] : toolName, toolInput: known ? renamed(input, FIELDS) : input, toolUseId: toolCallId };
  };

  pi.on("input", async ({ text, source }, ctx) => {
    if (source === "extension") return undefined;
    let said = opening === undefined ? await asked("session-start", ctx) : {};
    if (said.reason === undefined) {
      opening ??= said.context ?? "";
      said = await asked("pre-prompt", ctx, { prompt: text });
    }
    if (said.reason !== undefined) {
      tell(ctx, said.reason, "error");
      return { action: "handled" };
    }
    context = joined(opening, said.context);
    return undefined;
  });
  pi.on("before_agent_start", () => {
    const content = context;
    [opening, context] = [opening && "", ""];
    return content ? { message: { customType: "anyhook", content, display: true } } : undefined;
  });
  // An error here blocks the call.
  pi.on("tool_call", async (event, ctx) => {
    const said = await ask("pre-tool-use", ctx, call(event));
    if (said.reason !== undefined) return { block: true, reason: said.reason };
    if (said.input === undefined) return undefined;
    for (const name of Object.keys(event.input)) delete event.input[name];
    Object.assign(event.input, Object.hasOwn(TOOLS, event.toolName) ? renamed(said.input, BACK) : said.input);
    return undefined;
  });
  pi.on("tool_result", async (event, ctx) => {
    const toolResult = event.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    const said = await asked("post-tool-use", ctx, { ...call(event), toolResult });
    const text = joined(said.reason, said.context);
    const now = said.result === undefined ? event.content : [{ type: "text", text: String(said.result) }];
    return text || said.result !== undefined ? { content: text ? [...now, { type: "text", text }] : now } : undefined;
  });
  pi.on("agent_end", async ({ messages }, ctx) => {
    if (messages.at(-1)?.stopReason === "aborted") return;
    const { reason, stops } = await asked("stop", ctx);
    if (reason !== undefined && !stops && ctx.hasUI) pi.sendUserMessage(reason, { deliverAs: "followUp" });
  });
  pi.on("session_before_compact", async (_event, ctx) => {
    const { reason } = await asked("pre-compact", ctx);
    return reason === undefined ? undefined : { cancel: true };
  });
  pi.on("session_shutdown", async (_event, ctx) => {
    await asked("session-end", ctx);
    anyhook?.close();
  });
}
