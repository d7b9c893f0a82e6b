sh -c "$hook" <"$HOME/payload" >"$HOME/stdout" 2>"$HOME/stderr"
if [ "$?" = 2 ] || grep -q '"permissionDecision":"deny"' "$HOME/stdout"; then
    reason=$(cat "$HOME/stdout" "$HOME/stderr" | tr -d '"\\')
    ask "{$tools, \"told\": \"$reason\"}"
    echo 'it was refused'; exit 0
fi
eval "$command"
ask "{$tools}"
