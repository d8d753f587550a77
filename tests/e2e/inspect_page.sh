#!/bin/sh
# stillpoint inspect links and inspect text: the keys are a contract, in this order.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

# links FILE [OPTION…]: "kind url" for each link, on one line.
links() {
	"$STILLPOINT" inspect links "$@" --base http://x.org/d/e |
		sed 's/.*"url":"\([^"]*\)","kind":"\([^"]*\)".*/\2 \1/' | tr '\n' ';'
}

cat >"$tmp/page.html" <<'END'
<html lang=en><title>A &amp; B</title><meta name=robots content=NOINDEX>
<p>Some <b>text</b> and a <a href="p.html#top">link</a>.
<img src=/i.png><table></table>
END
ok 'keys of a link' is "$("$STILLPOINT" inspect links "$tmp/page.html" --base http://x.org/d/ | head -n 1)" \
	'{"url":"http://x.org/d/p.html","kind":"page"}'
ok 'links' is "$(links "$tmp/page.html")" 'page http://x.org/d/p.html;image http://x.org/i.png;'
ok 'keys of a text' is "$("$STILLPOINT" inspect text "$tmp/page.html")" \
	'{"title":"A & B","language":"en","robots":"noindex","text":"Some text and a link.","images":1,"tables":1,"links":1}'

: >"$tmp/empty.html"
ok 'no links' is "$(links "$tmp/empty.html")" ''
ok 'no text' is "$("$STILLPOINT" inspect text "$tmp/empty.html")" \
	'{"title":null,"language":null,"robots":null,"text":"","images":0,"tables":0,"links":0}'

echo '@import "a.css"; b { c: url(d.png) } @font-face { src: url(f.woff) }' >"$tmp/style.css"
css='style http://x.org/d/a.css;image http://x.org/d/d.png;font http://x.org/d/f.woff;'
ok 'CSS by its name' is "$(links "$tmp/style.css")" "$css"
cp "$tmp/style.css" "$tmp/style"
ok 'CSS by its type' is "$(links "$tmp/style" --type 'text/css; charset=utf-8')" "$css"
ok 'not CSS' is "$(links "$tmp/style")" ''

printf '<title>\344</title>\344' >"$tmp/latin.html"
ok 'encoding by guessing' is "$("$STILLPOINT" inspect text "$tmp/latin.html" | cut -c 1-13)" '{"title":"ä"'
ok 'encoding by type' is \
	"$("$STILLPOINT" inspect text "$tmp/latin.html" --type 'text/html; charset=koi8-r' | cut -c 1-13)" \
	'{"title":"Д"'

from_stdin() {
	"$STILLPOINT" inspect links - --base http://x.org/ <"$tmp/page.html" | wc -l
}
ok 'standard input' is "$(from_stdin | tr -d ' ')" 2
ok 'no file' fails 2 "$STILLPOINT" inspect links "$tmp/none" --base http://x.org/
ok 'no base' fails 2 "$STILLPOINT" inspect links "$tmp/page.html"
ok 'bad base' fails 2 "$STILLPOINT" inspect links "$tmp/page.html" --base x
ok 'a directory' fails 2 "$STILLPOINT" inspect text "$tmp"
ok 'any bytes' "$STILLPOINT" inspect text "$STILLPOINT"

done_testing
