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
#   LOCKQUAKE_SOURCE     the folder of lockquake's source
#   LOCKQUAKE_PACKAGE    the folder of a program with locks of your own; lockquake itself if empty
#   LOCKQUAKE_PROGRAM    the absolute path of the program that is built
#   LOCKQUAKE_VERSION    the version of lockquake that the program must have; any if empty
#   LOCKQUAKE_SCENARIOS  files and names of built-in scenarios, separated by spaces or lines
#   LOCKQUAKE_SEEDS      as in --seeds; each scenario's own number if empty
#   LOCKQUAKE_OUT        the folder of the reports; each scenario has its own in it
#   LOCKQUAKE_BASE       the folder with the results to compare with; no comparison if empty
#   LOCKQUAKE_KEEP       the folder of the next base
set -euo pipefail

fail() {
	echo "ci.sh: $1" >&2
	exit 64
}

# The caches are named here because a key made by hashFiles ignores files outside of the workspace.
key() {
	local sums=("$LOCKQUAKE_SOURCE/go.sum") module
	if [ -n "${LOCKQUAKE_PACKAGE:-}" ]; then
		[ -d "$LOCKQUAKE_PACKAGE" ] || fail "package: there is no folder $LOCKQUAKE_PACKAGE"
		module=$(cd "$LOCKQUAKE_PACKAGE" && go env GOMOD)
		sums+=("${module%.mod}.sum")
	fi
	echo "key=$(go env GOVERSION)-$(cat "${sums[@]}" | git hash-object --stdin | cut -c 1-16)"
	echo "modules=$(go env GOMODCACHE)"
	echo "builds=$(go env GOCACHE)"
}

build() {
	local version
	if [ -n "${LOCKQUAKE_PACKAGE:-}" ]; then
		[ -d "$LOCKQUAKE_PACKAGE" ] || fail "package: there is no folder $LOCKQUAKE_PACKAGE"
		go build -C "$LOCKQUAKE_PACKAGE" -o "$LOCKQUAKE_PROGRAM" .
	else
		go build -C "$LOCKQUAKE_SOURCE" -o "$LOCKQUAKE_PROGRAM" ./cmd/lockquake
	fi
	"$LOCKQUAKE_PROGRAM" version
	read -r _ version _ < <("$LOCKQUAKE_PROGRAM" version)
	if [ -n "${LOCKQUAKE_VERSION:-}" ] && [ "$version" != "${LOCKQUAKE_VERSION#v}" ]; then
		fail "version: the program has lockquake $version, not $LOCKQUAKE_VERSION"
	fi
}

run() {
	local scenarios names=" " scenario name
	read -rd '' -a scenarios <<<"$LOCKQUAKE_SCENARIOS" || true
	parts=$(mktemp -d)
	touch "$parts"/{failed,worse,compared,reports}.md
	trap 'summarise; rm -r "$parts"' EXIT # after an error too
	code=0
	"$LOCKQUAKE_PROGRAM" validate "${scenarios[@]}" || worst "$?" "${scenarios[*]}"
	for scenario in "${scenarios[@]}"; do
		name=$(basename "$scenario")
		name=${name%.y*ml}
		case $names in *" $name "*) fail "scenarios: two are called $name, and would share one report" ;; esac
		names+="$name "
		one "$scenario" "$name"
		compare "$scenario" "$name"
	done
	exit "$code"
}

# one runs a scenario. Its report goes into a part of the summary, so that comparisons can precede it.
one() {
	local status=0
	GITHUB_STEP_SUMMARY=${GITHUB_STEP_SUMMARY:+$parts/reports.md} \
		"$LOCKQUAKE_PROGRAM" run "$1" ${LOCKQUAKE_SEEDS:+--seeds "$LOCKQUAKE_SEEDS"} --out "$LOCKQUAKE_OUT/$2" || status=$?
	worst "$status" "$2"
}

# compare compares a report with its base, if it has one.
compare() {
	local scenario=$1 name=$2 base="${LOCKQUAKE_BASE:-}/$2/results.json" status=0
	[ -n "${LOCKQUAKE_BASE:-}" ] || return 0
	if [ ! -f "$base" ]; then
		echo "$name: there is no base to compare with"
		return 0
	fi
	[ -f "$scenario" ] || scenario="" # a built-in one
	"$LOCKQUAKE_PROGRAM" compare "$base" "$LOCKQUAKE_OUT/$name" --format markdown ${scenario:+--scenario "$scenario"} | tee "$parts/this.md" || status=$?
	if [ "$status" = 0 ]; then
		cat "$parts/this.md" >>"$parts/compared.md"
	else
		cat "$parts/this.md" >>"$parts/worse.md"
	fi
	worst "$status" "$name"
}

# worst keeps the exit code that matters most: an error ends the job, 1 is worse than 2.
worst() {
	case $1 in
	0) ;;
	1) code=1 ;;
	2) [ "$code" = 1 ] || code=2 ;;
	*)
		printf '### lockquake, %s: an error, exit code %s\n\nThe log of this step has it. No scenario was run after it.\n\n' "$2" "$1" >>"$parts/failed.md"
		exit "$1"
		;;
	esac
}

# summarise writes the summary: an error first, then what became worse. GitHub shows at most 1 MiB of it.
summarise() {
	[ -n "${GITHUB_STEP_SUMMARY:-}" ] || return 0
	head -c 1000000 < <(cat "$parts"/{failed,worse,compared,reports}.md) >>"$GITHUB_STEP_SUMMARY"
}

keep() {
	local report folder
	rm -rf "$LOCKQUAKE_KEEP"
	for report in "$LOCKQUAKE_OUT"/*/results.json; do
		folder=$LOCKQUAKE_KEEP/$(basename "$(dirname "$report")")
		mkdir -p "$folder"
		cp "$report" "$folder"
	done
}

case ${1:-} in
key | build | run | keep) "$1" ;;
*) fail "the step is key, build, run or keep, not '${1:-}'" ;;
esac
