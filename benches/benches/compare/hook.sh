# The same five guards as a hook in bash with jq, with a record.
input=$(cat)
command=$(jq -r '.tool_input.command // ""' <<<"$input")
mode=$(jq -r '.permission_mode' <<<"$input")
reason=
if [[ $command == *"rm -rf"* ]]; then
    reason='no rm -rf'
elif [[ $command =~ git[[:space:]]+push.*(--force|-f) ]]; then
    reason='no forced push'
elif [[ $command =~ (^|[[:space:]/])(\.env|[^[:space:]/]*\.pem)([[:space:]]|$) ]]; then
    reason='secrets stay untouched'
elif [[ $command == "sudo "* || $command == *"| sh" ]]; then
    reason='no root'
elif [[ $mode == plan && $command != ls ]]; then
    reason='only a plan'
fi
jq -c --arg reason "$reason" '{at: now, tool: .tool_name, command: .tool_input.command, reason: $reason}' \
    <<<"$input" >>"$HOME/record-sh.jsonl"
if [[ $reason ]]; then
    echo "$reason" >&2
    exit 2
fi
