#!/bin/sh
# Runs the golden tests as a 32-bit program: the same seed gives the same trace on any machine. Where
# the kernel does not run 32-bit programs of its own architecture, an emulator runs those of another
# one. It is slow, so only every tenth scenario is compared then.
set -e
go=${GO:-go}
if GOARCH=386 $go test ./internal/draw -run '^$' >/dev/null 2>&1; then
	GOARCH=386 exec $go test -timeout 15m ./internal/draw ./scenarios/campaign -run Golden
fi
echo "this kernel does not run 32-bit programs: emulated, every tenth scenario"
sh internal/servers/install.sh qemu-user
GOARCH=arm $go test -timeout 15m -exec qemu-arm ./internal/draw -run Golden
GOARCH=arm exec $go test -timeout 15m -exec qemu-arm ./scenarios/campaign -run Golden -tenth
