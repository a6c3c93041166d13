#!/usr/bin/env bash
# Builds the programs of a release, which goreleaser.yaml describes, into a folder, with their checksums.
#
#   packaging/snapshot.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist}
mkdir -p "$out"
for os in linux darwin windows; do
	for arch in amd64 arm64; do
		program=lockquake_${os}_$arch
		[ "$os" = windows ] && program+=.exe
		CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags="-s -w" -o "$out/$program" ./cmd/lockquake
		echo "$program"
	done
done
(cd "$out" && sha256sum lockquake_* >checksums.txt)
