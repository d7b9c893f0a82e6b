# Rules for shell.awk: recursive removals and forced pushes. Prints the name of
# the rule that a command breaks (`removal`, `push`, `unsure`), `here` for a
# removal that is right only inside a project, or `clean`.

function rule(n,    i, first) {
    first = first_word(n)
    # `rm` and `git` are looked for wherever a command can stand.
    for (i = first; i <= n; i++) {
        if (!may_run(i, n)) continue
        if (base(w[i]) ~ /^(cd|pushd|popd|chdir)$/) moved = 1
        if (base(w[i]) == "rm") removal(i, n)
        else if (base(w[i]) == "git") git(i, n)
        else if (w[i] !~ /^\[\[?$/ && (w[i] ~ /[\001*?[]/ || w[i] ~ /\{.*,/)) hidden(i, n)
    }
}

# Reads the options and targets of a removal that begins at `at`.
function options(at, n,    i, word, ended) {
    recursive = force = targets = 0
    ended = 0
    for (i = at + 1; i <= n; i++) {
        if (kind[i] != "w") continue
        word = w[i]
        if (!ended && word == "--") ended = 1
        else if (!ended && word ~ /^\{?-/) {
            if (word ~ /^--/) {
                # Options may be shortened: `--rec`, `--fo`.
                if (length(word) > 2 && index("--recursive", word) == 1) recursive = 1
                if (length(word) > 2 && index("--force", word) == 1) force = 1
                continue
            }
            if (word ~ /[rR\001]/) recursive = 1
            if (word ~ /[f\001]/) force = 1
        } else TARGET[++targets] = word
    }
}

# Without a terminal nobody is asked, so `rm -r` is as forced as `rm -rf`.
function removal(at, n,    i) {
    options(at, n)
    if (!recursive) return
    if (moved || targets == 0 || at > first_word(n) && base(w[first_word(n)]) !~ /^(then|do|else|if|while|!|\{|time)$/) {
        removed = 1
        return
    }
    for (i = 1; i <= targets; i++) {
        # One plain name: a parent could be a link to anywhere.
        if (TARGET[i] ~ /^(\.\/)?(node_modules|dist|build|target|tmp)\/?$/) here = 1
        else removed = 1
    }
}

# A command whose name is not known here, with the options of a removal or a push.
function hidden(at, n,    i, known, name, count, parts) {
    known = 1
    # An option that `rm` does not have shows that this is something else.
    for (i = at + 1; i <= n; i++) if (w[i] ~ /^-[A-Za-z]/ && w[i] !~ /^-[fiIrRdv]+$/) known = 0
    options(at, n)
    if (known && recursive && force) removed = 1
    for (i = at + 1; i <= n; i++) if (w[i] == "push") pushes(i, n)
    if (w[at] ~ /\{.*,/) {
        name = w[at]
        gsub(/[{},]/, " ", name)
        count = split(name, parts, " ")
        for (i = 1; i <= count; i++) if (base(parts[i]) == "rm") removed = 1
    }
}

function git(at, n,    i) {
    for (i = at + 1; i <= n; i++) {
        if (w[i] == "-c" || w[i] == "--config-env") {
            # An alias or a configured refspec would hide a push.
            if (tolower(w[i + 1]) ~ /^(alias\.|remote\..*\.(push|mirror)=)/) forced = 1
            i++
        } else if (w[i] ~ /^(-C|--git-dir|--work-tree|--namespace|--super-prefix)$/) i++
        else if (w[i] !~ /^-/) break
    }
    if (i <= n && (w[i] == "push" || w[i] ~ /[\001]/)) pushes(i, n)
    if (i <= n && w[i] == "send-pack") pushes(i, n)
}

function pushes(at, n,    i, word) {
    for (i = at + 1; i <= n; i++) {
        word = w[i]
        if (kind[i] != "w" || word ~ /^--force-(with-lease|if-includes)/) continue
        if (word ~ /^--f/ && index("--force", word) == 1) forced = 1
        if (word ~ /^--m/ && index("--mirror", word) == 1) forced = 1
        if (word ~ /^-[A-Za-z]*f/ || word ~ /^\+/ || word ~ /^\{?[-+].*,/) forced = 1
    }
}

function verdict() {
    if (removed) print "removal"
    else if (forced) print "push"
    else if (unsure) print "unsure"
    else print (here ? "here" : "clean")
}
