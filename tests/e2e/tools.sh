#!/bin/bash
# Our own checkers find what they are there for, each shown a tree that breaks one rule.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

# in_tree CHECKER FILE TEXT: runs the checker over a tree with this one file.
in_tree() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/"{include,src,lab,tests,bench} "$tmp/tree/$(dirname "$2")"
	printf '%b' "$3" >"$tmp/tree/$2"
	"$SRCDIR/tools/$1" "$tmp/tree"
}

# rejects MESSAGE CHECKER FILE TEXT
rejects() {
	local output
	output=$(in_tree "${@:2}") && { echo "accepted"; return 1; }
	is "$output" "$1"
}

function_of() {
	printf 'static int f(int a)\\n{\\n%s}\\n' "$(printf '\\ta++;\\n%.0s' $(seq "$1"))"
}

ok 'law: base is for all' in_tree check-includes src/plan/a.c '#include "base/err.h"\n'
ok 'law: crawl may use plan' in_tree check-includes src/crawl/a.c '#include "plan/run.h"\n'
ok 'law: cmd may use all' in_tree check-includes src/cmd/a.c '#include "crawl/crawl.h"\n'
ok 'law: base knows nobody' rejects 'src/base/a.h:2: base must not use plan' \
	check-includes src/base/a.h '\n#include "plan/run.h"\n'
ok 'law: plan does not use the catalog' rejects 'src/plan/a.c:1: plan must not use catalog' \
	check-includes src/plan/a.c '#include "catalog/catalog.h"\n'
ok 'law: nobody uses cmd' rejects 'src/crawl/a.c:1: crawl must not use cmd' \
	check-includes src/crawl/a.c '#  include "cmd/cmd.h"\n'
ok 'law: plan is pure' rejects 'src/plan/a.c:1: plan is pure and must not include <time.h>' \
	check-includes src/plan/a.c '#include <time.h>\n'
ok 'law: a header is named with its room' rejects 'src/plan/a.c:1: write "room/run.h"' \
	check-includes src/plan/a.c '#include "run.h"\n'
ok 'law: a new room needs a row' rejects 'src/new/a.c:1: the law has no row for room new' \
	check-includes src/new/a.c '#include "base/err.h"\n'
ok 'law: the laboratory uses the product' in_tree check-includes lab/demo/a.c '#include "crawl/crawl.h"\n'
ok 'law: but not all of it' rejects 'lab/sim/a.c:1: sim must not use crawl' \
	check-includes lab/sim/a.c '#include "crawl/crawl.h"\n'
ok 'law: its rooms are not for the product' rejects \
	'src/crawl/a.c:1: src must not use the laboratory (sim)' \
	check-includes src/crawl/a.c '#include "sim/trial.h"\n'
ok 'law: nor for commands' rejects 'src/cmd/a.c:1: src must not use the laboratory (living)' \
	check-includes src/cmd/a.c '#include "living/site.h"\n'
ok 'law: a room of the laboratory is none of src' rejects \
	'src/sim/a.c:1: the law has no row for room sim' \
	check-includes src/sim/a.c '#include "base/err.h"\n'

ok 'length: 100 lines will do' in_tree check-functions src/plan/a.c "$(function_of 98)"
ok 'length: 101 are too many' rejects 'src/plan/a.c:2: f has 101 lines, limit 100' \
	check-functions src/plan/a.c "$(function_of 99)"
ok 'length: in the laboratory, too' rejects 'lab/sim/a.c:2: f has 101 lines, limit 100' \
	check-functions lab/sim/a.c "$(function_of 99)"
ok 'length: and in tests' rejects 'tests/plan/a.c:2: f has 101 lines, limit 100' \
	check-functions tests/plan/a.c "$(function_of 99)"
ok 'length: of files' rejects 'src/plan/a.c: over 1500 lines' \
	check-functions src/plan/a.c "$(printf '\\n%.0s' $(seq 1501))"

ok 'exports: a table of functions uses them' in_tree check-exports src/plan/a.h \
	'int f(int a);\n#define TABLE f\n'
ok 'exports: for nobody' rejects 'src/plan/a.h: nobody else uses f' \
	check-exports src/plan/a.h 'int f(int a);\n'

# A tree of 6 lines of code, 2 of them in the laboratory, whose walk has three functions and a struct.
# "/*" in a string begins no comment.
sizes() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/"{include,docs,src/plan,src/base,lab/sim}
	printf '/* a\n\n b */\nint a; // c\n\nchar *s = "/* \\" //";\n' >"$tmp/tree/src/plan/a.c"
	printf 'int b;\n/* x */ int c;\n' >"$tmp/tree/include/b.h"
	printf 'int f(void)\n{\n' >"$tmp/tree/lab/sim/d.c"
	# shellcheck disable=SC2016 # no commands: Markdown
	printf '# A\n\n## The walk of a page\n\nIt has 1 structs:\n`struct x`.\n\n1. `f` → `g` (`a/b.c`) →\n   `h`.\n2. `f` → `h`, `k`.\n\n## B\n\n`a` → `b`\n' \
		>"$tmp/tree/docs/ARCHITECTURE.md"
	"$SRCDIR/tools/size" "$@" "$tmp/tree"
}

