# Tells the model when a shell script that it wrote does not parse.

rule=shell-lint
broken=1
. "${0%/*}/common.sh" || exit 1

field tool_input.file_path
path=$value
case $path in
*.sh) ;;
*) exit 0 ;;
esac
# A relative name could begin with a dash and pass as an option.
case $path in
/*) ;;
*)
    field cwd
    path=${value:-.}/$path
    case $path in /*) ;; *) path=./$path ;; esac
    ;;
esac
{ [ -f "$path" ] && [ -r "$path" ]; } || exit 0

# The shell that will run the script judges it: bash allows more than sh.
first=
IFS= read -r first <"$path" || :
case $first in
'#!'*bash*) shell=bash ;;
'#!'*zsh* | '#!'*fish* | '#!'*python* | '#!'*node* | '#!'*perl*) exit 0 ;;
*) shell=sh ;;
esac
command -v "$shell" >/dev/null 2>&1 || exit 0

# `-n` reads the script and runs nothing of it.
if errors=$("$shell" -n "$path" 2>&1); then
    exit 0
fi
errors=$(printf '%s\n' "$errors" | tr -cd '\11\12\40-\176' | cut -c 1-300 | sed -n 1,10p) || errors=
answer inject "Rule $rule: the script you just wrote does not parse, so it would fail when it runs. Correct it before you go on. \`$shell -n\` says:
$errors"
