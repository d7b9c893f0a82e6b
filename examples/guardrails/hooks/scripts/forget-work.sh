# Removes the marks of a session that ends.

rule=forget-work
broken=1
. "${0%/*}/common.sh" || exit 1
. "$here/marks.sh" || exit 1

find_marks || exit 0
for name in written tested refused; do
    unmark "$name"
done
rmdir "$marks" || cannot 'the folder for marks could not be removed'
