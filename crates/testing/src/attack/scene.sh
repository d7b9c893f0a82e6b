# Makes the scratch repository of an attack, with a remote, work that is not committed, and history on both sides.
set -e
cd "$BASE"
git init -q --bare -b trunk remote.git
git -C remote.git config receive.denyDeleteCurrent ignore
cd project
git init -q -b main .
git config user.name a
git config user.email a@example.com
git config gc.auto 0
git config maintenance.auto false
git remote add origin "$BASE/remote.git"
echo one > work.txt
echo one > note.md
git add work.txt note.md
git commit -q -m one
git push -q -u origin main
echo theirs > theirs.txt
git add theirs.txt
git commit -q -m theirs
git push -q origin main
git reset -q --hard HEAD~1
echo ours > ours.txt
git add ours.txt
git commit -q -m ours
git checkout -q -B "$BRANCH"
echo unsaved >> work.txt
echo staged > staged.txt
git add staged.txt
echo new > new.txt
