# The marks of a session: what was written, and whether tests ran after it.
# Sourced after common.sh.

# Sets `marks` to the folder of this session; fails if there is no safe one.
find_marks() {
    field session_id
    case $value in
    # Too long or too strange for a file name: a checksum stands for it.
    *[!A-Za-z0-9_-]* | '' | ?????????????????????????????????????????????????????????????????*)
        sum=$(printf '%s' "$value" | cksum) || cannot 'the session has no name'
        value=sum-${sum%% *}-${#value}
        ;;
    esac
    marks=${TMPDIR:-/tmp}
    marks=${marks%/}/anyhook-guardrails-$value
    # A folder or link that somebody else made is not ours to write to.
    [ ! -L "$marks" ] && [ -d "$marks" ] && [ -O "$marks" ]
}

# Makes the folder of this session.
make_marks() {
    find_marks && return
    (umask 077 && mkdir "$marks") 2>/dev/null || find_marks || cannot 'the folder for marks is not ours'
}

mark() { : >"$marks/$1" || cannot 'a mark could not be written'; }

unmark() { rm -f "$marks/$1" || cannot 'a mark could not be removed'; }
