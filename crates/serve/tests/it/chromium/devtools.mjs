// Chromium over the pipe of its developer tools, without a package. Every wait is for something that a page or the browser says,
// has a bound, and names the page in which it did not come.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

// Without the sandbox, as it does not start as root; the pages are the test's own. Its shared memory is not in /dev/shm, which is
// small in containers. A tab that another one covers draws and runs on as if it were seen.
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
  "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync",
  "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
  "--remote-debugging-pipe"];

/** The longest that anything may take on a machine that is busy. */
const BOUND = 60_000;

/** Fails with what was waited for, if it does not come in time. */
export const bounded = (promise, what) => {
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error(`did not come in ${BOUND / 1000} s: ${what()}`)), BOUND); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** Starts a browser, and returns what opens a tab in it. */
export const browser = (profile) => {
  const child = spawn("chromium", [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
  const asked = new Map();
  const dialogs = [];
  let number = 0, rest = "", complaint = "";
  process.on("exit", () => child.kill("SIGKILL"));
  child.stderr.setEncoding("utf8").on("data", (part) => { complaint = (complaint + part).slice(-2000); });
  child.on("exit", (code, signal) => { console.error(`chromium ended: ${code ?? signal}\n${complaint}`); process.exit(1); });

  const tell = (session, page, method, params = {}) => bounded(new Promise((yes, no) => {
    asked.set(++number, [yes, no]);
    child.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId: session })}\0`);
  }), () => `${method} in ${page()}`);

  child.stdio[4].setEncoding("utf8").on("data", (part) => {
    const lines = (rest + part).split("\0");
    rest = lines.pop();
    for (const said of lines.map((line) => JSON.parse(line))) {
      if (said.method === "Page.javascriptDialogOpening") {
        dialogs.push(said.params.message);
        // A page with an open dialog answers nothing.
        tell(said.sessionId, () => "a dialog", "Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
      }
      const [yes, no] = asked.get(said.id) ?? [];
      asked.delete(said.id);
      if (said.error) no?.(new Error(said.error.message));
      else yes?.(said.result);
    }
  });

  const tab = async () => {
    const { targetId } = await tell(undefined, () => "a new tab", "Target.createTarget", { url: "about:blank", newWindow: true });
    const { sessionId } = await tell(undefined, () => "a new tab", "Target.attachToTarget", { targetId, flatten: true });
    let page = "about:blank";
    const its = (method, params) => tell(sessionId, () => page, method, params);
    await its("Page.enable");
    const evaluate = async (expression) => {
      const said = await its("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      assert.ok(!said.exceptionDetails, `${page}: ${JSON.stringify(said.exceptionDetails)}`);
      return said.result.value;
    };
    // A page that is on its way out, or not here yet, has no answer: it is asked again.
    const until = async (condition) => {
      const began = Date.now();
      let last;
      while (Date.now() - began < BOUND) {
        last = await its("Runtime.evaluate", { expression: condition, returnByValue: true }).catch((error) => ({ error: error.message }));
        if (last.result?.value === true) return;
        await new Promise((yes) => setTimeout(yes, 20));
      }
      const shows = await its("Runtime.evaluate", { expression: "location.href + ': ' + document.body?.innerText.slice(0, 500)", returnByValue: true });
      assert.fail(`did not come in ${BOUND / 1000} s: ${condition}, in ${page}; it shows ${shows.result?.value}, and said ${JSON.stringify(last)}`);
    };
    // What leads to another document: the one that is here is marked, and the next one is here when it is whole and has no mark.
    const leads = async (act) => {
      await evaluate("globalThis.isLeft = true; 0");
      await act();
      await until("!globalThis.isLeft && document.readyState === 'complete'");
    };
    return {
      tell: its,
      evaluate,
      until,
      open: (url) => {
        page = url;
        return leads(async () => {
          const said = await its("Page.navigate", { url });
          assert.ok(!said.errorText, `${url}: ${said.errorText}`);
        });
      },
      act: (expression) => leads(() => evaluate(`${expression}; 0`)),
      leads,
      picture: async () => Buffer.from((await its("Page.captureScreenshot", { format: "png" })).data, "base64"),
    };
  };
  return { dialogs, tab };
};
