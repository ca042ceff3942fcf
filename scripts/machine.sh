#!/usr/bin/env bash
# For scripts that need a Debian of their own: `isolated` and `make_machine`. Whoever reads this has `say` and `fail`.

release=bookworm

# Runs a command in mount and process namespaces of its own: its mounts and processes end with it, however it
# ends. In the background, because the shell answers a signal during `wait` at once.
# usage: isolated SECONDS COMMAND...
isolated() {
    unshare --mount --pid --fork --kill-child timeout --kill-after=10 "$@" &
    namespace=$!
    wait "$namespace"
}

# Makes a minimal Debian. It knows how this machine reaches the mirror and PyPI.
# usage: make_machine ROOT LOG
make_machine() {
    local root=$1 log=$2 tool mirror http_proxy
    for tool in debootstrap unshare; do
        command -v "$tool" >/dev/null || fail "needs $tool"
    done
    mirror=$(apt-get indextargets --format "\$(REPO_URI)" "Release: $release" "Component: main" "Created-By: Packages")
    mirror=${mirror%%$'\n'*}
    if [[ -z $mirror ]]; then fail "apt on this machine knows no mirror of $release"; fi
    # debootstrap does not read apt's settings.
    http_proxy=$(apt-config --format '%v' dump Acquire::http::Proxy)
    if [[ -n $http_proxy ]]; then export http_proxy; fi

    say "making a minimal $release"
    if ! isolated 900 debootstrap --variant=minbase "$release" "$root" "$mirror" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "debootstrap failed"
    fi
    # With the one file that every machine has and debootstrap does not write.
    cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
}
