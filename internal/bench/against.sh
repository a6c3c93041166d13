#!/usr/bin/env bash
# Compares the speed of the files here with that of an older revision on this machine. The two take turns, and the
# best of all rounds counts, since other programs only make a round slower.
#
#   bash internal/bench/against.sh REVISION [ROUNDS]
set -euo pipefail
rev=${1:?which revision?} rounds=${2:-7}
go=${GO:-go}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir "$dir/old"
git archive "$rev" | tar -x -C "$dir/old"
for of in old new; do
	from=$PWD
	[ $of = old ] && from=$dir/old
	(cd "$from" && $go build -buildvcs=false -o "$dir/$of.run" ./cmd/lockquake && cd internal/bench && $go test -buildvcs=false -c -o "$dir/$of.bench" .)
done
# Both run the scenario of the old revision. It may have other strategies today.
cp "$(find "$dir/old/scenarios" -name gc-pause.yaml)" "$dir/gc-pause.yaml"
cd "$dir"

cpu() { # OF STRATEGY: the processor time of a campaign, in seconds
	local TIMEFORMAT=%U
	{ time "./$1.run" run gc-pause.yaml --strategy "$2" --seeds 1-100 --jobs 1 --quiet --out "report-$1" >"$1.out" 2>&1 || [ $? -eq 1 ]; } 2>&1
}
cycles() { # OF STRATEGY: lock cycles a second
	"./$1.bench" -test.run '^$' -test.bench "^BenchmarkPipeline\$/^$2\$" -test.benchtime 60x | grep -oE '[0-9]+ cycles/s' | cut -d' ' -f1
}
compare() { # WHAT FUNCTION STRATEGY: one line of the table; the best is the least for cpu, the most for cycles
	for _ in $(seq "$rounds"); do
		for of in old new; do echo "$of $("$2" $of "$3")"; done
	done | awk -v what="$1" -v least="$([ "$2" = cpu ] && echo 1 || echo 0)" '
		!($1 in best) || (least ? $2 < best[$1] : $2 > best[$1]) { best[$1] = $2 }
		END { printf "%-42s %10s %10s %8.2f\n", what, best["old"], best["new"], best["new"] / best["old"] }'
}
printf '%-42s %10s %10s %8s\n' "best of $rounds" "$(git -C "$OLDPWD" rev-parse --short "$rev")" here ratio
compare 'gc-pause, redis: CPU seconds of 100 runs' cpu redis
compare 'gc-pause, fenced: CPU seconds of 100 runs' cpu fenced
compare 'redis: lock cycles a second' cycles redis
compare 'redis-fenced: lock cycles a second' cycles redis-fenced
