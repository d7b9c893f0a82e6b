# Keeps what every run came to: the event, one line each, beside the project's own files.

cat >>"${PROJECT_DIR:?}/.runs.jsonl"
