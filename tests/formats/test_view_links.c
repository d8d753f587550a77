/* Views of documents, and documents that only look like them. */
#include "formats/view_links.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define HASH "0123456789abcdef0123456789abcdef01234567"

/* Pages that the site has, behind https://example.org. */
static const char *const PAGES[] = {"/", "/start", "/doku.php?id=start", "/wiki/Home", "/page/7",
	"/posts/12", "/2024/05/post/", "/my-post/", "/repo/tree/a.c", "/repo/", "/pub/",
	"/TicketQuery", "/r/src/branch/main/a.c", ("/r/info/" HASH), "/projects/x/wiki/Plan",
	"/bin/view/Main/WebHome", "/index.php?page=News", "/guides/photo", "/list"};

static const struct {
	const char *url;  /* behind https://example.org */
	const char *want; /* name of the pattern, or "" */
} rows[] = {
	{"/", ""},
	{"/start", ""},
	{"/doku.php", ""},
	{"/doku.php?id=start", ""},
	{"/doku.php?id=ns:page", ""},
	{"/doku.php?id=ns:page&do=show", ""},
	{"/doku.php/ns:page", ""},
	{"/doku.php?id=ns:page&do=edit", "dokuwiki: edit"},
	{"/doku.php?do=edit&id=ns:page&rev=1700000000", "dokuwiki: edit"},
	{"/doku.php/ns:page?do=revisions", "dokuwiki: revisions"},
	{"/doku.php?id=a&do=diff&rev2%5B0%5D=1&rev2%5B1%5D=2", "dokuwiki: difference"},
	{"/doku.php?id=a&do=backlink", "dokuwiki: backlinks"},
	{"/doku.php?id=a&do=media&ns=x", "dokuwiki: media manager"},
	{"/doku.php?id=a&do=export_xhtml", "dokuwiki: export"},
	{"/doku.php?id=a&do=login&sectok=", "dokuwiki: other action"},
	{"/doku.php?id=a&do=plugin_thing", "dokuwiki: other action"},
	{"/doku.php?id=a&rev=1700000000", "dokuwiki: old revision"},
	{"/doku.php?id=a&do=index", "dokuwiki: index"},
	{"/doku.php?id=a&idx=ns", "dokuwiki: index"},
	{"/doku.php?id=a&do=recent", "dokuwiki: recent changes"},
	{"/start?do=edit", "edit"},
	{"/start?do=revisions", "history"},
	{"/start?do=index", "dokuwiki: index"},
	{"/nowhere?do=edit", ""},
	{"/lib/exe/detail.php?id=a&media=x.png", "dokuwiki: detail of media"},
	{"/lib/exe/fetch.php?media=x.pdf", ""},
	{"/lib/exe/mediamanager.php?ns=x", "dokuwiki: list of media"},
	{"/feed.php", ""},
	{"/feed.php?mode=list&ns=a", "dokuwiki: feed of a namespace"},

	{"/index.php?title=X", ""},
	{"/index.php?title=X&curid=4", ""},
	{"/index.php/X", ""},
	{"/wiki/X", ""},
	{"/wiki/Category:Y", ""},
	{"/wiki/Talk:Edit", ""},
	{"/wiki/History_of_action", ""},
	{"/index.php?title=Category:Y&from=M", ""},
	{"/index.php?title=X&action=view", ""},
	{"/index.php?title=X&action=edit", "mediawiki: edit"},
	{"/w/index.php?title=X&action=edit&redlink=1", "mediawiki: edit"},
	{"/w/index.php?title=X&veaction=edit", "mediawiki: edit"},
	{"/index.php?title=X&action=history", "mediawiki: history"},
	{"/index.php?title=X&action=raw", "mediawiki: source"},
	{"/index.php?title=X&action=info", "mediawiki: information"},
	{"/index.php?title=X&oldid=12", "mediawiki: old revision"},
	{"/index.php?title=X&diff=13&oldid=12", "mediawiki: difference"},
	{"/index.php?diff=13&oldid=12", "mediawiki: difference"},
	{"/wiki/Home?oldid=12", "mediawiki: old revision"},
	{"/wiki/Home?action=history", "history"},
	{"/index.php?title=X&printable=yes", "mediawiki: print version"},
	{"/index.php?title=Special:WhatLinksHere/X", "mediawiki: special page"},
	{"/index.php?title=Spezial:Letzte_%C3%84nderungen", "mediawiki: special page"},
	{"/wiki/Special:RecentChangesLinked/X", "mediawiki: special page"},
	{"/wiki/Sp%C3%A9cial:Pages_li%C3%A9es/X", "mediawiki: special page"},
	{"/wiki/Special:AllPages", ""},
	{"/index.php?title=Special:AllPages&from=M", ""},
	{"/wiki/Special_relativity", ""},
	{"/wiki/Help:Special:pages", ""},
	{"/api.php?action=rsd", "mediawiki: api"},

	{"/start?action=AttachFile&do=get&target=plan.pdf", ""},
	{"/start?action=AttachFile", "moinmoin: attachments"},
	{"/start?action=print", "print version"},
	{"/start?action=raw", "source"},
	{"/start?action=diff", "difference"},
	{"/start?action=LikePages", "moinmoin: action"},
	{"/bin/rdiff/Main/WebHome", "foswiki: action"},
	{"/bin/edit/Main/WebHome?t=1", "foswiki: action"},
	{"/bin/edit/notes.html", ""},
	{"/pages/viewpreviousversions.action?pageId=3", "confluence: view"},
	{"/pages/viewpage.action?pageId=3", ""},
	{"/start?version=3", "trac: old version"},
	{"/start?format=txt", "trac: other format"},
	{"/changeset/123", ""},
	{"/changeset?old=1&new=2", "trac: difference"},
	{"/projects/x/wiki/Plan/history", "redmine: view"},
	{"/projects/x/wiki/Other/history", ""},

	{"/repo/", ""},
	{"/repo/log/", ""},
	{"/repo/log/?h=main", ""},
	{"/repo/log/?ofs=50", "cgit: further log"},
	{"/repo/log/a.c", "cgit: log of a file"},
	{"/repo/tree/", ""},
	{"/repo/tree/a.c", ""},
	{"/repo/tree/a.c?id=" HASH, "cgit: old tree"},
	{"/repo/commit/?id=" HASH, ""},
	{"/repo/commit/a.c?id=" HASH, "cgit: part of a commit"},
	{"/repo/diff/?id=" HASH, "cgit: difference"},
	{"/repo/patch/?id=" HASH, "cgit: patch"},
	{"/repo/blame/a.c", "cgit: blame"},
	{"/repo/blame/b.c", ""},
	{"/repo/plain/a.c", ""},
	{"/repo/snapshot/repo-1.0.tar.gz", "cgit: snapshot"},
	{"/repo/stats/", "cgit: statistics"},
	{"/repo/refs/", ""},
	{"/repo/tag/?h=v1", ""},
	{"/diff/?id=12", ""},
	{"/patch/?id=spring", ""},
	{"/essays/blame/", ""},

	{"/gitweb?p=a.git", ""},
	{"/gitweb?p=a.git;a=summary", ""},
	{"/gitweb?p=a.git;a=shortlog", ""},
	{"/gitweb?p=a.git;a=tree", ""},
	{"/gitweb?p=a.git;a=blob;f=README;h=" HASH ";hb=HEAD", ""},
	{"/gitweb?p=a.git;a=commit;h=" HASH, ""},
	{"/gitweb?p=a.git;a=commitdiff;h=" HASH, "gitweb: difference"},
	{"/gitweb?p=a.git;a=blobdiff_plain;f=x", "gitweb: difference"},
	{"/gitweb?p=a.git;a=tree;h=" HASH ";hb=" HASH, "gitweb: old tree"},
	{"/gitweb?p=a.git;a=snapshot;h=" HASH ";sf=tgz", "gitweb: snapshot"},
	{"/gitweb?p=a.git;a=history;f=x;hb=HEAD", "gitweb: history"},
	{"/gitweb?p=a.git;a=shortlog;pg=2", "gitweb: further log"},
	{"/gitweb/a.git/commitdiff/" HASH, "gitweb: difference"},
	{"/shop?p=12&a=tree", ""},

	{"/r/timeline", ""},
	{"/r/timeline?c=2024-01-01", "fossil: part of the timeline"},
	{("/r/info/" HASH), ""},
	{"/r/vdiff/" HASH, "fossil: difference"},
	{"/r/vdiff?from=a&to=b", "fossil: difference"},
	{"/r/fdiff?v1=a&v2=b", "fossil: difference"},
	{"/r/finfo?name=a.c", "fossil: history"},
	{"/r/annotate?filename=a.c", "fossil: annotation"},
	{"/r/raw/" HASH, "fossil: raw artifact"},
	{"/r/doc/trunk/www/index.wiki", ""},
	{"/r/wiki?name=Home", ""},
	{"/r/dir?ci=tip", ""},
	{"/r/dir?ci=" HASH, "fossil: old tree"},
	{"/info/contact", ""},
	{"/raw/materials", ""},

	{"/r/src/branch/main/a.c", ""},
	{"/r/src/commit/" HASH "/a.c", "forge: old tree"},
	{"/r/commit/" HASH, ""},
	{"/r/commit/" HASH ".diff", "forge: difference"},
	{"/r/commits/branch/main/a.c", "forge: log of a file"},
	{"/r/compare/main...dev", "forge: comparison"},
	{"/r/-/blame/main/a.c", "forge: blame"},
	{"/r/-/blob/main/a.c", ""},
	{"/r/-/blob/" HASH "/a.c", "forge: old tree"},
	{"/r/-/issues/4", ""},
	{"/r/issues/4", ""},
	{"/compare/phones", ""},

	{"/?p=12", ""},
	{"/?page_id=3", ""},
	{"/?attachment_id=3", ""},
	{"/2024/05/post/", ""},
	{"/2024/05/post/?replytocom=5", "wordpress: reply"},
	{"/2024/05/post/?share=facebook&nb=1", "wordpress: share"},
	{"/2024/05/post/feed/", "wordpress: feed"},
	{"/my-post/feed", "wordpress: feed"},
	{"/my-post/embed/", "wordpress: embed"},
	{"/my-post/amp/", "wordpress: amp"},
	{"/other/feed/", ""},
	{"/feed/", ""},
	{"/?feed=rss2", ""},
	{"/?feed=rss2&p=5", "wordpress: feed"},
	{"/wp-json/oembed/1.0/embed?url=x", "wordpress: oembed"},
	{"/wp-json/wp/v2/posts/5", "wordpress: json"},
	{"/?rest_route=/oembed/1.0/embed&url=x", "wordpress: oembed"},
	{"/wp-login.php?redirect_to=%2F", "wordpress: login"},
	{"/my-post/comment-page-2/", ""},
	{"/shares?share=BMW", ""},

	{"/pub/?C=N;O=D", "apache: order of a list"},
	{"/pub/?C=M&O=A", "apache: order of a list"},
	{"/sensor/?C=21&O=4", ""},
	{"/docs/_sources/index.rst.txt", "sphinx: source"},
	{"/node/5", ""},
	{"/node/5/edit", "drupal: view"},
	{"/posts/12/edit", "edit"},
	{"/posts/13/edit", ""},
	{"/edit/", ""},
	{"/edit/lesson-1", ""},
	{"/guides/photo/edit", ""},
	{"/guides/photo/history", ""},
	{"/blog/how-to-edit", ""},
	{"/shop?action=show", ""},
	{"/shop?action=show&id=5", ""},
	{"/list?action=show", ""},
	{"/list?view=grid", ""},
	{"/list?view=details&id=4", ""},
	{"/list?view=print", "print version"},
	{"/list?lang=de", ""},
	{"/list?page=2", ""},
	{"/list?sort=price", ""},
	{"/list?print=1", "print version"},
	{"/index.php?page=News&action=edit", "edit"},
	{"/index.php?page=Other&action=edit", ""},
	{"/login", ""},
	{"/login?next=%2Fstart", "login"},
	{"/shop?do=search&q=x", ""},
	{"mailto:a@example.org", ""},
};