SIZES='product: 4 lines of code in 2 files and 2 rooms, 0 functions over 100 lines
laboratory: 2 lines of code in 1 files and 1 rooms, 0 functions over 100 lines
the walk of a page names 3 functions and 1 structs'
ok 'size: of a tree' is "$(sizes)" "$SIZES"
ok 'size: without cloc' is "$(sizes --own)" "$SIZES"

ADVICE=': open it by a function of src/base/file.h'
ok 'opens: the gate itself' in_tree check-opens src/base/file.c 'int fd = open(path, 0);\n'
ok 'opens: a word that ends alike' in_tree check-opens src/plan/a.c 'rc = plan_open(path);\n'
ok 'opens: plain' rejects "src/plan/a.c:1:int fd = open(path, 0);$ADVICE" \
	check-opens src/plan/a.c 'int fd = open(path, 0);\n'
ok 'opens: a stream' rejects "src/plan/a.c:1:f = fopen(path, \"r\");$ADVICE" \
	check-opens src/plan/a.c 'f = fopen(path, "r");\n'
ok 'opens: in memory' in_tree check-opens src/plan/a.c 'sqlite3_open_v2(":memory:", &db);\n'
ok 'opens: a database' rejects "src/plan/a.c$ADVICE" \
	check-opens src/plan/a.c 'sqlite3_open_v2(name, &db);\n'

# A stand-in for dpkg-query that knows no package; neither root nor sudo.
unprivileged() {
	mkdir -p "$tmp/bin"
	printf '#!/bin/sh\nexit 1\n' | tee "$tmp/bin/dpkg-query" "$tmp/bin/sudo" >"$tmp/bin/apt-get"
	printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
	chmod +x "$tmp/bin/"*
	PATH=$tmp/bin:$PATH "$SRCDIR/tools/install-packages" "$@"
}

# Those whose command is there already, in whatever way it came, are not missed.
missing_packages() {
	local group package command
	while read -r group package command; do
		[ "$group" = build ] || continue
		[ "$command" ] && command -v "$command" >/dev/null || printf ' %s' "$package"
	done <"$SRCDIR/tools/packages"
}

names_missing() {
	local output
	output=$(unprivileged build 2>&1) && return 1
	is "$output" "stillpoint: please install:$(missing_packages)"
}

# with_hiccups COMMAND…: npm and apt-get fail twice, then do nothing, well; nobody sleeps. They stand
# before what is really there; so do root's number and a dpkg-query that knows no package.
with_hiccups() {
	mkdir -p "$tmp/shaky"
	echo 0 >"$tmp/calls"
	# shellcheck disable=SC2016 # they are for the script that is written
	printf '#!/bin/sh\nn=$(($(cat "%s") + 1))\necho $n >"%s"\n[ $n -gt 2 ]\n' "$tmp/calls" "$tmp/calls" |
		tee "$tmp/shaky/npm" >"$tmp/shaky/apt-get"
	printf '#!/bin/sh\n' >"$tmp/shaky/sleep"
	printf '#!/bin/sh\necho 0\n' >"$tmp/shaky/id"
	printf '#!/bin/sh\nexit 1\n' >"$tmp/shaky/dpkg-query"
	chmod +x "$tmp/shaky/"*
	PATH=$tmp/shaky:$PATH "$@"
}

# apt-get: install, update, update, install.
installs_packages() {
	with_hiccups "$SRCDIR/tools/install-packages" build && is "$(cat "$tmp/calls")" 4
}

installs_npm() {
	BUILD=$tmp/modules with_hiccups "$SRCDIR/tools/install-npm" && is "$(cat "$tmp/calls")" 3
}

# keeps_build SOURCE BUILD: whether make would keep a build directory that was set up for these.
keeps_build() {
	rm -rf "$tmp/place"
	mkdir -p "$tmp/place/build/meson-info"
	printf '{"directories": {"source": "%s", "build": "%s", "info": "x"}}' "$1" "$2" \
		>"$tmp/place/build/meson-info/meson-info.json"
	(cd "$tmp/place" && "$SRCDIR/tools/check-build-place" build 2>"$tmp/said") || return 2
	test -e "$tmp/place/build"
}

drops_build() {
	keeps_build "$@"
	is "$? $(cat "$tmp/said")" '1 make: build was set up in another place; setting it up here'
}

place=$(realpath "$tmp")/place
ok 'build: in its place' keeps_build "$place" "$place/build"
ok 'build: copied with its tree' drops_build /elsewhere /elsewhere/build
ok 'build: its tree was moved' drops_build /elsewhere "$place/build"
ok 'build: copied into a tree' drops_build "$place" /elsewhere/build
ok 'build: none yet' "$SRCDIR/tools/check-build-place" "$tmp/none"
ok 'packages: one line names those that are missing' names_missing
ok 'packages: no group, nothing to do' unprivileged
ok 'packages: a network with hiccups' installs_packages
ok 'npm: a network with hiccups' installs_npm
done_testing
