// A person who has no mouse: what Tab reaches, whether it is seen there, and what Enter does.
import assert from "node:assert/strict";

const KEYS = { Tab: { windowsVirtualKeyCode: 9 }, Enter: { windowsVirtualKeyCode: 13, text: "\r" } };
/** More than any of these pages has. */
const MOST = 200;

// Notes what has had the focus, and whether a person could see that it had.
const NOTE = `globalThis.had = new Map();
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  globalThis.controls = all.filter((one) => !one.disabled && one.getClientRects().length > 0);
  const note = ({ target: one }) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const isSeen = top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
    had.set(one, one.matches(":focus-visible") && outlineStyle === "solid" && parseFloat(outlineWidth) >= 2 && isSeen);
  };
  document.addEventListener("focusin", note);
  if (document.activeElement !== document.body) note({ target: document.activeElement });
  controls.length`;

export const keys = async (its) => {
  await its.tell("Emulation.setFocusEmulationEnabled", { enabled: true });
  const press = async (key) => {
    for (const type of ["keyDown", "keyUp"]) await its.tell("Input.dispatchKeyEvent", { type, key, code: key, ...KEYS[key] });
  };
  return {
    press,
    type: (text) => its.tell("Input.insertText", { text }),
    /** Goes round a page, and holds it to have every control on the way. */
    round: async (page) => {
      const count = await its.evaluate(NOTE);
      assert.ok(count > 0 && count < MOST, `${page} has ${count} controls`);
      // Once more than there are, as a round also passes the page itself.
      for (let at = 0; at <= count + 1; at += 1) await press("Tab");
      const left = await its.evaluate("controls.filter((one) => had.get(one) !== true).map((one) => [had.get(one), one.outerHTML])");
      assert.deepEqual(left, [], `${page}: what the keyboard does not reach, or where its focus is not seen`);
    },
    /** Goes on to the first element of which this is true. */
    to: async (selector) => {
      for (let at = 0; at < MOST; at += 1) {
        if (await its.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await press("Tab");
      }
      assert.fail(`Tab does not come to ${selector}`);
    },
  };
};
