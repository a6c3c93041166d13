#!/usr/bin/env bash
# The steps of a CI job. action.yml and gitlab.yml call them; docs/ci.md describes their inputs.
#
#   ci.sh key    prints the key and the folders of the build cache, as NAME=VALUE lines
#   ci.sh build  builds the program and checks its version
#   ci.sh run    runs the scenarios, compares each with its base, writes the summary
#   ci.sh keep   stores the results as the next base
#
# Inputs, as environment variables:
#
#   SOURCE     the folder of lockquake's source
#   PACKAGE    the folder of a program with locks of your own; lockquake itself if empty
#   PROGRAM    the absolute path of the program that is built
#   VERSION    the version of lockquake that the program must have; any if empty
#   SCENARIOS  files and names of built-in scenarios, separated by spaces or lines
#   SEEDS      as in --seeds; each scenario's own number if empty
#   OUT        the folder of the reports; each scenario has its own in it
#   BASE       the folder with the results to compare with; no comparison if empty
#   KEEP       the folder of the next base
set -euo pipefail

fail() {
	echo "ci.sh: $1" >&2
	exit 64
}

# The caches are named here because a key made by hashFiles ignores files outside of the workspace.
key() {
	local sums=("$SOURCE/go.sum") module
	if [ -n "${PACKAGE:-}" ]; then
		[ -d "$PACKAGE" ] || fail "package: there is no folder $PACKAGE"
		module=$(cd "$PACKAGE" && go env GOMOD)
		sums+=("${module%.mod}.sum")
	fi
	echo "key=$(go env GOVERSION)-$(cat "${sums[@]}" | git hash-object --stdin | cut -c 1-16)"
	echo "modules=$(go env GOMODCACHE)"
	echo "builds=$(go env GOCACHE)"
}

build() {
	local version
	if [ -n "${PACKAGE:-}" ]; then
		[ -d "$PACKAGE" ] || fail "package: there is no folder $PACKAGE"
		go build -C "$PACKAGE" -o "$PROGRAM" .
	else
		go build -C "$SOURCE" -o "$PROGRAM" ./cmd/lockquake
	fi
	"$PROGRAM" version
	read -r _ version _ < <("$PROGRAM" version)
	if [ -n "${VERSION:-}" ] && [ "$version" != "${VERSION#v}" ]; then
		fail "version: the program has lockquake $version, not $VERSION"
	fi
}

run() {
	local scenarios names=" " scenario name
	read -rd '' -a scenarios <<<"$SCENARIOS" || true
	"$PROGRAM" validate "${scenarios[@]}"
	parts=$(mktemp -d)
	touch "$parts"/{worse,compared,reports}.md
	code=0
	for scenario in "${scenarios[@]}"; do
		name=$(basename "$scenario")
		name=${name%.y*ml}
		case $names in *" $name "*) fail "scenarios: two are called $name, and would share one report" ;; esac
		names+="$name "
		one "$scenario" "$name"
		compare "$name"
	done
	summarise
	rm -r "$parts"
	exit "$code"
}

# one runs a scenario. Its report goes into a part of the summary, so that comparisons can precede it.
one() {
	local status=0
	GITHUB_STEP_SUMMARY=${GITHUB_STEP_SUMMARY:+$parts/reports.md} \
		"$PROGRAM" run "$1" ${SEEDS:+--seeds "$SEEDS"} --out "$OUT/$2" || status=$?
	worst "$status"
}

# compare compares a report with its base, if it has one.
compare() {
	local base="${BASE:-}/$1/results.json" status=0
	[ -n "${BASE:-}" ] || return 0
	if [ ! -f "$base" ]; then
		echo "$1: there is no base to compare with"
		return 0
	fi
	"$PROGRAM" compare "$base" "$OUT/$1" --format markdown | tee "$parts/this.md" || status=$?
	if [ "$status" = 0 ]; then
		cat "$parts/this.md" >>"$parts/compared.md"
	else
		cat "$parts/this.md" >>"$parts/worse.md"
	fi
	worst "$status"
}

# worst keeps the exit code that matters most: an error ends the job, 1 is worse than 2.
worst() {
	case $1 in
	0) ;;
	1) code=1 ;;
	2) [ "$code" = 1 ] || code=2 ;;
	*) exit "$1" ;;
	esac
}

# summarise writes the summary, what became worse first. GitHub shows at most 1 MiB of it.
summarise() {
	[ -n "${GITHUB_STEP_SUMMARY:-}" ] || return 0
	cat "$parts"/{worse,compared,reports}.md | head -c 1000000 >>"$GITHUB_STEP_SUMMARY"
}

keep() {
	local report folder
	rm -rf "$KEEP"
	for report in "$OUT"/*/results.json; do
		folder=$KEEP/$(basename "$(dirname "$report")")
		mkdir -p "$folder"
		cp "$report" "$folder"
	done
}

case ${1:-} in
key | build | run | keep) "$1" ;;
*) fail "the step is key, build, run or keep, not '${1:-}'" ;;
esac
