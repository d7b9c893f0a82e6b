// The same five guards as a hook in Node, with a record.
const fs = require("node:fs");
const call = JSON.parse(fs.readFileSync(0, "utf8"));
const command = call.tool_input.command ?? "";
let reason = null;
if (command.includes("rm -rf")) reason = "no rm -rf";
else if (/\bgit\s+push\b.*(--force|-f)\b/.test(command)) reason = "no forced push";
else if (/(^|[\s/])(\.env|[^\s/]*\.pem)(\s|$)/.test(command)) reason = "secrets stay untouched";
else if (command.startsWith("sudo ") || command.endsWith("| sh")) reason = "no root";
else if (call.permission_mode === "plan" && command !== "ls") reason = "only a plan";
const line = JSON.stringify({ at: Date.now(), tool: call.tool_name, command, reason });
fs.appendFileSync(`${process.env.HOME}/record-js.jsonl`, `${line}\n`);
if (reason) {
  console.error(reason);
  process.exit(2);
}
