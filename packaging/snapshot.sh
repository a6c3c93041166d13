#!/usr/bin/env bash
# Builds the programs of a release, which goreleaser.yaml describes, into a folder, with their checksums.
#
#   packaging/snapshot.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)

# build FOLDER MAIN NAME: the folder of the module, the package and the name of the program
build() {
	local program=${3}_${os}_$arch
	[ "$os" = windows ] && program+=.exe
	(cd "$1" && CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags="-s -w" -o "$out/$program" "$2")
	echo "$program"
}

for os in linux darwin windows; do
	for arch in amd64 arm64; do
		build . ./cmd/lockquake lockquake
		build fleet ./cmd/lockquake-fleet lockquake-fleet
	done
done
(cd "$out" && sha256sum lockquake_* lockquake-fleet_* >checksums.txt)
