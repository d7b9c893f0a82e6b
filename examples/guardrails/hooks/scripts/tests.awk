# Rules for shell.awk: prints `tests` if a command runs a test suite.

function rule(n,    i) {
    for (i = first_word(n); i <= n; i++) if (may_run(i, n) && runs_tests(i, n)) ran = 1
}

function runs_tests(at, n,    name, verb, i) {
    name = base(w[at])
    if (name ~ /^(jest|vitest|mocha|ava|pytest|nextest|phpunit|rspec|ctest|bats)$/) return 1
    for (i = at + 1; i <= n && w[i] ~ /^[-+]/; i++)
        if (name == "node" && w[i] == "--test") return 1
    if (i > n) return 0
    verb = w[i]
    if (name ~ /^(npm|pnpm|yarn|bun|deno)$/) {
        if (verb ~ /^(run|run-script|exec|dlx)$/ && i < n) verb = w[i + 1]
        return verb ~ /^(t|tst|test|tests|vitest|jest|mocha)$/ || verb ~ /^test:/
    }
    if (name == "npx") return verb ~ /^(vitest|jest|mocha|ava)$/
    if (name ~ /^(cargo|go|make|mvn|gradle|gradlew|dotnet|mix|swift)$/) return verb ~ /^(test|nextest|check)$/ && !(name == "cargo" && verb == "check")
    return 0
}

function verdict() { print (ran ? "tests" : "other") }
