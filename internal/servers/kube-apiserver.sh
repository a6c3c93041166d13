#!/bin/sh
# Builds the API server of Kubernetes in the user's cache folder, in the version that kube-apiserver/go.mod
# requires, unless it is there. The build takes about eight minutes of one core, and 3 GB for the cache of Go.
set -e
go=${GO:-go}
program="${XDG_CACHE_HOME:-$HOME/.cache}/lockquake/kube-apiserver"
cd "$(dirname "$0")/kube-apiserver"

version=$($go list -m -f '{{.Version}}' k8s.io/kubernetes)
if ! $go version -m "$program" 2>/dev/null | grep -q "k8s.io/kubernetes	$version	"; then
	mkdir -p "$(dirname "$program")"
	$go build -o "$program" -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" k8s.io/kubernetes/cmd/kube-apiserver
fi
