# Rules for shell.awk: prints each word on a line of its own, after the name of
# its command and its kind. The last line is `end` or `unsure`.

function rule(n,    i, name) {
    name = first_word(n) <= n ? base(w[first_word(n)]) : ""
    gsub(/[^a-z0-9_.-]/, "_", name)
    for (i = 1; i <= n; i++) braces(name, kind[i], w[i], 0)
}

# Prints a word once for each choice of its braces: `.{env,x}` is two words.
function braces(name, sort, word, depth,    before, after, choices, count, parts, i) {
    if (depth < 4 && match(word, /\{[^{}]*,[^{}]*\}/)) {
        before = substr(word, 1, RSTART - 1)
        choices = substr(word, RSTART + 1, RLENGTH - 2)
        after = substr(word, RSTART + RLENGTH)
        count = split(choices, parts, ",")
        for (i = 1; i <= count; i++) braces(name, sort, before parts[i] after, depth + 1)
        return
    }
    gsub(/\001/, "", word)
    gsub(/[\n\t\r]/, " ", word)
    print name " " sort " " word
}

function verdict() { print (unsure ? "unsure" : "end") }
