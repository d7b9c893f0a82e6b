# Remembers what was written, and that tests ran after it. Says nothing.

rule=remember-work
broken=1
. "${0%/*}/common.sh" || exit 1
. "$here/marks.sh" || exit 1

field tool_name
case $value in
Bash)
    field tool_input.command
    [ "${#value}" -le "$longest_command" ] || exit 0
    found=$(lex tests.awk "$value") || cannot 'the command could not be read'
    [ "$found" = tests ] || exit 0
    # A run that was cut short, or that has only begun, proves nothing.
    for name in tool_result.interrupted tool_input.run_in_background; do
        field "$name"
        [ "$value" != true ] || exit 0
    done
    make_marks
    mark tested
    ;;
Write | Edit | MultiEdit | NotebookEdit)
    make_marks
    mark written
    unmark tested
    unmark refused
    ;;
esac
exit 0
