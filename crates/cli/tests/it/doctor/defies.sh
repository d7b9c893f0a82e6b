sh -c "$hook" <"$HOME/payload" >/dev/null 2>&1
eval "$command"
ask "{$tools}"
