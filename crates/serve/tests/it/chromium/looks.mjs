// What every page has: nothing of a text that ran, no line wider than a phone, and the rules of axe.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/** Returns what looks at pages: pictures of them go to a folder, and the file of axe may be none. */
export const looks = (SHOTS, AXE) => {
  const rules = AXE && readFileSync(AXE, "utf8");
  const LOOKS = [["light", "light", 1280], ["dark", "dark", 1280], ["narrow", "light", 360]];
  const look = async (its, [name, scheme, width], page) => {
    await its.tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await its.tell("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: false });
    await its.until(`innerWidth === ${width} && matchMedia("(prefers-color-scheme: ${scheme})").matches`);
    writeFileSync(`${SHOTS}/${page}-${name}.png`, await its.picture());
    assert.ok(await its.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${page} is wider than ${width}`);
    assert.equal(await its.evaluate(`document.querySelectorAll("img, [onload], [onerror], main script:not([src='/assets/live.js']), a[href^='javascript']").length`), 0, page);
  };
  const axe = async (its, what) => {
    if (!AXE) return;
    if (!await its.evaluate("Boolean(globalThis.axe)")) await its.evaluate(`${rules}; 0`);
    const found = await its.evaluate("axe.run().then((said) => said.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))]))");
    assert.deepEqual(found, [], what);
  };
  const check = async (its, page) => {
    for (const one of LOOKS) {
      await look(its, one, page);
      await axe(its, `${page}, ${one[0]}`);
    }
  };
  return { LOOKS, look, check };
};
