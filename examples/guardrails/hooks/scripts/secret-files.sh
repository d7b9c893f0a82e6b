# Refuses to read or write secret files, by a file tool or through the shell.

rule=secret-files
broken=2
. "${0%/*}/common.sh" || exit 2
# Names are split into parts below; they must never become lists of files.
set -f

refuse() {
    answer deny "Rule $rule: this touches a secret (.env files, *.pem, private keys, .ssh, secrets), and secrets must not enter the conversation or be changed by an agent. Use .env.example for names of variables, let the program read its secrets itself, or ask the user to make the change."
}

# Says whether one part of a path, in lower case, is a secret file.
secret_file() {
    case $1 in
    .env.example) return 1 ;;
    .env | .env.* | .env~ | *.pem | id_rsa | id_dsa | id_ecdsa | id_ed25519) return 0 ;;
    *[\*\?\[]*) ;;
    *) return 1 ;;
    esac
    # A live pattern: a secret that it can match is as good as named.
    case $1 in
    .* | \[*)
        for name in .env .env.local .ssh; do
            case $name in $1) return 0 ;; esac
        done
        ;;
    *[!\*]*)
        for name in id_rsa id_ed25519 key.pem secrets; do
            case $name in $1) return 0 ;; esac
        done
        ;;
    esac
    return 1
}

# Refuses if any part of a path is secret. $2 says whether a bare name is a path.
check() {
    parts=$(printf '%s\n' "$1" | tr '[:upper:]\\' '[:lower:]/') || cannot 'a name could not be read'
    whole=$parts
    IFS='/=:@,'
    # Unquoted on purpose: this is the split.
    # shellcheck disable=SC2086
    set -- "$2" $parts
    unset IFS
    bare=$1
    shift
    for part in "$@"; do
        # Some file systems ignore spaces and dots at the end of a name.
        while :; do
            case $part in
            *' ' | *[!.]*.) part=${part%?} ;;
            *) break ;;
            esac
        done
        ! secret_file "$part" || refuse
        # A short option may carry its value: `-f.env`.
        ! secret_file "${part#-?}" || refuse
        case $part in
        .ssh | secrets)
            case $bare:$whole in
            path:* | *:*/*) refuse ;;
            esac
            ;;
        esac
    done
}

# Refuses if a file tool is about to touch a secret, by name or through a link.
check_path() {
    case $1 in
    '["'* | '{"'*) answer deny "Rule $rule: the path of this call is not a text, so it cannot be checked. Call the tool again with one plain path." ;;
    esac
    check "$1" path
    path=$1
    case $path in
    /*) ;;
    *)
        field cwd
        path=$value/$path
        ;;
    esac
    hops=0
    while [ -L "$path" ] && [ "$hops" -lt 16 ]; do
        target=$(readlink "$path") || cannot 'a link could not be followed'
        case $target in
        /*) path=$target ;;
        *) path=${path%/*}/$target ;;
        esac
        check "$path" path
        hops=$((hops + 1))
    done
    if folder=$(CDPATH='' cd -P -- "${path%/*}/" 2>/dev/null && pwd -P); then
        check "$folder" path
    fi
}

# Refuses if a word of a command names a secret.
check_command() {
    [ "${#1}" -le "$longest_command" ] ||
        answer deny "Rule $rule: the command is over 64 KiB, too long to be checked. Write large text with the Write tool and run short commands."
    words=$(lex words.awk "$1") || cannot 'the command could not be read'
    last=
    while IFS= read -r line; do
        last=$line
        # Most words cannot name a secret; looking closer costs a process.
        case $line in
        end | unsure) continue ;;
        *[eE][nN][vV]* | *[pP][eE][mM]* | *[iI][dD]_* | *[sS][sS][hH]* | *[sS][eE][cC][rR]* | *[\*\?\[]*) ;;
        *) continue ;;
        esac
        name=${line%% *}
        rest=${line#* }
        sort=${rest%% *}
        word=${rest#* }
        bare=word
        case $sort:$name in
        # What these say is text, not a path, unless it feeds arguments.
        w:echo | w:printf)
            case $1 in
            *xargs* | *parallel*) ;;
            *) continue ;;
            esac
            ;;
        r:* | w:cd | w:pushd | w:ls | w:cat | w:cp | w:mv | w:ln | w:tar | w:zip | w:find | w:rsync | w:scp | w:rm) bare=path ;;
        esac
        check "$word" "$bare"
    done <<EOF
$words
EOF
    case $last in
    end) ;;
    unsure) answer deny "Rule $rule: this command cannot be read with certainty (an open quote, an unfinished here document, or a shift beside one). Split it into simpler commands, or write text with the Write tool." ;;
    *) cannot 'the check gave no clear answer' ;;
    esac
}

# Checks the files that a patch names.
check_patch() {
    while IFS= read -r line; do
        case $line in
        '*** Add File: '* | '*** Update File: '* | '*** Delete File: '* | '*** Move to: '*) check_path "${line#*: }" ;;
        esac
    done <<EOF
$1
EOF
}

field tool_name
tool=$value
seen=
for name in file_path notebook_path path glob; do
    field "tool_input.$name"
    [ -n "$value" ] || continue
    seen=yes
    check_path "$value"
done
field tool_input.command
if [ -n "$value" ]; then
    seen=yes
    case $tool:$value in
    Bash:*) check_command "$value" ;;
    *:'*** Begin Patch'*) check_patch "$value" ;;
    *) check_command "$value" ;;
    esac
fi

# A search may leave its path out; a file tool without one hides something.
case $seen:$tool in
yes:* | :Grep | :Bash) exit 0 ;;
*) answer deny "Rule $rule: this call names no file that can be checked. Call the tool again with file_path." ;;
esac
