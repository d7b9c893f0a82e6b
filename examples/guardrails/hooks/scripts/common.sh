# Shared by the scripts of this package. Sourced, never run.
#
# A script sets `rule` (the name that a reader sees) and `broken` (its exit
# status when it cannot do its work: 2 refuses, 1 is only a fault) and then
# sources this file.

set -u
# Byte by byte, so that no locale changes what a pattern matches.
LC_ALL=C
export LC_ALL

here=${0%/*}
# Longer commands are refused: a check that runs out of time checks nothing.
longest_command=65536

# Ends the hook because its work could not be done.
cannot() {
    printf '%s: %s. Nothing was checked, so ask the user to repair the hook.\n' "$rule" "$1" >&2
    exit "$broken"
}

# Puts a field of the event into `value`: empty when the event has none.
field() {
    value=$(anyhook get "$1" --default '') || cannot 'the event could not be read'
}

# Gives the answer and ends the hook.
answer() {
    anyhook say "$@" || cannot 'the answer could not be given'
    exit 0
}

# Runs the lexer in shell.awk with the rules of file $1 on the command $2.
lex() {
    printf '%s\n' "$2" | awk -f "$here/shell.awk" -f "$here/$1"
}
