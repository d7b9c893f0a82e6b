# Reads a shell command from standard input and calls rule(n) for each simple
# command in it, with its words in w[1] to w[n] after quote removal and their
# kinds in kind[1] to kind[n]: "w" for a word, "r" for the target of a
# redirection. At the end it calls verdict().
#
# It looks into subshells, command and process substitutions, and (where any
# shell is started in the same text) into quoted strings and here documents.
# In a word, \001 stands for an expansion whose value is not known here, and a
# quoted pattern character is written `_`, so that only live patterns remain.
# What it cannot read with certainty sets `unsure`, and the rules refuse then.

{ text = text (NR > 1 ? "\n" : "") $0 }

END {
    words_of("sh bash dash zsh ksh mksh ash fish eval source . su ssh trap alias watch parallel script", SHELLS)
    words_of("sudo doas env nohup nice ionice time timeout command exec builtin xargs stdbuf setsid " \
             "chroot busybox toybox eval ssh su watch parallel find then do else elif if while until ! { " \
             "unshare strace flock coproc noglob nocorrect function", WRAPPERS)
    scan(text, "")
    for (;;) {
        if (body_at < bodies) scan(BODY[++body_at], "H")
        else if (shell_seen && string_at < strings) scan(STRING[++string_at], "")
        else break
        if (bodies + strings > 2000) { unsure = 1; break }
    }
    verdict()
}

function words_of(list, into,    parts, count, i) {
    count = split(list, parts, " ")
    for (i = 1; i <= count; i++) into[parts[i]] = 1
}

