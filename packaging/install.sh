#!/bin/sh
# Installs the program anyhook for you alone. It needs no root, and writes this one file.
#
#   ANYHOOK_FROM     where the files of a release are: a folder, or an https:// address above the folders v0.1.0, v0.2.0 …
#   ANYHOOK_VERSION  which version; else the one that this file came with
#   ANYHOOK_BIN_DIR  where the programs go; else ~/.local/bin
#
# The last line calls the function above, so a part of this file does nothing.

set -eu

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

sum() {
    if command -v sha256sum >/dev/null; then
        sha256sum
    elif command -v shasum >/dev/null; then
        shasum -a 256
    else
        fail 'neither sha256sum nor shasum is here, so the download cannot be checked'
    fi <"$1" | cut -d ' ' -f 1
}

# fetch FILE: from where the release is into the temporary folder.
fetch() {
    case $from in
    https://*)
        command -v curl >/dev/null || fail 'curl is not here: download the files, and name their folder in ANYHOOK_FROM'
        curl --proto '=https' -fsSL -o "$tmp/$1" "$from/v$version/$1" || fail "cannot download $from/v$version/$1"
        ;;
    *://*) fail "\`$from\` is no https:// address" ;;
    *) cp "$from/$1" "$tmp/$1" || fail "cannot read \`$from/$1\`" ;;
    esac
}

main() {
    from=${ANYHOOK_FROM:-@FROM@}
    version=${ANYHOOK_VERSION:-@VERSION@}
    bin=${ANYHOOK_BIN_DIR:-${HOME:?}/.local/bin}
    [ -n "$from" ] || fail 'set ANYHOOK_FROM to the folder or the https:// address that has the files'

    case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no program for $(uname -s): build it from source with cargo" ;;
    esac
    case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no program for $(uname -m): build it from source with cargo" ;;
    esac
    name=anyhook-$version-$os-$cpu

    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp" "$bin/.anyhook.$$"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch SHA256SUMS
    wanted=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$tmp/SHA256SUMS")
    [ -n "$wanted" ] || fail "SHA256SUMS does not name $name.tar.gz"
    fetch "$name.tar.gz"
    found=$(sum "$tmp/$name.tar.gz")
    [ "$found" = "$wanted" ] || fail "$name.tar.gz has the sum $found instead of $wanted: nothing is installed"
    # Only the program is read, and by its name: what else is in the archive is written nowhere.
    tar -xzOf "$tmp/$name.tar.gz" "$name/anyhook" >"$tmp/anyhook" || fail "$name.tar.gz has no program anyhook"
    chmod 755 "$tmp/anyhook"
    "$tmp/anyhook" --version >/dev/null || fail "anyhook does not start here: build it from source with cargo"

    mkdir -p "$bin"
    cp "$tmp/anyhook" "$bin/.anyhook.$$"
    mv -f "$bin/.anyhook.$$" "$bin/anyhook"
    echo "anyhook $version is installed: $bin/anyhook"
    case :$PATH: in
    *:"$bin":*) ;;
    *) echo "$bin is not on your PATH; add this line to the profile of your shell: export PATH=\"$bin:\$PATH\"" ;;
    esac
}

main "$@"
