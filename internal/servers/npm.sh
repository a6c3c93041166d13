#!/bin/sh
# Installs packages of npm, such as dynalite@4.0.0, in the user's cache folder, unless they are there. What
# it cannot install it names, and goes on: the tests that need it are skipped then, or fail in CI.
dir="${XDG_CACHE_HOME:-$HOME/.cache}/lockquake/npm"

for package in "$@"; do
	name="${package%@*}"
	version="${package##*@}"
	grep -qs "\"version\": \"$version\"" "$dir/node_modules/$name/package.json" && continue
	if ! command -v npm >/dev/null 2>&1; then
		echo "not installed: $package (there is no npm here); tests against it are skipped. On Debian: apt-get install nodejs npm" >&2
		continue
	fi
	npm install --prefix "$dir" --no-audit --no-fund --loglevel error "$package" >/dev/null ||
		echo "not installed: $package (npm install failed); tests against it are skipped" >&2
done
