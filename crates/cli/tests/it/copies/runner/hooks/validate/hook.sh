. "$(dirname "$0")/../../adapters/answer.sh"
answer
