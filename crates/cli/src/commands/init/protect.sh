#!/bin/sh
# Refuses writing below production/. The file of the call is in $file.
case "$file" in
*/production/*)
  echo "Rule protected-paths: $file is not for agents. Show the change to the user instead." >&2
  exit 2
  ;;
esac
