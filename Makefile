# Every command does its own set-up; see README.md.
SWIFT ?= swift
BUILD_FLAGS ?= --explicit-target-dependency-import-check error
BIN = $(shell $(SWIFT) build $(BUILD_FLAGS) --show-bin-path)
# With Swift's own libraries inside: a terminal has no Swift, and a program starts sooner.
RELEASE_FLAGS = -c release --static-swift-stdlib
RELEASE_BIN = $(shell $(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)

.PHONY: demo test lint docs bench run build release package man reference docs-test recording fuzz kills

build:
	@.ci/setup build
	$(SWIFT) build $(BUILD_FLAGS) --product pos
	$(SWIFT) build $(BUILD_FLAGS) --product pos-hub

# The whole story on loopback in under a minute: sell, lose the network, sell on, drain, audit.
demo: build
	$(BIN)/pos demo

# More at once than cores, since many wait. All at once, a test's next step would stand behind every other
# test on the shared threads, one a core: on a slow machine for longer than any time limit. `--num-workers`
# limits XCTest only; this variable is the one that Swift Testing reads.
TESTS_AT_ONCE ?= 5
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = $(TESTS_AT_ONCE)
# All tests: pure machines, stores on real files, adapters on real sockets, the built programs.
test:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	.ci/tests $(SWIFT) test $(BUILD_FLAGS) --skip-build --parallel

# Format, and the arrows between targets.
lint:
	@.ci/setup test
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/import-arrows

# The pages of the Reachability library, for a browser; a warning fails.
DOCS = .build/reachability-docs
docs:
	@.ci/setup build
	$(SWIFT) package --allow-writing-to-directory $(DOCS) generate-documentation --target Reachability \
		--output-path $(DOCS) --transform-for-static-hosting --warnings-as-errors

# The programs as terminals and hubs run them.
release:
	@.ci/setup build
	$(SWIFT) build $(RELEASE_FLAGS) --product pos
	$(SWIFT) build $(RELEASE_FLAGS) --product pos-hub

# What is brought to the machines of shops: docs/operating/build.md.
package: release
	.ci/package $(RELEASE_BIN) .build/holdfast.tar.gz

# Manual pages and completions, from the commands.
man: build
	.ci/reference man $(BIN) .build/share

# docs/reference/commands.md, from the commands.
reference: build
	.ci/reference page $(BIN) docs/reference/commands.md

# The shell blocks of README, tutorials and procedures, as they stand on the pages; PAGE=… for one. Root for those
# that install something: they run on a fresh Debian tree in namespaces.
docs-test: build
	@.ci/setup docs
	.ci/docs-test $(BIN) $(PAGE)

# docs/pictures/demo.svg, from the demo's own output.
recording: build
	$(BIN)/pos demo | .ci/recording docs/pictures/demo.svg "pos demo"

# Figures, each beside its yardstick of the same run.
bench: release
	@.ci/setup test
	$(SWIFT) build $(RELEASE_FLAGS) --product pos-bench
	.ci/with-postgresql $(RELEASE_BIN)/pos-bench

# libFuzzer over every parser of foreign bytes, or over TARGET, for SECONDS each.
SECONDS ?= 60
FUZZ = .build-fuzz/debug/fuzz
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

# Till, hub and both killed a thousand times on each store, answers cut; SEED=… repeats a run.
KILLS ?= 1000
kills:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	HOLDFAST_KILLS=$(KILLS) $(if $(SEED),HOLDFAST_SEED=$(SEED)) \
		$(SWIFT) test $(BUILD_FLAGS) --skip-build --filter SeededKillTests

# A hub on loopback to play with; leave it with Control-C.
run: build
	$(BIN)/pos-hub serve --listen 127.0.0.1:8080
