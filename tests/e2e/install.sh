#!/bin/bash
# What `make install` leaves behind is all that a program needs which embeds the library.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

prefix=/opt/stillpoint
root=$tmp/root$prefix
export LD_LIBRARY_PATH=$root/lib
# Not the jobs and variables of the make that runs us.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD

# From the build under test: another prefix changes what pkg-config is told, and nothing that is
# compiled. Then it gets the usual one back.
make_install() {
	local build=${STILLPOINT%/*}
	make -C "$SRCDIR" install BUILD="$build" PREFIX="$prefix" DESTDIR="$tmp/root" &&
		meson configure "$build" -Dprefix=/usr/local
}

installed_headers() {
	(cd "$root/include/stillpoint" && find . -name '*.h' | sed 's:^\./::')
}

# Names that the shared and the static library define for others.
exported() {
	nm -D --defined-only "$root/lib/libstillpoint.so" | awk '{ print $3 }'
}

static_names() {
	nm --extern-only --defined-only "$root/lib/libstillpoint.a" | awk 'NF == 3 { print $3 }'
}

needed() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# No program that embeds the library may find its own names taken: these are all of ours.
exports_are_ours() {
	exported | grep -v '^sp_' && return 1
	test -n "$(exported)"
}

static_names_are_the_same() {
	is "$(exported | sort)" "$(static_names | sort)"
}

# Macros, types and constants: what the headers add to what the system headers define.
header_names() {
	local flags file
	flags=$(pkg-config --cflags stillpoint)
	for file in $(installed_headers); do
		echo "#include <stillpoint/$file>"
	done >"$tmp/all.c"
	# shellcheck disable=SC2086
	cc -std=c11 $flags -E -dM "$tmp/all.c" | awk '{ sub(/\(.*/, "", $2); print $2 }' |
		grep -E '^(SP|STILLPOINT|PLAN|ERR|BASE|BLUR)' | grep -vE '^(SP_|STILLPOINT_[A-Z]+_H$)'
	sed 's:/\*.*\*/::' "$root"/include/stillpoint/*.h |
		sed -nE 's/^(struct|enum) ([a-z_]+) \{.*/\2/p; s/^\t([A-Z][A-Z_]*)( =.*|,.*)?$/\1/p' |
		grep -viE '^sp_'
}

headers_are_ours() {
	is '' "$(header_names)"
}

exports_are_declared() {
	local name
	for name in $(exported); do
		grep -rqw "$name" "$root/include" || { echo "no header declares $name"; return 1; }
	done
}

needs_only_libc_and_libm() {
	needed "$1" | grep -vE '^(libm|libc|ld-linux.*)\.so'
	test $? -eq 1
}

needs_no_libstillpoint() {
	needed "$1" | grep libstillpoint
	test $? -eq 1
}

# compile_header HEADER LANGUAGE STANDARD OTHER…: after the other headers.
compile_header() {
	local header=$1 language=$2 standard=$3 flags other
	shift 3
	flags=$(pkg-config --cflags stillpoint)
	for other in "$@" "stillpoint/$header"; do
		echo "#include <$other>"
	done >"$tmp/header.c"
	echo 'typedef int not_empty;' >>"$tmp/header.c"
	# shellcheck disable=SC2086
	"$([ "$language" = c ] && echo cc || echo c++)" -std="$standard" -Wall -Wextra -Wpedantic -Werror \
		$flags -fsyntax-only -x "$language" "$tmp/header.c"
}

# build_example SOURCE PROGRAM OPTION…: with the flags that pkg-config gives for static or not.
build_example() {
	local source=$1 program=$2 flags static=
	shift 2
	[ "$*" != -static ] || static=--static
	# shellcheck disable=SC2086
	flags=$(pkg-config $static --cflags --libs stillpoint) &&
		cc -std=c11 -Wall -Wextra -Werror "$@" -o "$program" "$source" $flags
}

ok 'make install' make_install
# From here on pkg-config sees what was installed, and not what the build needs.
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
for file in bin/stillpoint bin/stillpoint-lab lib/libstillpoint.a lib/libstillpoint.so.0 lib/libstillpoint.so \
	share/man/man1/stillpoint.1 share/bash-completion/completions/stillpoint \
	share/man/man1/stillpoint-lab.1 share/bash-completion/completions/stillpoint-lab; do
	ok "installs $file" test -e "$root/$file"
done
for page in "$SRCDIR"/docs/man/*.1; do
	ok "installs ${page##*/}" test -e "$root/share/man/man1/${page##*/}"
done
for page in "$SRCDIR"/docs/*.md; do
	ok "installs ${page##*/}" test -e "$root/share/doc/stillpoint/${page##*/}"
done
ok 'the program runs' "$root/bin/stillpoint" --version
ok 'the laboratory runs' "$root/bin/stillpoint-lab" --version
ok 'the program holds our code itself' needs_no_libstillpoint "$root/bin/stillpoint"
ok 'the library needs libm and libc only' needs_only_libc_and_libm "$root/lib/libstillpoint.so"
ok 'the soname has the major version' \
	grep -q 'SONAME.*\[libstillpoint.so.0\]' <(readelf -d "$root/lib/libstillpoint.so")
ok 'pkg-config knows the version' \
	is "stillpoint $(pkg-config --modversion stillpoint)" "$("$root/bin/stillpoint" --version)"
ok 'exported names begin with sp_' exports_are_ours
ok 'the static library exports the same names' static_names_are_the_same
ok 'names in headers begin with sp_ or SP_' headers_are_ours
ok 'exported names are declared' exports_are_declared
for header in $(installed_headers); do
	for language in 'c c11' 'c++ c++17'; do
		# shellcheck disable=SC2086
		ok "$header compiles alone as $language" compile_header "$header" $language
		# shellcheck disable=SC2086
		ok "$header compiles after OpenSSL and curl as $language" \
			compile_header "$header" $language openssl/err.h curl/curl.h
	done
done
for source in "$SRCDIR"/docs/examples/*.c; do
	name=${source##*/}
	name=${name%.c}
	ok "$name: links the shared library" build_example "$source" "$tmp/$name"
	ok "$name: runs" "$tmp/$name"
	ok "$name: links the static library" build_example "$source" "$tmp/$name-static" -static
	ok "$name: static, runs alone" env -u LD_LIBRARY_PATH "$tmp/$name-static"
done
for script in "$SRCDIR"/docs/examples/*.py; do
	ok "${script##*/}: runs" python3 "$script"
done
done_testing
