# A thin front for Meson. Every target first installs the packages it misses (tools/packages).

BUILD = build
PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 60
# Warnings stop the build where we test; users of other compilers need not suffer from them.
WERROR = $(if $(CI),true,false)

export BUILD FUZZ_SECONDS

all:
	@tools/install-packages build
	@tools/check-build-place $(BUILD)
	@test -e $(BUILD)/build.ninja || \
		meson setup $(BUILD) -Dprefix='$(PREFIX)' -Dwerror=$(WERROR) >/dev/null
	@ninja -C $(BUILD) product

test: all
	@tools/install-packages test
	@tools/install-npm >/dev/null
	@tools/run-tests $(TESTS)

lint: all
	@tools/install-packages lint
	@tools/lint

fuzz:
	@tools/install-packages build test
	@tools/fuzz

bench: all
	@tools/install-packages bench
	@meson test -C $(BUILD) --benchmark --num-processes 1

# A thousand living sites for SOAK_SECONDS (600): memory has to stay flat.
soak: all
	@tools/install-packages test
	@tools/soak

# What captures of living sites get wrong, by kind of noise, change and lie: docs/judgement.md.
truth: all
	@tools/install-packages test
	@tools/truth

# The same of real applications, which are edited between the looks.
applications: all
	@tools/install-packages applications
	@tools/applications

# The papers' tables, our own studies, real sites: build/experiments/index.html leads to all.
experiments: all
	@tools/install-packages test
	@tools/experiments

demo: all
	@rm -rf $(BUILD)/demo
	@$(BUILD)/stillpoint-lab demo --output $(BUILD)/demo

# Meson would take a relative DESTDIR as one under the build directory.
install: all
	@meson configure $(BUILD) -Dprefix='$(PREFIX)'
	@ninja -C $(BUILD) product
	@dir='$(DESTDIR)'; DESTDIR=$${dir:+$$(realpath -m "$$dir")} \
		meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz

.PHONY: all test lint fuzz bench soak truth applications experiments demo install clean
