#!/bin/sh
# stillpoint inspect sitemap: its output is a contract.
set -u
# shellcheck source=tests/e2e/tap.sh
. "$SRCDIR/tests/e2e/tap.sh"

cat >"$tmp/sitemap.xml" <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://h/a</loc><lastmod>2005-01-01</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
<url><loc>b?c=1&d=2</loc></url>
</urlset>
END
printf '<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>' >"$tmp/index.xml"
gzip -k "$tmp/sitemap.xml"

sitemap() {
	"$STILLPOINT" inspect sitemap "$@" 2>"$tmp/stderr"
}

want='{"loc":"http://h/a","lastmod":"2005-01-01T00:00:00.000Z","changefreq":"daily","priority":0.8}
{"loc":"http://h/s/b?c=1&d=2","lastmod":null,"changefreq":null,"priority":null}'

ok 'entries' is "$(sitemap "$tmp/sitemap.xml" --base http://h/s/)" "$want"
ok 'what was wrong' is "$(cat "$tmp/stderr")" \
	"stillpoint: inspect sitemap: $tmp/sitemap.xml: not well-formed XML"
ok 'packed' is "$(sitemap "$tmp/sitemap.xml.gz" --base http://h/s/)" "$want"
ok 'standard input' is "$(sitemap - --base http://h/s/ <"$tmp/sitemap.xml")" "$want"
ok 'without a base only what is absolute' is "$(sitemap "$tmp/sitemap.xml" | wc -l | tr -d ' ')" 1
ok 'an index' is "$(sitemap "$tmp/index.xml" --base http://h/)" '{"sitemap":"http://h/s.xml","lastmod":null}'
ok 'no sitemap' fails 2 sitemap "$SRCDIR/LICENSE" --base http://h/
ok 'a base that is no URL' fails 2 sitemap "$tmp/index.xml" --base nowhere
ok 'a file that is not there' fails 2 sitemap "$tmp/none" --base http://h/
done_testing
