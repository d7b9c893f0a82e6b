// @ts-check
// A client of `anyhook serve`, in one file and without dependencies. The types are comments, so that Node runs the file as it
// is and TypeScript reads them: `import { Anyhook } from "./anyhook.mjs"`.
//
// It fails closed: whatever is not an answer of the server is an error, and an error means that no hook has agreed.

import http from "node:http";
import os from "node:os";
import path from "node:path";

/**
 * @typedef {object} Options
 * @property {string} token    Of `anyhook serve --token NAME`.
 * @property {string} project  The folder in which the session began; an absolute path.
 * @property {string} [socket] The socket of the server; the usual one if nothing is said.
 * @property {number} [port]   The port of the server, instead of the socket.
 * @property {number} [deadline] How many seconds an event may take; 30 if nothing is said.
 */

/**
 * What an agent reads of `anyhook run`.
 * @typedef {{stdout: string, stderr: string, exit: number}} Reply
 */

/**
 * What hooks say about an event, for a host whose answers have the form of Claude Code's.
 * @typedef {object} Said
 * @property {string} [reason]   Why the action is refused; none if it is not. A question is a refusal here.
 * @property {boolean} stops     The agent is to stop, and not only this action.
 * @property {string} [approval] `allow` or `deny`, where a person is asked for a permission.
 * @property {object} [input]    The arguments that take the place of the call's own.
 * @property {unknown} [result]  What takes the place of the tool's result.
 * @property {string} [context]  A text for the model.
 * @property {string} [notice]   A text for the person.
 */

/** No hook has agreed: the server did not answer, or refused the request. */
export class AnyhookError extends Error {
  /** @param {string} what @param {unknown} [cause] */
  constructor(what, cause) {
    super(`anyhook: ${what}. No hook was asked, so the action is refused.`, { cause });
    this.name = "AnyhookError";
  }
}

export class Anyhook {
  #options;
  #agent = new http.Agent({ keepAlive: true, keepAliveMsecs: 5000, timeout: 15000 });

  /** @param {Options} options */
  constructor(options) {
    if (!options.token) throw new AnyhookError("there is no token; make one: anyhook serve --token NAME");
    if (!path.isAbsolute(options.project ?? "")) throw new AnyhookError("the project has to be an absolute path");
    this.#options = { deadline: 30, ...options };
  }

  /**
   * Answers an event in the words of a host, as `anyhook run EVENT --host HOST` does.
   * @param {string} host @param {object} payload @param {string} [event]
   * @returns {Promise<Reply>}
   */
  async run(host, payload, event) {
    /** @type {Record<string, string>} */
    const query = event === undefined ? { reply: "json" } : { reply: "json", event };
    const { status, text } = await this.#post(`/v1/hosts/${encodeURIComponent(host)}/events`, query, payload);
    const reply = parsed(text);
    const isReply = typeof reply.stdout === "string" && typeof reply.stderr === "string" && Number.isInteger(reply.exit);
    if (!isReply || (status === 200) !== (reply.exit === 0)) throw refused(status, reply);
    return reply;
  }

  /**
   * Answers an event in the words of a host, and reads the answer. What cannot be read is an error, and refuses.
   * @param {string} host @param {object} payload @param {string} event
   * @returns {Promise<Said>}
   */
  async ask(host, payload, event) {
    const { exit, stdout, stderr } = await this.run(host, payload, event);
    if (exit !== 0) return { stops: false, reason: stderr.trim() || REFUSED };
    const said = stdout.trim() === "" ? {} : parsed(stdout);
    if (typeof said !== "object" || Array.isArray(said)) throw new AnyhookError("the answer is no object");
    const own = said.hookSpecificOutput ?? {};
    const input = own.updatedInput ?? undefined;
    if (input !== undefined && (typeof input !== "object" || Array.isArray(input))) {
      throw new AnyhookError("the new arguments are no object");
    }
    const stops = said.continue === false;
    const refuses = [own.permissionDecision, said.decision].some((word) => ["deny", "ask", "block"].includes(word));
    const reason = own.permissionDecisionReason || said.reason || said.stopReason || REFUSED;
    return {
      stops,
      reason: refuses || stops ? reason : undefined,
      approval: own.decision?.behavior,
      input,
      result: own.updatedToolOutput ?? undefined,
      context: own.additionalContext || undefined,
      notice: said.systemMessage || undefined,
    };
  }

  /**
   * Answers a canonical event with its result and its report.
   * @param {object} event
   * @returns {Promise<{result: {verdict: string}, report: object}>}
   */
  async event(event) {
    const { status, text } = await this.#post("/v1/events", {}, event);
    const answer = parsed(text);
    if (status !== 200 || typeof answer.result?.verdict !== "string") throw refused(status, answer);
    return answer;
  }

  /** Ends the connections that are kept. */
  close() {
    this.#agent.destroy();
  }

  /** @returns {Promise<{status: number, text: string}>} */
  async #post(/** @type {string} */ where, /** @type {Record<string, string>} */ query, /** @type {object} */ body) {
    const { project, deadline } = this.#options;
    const all = Object.entries({ ...query, project, deadline: String(deadline) });
    const text = all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const request = { where: `${where}?${text}`, body: JSON.stringify(body) };
    try {
      return await this.#send(request);
    } catch (error) {
      // The server may close an idle connection at the moment at which it is used again: nothing was read of it then.
      if (!(error instanceof Error && "reused" in error)) throw error;
      return this.#send(request);
    }
  }

  /** @returns {Promise<{status: number, text: string}>} */
  #send(/** @type {{where: string, body: string}} */ { where, body }) {
    const { token, port, deadline } = this.#options;
    const socketPath = this.#options.socket ?? usualSocket();
    const place = port === undefined ? { socketPath, host: "localhost" } : { host: "127.0.0.1", port };
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const failed = (/** @type {Error} */ cause) => {
        const error = new AnyhookError(`the server does not answer (${cause.message}); start it: anyhook serve`, cause);
        const wasClosed = request.reusedSocket && "code" in cause && cause.code === "ECONNRESET";
        reject(wasClosed ? Object.assign(error, { reused: true }) : error);
      };
      const request = http.request({ ...place, method: "POST", path: where, headers, agent: this.#agent }, (response) => {
        /** @type {Buffer[]} */
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", (cause) => reject(new AnyhookError("the answer broke off", cause)));
        response.on("aborted", () => reject(new AnyhookError("the answer broke off")));
        response.on("end", () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") });
        });
      });
      const late = () => request.destroy(new Error(`${deadline} seconds are over`));
      const timer = setTimeout(late, Number(deadline) * 1000);
      request.on("error", (cause) => {
        clearTimeout(timer);
        failed(cause);
      });
      request.end(body);
    });
  }
}

const REFUSED = "refused by a hook";

function usualSocket() {
  const state = process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local", "state");
  return path.join(state, "anyhook", "serve", "socket");
}

/** @returns {any} */
function parsed(/** @type {string} */ text) {
  try {
    return JSON.parse(text) ?? {};
  } catch (cause) {
    throw new AnyhookError("the answer is no JSON", cause);
  }
}

function refused(/** @type {number} */ status, /** @type {any} */ answer) {
  return new AnyhookError(`the server said ${status}: ${answer.error ?? "an answer that is not understood"}`);
}
