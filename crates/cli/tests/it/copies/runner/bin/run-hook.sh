root="$(cd "$(dirname "$0")/.." && pwd)"
exec sh "$root/hooks/$1/hook.sh"
