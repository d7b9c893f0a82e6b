"""The same five guards as a hook in Python, with a record."""

import json
import os
import re
import sys
import time

call = json.load(sys.stdin)
command = call["tool_input"].get("command", "")
reason = None
if "rm -rf" in command:
    reason = "no rm -rf"
elif re.search(r"\bgit\s+push\b.*(--force|-f)\b", command):
    reason = "no forced push"
elif re.search(r"(^|[\s/])(\.env|[^\s/]*\.pem)(\s|$)", command):
    reason = "secrets stay untouched"
elif command.startswith("sudo ") or command.endswith("| sh"):
    reason = "no root"
elif call["permission_mode"] == "plan" and command != "ls":
    reason = "only a plan"
with open(os.path.expanduser("~/record-py.jsonl"), "a") as record:
    record.write(json.dumps({"at": time.time(), "tool": call["tool_name"], "command": command, "reason": reason}) + "\n")
if reason:
    print(reason, file=sys.stderr)
    sys.exit(2)
