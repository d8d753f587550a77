# shellcheck shell=sh
# TAP for tests written in shell; sourced by them. Meson sets STILLPOINT (the program) and SRCDIR.
#
#	. "$SRCDIR/tests/e2e/tap.sh"
#	ok 'prints its version' "$STILLPOINT" --version
#	done_testing

: "${STILLPOINT:?}" "${SRCDIR:?}"
# The laboratory's program stands beside.
export LAB="$STILLPOINT-lab"
tap_count=0
tap_failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ok NAME COMMAND…: passes when the command exits 0; what it printed is shown when it does not.
ok() {
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$tmp/tap-output" 2>&1 </dev/null; then
		echo "ok $tap_count - $tap_name"
	else
		tap_failed=$((tap_failed + 1))
		sed 's/^/# /' "$tmp/tap-output"
		echo "not ok $tap_count - $tap_name"
	fi
}

# is GOT WANT: to be used as a command of ok.
is() {
	[ "$1" = "$2" ] || { printf 'got  %s\nwant %s\n' "$1" "$2"; return 1; }
}

# fails STATUS COMMAND…: the command exits with this status.
fails() {
	tap_status=$1
	shift
	tap_got=0
	"$@" || tap_got=$?
	is "$tap_got" "$tap_status"
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

done_testing() {
	echo "1..$tap_count"
	exit $((tap_failed > 0))
}

# list_commands [PROGRAM]: its commands as its help lists them, the indented lines.
list_commands() {
	"${1:-$STILLPOINT}" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'
}

# list_options COMMAND [PROGRAM]: the long options that `PROGRAM COMMAND --help all` explains.
list_options() {
	"${2:-$STILLPOINT}" "$1" --help all | sed -n '/^ *-/s/^[^-]*\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}
