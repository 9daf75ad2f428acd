# Every target does its own set-up; `make help` lists them. The line above a target is its help.
SWIFT ?= swift
# C with its optimizer in debug builds too: the libraries' ciphers and password hashes are C, and the tests
# run thousands of them, at a tenth of the time.
BUILD_FLAGS ?= --explicit-target-dependency-import-check error -Xcc -O2
BIN = $(shell $(SWIFT) build $(BUILD_FLAGS) --show-bin-path)
# With Swift's own libraries inside: a terminal has no Swift, and a program starts sooner.
RELEASE_FLAGS = -c release --static-swift-stdlib
RELEASE_BIN = $(shell $(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)

.DEFAULT_GOAL := build
.PHONY: help demo try test lint docs bench run build release deb package-test man reference docs-test embed-test pictures fuzz kills campaign

# Lists the targets, each with the first line of its comment in the Makefile.
help:
	@awk -F: '/^#/ { if (!text) text = substr($$0, 3); next } \
		/^[a-z-]+:/ && !/:=/ && text { if (!seen[$$1]++) printf "  make %-12s %s\n", $$1, text } \
		!/^[a-z-]+: export/ { text = "" }' $(firstword $(MAKEFILE_LIST))

# The programs pos, pos-lab (its demo and replays) and pos-hub, in a debug build.
build:
	@.ci/setup build
	$(SWIFT) build $(BUILD_FLAGS) --product pos
	$(SWIFT) build $(BUILD_FLAGS) --product pos-lab
	$(SWIFT) build $(BUILD_FLAGS) --product pos-hub

# The offline module alone, in this terminal: break a shop's line by keys, and watch how it decides.
try:
	@command -v $(SWIFT) >/dev/null || { echo "try: swift is not on the PATH; install Swift 6.2 or later from swift.org" >&2; exit 1; }
	@# SwiftPM writes what it resolved here beside Package.swift; the complete list comes back.
	@mkdir -p .build-try; test ! -f Package.resolved || cp Package.resolved .build-try/complete.resolved; \
		$(SWIFT) build --disable-default-traits --scratch-path .build-try --product offline-try; built=$$?; rm -f Package.resolved; \
		test ! -f .build-try/complete.resolved || mv .build-try/complete.resolved Package.resolved; exit $$built
	@.build-try/debug/offline-try $(TRY)

# A hub, two tills and a card machine on loopback, in under a minute: an outage from end to end; DEMO=--slow to watch.
demo: build
	$(BIN)/pos demo $(DEMO)

# All tests: pure machines, stores on real files, adapters on real sockets, the built programs.
test:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	.ci/tests $(BIN)/HoldfastPackageTests.xctest
	$(SWIFT) build $(BUILD_FLAGS) --product pos-sim
	.ci/simulated $(BIN)/pos-sim

# Checks the format, the imports against the dependencies of Package.swift, and the resolved packages.
lint:
	@.ci/setup test
	.ci/packages
	.ci/docs-test --check
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/import-arrows

DOCS = .build/reachability-docs
OFFLINE_DOCS = .build/offline-docs
# The pages of the libraries Reachability and HoldfastOffline, for a browser; a warning fails.
docs:
	@.ci/setup build
	$(SWIFT) package --allow-writing-to-directory $(DOCS) generate-documentation --target Reachability \
		--output-path $(DOCS) --transform-for-static-hosting --warnings-as-errors
	$(SWIFT) package --allow-writing-to-directory $(OFFLINE_DOCS) generate-documentation --target OfflineMode \
		--output-path $(OFFLINE_DOCS) --transform-for-static-hosting --warnings-as-errors

# Release builds of pos, pos-lab and pos-hub, as terminals and hubs run them.
release:
	@.ci/setup build
	.ci/packages
	$(SWIFT) build $(RELEASE_FLAGS) --product pos
	$(SWIFT) build $(RELEASE_FLAGS) --product pos-lab
	$(SWIFT) build $(RELEASE_FLAGS) --product pos-hub

REVISION ?= 1
# Debian packages for the machines of shops into .build/packages: docs/operating/build.md.
deb: release
	@.ci/setup packages
	.ci/deb $(RELEASE_BIN) .build/packages $(REVISION)

PROGRAMS ?= build
# Installs, upgrades, downgrades and removes the packages on a Debian tree; PROGRAMS=release packs those of shops.
package-test: $(PROGRAMS)
	@.ci/setup docs
	.ci/docs-test $(if $(filter release,$(PROGRAMS)),$(RELEASE_BIN),$(BIN)) --packages

# Manual pages and shell completions into .build/share, from the commands.
man: build
	.ci/reference man $(BIN) .build/share

# docs/reference/commands.md from the commands; the tables and picture of targets; the index of decisions.
reference: build
	.ci/reference page $(BIN) docs/reference/commands.md
	.ci/overview

# Runs the shell blocks of README, tutorials and procedures as they are on the pages; PAGE=… for one.
# Root for the procedures: they run on a fresh Debian tree in namespaces.
docs-test: build
	@.ci/setup docs
	.ci/docs-test $(BIN) $(PAGE)

# Builds the programs of the pages for embedders outside of the repository, as an embedder does, and runs one.
embed-test:
	@.ci/setup build
	.ci/embed-test

# The pictures that programs draw: the counter's screens, the system, the dashboard in a browser, and the card for the shop.
pictures:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	REGENERATE_PICTURES=1 $(SWIFT) test $(BUILD_FLAGS) --skip-build --filter "CounterPictureTests|BannerPageTests|SystemPictureTests|DashboardBrowserTests"

# Figures, each beside its yardstick of the same run; MEASURE=… for one measure.
bench: release
	@.ci/setup test
	$(SWIFT) build $(RELEASE_FLAGS) --product pos-bench
	.ci/with-postgresql $(RELEASE_BIN)/pos-bench $(if $(MEASURE),--only $(MEASURE))

SECONDS ?= 60
FUZZ = .build-fuzz/debug/fuzz
# libFuzzer over every parser of foreign bytes, or over TARGET=…, for SECONDS=… each.
fuzz:
	@.ci/setup build
	HOLDFAST_FUZZ=1 $(SWIFT) build --scratch-path .build-fuzz --product fuzz \
		-Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library
	@mkdir -p .build-fuzz/crashes
	@for target in $(or $(TARGET),$$($(FUZZ))); do \
		echo "fuzz: $$target for $(SECONDS) s"; \
		$(FUZZ) $$target .build-fuzz/corpus/$$target -max_total_time=$(SECONDS) -max_len=4096 \
			-artifact_prefix=.build-fuzz/crashes/$$target- -print_final_stats=1 2>.build-fuzz/$$target.log \
			|| { tail -30 .build-fuzz/$$target.log; exit 1; }; \
		grep -E "number_of_executed_units|average_exec_per_sec" .build-fuzz/$$target.log; \
	done

HOURS ?= 0.33
CAMPAIGN_FLAGS = -c release --scratch-path .build-sim
# Every planted bug, then worlds of pos-sim with fresh seeds, for HOURS=… (20 minutes); FROM=… repeats a range of seeds.
campaign:
	@.ci/setup build
	$(SWIFT) build $(BUILD_FLAGS) --product pos-sim
	HOLDFAST_PLANTS=1 $(SWIFT) build $(CAMPAIGN_FLAGS) --product pos-sim
	.ci/campaign "$$(HOLDFAST_PLANTS=1 $(SWIFT) build $(CAMPAIGN_FLAGS) --show-bin-path)/pos-sim" --other $(BIN)/pos-sim \
		--fuzz $(FUZZ) --minutes $$(awk 'BEGIN { print $(HOURS) * 60 }') $(if $(FROM),--from $(FROM))

KILLS ?= 1000
# Kills terminal, hub and both KILLS=1000 times on each store, with cut responses, and fails each call of the system
# that writes; SEED=… repeats a run.
kills:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	HOLDFAST_KILLS=$(KILLS) $(if $(SEED),HOLDFAST_SEED=$(SEED)) \
		$(SWIFT) test $(BUILD_FLAGS) --skip-build --filter "SeededKillTests|SystemCallFaultTests"

# A hub on 127.0.0.1:8080 to try things out; end it with Control-C.
run: build
	$(BIN)/pos-hub serve --listen 127.0.0.1:8080
