# hackbench: thin wrappers around CMake. `make help` lists the targets.
.DEFAULT_GOAL := build

CONFIG ?= release
CONFIGS := release debug asan tsan
ifeq ($(filter $(CONFIG),$(CONFIGS)),)
$(error CONFIG=$(CONFIG) is unknown; choices: $(CONFIGS))
endif

ARCH ?= arm64
ARCHS := arm64 riscv64
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)

BUILD := build/$(CONFIG)
TOOLS := hackbench/tools
CMAKE := cmake -S . -G Ninja --log-level=WARNING

.PHONY: build run test acceptance bench check sanitize cross install uninstall \
	clean help packages

packages:
	@$(TOOLS)/install_packages.sh build

$(BUILD)/build.ninja: | packages
	@$(CMAKE) -B $(BUILD) -C hackbench/cmake/$(CONFIG).cmake

build: $(BUILD)/build.ninja  ## build into build/CONFIG/bin (CONFIG=release|debug|asan|tsan)
	@cmake --build $(BUILD) -j $(JOBS)

run: packages build  ## install what is missing, build, run the main job
	$(BUILD)/bin/hackbench 100 process 1000

test: packages build  ## install what is missing, build, run all tests
	@ctest --test-dir $(BUILD) --output-on-failure

acceptance: packages build  ## the long forms of the checks that verdicts hold
	@HACKBENCH_FULL=1 ctest --test-dir $(BUILD) --output-on-failure \
	  -R 'results/error_rate_test|hackbench/cli_resume_test'

bench: packages build  ## run the benchmarks; JSON in build/CONFIG/bench
	@$(TOOLS)/run_benchmarks.sh $(BUILD)

check:  ## format, include direction, shellcheck, a clang build, clang-tidy
	@$(TOOLS)/install_packages.sh build check
	@$(TOOLS)/check.sh

sanitize:  ## the tests under address+undefined, then thread sanitizer
	@$(MAKE) --no-print-directory test CONFIG=asan
	@$(MAKE) --no-print-directory test CONFIG=tsan

cross:  ## cross build and tests under emulation (ARCH=arm64|riscv64)
	$(if $(filter $(ARCH),$(ARCHS)),,$(error ARCH=$(ARCH) is unknown; choices: $(ARCHS)))
	@$(TOOLS)/install_packages.sh build cross-$(ARCH)
	@$(TOOLS)/cross_sysroot.sh
	@$(CMAKE) -B build/$(ARCH) --toolchain hackbench/cmake/$(ARCH).cmake \
	  -C hackbench/cmake/release.cmake -DHACKBENCH_BENCHMARKS=OFF
	@cmake --build build/$(ARCH) -j $(JOBS)
	@ctest --test-dir build/$(ARCH) --output-on-failure

install: build  ## install into DESTDIR/PREFIX (default /usr/local)
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)'

uninstall:  ## remove what the last install put into DESTDIR
	@DESTDIR='$(DESTDIR)' $(TOOLS)/uninstall.sh $(BUILD)/install_manifest.txt

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | \
	  awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'
