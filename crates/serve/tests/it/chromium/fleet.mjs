// A person looks at the page of all machines of an organisation.
import assert from "node:assert/strict";
import { browser } from "./devtools.mjs";
import { looks } from "./looks.mjs";

const { AXE, LINK, PROFILE, SHOTS } = process.env;
const base = new URL(LINK).origin;
const { dialogs, tab } = browser(PROFILE);
const { check } = looks(SHOTS, AXE);

const page = await tab();
await page.open(LINK);
await page.open(`${base}/statistics`);
// A person gets there from the statistics.
await page.act(`[...document.querySelectorAll("main a")].find((one) => one.innerText.includes("All machines")).click()`);
assert.equal(await page.evaluate("location.pathname"), "/fleet");
await check(page, "fleet");
// And types what is asked for.
await page.act(`document.querySelector("[name=person]").value = "bob"; document.querySelector("form button").click()`);
assert.equal(await page.evaluate("new URL(location).searchParams.get('person')"), "bob");
const rows = await page.evaluate("[...document.querySelectorAll('.events tbody tr')].map((row) => row.children[1].innerText)");
assert.ok(rows.length > 0 && rows.every((who) => who.startsWith("bob")), JSON.stringify(rows));
assert.deepEqual(dialogs, [], "a text of a member ran");
console.log("all held");
process.exit(0);