static bool is_known(void *context, slice url)
{
	(void)context;
	if (!slice_starts_with(url, SLICE("https://example.org/")))
		return false;
	url = slice_sub(url, strlen("https://example.org"), url.len);
	for (size_t i = 0; i < sizeof PAGES / sizeof PAGES[0]; i++)
		if (slice_eq(url, slice_str(PAGES[i])))
			return true;
	return false;
}

static void check(const char *text, bool on_view, const char *want)
{
	struct url base, url;
	size_t view;

	url_init(&base);
	url_init(&url);
	CHECK_INT(url_parse(&base, SLICE("https://example.org/"), NULL, NULL), 0);
	CHECK_INT(url_parse(&url, slice_str(text), &base, NULL), 0);
	view = view_of_link(&url, on_view, is_known, NULL);
	CHECK_STR(view == VIEW_NONE ? "" : view_name(view), want);
	url_release(&base);
	url_release(&url);
}

/* Commits that a log has are documents; those that another commit or a view leads to are not. */
static void test_unlisted(void)
{
	check("/repo/commit/?id=" HASH, true, "cgit: commit");
	check("/gitweb?p=a.git;a=commit;h=" HASH, true, "gitweb: commit");
	check(("/r/info/" HASH), true, "fossil: check-in");
	check("/r/commit/" HASH, true, "forge: commit");
	check("/repo/tree/", true, "");
	check("/start", true, "");
}

