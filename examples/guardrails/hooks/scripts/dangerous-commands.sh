# Refuses recursive removals and forced pushes.

rule=dangerous-commands
broken=2
. "${0%/*}/common.sh" || exit 2

field tool_input.command
command=$value
[ -n "$command" ] || exit 0
[ "${#command}" -le "$longest_command" ] ||
    answer deny "Rule $rule: the command is over 64 KiB, too long to be checked. Write large text with the Write tool and run short commands."

found=$(lex dangerous.awk "$command") || cannot 'the command could not be read'

# A relative name is only safe inside a project.
if [ "$found" = here ]; then
    field cwd
    case $value in
    '') found=clean ;;
    / | "${HOME:-/}" | "${HOME:-}/") found=removal ;;
    # Folders directly below the root belong to the system.
    /*/?*) found=clean ;;
    *) found=removal ;;
    esac
fi

case $found in
clean) exit 0 ;;
removal) answer deny "Rule $rule: a recursive removal cannot be undone. Allowed are only node_modules, dist, build, target and tmp of the project root, by plain name and without cd: \`rm -rf dist\`. Remove other files one by one without -r, move a folder into tmp, or ask the user to remove it." ;;
push) answer deny "Rule $rule: a forced push can destroy the work of others on the remote. Fetch and rebase, then push normally, or use \`git push --force-with-lease\` on your own branch." ;;
unsure) answer deny "Rule $rule: this command cannot be read with certainty (an open quote, an unfinished here document, or a shift beside one). Split it into simpler commands, or write text with the Write tool." ;;
*) cannot 'the check gave no clear answer' ;;
esac
