
[ "$HOOK_TEST" = true ] || echo "ERROR: not in a test"
grep -q '"toolName":"Write"' || echo "ERROR: no payload"
echo "formatted $file"
