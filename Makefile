# Every command does its own set-up; see README.md.
SWIFT ?= swift
BUILD_FLAGS ?= --explicit-target-dependency-import-check error
BIN = $(shell $(SWIFT) build $(BUILD_FLAGS) --show-bin-path)
RELEASE_BIN = $(shell $(SWIFT) build -c release --show-bin-path)

.PHONY: demo test lint bench run build

build:
	@.ci/setup build
	$(SWIFT) build $(BUILD_FLAGS) --product pos
	$(SWIFT) build $(BUILD_FLAGS) --product pos-hub

# The whole story on loopback in under a minute: sell, lose the network, sell on, drain, audit.
demo: build
	$(BIN)/pos demo

# All tests: pure machines, stores on real files, adapters on real sockets, the built programs.
test:
	@.ci/setup test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	$(SWIFT) test $(BUILD_FLAGS) --skip-build

# Format, and the arrows between targets.
lint:
	@.ci/setup test
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/import-arrows

# Figures, each beside its yardstick of the same run.
bench:
	@.ci/setup test
	$(SWIFT) build -c release --product pos
	$(SWIFT) build -c release --product pos-hub
	$(SWIFT) build -c release --product pos-bench
	$(RELEASE_BIN)/pos-bench

# A hub on loopback to play with; leave it with Control-C.
run: build
	$(BIN)/pos-hub serve --listen 127.0.0.1:8080
