# Reads a shell command from standard input and prints it with npm and npx
# replaced by pnpm, wherever one of them stands as a command outside of quotes.
# Everything else stays byte for byte. BIN in the environment
# is the folder of the installed tools.

{ text = text (NR > 1 ? "\n" : "") $0 }

END {
    bin = ENVIRON["BIN"]
    printf "%s", translated(text)
}

function translated(s,    out, i, c, start, quote, rest, size, word) {
    out = ""
    start = 1
    quote = ""
    size = length(s)
    for (i = 1; i <= size; i++) {
        c = substr(s, i, 1)
        if (quote != "") {
            if (c == "\\" && quote == "\"") { out = out c substr(s, ++i, 1); continue }
            if (c == quote) quote = ""
            out = out c
            continue
        }
        if (start && c ~ /[A-Za-z_!{]/) {
            rest = substr(s, i)
            match(rest, /^[^ \t\n;&|()<>'"\\$`]+/)
            word = substr(rest, 1, RLENGTH)
            if ((word == "npm" || word == "npx") && substr(rest, RLENGTH + 1, 1) ~ /^[ \t\n;&|)]?$/) {
                size_of_call = call_length(rest)
                out = out call(substr(rest, 1, size_of_call), word)
                i += size_of_call - 1
            } else {
                out = out word
                i += RLENGTH - 1
            }
            start = word ~ /^(sudo|time|env|exec|command|then|do|else|if|while|until|!|\{)$/ ||
                    word ~ /^[A-Za-z_][A-Za-z0-9_]*=/
            continue
        }
        if (c == "\\") { out = out c substr(s, ++i, 1); start = 0; continue }
        # The value of an assignment may be quoted: a command can still follow it.
        if (c == "'" || c == "\"") quote = c
        else if (c == "#" && (i == 1 || substr(s, i - 1, 1) ~ /[ \t\n;]/)) quote = "\n"
        else if (c ~ /[;|(\n]/ || (c == "&" && substr(s, i - 1, 1) !~ /[<>]/)) start = 1
        else if (c !~ /[ \t]/) start = 0
        out = out c
    }
    return out
}

# The length of one call: up to the next separator outside of quotes.
function call_length(s,    i, c, quote, size) {
    size = length(s)
    quote = ""
    for (i = 1; i <= size; i++) {
        c = substr(s, i, 1)
        if (quote != "") {
            if (c == "\\" && quote == "\"") i++
            else if (c == quote) quote = ""
        } else if (c == "\\") i++
        else if (c == "'" || c == "\"") quote = c
        else if (c ~ /[;|()\n]/ || (c == "&" && substr(s, i - 1, 1) !~ /[<>]/)) break
    }
    return i - 1
}

# Translates one call of npm or npx; a call without a sure counterpart stays.
function call(s, name,    verb, rest) {
    if (name == "npx") return npx(s)
    if (!match(s, /^npm[ \t]+[a-z-]+/)) return s
    verb = substr(s, 1, RLENGTH)
    rest = substr(s, RLENGTH + 1)
    if (rest !~ /^([ \t<>]|$)/) return s
    sub(/^npm[ \t]+/, "", verb)
    if (verb ~ /^(ci|clean-install)$/) return "pnpm install --frozen-lockfile" rest
    if (verb ~ /^(install|i|add)$/) return (names(rest) ? "pnpm add" : "pnpm install") rest
    if (verb ~ /^(uninstall|remove|rm|un)$/) return "pnpm remove" rest
    if (verb ~ /^(update|up|upgrade)$/) return "pnpm update" rest
    if (verb ~ /^(run|run-script)$/) return "pnpm run" arguments(rest)
    if (verb ~ /^(test|t|tst)$/) return "pnpm test" arguments(rest)
    if (verb == "start") return "pnpm start" arguments(rest)
    if (verb == "exec") return "pnpm exec" arguments(rest)
    if (verb ~ /^(ls|list|outdated|audit)$/) return "pnpm " verb rest
    return s
}

# pnpm hands all that follows to the script: npm's first `--` would go with it.
function arguments(rest) {
    sub(/[ \t]+--[ \t]+/, " ", rest)
    return rest
}

# Says whether an installation names packages.
function names(rest,    count, parts, i) {
    count = split(rest, parts, " ")
    for (i = 1; i <= count; i++) {
        if (parts[i] ~ /^[0-9]*[<>]/) { if (parts[i] ~ /[<>]$/) i++; continue }
        if (parts[i] !~ /^-/) return 1
    }
    return 0
}

# An installed tool is run as it is; another one is fetched.
function npx(s,    rest, tool, local) {
    rest = s
    sub(/^npx/, "", rest)
    local = sub(/^[ \t]+(--no-install|--no)([ \t]+|$)/, " ", rest)
    sub(/^[ \t]+(-y|--yes)([ \t]+|$)/, " ", rest)
    if (!match(rest, /^[ \t]+[A-Za-z0-9@][A-Za-z0-9@._\/-]*/)) return s
    tool = substr(rest, 1, RLENGTH)
    gsub(/[ \t]/, "", tool)
    if (local || (bin != "" && tool !~ /[\/@]/ && (getline line < (bin "/" tool)) >= 0)) return "pnpm exec" rest
    return "pnpm dlx" rest
}
