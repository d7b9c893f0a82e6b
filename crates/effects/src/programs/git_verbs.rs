//! The verbs of git and of other version control programs.

use super::git::config;
use super::git_remote::{clone, fetch, makes_folders, push};
use super::git_told::told;
use super::git_work::{
    apply, by_word, checkout, clean, forgets, grep, removes, reset, restore, submodule, switch,
    worktree,
};
use super::{Program, row};

/// Options that each verb has which shows differences: they write, run, or read outside of the repository.
macro_rules! shows {
    ($more:literal) => {
        concat!($more, " output:w ext-diff!x textconv no-index!r O:r G: S: pickaxe-regex U,unified: p,u,patch stat? numstat shortstat dirstat? name-only name-status color? word-diff? word-diff-regex: color-words? diff-filter: ignore-submodules? submodule? src-prefix: dst-prefix: line-prefix: diff-algorithm: anchored: relative? inter-hunk-context: ws-error-highlight: abbrev? M,find-renames? C,find-copies? B? D l: R w b a,text s,no-patch z quiet exit-code check summary raw full-index binary minimal patience histogram no-renames cached staged merge-base")
    };
}

pub(super) static ROWS: &[Program] = &[
    row("git add|stage", "A,all u,update p,patch i,interactive e,edit f,force n,dry-run v,verbose N,intent-to-add chmod: pathspec-from-file:r renormalize refresh sparse", "R*"),
    row("git commit|citool|gui", "a,all m,message: F,file:r C,reuse-message: c,reedit-message: t,template:r author: date: amend n,no-verify s,signoff S,gpg-sign? fixup: squash: cleanup: pathspec-from-file:r p,patch e,edit no-edit v,verbose q,quiet u,untracked-files? o,only i,include allow-empty allow-empty-message dry-run!0 short porcelain reset-author trailer: verify no-post-rewrite status", "-*").does("b"),
    row("git commit-tree", "m: F:r p: S?", "-*"),
    row("git merge", "m: F,file:r n,stat e,edit no-edit no-commit squash ff no-ff ff-only s,strategy: X,strategy-option: S,gpg-sign? verify no-verify verify-signatures autostash abort!X continue quit cleanup: into-name: allow-unrelated-histories q,quiet v,verbose log? signoff rerere-autoupdate", "-*").does("b t"),
    row("git rebase", "onto: x,exec:c i,interactive root abort!X continue skip!X quit edit-todo show-current-patch!0 m,merge s,strategy: X,strategy-option: S,gpg-sign? autosquash autostash f,force-rebase,no-ff keep-base empty: no-verify r,rebase-merges? C: whitespace: q,quiet v,verbose n,no-stat update-refs fork-point signoff committer-date-is-author-date reset-author-date keep-empty reapply-cherry-picks", "-*").does("b t"),
    row("git cherry-pick|revert", "e,edit n,no-commit m,mainline: x r s,signoff S,gpg-sign? ff abort!X continue skip!X quit strategy: X,strategy-option: cleanup: allow-empty allow-empty-message keep-redundant-commits empty: no-edit reference", "-*").does("b t"),
    row("git am|mailsplit|mailinfo", "3,3way i,interactive s,signoff k,keep abort!X continue skip!X quit whitespace: C: p: directory: exclude: include: reject S,gpg-sign? patch-format: no-verify n show-current-patch? committer-date-is-author-date q,quiet u,utf8 c,scissors m,message-id empty: retry resolved,r", "r*").does("b t"),
    row("git apply", "p: C: check!r stat!r numstat!r summary!r index cached 3way,3 R,reverse!X reject directory: exclude: include: whitespace: unsafe-paths unidiff-zero z apply N,intent-to-add allow-empty inaccurate-eof v,verbose q,quiet allow-overlap recount build-fake-ancestor:w", "r*").more(apply),
    row("git push", "f,force force-with-lease? force-if-includes d,delete mirror all,branches tags prune n,dry-run repo: u,set-upstream follow-tags no-verify o,push-option: receive-pack:c exec:c atomic signed? thin q,quiet v,verbose progress porcelain recurse-submodules: 4,ipv4 6,ipv6 no-signed", "-*").more(push),
    row("git send-pack|http-push", "f,force all,branches mirror dry-run receive-pack:c exec:c thin atomic signed? stdin helper-status push-option: force-with-lease? force-if-includes verbose quiet remote: d:- prune:-", "-*").more(push),
    row("git fetch|ls-remote|fetch-pack|archive-remote|remote-http|remote-https", "a,append all p,prune P,prune-tags t,tags n,no-tags f,force k,keep depth: deepen: shallow-since: shallow-exclude: u,update-head-ok upload-pack:c o,server-option: j,jobs: recurse-submodules? refmap: filter: multiple dry-run q,quiet v,verbose progress write-fetch-head stdin exec:c heads h refs exit-code get-url symref sort: set-upstream unshallow atomic 4 6", "-*").more(fetch),
    row("git pull", "r,rebase? no-rebase ff no-ff ff-only s,strategy: X,strategy-option: S? autostash m: no-commit squash e,edit no-edit no-verify all a,append p,prune t,tags n,no-tags f,force depth: upload-pack:c o,server-option: j,jobs: recurse-submodules? refmap: q,quiet v,verbose allow-unrelated-histories set-upstream verify-signatures", "-*").does("b t").more(fetch),
    row("git clone", "b,branch: o,origin: c,config: u,upload-pack:c depth: template:x reference:R reference-if-able:R separate-git-dir:W j,jobs: recurse-submodules? recursive shallow-since: shallow-exclude: filter: bundle-uri:n server-option: bare mirror n,no-checkout l,local s,shared q,quiet v,verbose single-branch no-tags sparse no-hardlinks no-single-branch dissociate progress", "-*").more(clone),
    row("git init", "q,quiet bare template:x separate-git-dir:W b,initial-branch: shared? object-format: ref-format:", "W*").does("W:.git").more(makes_folders),
    row("git config", "global system local worktree f,file:u blob: get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list e,edit type: t: bool int path default: show-origin show-scope null,z name-only includes get-color get-colorbool fixed-value all value: comment: append regexp url:", "-*").more(config),
    row("git checkout", "b: B: f,force t,track? orphan: d,detach l p,patch m,merge ours theirs conflict: pathspec-from-file:r pathspec-file-nul q,quiet guess no-guess overlay no-overlay ignore-skip-worktree-bits ignore-other-worktrees recurse-submodules? overwrite-ignore progress", "-*").more(checkout),
    row("git switch", "c,create: C,force-create:!X f,force,discard-changes!X t,track? orphan: d,detach m,merge q,quiet guess no-guess conflict: ignore-other-worktrees recurse-submodules? overwrite-ignore progress", "-*").more(switch),
    row("git restore", "s,source: S,staged W,worktree p,patch ours theirs m,merge conflict: pathspec-from-file:r pathspec-file-nul q,quiet overlay no-overlay ignore-unmerged recurse-submodules? progress", "-*").more(restore),
    row("git checkout-index", "a,all f,force!X u q n prefix: temp stage: stdin z", "Y*").does("t"),
    row("git read-tree", "m u reset!X prefix: index-output:w i n v trivial aggressive no-sparse-checkout empty", "-*").does("t"),
    row("git reset", "hard soft mixed merge keep q,quiet N,intent-to-add p,patch pathspec-from-file:r pathspec-file-nul refresh recurse-submodules?", "-*").more(reset),
    row("git clean", "d f,force i,interactive n,dry-run q,quiet e,exclude: x X", "-*").more(clean),
    row("git rm", "f,force n,dry-run r cached ignore-unmatch sparse q,quiet pathspec-from-file:r pathspec-file-nul", "-*").more(removes),
    row("git mv", "f,force k n,dry-run!0 v,verbose sparse", "m* W"),
    row("git stash", "p,patch k,keep-index q,quiet u,include-untracked a,all m,message: index S,staged pathspec-from-file:r", "-*").more(by_word),
    row("git branch", "d,delete D f,force m,move M c,copy C a,all r,remotes l,list v,verbose q,quiet t,track? set-upstream-to,u: unset-upstream contains? no-contains? merged? no-merged? points-at: sort: format: edit-description show-current column? color? abbrev: i,ignore-case create-reflog", "-*").more(forgets),
    row("git tag", "d,delete f,force a,annotate s,sign u,local-user: m,message: F,file:r l,list n? sort: format: contains? no-contains? merged? no-merged? points-at: v,verify e,edit cleanup: column? color? i create-reflog", "-*").more(forgets),
    row("git update-ref|symbolic-ref|replace", "d,delete m: no-deref stdin!X z create-reflog q,quiet short f,force e,edit g,graft l,list format:", "-*").more(forgets),
    row("git worktree", "+", "-*").more(worktree),
    row("git submodule", "+", "-*").more(submodule),
    row("git reflog|bisect|remote|sparse-checkout|lfs|maintenance|rerere|notes", "+", "-*").more(by_word),
    row("git gc|prune|repack|prune-packed|pack-refs", "prune?!X expire:!X a A d!X f F q,quiet n,dry-run v,verbose auto aggressive force keep-largest-pack l window: depth: threads: max-pack-size: keep-pack: unpack-unreachable: no-prune detach cruft cruft-expiration:!X", "-*"),
    row("git filter-branch", "+ setup:c env-filter:c tree-filter:c index-filter:c parent-filter:c msg-filter:c commit-filter:c tag-name-filter:c subdirectory-filter: original: d:W f,force state-branch: prune-empty", "-*").does("X t"),
    row("git filter-repo", "path: invert-paths force f replace-text:r", "-*").does("X t x"),
    row("git diff|diff-tree|diff-index|diff-files|range-diff", shows!("t r root stdin ours,2 theirs,3 base,1"), "-*").more(told),
    row("git log|show|whatchanged|shortlog|reflog-show|rev-list|format-patch-show", shows!("n,max-count: skip: since,after: until,before: author: committer: grep: i,regexp-ignore-case E F P L: format,pretty? oneline graph decorate? date: first-parent merges no-merges all branches? tags? remotes? glob: exclude: follow g,walk-reflogs reverse topo-order left-right cherry-pick e numbered group: encoding: notes? show-signature full-history count objects disk-usage? no-decorate stdin"), "-*").more(told),
    row("git format-patch", shows!("o,output-directory:W n,numbered N start-number: subject-prefix: v,reroll-count: attach? inline? thread? in-reply-to: to: cc: from? add-header: cover-letter signature: signature-file:r base: k signoff suffix: stdout!0 interdiff: range-diff: root"), "-*").does("w:*.patch"),
    row("git blame|annotate|describe|name-rev|merge-base|cherry|show-branch|for-each-ref|show-ref|ls-files|ls-tree|cat-file|rev-parse|status|var|version|help|count-objects|verify-commit|verify-tag|verify-pack|fsck|check-ignore|check-attr|check-ref-format|check-mailmap|diagnose|stripspace|column|fmt-merge-msg|write-tree|mktree|get-tar-commit-id|patch-id|unpack-file|for-each-repo|merge-tree|interpret-trailers|request-pull|last-modified|refs|credential-cache|fsmonitor--daemon|update-index|update-server-info|multi-pack-index|commit-graph|pack-objects|index-pack|unpack-objects|bugreport|archive", "o,output:w output-directory:w O,open-files-in-pager?!x textconv filters!x contents:r ignore-revs-file:r f:r L: S:r no-index!R e: A: B: C? m: n: t: p format: sort: in-place!w exec:c remote:n prefix: add-file:r exclude-per-directory: X:r x: s? u? config: w batch? path: index-info stdin lost-found!w", "-*").more(told),
    row("git grep", "O,open-files-in-pager?!x f:r A: B: C: m,max-count: e: threads: max-depth: no-index untracked cached n i l c h H o p q v w z E F G P W textconv recurse-submodules parent-basename:", "-*").more(grep),
    row("git hash-object", "w t: path: stdin stdin-paths no-filters literally", "r*"),
    row("git mergetool|difftool", "t,tool: x,extcmd:c y,no-prompt g,gui d,dir-diff prompt O:r no-index!r tool-help cached staged", "-*").does("x"),
    row("git bundle", "", "- w -*"),
    row("git fast-import", "+", "-*").does("b X t x"),
    row("git fast-export|svn|p4|cvsimport|quiltimport|send-email|imap-send|daemon|instaweb|web--browse|shell|upload-pack|receive-pack|upload-archive|http-backend|http-fetch|credential|credential-store|hook|subtree|cvsserver|flow|town|machete|absorb|branchless|extras", "", "-*").does("x t"),
    row("hg|chg|sl", "+ R,repository,cwd:/ config:x config-file:x y,noninteractive q v", "v"),
    row("svn", "+ username: password: config-dir:x non-interactive q", "v"),
    row("jj", "+ R,repository:/ config:x config-file:x no-pager", "v"),
    row("gt|svnadmin|svnsync|fossil|darcs|pijul|bzr|cvs|p4|repo|git-lfs|git-crypt|lazygit|tig|gitui", "", "-*").does("x"),
    row("hg commit|ci|backout|import|graft|rebase|histedit", "m: l:r A", "-*").does("b t"),
    row("hg push", "f,force r: b: B: new-branch e:x remotecmd:x", "-*").more(push),
    row("hg pull|clone|incoming|outgoing|in|out", "u r: e:x remotecmd:x", "-*").more(fetch),
    row("hg update|up|checkout|co|revert|purge|strip|rollback|clean", "C,clean a,all r: R", "-*").does("X t"),
    row("hg status|st|log|diff|id|identify|branch|branches|heads|tip|annotate|blame|cat|manifest|files|parents|root|summary|paths|help|version|grep|tags", "o:w output:w r: l: T: git", "-*"),
    row("svn commit|ci|import|copy|delete|mkdir|lock|unlock|propset", "m: F:r editor-cmd:c", "-*").does("b n"),
    row("svn checkout|co|update|up|switch|export|merge", "r: force diff3-cmd:x", "-*").does("n t"),
    row("svn revert|cleanup", "R remove-unversioned remove-ignored", "Y*").does("X"),
    row("svn status|st|log|diff|info|list|ls|cat|blame|help|propget", "r: diff-cmd:x", "-*"),
    row("jj log|diff|show|status|st|help|version|root|config list", "r: s git", "-*"),
    // What it replaces stays in its log of operations.
    row("jj commit|describe|desc|squash|split", "m: r: d: s:", "-*").does("b"),
    row("jj new|rebase|edit|undo|redo", "m: r: d: s:", "-*").does("b W:."),
    row("jj abandon|restore", "m: r: d: s:", "-*").does("b t"),
];
