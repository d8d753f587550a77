#!/bin/bash
# npm's warcio reads what we write, and agrees on every digest and on the lines of the index.
set -u
. "$SRCDIR/tests/e2e/tap.sh"
: "${WARC_SAMPLE:?}"

if ! command -v npm >/dev/null; then
	skip 'warcio' 'there is no npm'
	done_testing
fi
modules=$("$SRCDIR/tools/install-npm") || echo '# warcio could not be installed'
warcio=$modules/node_modules/warcio/dist/cli.js

# agrees CODING: warcio computes the digests that the file states, of all the records there are.
agrees() {
	node "$SRCDIR/tests/e2e/warcio.mjs" "$modules" "$tmp/$1/"sample-* >"$tmp/digests" ||
		{ grep -v '^ok' "$tmp/digests"; return 1; }
	is "$(grep -c ' block ' "$tmp/digests") $(grep -c ' payload ' "$tmp/digests")" '22 6'
}

# Of a plain record warcio does not count the line ends behind the block.
comparable() {
	if [ "$1" = plain ]; then
		sed 's/"length":"\{0,1\}[0-9]*"\{0,1\},//'
	else
		cat
	fi
}

same_index() {
	(cd "$tmp/$1" && node "$warcio" cdx-index --format cdxj sample-*) | comparable "$1" >"$tmp/theirs"
	diff <(comparable "$1" <"$tmp/$1.cdxj") "$tmp/theirs" && is "$(wc -l <"$tmp/theirs")" 8
}

# Places of all records, those included that are not in an index of pages.
same_records() {
	(cd "$tmp/$1" && node "$warcio" index sample-* --fields offset,length,warc-type) |
		comparable "$1" >"$tmp/theirs"
	"$STILLPOINT" inspect warc "$tmp/$1/"sample-* |
		sed 's/^{\("offset":[0-9]*\),\("length":[0-9]*\),"type":\("[a-z]*"\).*/{\1,\2,"warc-type":\3}/' |
		comparable "$1" | diff - "$tmp/theirs" && is "$(wc -l <"$tmp/theirs")" 22
}

all_ok() {
	"$STILLPOINT" inspect warc "$tmp/$1/"sample-* >"$tmp/records" || return 1
	is "$(grep -c '"ok":true,"error":null}$' "$tmp/records")" "$(wc -l <"$tmp/records")"
}

for coding in gzip plain; do
	mkdir "$tmp/$coding"
	ok "$coding: we write" "$WARC_SAMPLE" "$tmp/$coding" "$coding"
	cp "$tmp/tap-output" "$tmp/$coding.cdxj"
	ok "$coding: we read what we wrote" all_ok "$coding"
	ok "$coding: warcio agrees on digests" agrees "$coding"
	ok "$coding: warcio writes the same index" same_index "$coding"
	ok "$coding: warcio finds the same records" same_records "$coding"
done
done_testing
