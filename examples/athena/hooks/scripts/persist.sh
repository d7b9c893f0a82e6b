# Keeps what every run came to: the event, one line each, beside the project's own files. Whoever cannot write says so and
# ends with 1: a shell ends with 2 itself, and that would send the agent back to work.

cat >>"${PROJECT_DIR:?}/.runs.jsonl" || exit 1
