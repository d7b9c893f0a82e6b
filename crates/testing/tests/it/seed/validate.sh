
case "$file" in
/etc/*)
    echo "blocked: $file is a protected path" >&2
    printf '%s' '{"hookSpecificOutput":{"hookEventName":"pre-tool-use","permissionDecision":"deny"}}'
    exit 2
    ;;
esac
