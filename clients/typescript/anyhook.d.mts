// The types of anyhook.mjs. Its comments say the same to TypeScript where the file is imported by its path.

export interface Options {
  /** Of `anyhook serve --token NAME`. */
  token: string;
  /** The folder in which the session began; an absolute path. */
  project: string;
  /** The socket of the server; the usual one if nothing is said. */
  socket?: string;
  /** The port of the server, instead of the socket. */
  port?: number;
  /** How many seconds an event may take; 30 if nothing is said. */
  deadline?: number;
}

/** What an agent reads of `anyhook run`. */
export interface Reply {
  stdout: string;
  stderr: string;
  exit: number;
}

/** What hooks say about an event, for a host whose answers have the form of Claude Code's. */
export interface Said {
  /** Why the action is refused; none if it is not. A question is a refusal here. */
  reason?: string;
  /** The agent is to stop, and not only this action. */
  stops: boolean;
  /** `allow` or `deny`, where a person is asked for a permission. */
  approval?: string;
  /** The arguments that take the place of the call's own. */
  input?: object;
  /** What takes the place of the tool's result. */
  result?: unknown;
  /** A text for the model. */
  context?: string;
  /** A text for the person. */
  notice?: string;
}

/** No hook has agreed: the server did not answer, or refused the request. */
export class AnyhookError extends Error {
  constructor(what: string, cause?: unknown);
}

export class Anyhook {
  constructor(options: Options);
  /** Answers an event in the words of a host, as `anyhook run EVENT --host HOST` does. */
  run(host: string, payload: object, event?: string): Promise<Reply>;
  /** Answers an event in the words of a host, and reads the answer. What cannot be read is an error, and refuses. */
  ask(host: string, payload: object, event: string): Promise<Said>;
  /** Answers a canonical event with its result and its report. */
  event(event: object): Promise<{ result: { verdict: string }; report: object }>;
  /** Ends the connections that are kept. */
  close(): void;
}
