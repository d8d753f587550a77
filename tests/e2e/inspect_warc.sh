#!/bin/bash
# `stillpoint inspect warc`: the keys, damage, and exit codes.
set -u
. "$SRCDIR/tests/e2e/tap.sh"
: "${WARC_SAMPLE:?}"

mkdir "$tmp/warc"
"$WARC_SAMPLE" "$tmp/warc" gzip >/dev/null
file=$tmp/warc/sample-00000.warc.gz

inspect() {
	"$STILLPOINT" inspect warc "$@"
}

# What is said of the first record of that type.
first() {
	inspect "$file" | grep -m 1 "\"type\":\"$1\"" | sed 's/"length":[0-9]*/"length":N/'
}

keys() {
	first response | grep -oE '"[a-z_]+":' | tr -d '":\n'
}

# damage OFFSET BYTES: writes a copy with these bytes at the offset.
damage() {
	cp "$file" "$tmp/damaged.warc.gz"
	printf '%b' "$2" | dd of="$tmp/damaged.warc.gz" bs=1 seek="$1" conv=notrunc status=none
}

count_not_ok() {
	inspect "$1" | grep -c '"ok":false'
}

third=$(inspect "$file" | sed -n '3s/^{"offset":\([0-9]*\),.*/\1/p')
head -c "$((third + 40))" "$file" >"$tmp/cut.warc.gz"
damage "$third" 'JUNK'

ok 'keys' is "$(keys)" 'offsetlengthtypeurldatestatusmimepayload_digestokerror'
ok 'a request has no status' grep -q '"status":null,"mime":null,"payload_digest":null' <(first request)
ok 'warcinfo comes first' is "$(inspect "$file" | head -n 1 | grep -c '"offset":0,.*"warcinfo"')" 1
ok 'damage is told' is "$(count_not_ok "$tmp/damaged.warc.gz")" 1
ok 'and where' grep -q "^{\"offset\":$third,.*\"type\":null.*\"error\":\"no gzip member" \
	<(inspect "$tmp/damaged.warc.gz")
ok 'damage is no failure' inspect "$tmp/damaged.warc.gz"
ok 'a file that is cut' is "$(count_not_ok "$tmp/cut.warc.gz")" 1
ok 'no file' fails 2 "$STILLPOINT" inspect warc "$tmp/none"
ok 'a directory' fails 2 "$STILLPOINT" inspect warc "$tmp"
ok 'no argument' fails 2 "$STILLPOINT" inspect warc
ok 'help' grep -q 'stillpoint inspect warc FILE' <(inspect --help)
done_testing
