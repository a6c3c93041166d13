#!/bin/sh
# Makes the pictures of docs/gallery.md. Called by make gallery, with the program
# as the argument; the same program makes the same SVGs, to the byte.
set -eu
lockquake=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# timeline SCENARIO STRATEGY CHECK: the first failure of a strategy, as a picture.
timeline() {
	"$lockquake" run "$1" --strategy "$2" --quiet --out "$1" > /dev/null || test $? -le 2
	cp "$1/failures/$2-$3/timeline.svg" "$here/$1.svg"
}

timeline kleppmann redis-checked lost-update
timeline late-packet redis-checked lost-update
timeline double-charge none once
timeline redlock-freeze-after redlock exclusion
timeline failover redis-replica exclusion

"$lockquake" run gc-pause --seeds 1-200 --quiet --out rates > /dev/null
cp rates/rates.svg "$here/gc-pause.svg"

"$lockquake" run six-locks --seeds 1-200 --quiet --out six > /dev/null
cp six/rates.svg "$here/six-locks.svg"

"$lockquake" run redis-matrix --seeds 1-100 --quiet --out matrix > /dev/null
cp matrix/rates.svg "$here/redis-matrix.svg"

"$lockquake" sweep gc-pause --vary lock.ttl=1s,2s,5s,10s,20s,40s --seeds 1-50 --quiet --out lines > /dev/null
cp lines/sweep.svg "$here/sweep-ttl.svg"

"$lockquake" sweep gc-pause --strategy redis,redis-checked,fenced-writes --vary lock.ttl=500ms..8s/5log --vary faults.pause.for.median=250ms..4s/5log --seeds 1-20 --quiet --out map > /dev/null
cp map/sweep.svg "$here/sweep-map.svg"

"$lockquake" sweep herd --strategy redis-herd --check load --vary lock.retry.jitter=0s,1ms,2ms,3ms,4ms,5ms --seeds 1-20 --quiet --out herd > /dev/null
cp herd/sweep.svg "$here/herd.svg"

"$lockquake" matrix --advice --quiet --out needs --format answer > /dev/null
cp needs/matrix.svg "$here/matrix.svg"
gzip -9nc needs/matrix.json > "$here/matrix.json.gz"
cp needs/advice.md "$here/../advice.md"

"$lockquake" explore kleppmann --quiet > "$here/explore.txt"

# The answer of docs/advise.md.
"$lockquake" advise --lock redis --ttl 30s --renew 10s --release lua --topology failover --pauses "up to 3s" --latency "p99 50ms" --work 10m --format json --quiet > answer.json
gzip -9nc answer.json > "$here/advice.json.gz"
