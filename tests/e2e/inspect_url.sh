#!/bin/sh
# stillpoint inspect url: the keys are a contract, in this order; one object for each URL.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

inspect() {
	"$STILLPOINT" inspect url "$@"
}

# object INPUT URL CANONICAL SURT
object() {
	printf '{"input":"%s","url":"%s","canonical":"%s","surt":"%s","error":null}' "$@"
}

# broken INPUT ERROR
broken() {
	printf '{"input":"%s","url":null,"canonical":null,"surt":null,"error":"%s"}' "$@"
}

ok 'all keys' is "$(inspect 'HTTP://www.X.org:80/a/../B?c&a#f')" \
	"$(object 'HTTP://www.X.org:80/a/../B?c&a#f' 'http://www.x.org/B?c&a#f' \
		'http://x.org/b?a&c' 'org,x)/b?a&c')"
ok 'no URL' is "$(inspect 'http://')" "$(broken 'http://' 'host is missing')"
ok 'no URL is no failure' inspect 'http://'
ok 'relative without base' is "$(inspect /a)" \
	"$(broken /a 'no scheme, and no base to resolve against')"
ok 'base' is "$(inspect --base http://x.org/a/b ../c)" \
	"$(object ../c http://x.org/c http://x.org/c 'org,x)/c')"
ok 'several' is "$(inspect http://a/ http://b/ | cut -c 11-19 | tr '\n' ' ')" 'http://a/ http://b/ '

printf 'http://a/\r\n\n../x\nhttp://b/' >"$tmp/lines"
lines() {
	inspect - --base http://h/i/j <"$tmp/lines" | sed 's/.*"url":"\([^"]*\)".*/\1/' | tr '\n' ' '
}
ok 'lines' is "$(lines)" 'http://a/ http://h/i/j http://h/x http://b/ '

{ printf 'http://h/'; head -c 70000 /dev/zero | tr '\0' a; printf '\nhttp://b/\n'; } >"$tmp/long"
long() {
	inspect - <"$tmp/long" | sed 's/.*"url":\([^,]*\),.*"error":\(.*\)}/\1 \2/' | tr '\n' ' '
}
ok 'a line that is too long' is "$(long)" 'null "URL is over 65536 bytes" "http://b/" null '

printf 'http://h/\377\n' >"$tmp/bytes"
bytes() {
	inspect - <"$tmp/bytes" | sed 's/.*"url":"\([^"]*\)".*/\1/'
}
ok 'what is not UTF-8' is "$(bytes)" 'http://h/%EF%BF%BD'

ok 'no argument' fails 2 inspect
ok 'unknown option' fails 2 inspect --bsae=x http://a/
ok 'broken base' fails 2 inspect --base a http://b/
ok 'what to inspect is missing' fails 2 "$STILLPOINT" inspect
ok 'what cannot be inspected' fails 2 "$STILLPOINT" inspect urls x
ok 'help' "$STILLPOINT" inspect --help
if [ -e /dev/full ]; then
	full() {
		inspect http://a/ >/dev/full
	}
	ok 'no room for the output' fails 1 full
fi
done_testing
