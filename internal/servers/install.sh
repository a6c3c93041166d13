#!/bin/sh
# Installs servers by the names of their Debian packages, unless their programs
# are there. What it cannot install it names, and goes on: the tests that need it
# are skipped then, or fail in CI.

# Debian keeps some programs outside of the PATH.
PATH="$PATH:/usr/sbin"
for dir in /usr/lib/postgresql/*/bin; do
	PATH="$PATH:$dir"
done

missing=""
for package in "$@"; do
	program="$package"
	case "$package" in
	postgresql) program=postgres ;;
	etcd-server) program=etcd ;;
	nodejs) program=node ;;
	qemu-user) program=qemu-arm ;;
	zookeeper) program=/usr/share/java/zookeeper.jar ;;
	esac
	command -v "$program" >/dev/null 2>&1 || [ -f "$program" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

give_up() {
	echo "not installed:$missing ($1); tests against them are skipped. Install them by hand, on Debian: apt-get install$missing" >&2
	exit 0
}

command -v apt-get >/dev/null 2>&1 || give_up "there is no apt-get here"
root=""
if [ "$(id -u)" != 0 ]; then
	# sudo that would ask for a password is of no use in the middle of a build.
	sudo -n true 2>/dev/null || give_up "it needs root, or sudo without a password"
	root="sudo -n"
fi
# RUNLEVEL=1 keeps the packages from starting a server of their own.
$root apt-get update -qq || give_up "apt-get update failed"
# shellcheck disable=SC2086 # the names are words
$root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
	give_up "apt-get install failed"
