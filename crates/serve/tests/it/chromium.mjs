// Drives Chromium over its pipe, without a package: a person looks at the pages and answers two agents that wait.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const { ANYHOOK, AXE, LINK, PROFILE, PROJECT, SHOTS, WORDS } = process.env;
const base = new URL(LINK).origin;
// Without the sandbox, as it does not start as root; the pages are the test's own.
const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
  "--remote-debugging-pipe", `--user-data-dir=${PROFILE}`, "about:blank"];
const browser = spawn("chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
process.on("exit", () => browser.kill("SIGKILL"));
// Whatever is waited for and does not come.
setTimeout(() => { console.error("it does not end"); process.exit(1); }, 300_000).unref();
browser.on("exit", (code) => { console.error(`chromium ended: ${code}`); process.exit(1); });

const asked = new Map();
const waits = new Map();
let dialogs = 0, number = 0, session, rest = "";
browser.stdio[4].setEncoding("utf8").on("data", (part) => {
  const lines = (rest + part).split("\0");
  rest = lines.pop();
  for (const said of lines.map((line) => JSON.parse(line))) {
    if (said.method === "Page.javascriptDialogOpening") dialogs += 1;
    const [yes, no] = asked.get(said.id) ?? [];
    if (said.error) no?.(new Error(JSON.stringify(said.error)));
    else yes?.(said.result);
    waits.get(said.method)?.();
    waits.delete(said.method);
  }
});
const tell = (method, params = {}) => new Promise((yes, no) => {
  asked.set(++number, [yes, no]);
  browser.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId: session })}\0`);
});
const loads = () => new Promise((yes) => waits.set("Page.loadEventFired", yes));
const evaluate = async (expression) => {
  const said = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  assert.ok(!said.exceptionDetails, JSON.stringify(said.exceptionDetails));
  return said.result.value;
};
const open = async (path) => {
  const loaded = loads();
  await tell("Page.navigate", { url: path.startsWith("http") ? path : base + path });
  await loaded;
};
const act = async (expression) => {
  const loaded = loads();
  await evaluate(expression);
  await loaded;
};

// A real agent's process: what it is told when it may go on.
const agent = (command) => new Promise((yes, no) => {
  const run = spawn(ANYHOOK, ["run", "--host", "codex-cli"], { cwd: PROJECT, stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  run.stdout.setEncoding("utf8").on("data", (part) => { out += part; });
  run.on("error", no).on("close", (code) => yes([code, out]));
  run.stdin.end(JSON.stringify({ session_id: "s-1", turn_id: "1", transcript_path: "/t", cwd: PROJECT, hook_event_name: "PreToolUse",
    model: "m", permission_mode: "default", tool_name: "Bash", tool_input: { command }, tool_use_id: "1" }));
});

const { targetId } = await tell("Target.createTarget", { url: "about:blank" });
({ sessionId: session } = await tell("Target.attachToTarget", { targetId, flatten: true }));
await tell("Page.enable");

await open(LINK);
assert.equal(await evaluate("document.querySelectorAll('#events tr').length"), 100);
await open("/");
const paint = await evaluate(`new Promise((yes) => new PerformanceObserver((list) => yes(list.getEntries()[0].startTime))
  .observe({ type: "paint", buffered: true }))`);
console.log(`first paint with 10,000 events: ${Math.round(paint)} ms`);

// News: the rows that come while the page is open.
const news = evaluate(`new Promise((yes) => new MutationObserver((_, its) => {
  if (document.body.innerText.includes("npm publish")) { its.disconnect(); yes(true); } }).observe(document.body, { childList: true, subtree: true }))`);
await evaluate("new Promise((yes) => new EventSource('/live').onopen = yes)");

// Two agents wait. The person lets one go on, and refuses the other with a note.
const find = (command) => `[...document.querySelectorAll("main section")].find((one) => one.querySelector("pre").textContent.includes(${JSON.stringify(command)}))`;
const answer = async (command, says, note) => {
  const told = agent(command);
  const { targetId: tab } = await tell("Target.createTarget", { url: "about:blank" });
  const before = session;
  session = undefined;
  ({ sessionId: session } = await tell("Target.attachToTarget", { targetId: tab, flatten: true }));
  await tell("Page.enable");
  await open("/inbox");
  if (await evaluate(`document.querySelector("form").action.endsWith("/sign-in")`)) {
    await act(`document.querySelector("[name=passphrase]").value = ${JSON.stringify(WORDS)}; document.querySelector("form button").click()`);
  }
  while (!await evaluate(`Boolean(${find(command)})`)) await open("/inbox");
  await check("inbox", "/inbox", false);
  await act(`{ const card = ${find(command)}; const words = card.querySelector("[name=passphrase]"); if (words) words.value = ${JSON.stringify(WORDS)};
    card.querySelector("[name=note]").value = ${JSON.stringify(note)}; card.querySelector("[value=${says}]").click(); }`);
  assert.ok((await evaluate("document.querySelector('[role=status]').innerText")).includes(`is answered: ${says}`));
  await tell("Page.close");
  session = before;
  // Of a page behind another one no picture is taken.
  await tell("Page.bringToFront");
  return told;
};

// What every page has: nothing of a text that ran, no line wider than a phone, and the rules of axe.
const LOOKS = [["light", "light", 1280], ["dark", "dark", 1280], ["narrow", "light", 360]];
const check = async (name, path, anew = true, looks = LOOKS, rules = AXE) => {
  for (const [look, scheme, width] of looks) {
    await tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await tell("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: false });
    if (anew) await open(path);
    const shot = await tell("Page.captureScreenshot", { format: "png" });
    writeFileSync(`${SHOTS}/${name}-${look}.png`, Buffer.from(shot.data, "base64"));
    assert.ok(await evaluate("document.documentElement.scrollWidth <= innerWidth"), `${path} is wider than ${width}`);
    assert.equal(await evaluate(`document.querySelectorAll("img, [onload], [onerror], main script:not([src='/assets/live.js']), a[href^='javascript']").length`), 0, path);
    if (!rules) continue;
    await evaluate(readFileSync(rules, "utf8") + "; 0");
    const found = await evaluate("axe.run().then((said) => said.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))]))");
    assert.deepEqual(found, [], `${path}, ${look}`);
  }
};

const yes = await answer("npm publish", "once", "");
assert.deepEqual(yes, [0, ""]);
const [, no] = await answer("npm unpublish", "no", "from main only");
assert.ok(no.includes("from main only") && no.includes("deny"), no);
assert.equal(await news, true);

const pages = [["events", "/"], ["hooks", "/hooks"], ["agents", "/agents"], ["statistics", "/statistics"], ["event", "/events/e9999"]];
for (const [name, path] of pages) await check(name, path);
// What a text may do, it does at any width.
for (let at = 0; at < 7; at += 1) await check(`hostile-${at}`, `/events/h${at}`, true, LOOKS.slice(2), "");
assert.equal(dialogs, 0, "a text of the record ran");
console.log("all held");
process.exit(0);
