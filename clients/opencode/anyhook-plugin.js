// Anyhook for OpenCode (1.18 and 2) and Kilo (7.7): `anyhook install --host opencode` puts this file and anyhook.mjs into
// ~/.config/opencode/plugins. Start the agent with a token of `anyhook serve --token opencode` as ANYHOOK_TOKEN.
//
// OpenCode goes on without a plugin that fails when it is loaded: nothing here fails before the first event, and an event
// without an answer of the server is refused, since an error before a tool or at a prompt blocks it.

import { Anyhook } from "./anyhook.mjs";
const HOST = /[\\/]\.?kilo[\\/]/.test(import.meta.url) ? "kilo" : "opencode";
const joined = (...texts) => texts.filter((text) => text !== undefined).join("\n\n");
const DEADLINE = Number(process.env.ANYHOOK_DEADLINE) || 30;
const OWN = ["apply_patch", "plan_enter", "plan_exit"]; // not of a server, whatever their names look like

export const AnyhookPlugin = async ({ directory, client, token = process.env.ANYHOOK_TOKEN ?? "", socket }) => {
  let [anyhook, servers] = [undefined, []];
  const openings = new Map(); // session -> what hooks said at its start, until the model is told
  const parents = new Map(); // session of a sub-agent -> the session that began it
  const calls = new Map(); // call -> its tool and arguments, until it has ended
  const aborted = new Set(); // sessions whose turn a person or a hook has ended, until the next: no hook is asked about it
  // `opencode run` ends with its first turn, and no refusal of the end holds it.
  const endsWhenIdle = process.argv.includes("run") ? "yes" : "no";
  const tell = (message, variant) =>
    endsWhenIdle === "yes" ? console.error(message) : client?.tui?.showToast({ body: { message, variant } });
  const ask = async (event, session, fields = {}) => {
    anyhook ??= new Anyhook({ token, socket, project: directory, deadline: DEADLINE });
    const ids = parents.has(session) ? { session_id: parents.get(session), agent_id: session } : { session_id: session };
    const said = await anyhook.ask(HOST, { hook_event_name: event, ...ids, cwd: directory, ...fields }, event);
    if (said.notice !== undefined) await tell(said.notice, "warning");
    if (said.stops && event !== "session.idle") await client?.session.abort({ path: { id: session } });
    return said;
  };
  const guard = (said) => (said.reason === undefined ? said : Promise.reject(new Error(said.reason)));
  const clean = (name) => `${name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`;
  /** Names a call as hooks know it: the tool of a server with its server. */
  const call = ({ tool, callID, args }) => {
    const server = OWN.includes(tool) ? undefined : servers.find((name) => tool.startsWith(clean(name)));
    const name = server === undefined ? tool : `mcp__${server}__${tool.slice(clean(server).length)}`;
    return { tool_name: name, tool_input: args ?? {}, tool_use_id: callID };
  };
  /** What happens beside a session: OpenCode does not wait for it. */
  const beside = {
    "session.created": async ({ info }) => {
      if (info.parentID) parents.set(info.id, parents.get(info.parentID) ?? info.parentID);
    },
    "session.error": async ({ sessionID: id, error }) => void (error?.name === "MessageAbortedError" && aborted.add(id)),
    "session.idle": async ({ sessionID: id }) => {
      if (aborted.has(id) || parents.has(id)) return;
      const { reason: text, stops } = await ask("session.idle", id, { ends_when_idle: endsWhenIdle });
      if (text && !stops) await client?.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } });
    },
    "permission.asked": async ({ id: permissionID, sessionID: id, permission, metadata, tool }) => {
      const asked = calls.get(tool?.callID) ?? call({ tool: permission, args: metadata, callID: tool?.callID });
      const { approval } = await ask("permission.asked", id, asked);
      const body = { response: { allow: "once", deny: "reject" }[approval] };
      if (body.response) await client?.postSessionIdPermissionsPermissionId({ path: { id, permissionID }, body });
    },
    "session.compacted": ({ sessionID }) => ask("session.compacted", sessionID),
  };

  return {
    config: async ({ mcp }) => void (servers = Object.keys(mcp ?? {}).sort((a, b) => b.length - a.length)),
    event: async ({ event }) => beside[event.type]?.(event.properties).catch((error) => console.error(error.message)),
    "tool.execute.before": async (input, output) => {
      calls.set(input.callID, call({ ...input, args: output.args }));
      const said = await guard(await ask("tool.execute.before", input.sessionID, calls.get(input.callID)));
      if (said.input === undefined) return;
      for (const name of Object.keys(output.args)) delete output.args[name];
      Object.assign(output.args, said.input);
    },
    "tool.execute.after": async (input, output) => {
      calls.delete(input.callID);
      const texts = (output?.content ?? []).filter((part) => part.type === "text"); // of the result of a server's tool
      const was = output?.output ?? texts.map((part) => part.text).join("\n");
      const said = await ask("tool.execute.after", input.sessionID, { ...call(input), tool_response: was });
      const now = typeof said.result === "object" ? JSON.stringify(said.result) : said.result;
      const text = joined(now ?? was, said.reason, said.context);
      if (output?.content) output.content = [{ type: "text", text }, ...output.content.filter((part) => part.type !== "text")];
      else if (output) output.output = text;
    },
    "chat.message": async ({ sessionID: id }, { message, parts }) => {
      aborted.delete(id);
      if (parents.has(id)) return;
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");
      if (!openings.has(id)) openings.set(id, (await ask("session.created", id)).context);
      const said = await ask("chat.message", id, { prompt });
      if (said.reason !== undefined) await tell(said.reason, "error");
      const text = joined(openings.get(id), (await guard(said)).context);
      const part = { id: `${parts.at(-1)?.id ?? "prt_"}z`, messageID: message.id, sessionID: id };
      if (text !== "") parts.push({ ...part, type: "text", synthetic: true, text });
      openings.set(id, undefined);
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const { context } = await ask("experimental.session.compacting", sessionID);
      if (context !== undefined) output.context.push(context);
    },
    dispose: async () => {
      for (const id of openings.keys()) await ask("dispose", id).catch(() => {});
      anyhook?.close();
    },
  };
};

