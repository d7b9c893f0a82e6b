# Refuses once to stop while something was written and no tests ran after it.

rule=tests-before-stop
broken=1
. "${0%/*}/common.sh" || exit 1
. "$here/marks.sh" || exit 1

field stop_hook_active
[ "$value" != true ] || exit 0
find_marks || exit 0
[ -e "$marks/written" ] || exit 0
[ ! -e "$marks/tested" ] || exit 0
# Not every host says that it was refused before.
[ ! -e "$marks/refused" ] || exit 0
mark refused
answer deny "Rule $rule: files were written and no tests ran after the last of them, so nobody knows whether the work is right. Run \`pnpm test\`, repair what fails, and then finish. If there are no tests for this, say so and finish."
