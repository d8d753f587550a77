#!/bin/sh
# stillpoint inspect robots: its output is a contract.
set -u
# shellcheck source=tests/e2e/tap.sh
. "$SRCDIR/tests/e2e/tap.sh"

cat >"$tmp/robots.txt" <<'END'
User-agent: *
Disallow: /private
Allow: /private/open
Crawl-delay: 1.5

User-agent: examplebot
Disallow: /
END

robots() {
	"$STILLPOINT" inspect robots "$@"
}

ok 'one line for each URL' is "$(robots "$tmp/robots.txt" --agent any http://h/ http://h/private/a 'http://h/private/open?x#y')" \
'{"url":"http://h/","allowed":true,"line":null,"crawl_delay":1.5}
{"url":"http://h/private/a","allowed":false,"line":2,"crawl_delay":1.5}
{"url":"http://h/private/open?x#y","allowed":true,"line":3,"crawl_delay":1.5}'
ok 'its own group' is "$(robots "$tmp/robots.txt" --agent ExampleBot/2.0 http://h/)" \
	'{"url":"http://h/","allowed":false,"line":7,"crawl_delay":null}'
ok 'dots are resolved first' is "$(robots "$tmp/robots.txt" http://h/x/../private/)" \
	'{"url":"http://h/x/../private/","allowed":false,"line":2,"crawl_delay":1.5}'
ok 'a path' is "$(robots "$tmp/robots.txt" /private)" \
	'{"url":"/private","allowed":false,"line":2,"crawl_delay":1.5}'
ok 'standard input' is "$(robots - http://h/private <"$tmp/robots.txt")" \
	'{"url":"http://h/private","allowed":false,"line":2,"crawl_delay":1.5}'
ok 'no URL is wrong usage' fails 2 robots "$tmp/robots.txt"
ok 'a file that is not there' fails 2 robots "$tmp/none" http://h/
ok 'a directory' fails 2 robots "$tmp" http://h/
done_testing
