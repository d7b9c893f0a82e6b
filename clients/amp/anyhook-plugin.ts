// Anyhook for Amp: `anyhook install --host amp` puts this file as anyhook-amp.ts, and anyhook.mjs beside it, into
// ~/.config/amp/plugins. Start Amp with a token of `anyhook serve --token amp` as ANYHOOK_TOKEN.
//
// What Amp does with a plugin that fails is not known: nothing here fails. Without an answer of the server a tool and a prompt are
// refused.

import { Anyhook } from "./anyhook.mjs";

/** As many refused ends in a row become another prompt. */
const CONTINUATIONS = 5;
const joined = (...texts: (string | undefined)[]) => texts.filter((text) => text).join("\n\n");

export default function (amp: any) {
  const [project, opened, ends] = [process.cwd(), new Set(), new Map()];
  let anyhook: Anyhook | undefined;

  const tell = (ctx: any, text: string) =>
    Promise.resolve(ctx.ui?.notify(text)).catch(() => console.error(text));
  const asked = async (event: string, { thread }: any, ctx: any, fields = {}) => {
    try {
      const [token, deadline] = [process.env.ANYHOOK_TOKEN ?? "", Number(process.env.ANYHOOK_DEADLINE) || 30];
      anyhook ??= new Anyhook({ token, project, deadline });
      const payload = { hook_event_name: event, session_id: thread.id, cwd: project, ...fields };
      const said = await anyhook.ask("amp", payload, event);
      if (said.notice) await tell(ctx, said.notice);
      if (said.stops && event !== "agent.end") await ctx.thread?.cancel();
      return said;
    } catch (error: any) {
      return { stops: false, reason: error.message };
    }
  };
  const call = ({ tool, input, toolUseID }: any) => ({ tool_name: tool, tool_input: input ?? {}, tool_use_id: toolUseID });

  amp.on("agent.start", async (event: any, ctx: any) => {
    const { id } = event.thread;
    let opening = opened.has(id) ? {} : await asked("session.start", event, ctx);
    const said: any = opening.reason === undefined ? await asked("agent.start", event, ctx, { prompt: event.message }) : opening;
    if (said.reason !== undefined) {
      await tell(ctx, said.reason);
      await ctx.thread.cancel();
      return {};
    }
    opened.add(id);
    const content = joined((opening as any).context, said.context);
    return content ? { message: { content } } : {};
  });
  amp.on("tool.call", async (event: any, ctx: any) => {
    const said = await asked("tool.call", event, ctx, call(event));
    if (said.reason !== undefined) return { action: "reject-and-continue", message: said.reason };
    return said.input === undefined ? { action: "allow" } : { action: "modify", input: said.input };
  });
  amp.on("tool.result", async (event: any, ctx: any) => {
    const { output, status, error } = event;
    const said: any = await asked("tool.result", event, ctx, { ...call(event), tool_response: output ?? error });
    const text = joined(said.reason, said.context);
    if (!text && said.result === undefined) return undefined;
    const now = said.result ?? output ?? error ?? "";
    const was = typeof now === "string" ? now : JSON.stringify(now);
    return { status, output: joined(was, text), ...(error === undefined ? {} : { error }) };
  });
  amp.on("agent.end", async (event: any, ctx: any) => {
    if (event.status === "cancelled") return undefined;
    const { id } = event.thread;
    const { reason, stops } = await asked("agent.end", event, ctx);
    const count = reason === undefined || stops ? 0 : (ends.get(id) ?? 0) + 1;
    ends.set(id, count);
    return count > 0 && count <= CONTINUATIONS ? { action: "continue", userMessage: reason } : undefined;
  });
}
