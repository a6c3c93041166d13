#!/bin/sh
# Runs the golden tests as programs of other architectures: the same seed gives the same trace on any machine. A 32-bit
# program has shorter integers. On arm64 the compiler rounds x*y+z once instead of twice, unless the code forbids it. An
# emulator is slow, so it runs only every tenth scenario. make test compares one core with two on this machine itself.
set -e
go=${GO:-go}

emulated() { # ARCHITECTURE EMULATOR
	if ! command -v "$2" >/dev/null 2>&1; then
		echo "$2 is missing: the golden tests do not run as programs of $1" >&2
		[ -z "$CI" ] || exit 1
		return 0
	fi
	GOARCH=$1 $go test -timeout 15m -exec "$2" ./internal/draw -run Golden
	GOARCH=$1 $go test -timeout 15m -exec "$2" ./scenarios/campaign -run Golden -one-core -tenth
}

sh internal/servers/install.sh qemu-user
if GOARCH=386 $go test ./internal/draw -run '^$' >/dev/null 2>&1; then
	GOARCH=386 $go test -timeout 15m ./internal/draw -run Golden
	GOARCH=386 $go test -timeout 15m ./scenarios/campaign -run Golden -one-core
else
	emulated arm qemu-arm
fi
[ "$($go env GOHOSTARCH)" = arm64 ] || emulated arm64 qemu-aarch64
