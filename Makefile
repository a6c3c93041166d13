# What a newcomer needs: make demo, make test. The rest is for who works on it.

GO      ?= go
BIN     := $(CURDIR)/bin
LINTER  := $(BIN)/golangci-lint
LINTER_VERSION := v2.15.0

.PHONY: demo build test deps conformance mutants fleet lockquake-fleet short bench bench-against race lint fmt update gallery ci clean

## demo: reproduce Kleppmann's failure and write a report with pictures
demo: build
	$(BIN)/lockquake run gc-pause --seeds 1-200 --out lockquake-report
	@echo
	$(BIN)/lockquake reproduce kleppmann

build:
	$(GO) build -o $(BIN)/lockquake ./cmd/lockquake

## lockquake-fleet: build the program for campaigns on many machines
lockquake-fleet:
	cd fleet && $(GO) build -o $(BIN)/lockquake-fleet ./cmd/lockquake-fleet

## deps: install what the tests need
deps:
	$(GO) mod download
	sh internal/servers/install.sh $$(cat internal/servers/packages.txt)
	sh internal/servers/npm.sh dynalite@4.0.0 axe-core@4.14.1
	bash internal/servers/install.sh chromium

## test: install what the tests need and run all but the long ones and the comparison with client-go, the goldens also as programs of other architectures
test: deps
	$(GO) vet ./...
	$(GO) test -timeout 30m ./...
	cd examples && $(GO) vet ./... && $(GO) test ./...
	cd fleet && $(GO) vet ./... && $(GO) test ./...
	GO="$(GO)" sh internal/architectures.sh

## conformance: compare the simulated servers and waking with real ones at length; it builds a kube-apiserver first, which takes some minutes
conformance: deps
	GO="$(GO)" sh internal/servers/kube-apiserver.sh
	LOCKQUAKE_CONFORMANCE=10000 $(GO) test ./scenarios/run -run '^TestConformanceWaking$$' -count 1 -v -timeout 15m
	cd internal/clientgo && $(GO) vet . && $(GO) test .
	LOCKQUAKE_CONFORMANCE=10000 $(GO) test ./sim/... -run '^TestConformance' -count 1 -v -timeout 60m -p 1

## mutants: run every flaw against the check that must catch it, and every sound strategy under every fault (2,000 seeds where it makes a claim, 200 elsewhere); about an hour on two cores
mutants:
	$(GO) test ./scenarios/campaign -run '^(TestMutantsAreCaught|TestSoundStrategiesKeepTheirClaims)$$' -mutants 2000 -count 1 -v -timeout 5h

## fleet: kill the server, the workers and the waiting command of a fleet in 100 rounds at random moments, compare each result with that of one process, run a million runs, and compare two workers with one
fleet:
	cd fleet && $(GO) test -run '^(TestAFleetSurvivesAnyKill|TestACampaignOfSumsIsThatOfOneProcess|TestTwoWorkersAreTwiceAsFast)$$' -kills 100 -sums -speed -count 1 -v -timeout 3h

## short: run the fast tests only
short:
	$(GO) test -short ./...

## bench: measure the speed against the usual ways of testing a lock, and how time and memory grow with workers and virtual time
bench:
	cd internal/bench && $(GO) test -run '^TestTable$$' -count 1 -timeout 1h -table
	cd internal/bench && $(GO) test -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 1h

## bench-against: compare the speed with that of an older revision, as in make bench-against REV=9fe3003
bench-against:
	GO="$(GO)" bash internal/bench/against.sh $(REV)

## race: the tests under the race detector
race:
	$(GO) test -race -short -timeout 15m ./...
	cd fleet && $(GO) test -race -short -timeout 15m ./...

## lint: run the linters, which also check the table of allowed imports
lint: $(LINTER)
	$(LINTER) run ./...
	cd fleet && $(LINTER) run ./...

$(LINTER):
	GOBIN=$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER_VERSION)

## fmt: format everything
fmt: $(LINTER)
	$(LINTER) fmt ./...
	cd fleet && $(LINTER) fmt ./...

## update: write the golden files and the generated pages of docs again
update:
	$(GO) test ./cmd/command ./faults ./history ./internal/draw ./reports ./reports/picture ./reports/story ./reports/tables ./reports/timeline ./scenarios/campaign ./sim/postgres/engine -run 'Golden' -update

## gallery: draw the pictures of docs/gallery.md again
gallery: build
	sh docs/gallery/make.sh $(BIN)/lockquake

## ci: run the checks that decide whether a change lands
ci:
	bash .ci/run

clean:
	rm -rf $(BIN) lockquake-report