static void test_lists(void)
{
	struct url url;
	slice part;
	size_t view;

	url_init(&url);
	CHECK_INT(url_parse(&url, SLICE("https://example.org/doku.php?id=a&idx=n:s&x"), NULL, NULL),
		0);
	view = view_of_link(&url, false, is_known, NULL);
	CHECK(view_is_listing(view, &url, &part));
	CHECK(slice_eq(part, SLICE("n:s")));
	CHECK_INT(
		url_parse(&url, SLICE("https://example.org/doku.php?id=a&do=edit"), NULL, NULL), 0);
	view = view_of_link(&url, false, is_known, NULL);
	CHECK(!view_is_listing(view, &url, &part));
	CHECK(!view_is_listing(view_count(), &url, &part));
	url_release(&url);
}

/* What is longer than any view, or has more fields. */
static void test_limits(void)
{
	char text[2 * VIEW_URL_MAX] = "/doku.php?id=a&do=edit";
	size_t len = strlen(text);

	for (size_t n = 0; n < 30; n++)
		len += (size_t)snprintf(text + len, sizeof text - len, "&f%zu=1", n);
	check(text, false, "");
	memset(text + 22, 'x', sizeof text - 23);
	check(text, false, "");
	check("/%2%/doku.php?do=e%", false, "dokuwiki: other action");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("link: %s", rows[i].url);
		check(rows[i].url, false, rows[i].want);
	}
	TAP_RUN(test_unlisted);
	TAP_RUN(test_lists);
	TAP_RUN(test_limits);
	return tap_done();
}