/**
 * OpenCode 2, of which only tools are known to us, and no version was seen: an error before a tool blocks it, and what becomes of new
 * arguments is in no document, so they are refused. A session may stand in another folder than the plugin.
 */
const setup = async (context) => {
  const [token, project] = [process.env.ANYHOOK_TOKEN ?? "", context.location?.directory ?? process.cwd()];
  let anyhook;
  const ask = async (event, session_id, fields) => {
    anyhook ??= new Anyhook({ token, project, deadline: DEADLINE });
    const said = await anyhook.ask(HOST, { hook_event_name: event, session_id, ...fields }, event);
    if (said.notice !== undefined) console.error(said.notice);
    return said;
  };
  const call = async ({ sessionID, tool, callID, input }) => {
    const session = await context.session?.get({ sessionID });
    const named = tool === "shell" ? "bash" : tool;
    return { cwd: session?.location?.directory ?? project, tool_name: named, tool_input: input ?? {}, tool_use_id: callID };
  };
  await context.tool.hook("execute.before", async (event) => {
    const { reason, input } = await ask("tool.execute.before", event.sessionID, await call(event));
    if (reason !== undefined) throw new Error(reason);
    if (input !== undefined) throw new Error("anyhook: a hook changed this call, and OpenCode 2 takes no change of one");
  });
  await context.tool.hook("execute.after", async (event) => {
    const was = event.status === "error" ? event.error?.message : event.result?.content;
    const said = await ask("tool.execute.after", event.sessionID, { ...(await call(event)), tool_response: was ?? "" });
    const text = joined(said.result ?? was, said.reason, said.context);
    if (event.status !== "error" && (said.result ?? said.reason ?? said.context) !== undefined) event.result = { content: text };
  });
};

export default { id: "anyhook", server: AnyhookPlugin, setup };
