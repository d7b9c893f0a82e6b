# Rewrites npm and npx to pnpm, and says nothing about what is pnpm already.

rule=use-pnpm
broken=1
. "${0%/*}/common.sh" || exit 1

field tool_input.command
command=$value
case $command in
# In a here document npm may be text, and text is left alone.
*'<<'*) exit 0 ;;
*npm* | *npx*) ;;
*) exit 0 ;;
esac
[ "${#command}" -le "$longest_command" ] || exit 0

field cwd
bin=
[ -z "$value" ] || bin=$value/node_modules/.bin
# By the environment, because awk would read escapes in a `-v` value.
rewritten=$(printf '%s\n' "$command" | BIN=$bin awk -f "$here/pnpm.awk") || cannot 'the command could not be read'
[ "$rewritten" != "$command" ] || exit 0
answer rewrite tool_input.command "$rewritten"
