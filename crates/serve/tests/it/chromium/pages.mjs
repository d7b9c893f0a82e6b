// A person looks at the pages in Chromium and answers two agents that wait.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { bounded, browser } from "./devtools.mjs";
import { keys } from "./keys.mjs";
import { looks } from "./looks.mjs";

const { ANYHOOK, AXE, LINK, PROFILE, PROJECT, SHOTS, WORDS } = process.env;
const base = new URL(LINK).origin;
const { dialogs, tab } = browser(PROFILE);

// A real agent's process: what it is told when it may go on.
const agent = (command) => bounded(new Promise((yes, no) => {
  const run = spawn(ANYHOOK, ["run", "--host", "codex-cli"], { cwd: PROJECT, stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  run.stdout.setEncoding("utf8").on("data", (part) => { out += part; });
  run.on("error", no).on("close", (code) => yes([code, out]));
  run.stdin.end(JSON.stringify({ session_id: "s-1", turn_id: "1", transcript_path: "/t", cwd: PROJECT, hook_event_name: "PreToolUse",
    model: "m", permission_mode: "default", tool_name: "Bash", tool_input: { command }, tool_use_id: "1" }));
}), () => `the answer of \`anyhook run\` to \`${command}\``);

const { LOOKS, look, check } = looks(SHOTS, AXE);

// The timeline stays open while agents ask: how soon it is there with 10,000 events, and how it scrolls.
const timeline = await tab();
await timeline.open(LINK);
assert.equal(await timeline.evaluate("document.querySelectorAll('#events tr').length"), 100);
await timeline.open(`${base}/`);
const paint = await timeline.evaluate(`new Promise((yes) => new PerformanceObserver((list) => yes(list.getEntries()[0].startTime))
  .observe({ type: "paint", buffered: true }))`);
const frames = await timeline.evaluate(`new Promise((yes) => {
  const all = [];
  let last;
  const frame = (now) => {
    if (last) all.push(now - last);
    last = now;
    const before = scrollY;
    scrollBy(0, 100);
    if (scrollY === before) { scrollTo(0, 0); yes(all.sort((one, two) => one - two)); } else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`);
const part = (of) => frames[Math.floor((frames.length - 1) * of)].toFixed(1);
console.log(`10,000 events: first paint after ${Math.round(paint)} ms; scrolled in ${frames.length} frames, median ${part(0.5)} ms, longest ${part(1)} ms`);
await timeline.evaluate("new Promise((yes) => { globalThis.its = new EventSource('/live'); its.onopen = yes; }).then(() => its.close())");

// Two agents wait. The person lets one go on, and refuses the other with a note.
const inbox = await tab();
const card = (command) => `[...document.querySelectorAll("main section")].find((one) => one.querySelector("pre").textContent.includes(${JSON.stringify(command)}))`;
const sees = async (command) => {
  // The question is on the page as soon as the agent has put it.
  while (!await inbox.evaluate(`Boolean(${card(command)})`)) await inbox.open(`${base}/inbox`);
};
// Fills the form of a question in, and presses one of its buttons.
const press = (command, says, note) => inbox.act(`{ const card = ${card(command)}; const words = card.querySelector("[name=passphrase]");
  if (words) words.value = ${JSON.stringify(WORDS)}; card.querySelector("[name=note]").value = ${JSON.stringify(note)}; card.querySelector("[value=${says}]").click(); }`);
const answer = async (command, says, note, page) => {
  const told = agent(command);
  // It is looked at below; until then the page may be what fails.
  told.catch(() => {});
  await bounded(sees(command), () => `the question about \`${command}\` in ${base}/inbox`);
  await check(inbox, page);
  await press(command, says, note);
  const status = await inbox.evaluate("document.querySelector('[role=status]').innerText");
  assert.ok(status.includes(`is answered: ${says}`), status);
  return told;
};
await inbox.open(`${base}/inbox`);
await check(inbox, "sign-in");
const { press: key, round, to, type } = await keys(inbox);
await round("sign-in");
await to("[name=passphrase]");
await type(WORDS);
await inbox.leads(() => key("Enter"));
// The same person answers an agent without a mouse. Enter in a field answers nothing: only a button does.
const byKeys = agent("npm publish --tag next");
byKeys.catch(() => {});
await bounded(sees("npm publish --tag next"), () => `the question for the keyboard in ${base}/inbox`);
await round("inbox");
for (const [field, text] of [["passphrase", WORDS], ["note", "by hand"]]) {
  await to(`[name=${field}]`);
  await type(text);
  await key("Enter");
}
await to("[value=once]");
await inbox.leads(() => key("Enter"));
assert.match(await inbox.evaluate("document.querySelector('[role=status]').innerText"), /is answered: once/);
assert.deepEqual(await byKeys, [0, ""]);
await round("answered");
assert.deepEqual(await answer("npm publish", "once", "", "inbox"), [0, ""]);
// A second publish: what a yes for always would have let through is shown before it is given, and then it is not given.
const again = agent("npm publish --dry-run");
again.catch(() => {});
await bounded(sees("npm publish --dry-run"), () => `the second question in ${base}/inbox`);
await press("npm publish --dry-run", "always", "");
assert.match(await inbox.evaluate("document.querySelector('main').innerText"), /From now on.*In the record \(100\d\d events\)/s);
await check(inbox, "always");
await round("always");
await inbox.open(`${base}/inbox`);
await press("npm publish --dry-run", "no", "");
assert.ok((await again)[1].includes("deny"));
const [, no] = await answer("npm unpublish", "no", "from main only", "inbox-hostile");
assert.ok(no.includes("from main only") && no.includes("deny"), no);
// The page that was open all the time has the row of it.
await timeline.until("document.body.innerText.includes('npm unpublish')");

for (const [page, path] of [["events", "/"], ["event", "/events/e9997"], ["snapshots", "/snapshots"], ["statistics", "/statistics"]]) {
  await inbox.open(base + path);
  await check(inbox, page);
}
// What a text may do, it does at any width.
for (let at = 0; at < 7; at += 1) {
  await inbox.open(`${base}/events/h${at}`);
  await look(inbox, LOOKS[2], `hostile-${at}`);
}
assert.deepEqual(dialogs, [], "a text of the record ran");
console.log("all held");
process.exit(0);
