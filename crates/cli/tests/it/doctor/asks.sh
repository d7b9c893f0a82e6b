#!/bin/bash
if [ "$1" = --version ]; then echo '2.1.330 (Claude Code)'; exit 0; fi
ask() {
    exec 3<>"/dev/tcp/127.0.0.1/${ANTHROPIC_BASE_URL##*:}"
    printf 'POST /v1/messages HTTP/1.1\r\nHost: model\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%s' "${#1}" "$1" >&3
    answer=$(cat <&3)
    exec 3>&-
}
tools='"tools": [{"name": "Bash"}]'
ask "{$tools}"
command=$(printf '%s\n' "$answer" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
hook=$(sed -n 's/.*"command": "\(.* run PreToolUse [^"]*\)".*/\1/p' "$HOME/.claude/settings.json" | sed 's/\\"/"/g')
printf '{"session_id":"live","transcript_path":"/t","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t"}' \
    "$PWD" "$command" >"$HOME/payload"