# The name of a command: its last path component, in lower case, because some
# file systems do not tell `RM` from `rm`.
function base(word) {
    sub(/^.*\//, "", word)
    return tolower(word)
}

function is_assignment(word) { return word ~ /^[A-Za-z_][A-Za-z0-9_]*\+?=/ }

# The position of the command word, after assignments and redirections.
function first_word(n,    i) {
    for (i = 1; i <= n; i++) if (kind[i] == "w" && !is_assignment(w[i])) return i
    return n + 1
}

# Says whether the word at `i` may be a command: the first one, or any word
# after a command that runs another one (`sudo`, `xargs`, `then`).
function may_run(i, n,    first) {
    first = first_word(n)
    return kind[i] == "w" && (i == first || (i > first && (base(w[first]) in WRAPPERS)))
}

# Keeps a string that could be handed to a shell.
function keep(string) {
    if (string !~ /[ \t\n;&|(`$<>{]/ || (string in KEPT)) return
    KEPT[string] = 1
    STRING[++strings] = string
}

function push(opener) {
    F++
    N[F] = 0; CUR[F] = ""; HAS[F] = 0; Q[F] = ""; OPEN[F] = opener; CASE[F] = 0; NEXT[F] = "w"; HERE[F] = 0
    ARITH[F] = 0; QUOTED[F] = 0
}

function add(text) { CUR[F] = CUR[F] text; HAS[F] = 1 }

function end_word() {
    if (!HAS[F]) return
    if (NEXT[F] == "d") {
        DELIMITER[++pending] = CUR[F]
        PLAIN[pending] = !QUOTED[F]
        TABS[pending] = HERE[F] == 2
    } else {
        N[F]++
        W[F, N[F]] = CUR[F]
        K[F, N[F]] = NEXT[F]
    }
    CUR[F] = ""; HAS[F] = 0; NEXT[F] = "w"; QUOTED[F] = 0
}

function end_command(    i, n, joined) {
    end_word()
    NEXT[F] = "w"
    n = N[F]
    N[F] = 0
    if (n == 0) return
    joined = ""
    for (i = 1; i <= n; i++) {
        w[i] = W[F, i]
        kind[i] = K[F, i]
        keep(w[i])
        if (w[i] ~ /=/) keep(substr(w[i], index(w[i], "=") + 1))
        if (i > 1) joined = joined (joined == "" ? "" : " ") w[i]
    }
    i = first_word(n)
    if (i > n || w[i] ~ /^(export|local|readonly|declare|typeset)$/) remember(n)
    if (w[1] == "case") CASE[F]++
    if (w[1] == "esac" && CASE[F] > 0) CASE[F]--
    for (i = 1; i <= n; i++) if (may_run(i, n) && (base(w[i]) in SHELLS)) { shell_seen = 1; keep(joined) }
    rule(n)
}

# Remembers plain assignments, so that `r=rm; $r -rf x` hides nothing.
function remember(n,    i, at, name, value) {
    for (i = 1; i <= n; i++) {
        if (!is_assignment(w[i])) continue
        at = index(w[i], "=")
        name = substr(w[i], 1, at - 1)
        value = substr(w[i], at + 1)
        if (sub(/\+$/, "", name)) value = VALUE[name] value
        # A value set twice could be either of both.
        if (length(value) > 4096 || ((name in VALUE) && VALUE[name] != value)) value = "\001"
        VALUE[name] = value
    }
}

# Adds the value of a variable: split into words where it is not quoted.
function expand(name, quoted,    parts, count, i, value) {
    if (!(name in VALUE)) { add("\001"); return }
    value = VALUE[name]
    if (quoted) { add(value); return }
    count = split(value, parts, /[ \t\n]+/)
    for (i = 1; i <= count; i++) {
        if (i > 1) end_word()
        if (parts[i] != "") add(parts[i])
    }
}

# Reads what follows a `$` at position i; gives the position of its last character.
function dollar(s, i, quoted,    next_one, rest) {
    next_one = substr(s, i + 1, 1)
    if (next_one == "(") {
        add("\001")
        push("(")
        if (substr(s, i + 2, 1) == "(") ARITH[F] = 1
        return i + 1
    }
    if (next_one == "[") { arithmetic = 1; add("\001"); return i + 1 }
    if (next_one == "'" && !quoted) return ansi(s, i + 2)
    if (next_one == "\"" && !quoted) return i
    rest = substr(s, i + 1, 80)
    if (match(rest, /^[A-Za-z_][A-Za-z0-9_]*/)) {
        expand(substr(rest, 1, RLENGTH), quoted)
        return i + RLENGTH
    }
    if (match(rest, /^\{[A-Za-z_][A-Za-z0-9_]*\}/)) {
        expand(substr(rest, 2, RLENGTH - 2), quoted)
        return i + RLENGTH
    }
    if (match(rest, /^([0-9@*#?!$-]|\{)/)) { add("\001"); return i + 1 }
    add("$")
    return i
}

# Reads a `$'...'` string from position i; gives the position of its last quote.
function ansi(s, i,    c, byte) {
    HAS[F] = 1
    QUOTED[F] = 1
    for (; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "'") return i
        if (c != "\\") { add(c ~ /[*?[]/ ? "_" : c); continue }
        i++
        c = substr(s, i, 1)
        # Shells differ about this one, so no reading of it is certain.
        if (c == "'") { unsure = 1; continue }
        if (c == "x" && match(substr(s, i + 1, 2), /^[0-9A-Fa-f]+/)) {
            byte = number(substr(s, i + 1, RLENGTH), 16)
            i += RLENGTH
            add(sprintf("%c", byte ? byte : 1))
        } else if (match(substr(s, i, 3), /^[0-7]+/)) {
            byte = number(substr(s, i, RLENGTH), 8)
            i += RLENGTH - 1
            add(sprintf("%c", byte ? byte : 1))
        } else if (c ~ /[uUc]/) add("\001")
        else if (c ~ /[nrtfv]/) add("\n")
        else add(c)
    }
    unsure = 1
    return i
}

function number(digits, radix,    i, value) {
    value = 0
    digits = tolower(digits)
    for (i = 1; i <= length(digits); i++) value = value * radix + index("0123456789abcdef", substr(digits, i, 1)) - 1
    return value
}

# Takes the here documents that begin after position i; gives the position
# of the last newline that belongs to them.
function documents(s, i,    k, end, line, body, found) {
    for (k = 1; k <= pending; k++) {
        body = ""
        found = 0
        while (i < length(s)) {
            end = index(substr(s, i + 1), "\n")
            line = end ? substr(s, i + 1, end - 1) : substr(s, i + 1)
            i = end ? i + end : length(s)
            if (TABS[k]) sub(/^\t+/, "", line)
            if (line == DELIMITER[k]) { found = 1; break }
            body = body line "\n"
        }
        if (!found) unsure = 1
        keep(body)
        if (PLAIN[k]) BODY[++bodies] = body
    }
    pending = 0
    return i
}

function scan(s, quote,    i, c, d, size) {
    F = 0
    pending = 0
    push("")
    Q[F] = quote
    size = length(s)
    for (i = 1; i <= size; i++) {
        c = substr(s, i, 1)
        if (Q[F] == "'") {
            if (c == "'") Q[F] = ""
            else add(c ~ /[*?[]/ ? "_" : c)
        } else if (Q[F] == "\"" || Q[F] == "H") {
            if (c == "\"" && Q[F] == "\"") Q[F] = ""
            else if (c == "\\") {
                d = substr(s, ++i, 1)
                if (d == "\n") continue
                add(d ~ /[$`"\\]/ ? d : "\\" d)
            } else if (c == "$") i = dollar(s, i, 1)
            else if (c == "`") backquote()
            else add(c ~ /[*?[]/ ? "_" : c)
        } else i = code(s, i, c)
    }
    if (Q[F] == "'" || Q[F] == "\"" || F > 1 || pending) unsure = 1
    while (F > 1) { end_command(); F-- }
    # A here document is text: only what it substitutes is a command.
    if (quote == "") end_command()
}

function backquote() {
    if (OPEN[F] == "`") { end_command(); F--; return }
    # Inside of one the next closes it, however deep the quotes are.
    if (in_backquote()) { unsure = 1; return }
    add("\001")
    push("`")
}

function in_backquote(    f) {
    for (f = F; f > 0; f--) if (OPEN[f] == "`") return 1
    return 0
}

# Reads one character outside of quotes; gives the position of the last one used.
function code(s, i, c,    d, end) {
    d = substr(s, i + 1, 1)
    if (c == "\\") {
        # Inside backquotes a backslash is taken away twice: not certain.
        if (in_backquote()) unsure = 1
        if (d != "\n") { add(d ~ /[*?[]/ ? "_" : d); QUOTED[F] = 1 }
        return i + 1
    }
    if (c == "'" || c == "\"") { Q[F] = c; HAS[F] = 1; QUOTED[F] = 1; return i }
    if (c == "$") return dollar(s, i, 0)
    if (c == "`") { backquote(); return i }
    if (c == " " || c == "\t" || c == "\r") { end_word(); return i }
    if (c == "#" && !HAS[F]) {
        end = index(substr(s, i), "\n")
        return end ? i + end - 2 : length(s)
    }
    if (c == "\n") {
        end_command()
        return pending ? documents(s, i) : i
    }
    if (c == ";" || c == "|") { end_command(); return i }
    if (c == "&") { end_command(); return i }
    if (c == "(") {
        end_command()
        push("(")
        if (d == "(" || ARITH[F - 1]) ARITH[F] = 1
        return i
    }
    if (c == ")") {
        end_command()
        if (CASE[F] > 0 || OPEN[F] != "(") return i
        F--
        return i
    }
    if (c == "<" || c == ">") return redirection(s, i, c, d)
    add(c)
    return i
}

function redirection(s, i, c, d) {
    # `2>` is one operator: its number is no word.
    if (CUR[F] ~ /^[0-9]+$/ && !QUOTED[F]) { CUR[F] = ""; HAS[F] = 0 }
    end_word()
    if (d == "(") { push("("); return i + 1 }
    if (c == "<" && d == "<") {
        if (substr(s, i + 2, 1) == "<") { NEXT[F] = "w"; return i + 2 }
        if (arithmetic || ARITH[F]) unsure = 1
        NEXT[F] = "d"
        HERE[F] = substr(s, i + 2, 1) == "-" ? 2 : 1
        return HERE[F] == 2 ? i + 2 : i + 1
    }
    NEXT[F] = "r"
    return d ~ /[<>&|]/ && d != "" ? i + 1 : i
}
