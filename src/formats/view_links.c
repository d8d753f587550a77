#include "formats/view_links.h"

#include <stdint.h>
#include <string.h>

#include "base/word.h"

enum {
	FIELDS_MAX = 24,
	DOCUMENT = 1, /* no view, whatever a later row says */
	BASE = 2,     /* a view only if the page without it is known */
	LISTING = 4,  /* a list of documents: the first one with a value of the field in part */
	UNLISTED = 8, /* a document unless it was found on a view, or on its like */
};

/*
 * The first row that matches counts. Patterns: "*" is any text, "#" a number, "@" a hash of 7 to 64
 * hex digits, at least one of them below a; letters match in either case. A query is a list of
 * fields that must all be there, whatever else there is: "name", "name=PATTERN|PATTERN", or "!name"
 * for one that is not. The page of a BASE row is that of the URL without its query, but for fields
 * that name a document; or, if instead is set, without its query and with that in the place of
 * part.
 */
struct view_rule {
	const char *name;
	const char *path;
	const char *query;
	unsigned flags;
	const char *part, *instead;
};

#define SPECIAL                                                                          \
	"special:*|spezial:*|spécial:*|especial:*|speciale:*|speciaal:*|specjalna:*|"   \
	"speciel:*|spesial:*|speciális:*|speciální:*|istimewa:*|özel:*|toiminnot:*|" \
	"Служебная:*|Спеціальна:*|特別:*|特殊:*|특수:*"
#define LISTS "special:allpages*|special:categories*|special:listfiles*"

static const struct view_rule RULES[] = {
	/* Attachments of MoinMoin; lists of a wiki's pages. */
	{"", "*", "action=attachfile&do=get", DOCUMENT, NULL, NULL},
	{"", "*", "title=" LISTS, DOCUMENT, NULL, NULL},
	{"", "*/special:allpages*", NULL, DOCUMENT, NULL, NULL},
	{"", "*/special:categories*", NULL, DOCUMENT, NULL, NULL},
	{"", "*/special:listfiles*", NULL, DOCUMENT, NULL, NULL},
	{"", "*/doku.php*", "do=show", DOCUMENT, NULL, NULL},

	{"dokuwiki: index", "*/doku.php*", "do=index", LISTING, "idx", NULL},
	{"dokuwiki: index", "*/doku.php*", "idx", LISTING, "idx", NULL},
	{"dokuwiki: index", "*", "do=index", BASE | LISTING, "idx", NULL},
	{"dokuwiki: index", "*", "idx", BASE | LISTING, "idx", NULL},
	{"dokuwiki: recent changes", "*/doku.php*", "do=recent&!first", LISTING, "", NULL},
	{"dokuwiki: recent changes", "*", "do=recent&!first", BASE | LISTING, "", NULL},
	{"dokuwiki: edit", "*/doku.php*", "do=edit|draft|preview", 0, NULL, NULL},
	{"dokuwiki: difference", "*/doku.php*", "do=diff", 0, NULL, NULL},
	{"dokuwiki: revisions", "*/doku.php*", "do=revisions", 0, NULL, NULL},
	{"dokuwiki: backlinks", "*/doku.php*", "do=backlink", 0, NULL, NULL},
	{"dokuwiki: media manager", "*/doku.php*", "do=media", 0, NULL, NULL},
	{"dokuwiki: export", "*/doku.php*", "do=export_*", 0, NULL, NULL},
	{"dokuwiki: other action", "*/doku.php*", "do=*", 0, NULL, NULL},
	{"dokuwiki: old revision", "*/doku.php*", "rev=#", 0, NULL, NULL},
	{"dokuwiki: marked words", "*/doku.php*", "s[]", 0, NULL, NULL},
	{"dokuwiki: list of media", "*/lib/exe/mediamanager.php", NULL, 0, NULL, NULL},
	{"dokuwiki: detail of media", "*/lib/exe/detail.php*", NULL, 0, NULL, NULL},
	{"dokuwiki: detail of media", "*/_detail/*", "id", 0, NULL, NULL},
	{"dokuwiki: export", "*/_export/*", "id", 0, NULL, NULL},
	{"dokuwiki: export", "*/_export/raw/*", NULL, 0, NULL, NULL},
	{"dokuwiki: export", "*/_export/xhtml/*", NULL, 0, NULL, NULL},
	{"dokuwiki: feed of a namespace", "*/feed.php", "mode", 0, NULL, NULL},

	{"mediawiki: edit", "*", "title&action=edit|submit|formedit", 0, NULL, NULL},
	{"mediawiki: edit", "*", "title&veaction", 0, NULL, NULL},
	{"mediawiki: edit", "*", "action=edit&redlink", 0, NULL, NULL},
	{"mediawiki: history", "*", "title&action=history", 0, NULL, NULL},
	{"mediawiki: source", "*", "title&action=raw|render|viewsource", 0, NULL, NULL},
	{"mediawiki: information", "*",
		"title&action=info|credits|protect|unprotect|watch|unwatch|markpatrolled|print", 0,
		NULL, NULL},
	{"mediawiki: difference", "*", "title&diff", 0, NULL, NULL},
	{"mediawiki: difference", "*", "diff=#|prev|next|cur&oldid", 0, NULL, NULL},
	{"mediawiki: old revision", "*", "title&oldid", 0, NULL, NULL},
	{"mediawiki: old revision", "*", "oldid=#", BASE, NULL, NULL},
	{"mediawiki: print version", "*", "title&printable", 0, NULL, NULL},
	{"mediawiki: print version", "*", "printable=yes", BASE, NULL, NULL},
	{"mediawiki: other skin", "*", "title&mobileaction", 0, NULL, NULL},
	{"mediawiki: other skin", "*", "title&useskin", 0, NULL, NULL},
	{"mediawiki: redirect itself", "*", "title&redirect=no", 0, NULL, NULL},
	{"mediawiki: special page", "*", "title=" SPECIAL, 0, NULL, NULL},
	{"mediawiki: special page", "*/special:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/spezial:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/spécial:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/especial:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/speciale:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/speciaal:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/specjalna:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/Служебная:*", NULL, 0, NULL, NULL},
	{"mediawiki: special page", "*/特別:*", NULL, 0, NULL, NULL},
	{"mediawiki: api", "*/api.php", "action", 0, NULL, NULL},

	{"moinmoin: attachments", "*", "action=attachfile", BASE, NULL, NULL},
	{"moinmoin: action", "*",
		"action=likepages|spellcheck|copypage|renamepage|renderasdocbook|localsitemap|"
		"recall|fullsearch|mypages|subscribeuser|load|savepage|newpage",
		BASE, NULL, NULL},
	{"pmwiki: action", "*", "action=upload|refcount|attr|approveurls", BASE, NULL, NULL},
	{"foswiki: action", "*/bin/edit/*", NULL, BASE, "/bin/edit/", "/bin/view/"},
	{"foswiki: action", "*/bin/attach/*", NULL, BASE, "/bin/attach/", "/bin/view/"},
	{"foswiki: action", "*/bin/rdiff/*", NULL, BASE, "/bin/rdiff/", "/bin/view/"},
	{"foswiki: action", "*/bin/oops/*", NULL, BASE, "/bin/oops/", "/bin/view/"},
	{"foswiki: action", "*/bin/rename/*", NULL, BASE, "/bin/rename/", "/bin/view/"},
	{"foswiki: old revision", "*", "rev=#", BASE, NULL, NULL},
	{"foswiki: source", "*", "raw=on|text|debug|all", BASE, NULL, NULL},
	{"foswiki: print version", "*", "skin=print*|cover=print*", BASE, NULL, NULL},
	{"xwiki: view", "*",
		"viewer=code|history|comments|attachments|information|changes|children", BASE, NULL,
		NULL},
	{"xwiki: view", "*", "xpage=print|pdfoptions|plain", BASE, NULL, NULL},
	{"confluence: view", "*/pages/*versions.action", NULL, 0, NULL, NULL},
	{"confluence: view", "*/pages/diffpages*.action", NULL, 0, NULL, NULL},
	{"confluence: view", "*/pages/editpage.action", NULL, 0, NULL, NULL},
	{"confluence: view", "*/pages/viewinfo.action", NULL, 0, NULL, NULL},
	{"confluence: view", "*/pages/copypage.action", NULL, 0, NULL, NULL},
	{"confluence: export", "*/exportword", "pageid", 0, NULL, NULL},
	{"confluence: export", "*/flyingpdf/*", NULL, 0, NULL, NULL},

	{"trac: old version", "*", "version=#", BASE, NULL, NULL},
	{"trac: annotation", "*", "annotate", BASE, NULL, NULL},
	{"trac: other format", "*", "format=txt|csv|tab|rss|raw|ics", BASE, NULL, NULL},
	{"trac: difference", "*/changeset", "old", 0, NULL, NULL},
	{"trac: part of the timeline", "*/timeline", "from", 0, NULL, NULL},
	{"redmine: view", "*/wiki/*/history", NULL, BASE, "/history", ""},
	{"redmine: view", "*/wiki/*/diff", NULL, BASE, "/diff", ""},
	{"redmine: view", "*/wiki/*/annotate", NULL, BASE, "/annotate", ""},
	{"redmine: view", "*/wiki/*/edit", NULL, BASE, "/edit", ""},
	{"bugzilla: view", "*/show_bug.cgi", "id&ctype=xml", 0, NULL, NULL},
	{"bugzilla: view", "*/show_activity.cgi", "id", 0, NULL, NULL},
	{"bugzilla: view", "*/enter_bug.cgi", "product", 0, NULL, NULL},
	{"bugzilla: view", "*/showdependency*.cgi", NULL, 0, NULL, NULL},

	{"cgit: commit", "*/commit/", "id=@&!context&!ss&!ignorews", UNLISTED, NULL, NULL},
	{"cgit: part of a commit", "*/commit/*", "id=@", 0, NULL, NULL},
	{"cgit: difference", "*/diff/*", "id=@", 0, NULL, NULL},
	{"cgit: difference", "*/rawdiff/*", "id=@", 0, NULL, NULL},
	{"cgit: patch", "*/patch/*", "id=@", 0, NULL, NULL},
	{"cgit: blame", "*/blame/*", "id=@", 0, NULL, NULL},
	{"cgit: blame", "*/blame/*", NULL, BASE, "/blame/", "/tree/"},
	{"cgit: old tree", "*/tree/*", "id=@", 0, NULL, NULL},
	{"cgit: old file", "*/plain/*", "id=@", 0, NULL, NULL},
	{"cgit: old file", "*/blob/*", "id=@", 0, NULL, NULL},
	{"cgit: further log", "*/log/*", "id=@", 0, NULL, NULL},
	{"cgit: further log", "*/log/*", "ofs=#", 0, NULL, NULL},
	{"cgit: search of the log", "*/log/*", "qt&q", 0, NULL, NULL},
	{"cgit: log of a file", "*/log/*", NULL, BASE, "/log/", "/tree/"},
	{"cgit: statistics", "*/stats/*", NULL, BASE, "/stats/", "/"},
	{"cgit: snapshot", "*/snapshot/*.tar.*", NULL, 0, NULL, NULL},
	{"cgit: snapshot", "*/snapshot/*.zip", NULL, 0, NULL, NULL},

	{"gitweb: difference", "*", "p&a=commitdiff*|blobdiff*", 0, NULL, NULL},
	{"gitweb: blame", "*", "p&a=blame*", 0, NULL, NULL},
	{"gitweb: history", "*", "p&a=history", 0, NULL, NULL},
	{"gitweb: patch", "*", "p&a=patch|patches", 0, NULL, NULL},
	{"gitweb: snapshot", "*", "p&a=snapshot", 0, NULL, NULL},
	{"gitweb: search", "*", "p&a=search", 0, NULL, NULL},
	{"gitweb: old tree", "*", "p&a=tree|blob|blob_plain&hb=@", 0, NULL, NULL},
	{"gitweb: further log", "*", "p&a=log|shortlog&pg=#", 0, NULL, NULL},
	{"gitweb: further log", "*", "p&a=log|shortlog&h=@", 0, NULL, NULL},
	{"gitweb: commit", "*", "p&a=commit&h=@", UNLISTED, NULL, NULL},
	{"gitweb: difference", "*.git/commitdiff*/*", NULL, 0, NULL, NULL},
	{"gitweb: difference", "*.git/blobdiff*/*", NULL, 0, NULL, NULL},
	{"gitweb: blame", "*.git/blame/*", NULL, 0, NULL, NULL},
	{"gitweb: history", "*.git/history/*", NULL, 0, NULL, NULL},
	{"gitweb: patch", "*.git/patch/*", NULL, 0, NULL, NULL},
	{"gitweb: snapshot", "*.git/snapshot/*", NULL, 0, NULL, NULL},
	{"gitweb: commit", "*.git/commit/@", NULL, UNLISTED, NULL, NULL},

	{"fossil: difference", "*/vdiff", "from", 0, NULL, NULL},
	{"fossil: difference", "*/vdiff/*", NULL, BASE, "/vdiff/", "/info/"},
	{"fossil: difference", "*/fdiff", "v1", 0, NULL, NULL},
	{"fossil: difference", "*/wdiff", "name", 0, NULL, NULL},
	{"fossil: annotation", "*/annotate", "filename", 0, NULL, NULL},
	{"fossil: annotation", "*/blame", "filename", 0, NULL, NULL},
	{"fossil: annotation", "*/praise", "filename", 0, NULL, NULL},
	{"fossil: raw artifact", "*/raw/@", NULL, 0, NULL, NULL},
	{"fossil: raw artifact", "*/hexdump/@", NULL, 0, NULL, NULL},
	{"fossil: raw artifact", "*/hexdump", "name", 0, NULL, NULL},
	{"fossil: artifact", "*/artifact/@", NULL, 0, NULL, NULL},
	{"fossil: history", "*/finfo", "name", 0, NULL, NULL},
	{"fossil: history", "*/whistory", "name", 0, NULL, NULL},
	{"fossil: snapshot", "*/tarball/@/*", NULL, 0, NULL, NULL},
	{"fossil: snapshot", "*/zip/@/*", NULL, 0, NULL, NULL},
	{"fossil: snapshot", "*/sqlar/@/*", NULL, 0, NULL, NULL},
	{"fossil: part of the timeline", "*/timeline", "c", 0, NULL, NULL},
	{"fossil: part of the timeline", "*/timeline", "p", 0, NULL, NULL},
	{"fossil: part of the timeline", "*/timeline", "n&y", 0, NULL, NULL},
	{"fossil: old tree", "*/dir", "ci=@", 0, NULL, NULL},
	{"fossil: old tree", "*/tree", "ci=@", 0, NULL, NULL},
	{"fossil: old file", "*/file*", "ci=@", 0, NULL, NULL},
	{"fossil: old file", "*/doc/@/*", NULL, 0, NULL, NULL},
	{"fossil: check-in", "*/info/@", NULL, UNLISTED, NULL, NULL},

	{"forge: difference", "*/commit/@.diff", NULL, 0, NULL, NULL},
	{"forge: difference", "*/commit/@.patch", NULL, 0, NULL, NULL},
	{"forge: commit", "*/commit/@", NULL, UNLISTED, NULL, NULL},
	{"forge: old tree", "*/src/commit/@*", NULL, 0, NULL, NULL},
	{"forge: old tree", "*/tree/@*", NULL, BASE, "/tree/", "/commit/"},
	{"forge: old tree", "*/-/tree/@*", NULL, 0, NULL, NULL},
	{"forge: old tree", "*/-/blob/@*", NULL, 0, NULL, NULL},
	{"forge: raw file", "*/raw/commit/@/*", NULL, 0, NULL, NULL},
	{"forge: raw file", "*/-/raw/@/*", NULL, 0, NULL, NULL},
	{"forge: blame", "*/blame/branch/*", NULL, 0, NULL, NULL},
	{"forge: blame", "*/blame/commit/*", NULL, 0, NULL, NULL},
	{"forge: blame", "*/-/blame/*", NULL, 0, NULL, NULL},
	{"forge: blame", "*/blame/*", NULL, BASE, "/blame/", "/blob/"},
	{"forge: log of a file", "*/commits/branch/*/*", NULL, BASE, "/commits/", "/src/"},
	{"forge: log of a file", "*/commits/commit/*", NULL, 0, NULL, NULL},
	{"forge: log of a file", "*/-/commits/*/*", NULL, BASE, "/-/commits/", "/-/blob/"},
	{"forge: comparison", "*/compare/*...*", NULL, 0, NULL, NULL},
	{"forge: comparison", "*/-/compare*", NULL, 0, NULL, NULL},
	{"forge: graph", "*/-/graphs/*", NULL, 0, NULL, NULL},
	{"forge: graph", "*/-/network/*", NULL, 0, NULL, NULL},
	{"forge: form", "*/-/edit/*", NULL, 0, NULL, NULL},
	{"forge: form", "*/-/new/*", NULL, 0, NULL, NULL},
	{"forge: form", "*/_edit/*", NULL, BASE, "/_edit/", "/src/"},
	{"forge: snapshot", "*/-/archive/*", NULL, 0, NULL, NULL},

	{"viewvc: view", "*", "view=log|annotate|markup|co|diff|patch", BASE, NULL, NULL},
	{"viewvc: old revision", "*", "revision=#", BASE, NULL, NULL},
	{"viewvc: difference", "*", "r1&r2", BASE, NULL, NULL},

	{"wordpress: reply", "*", "replytocom", 0, NULL, NULL},
	{"wordpress: share", "*", "share", BASE, NULL, NULL},
	{"wordpress: oembed", "*/wp-json/oembed/*", NULL, 0, NULL, NULL},
	{"wordpress: oembed", "*", "rest_route=/oembed/*", 0, NULL, NULL},
	{"wordpress: json", "*/wp-json/wp/v2/*", NULL, 0, NULL, NULL},
	{"wordpress: json", "*", "rest_route=/wp/v2/*", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&p=#", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&page_id=#", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&attachment_id=#", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&cat", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&tag", 0, NULL, NULL},
	{"wordpress: feed", "*", "feed&author", 0, NULL, NULL},
	{"wordpress: feed", "*/*/feed/", NULL, BASE, "/feed/", "/"},
	{"wordpress: feed", "*/*/feed", NULL, BASE, "/feed", "/"},
	{"wordpress: trackback", "*/trackback/", NULL, BASE, "/trackback/", "/"},
	{"wordpress: embed", "*/embed/", NULL, BASE, "/embed/", "/"},
	{"wordpress: amp", "*/amp/", NULL, BASE, "/amp/", "/"},
	{"wordpress: amp", "*", "amp", BASE, NULL, NULL},
	{"wordpress: login", "*/wp-login.php", NULL, 0, NULL, NULL},
	{"wordpress: remote", "*/xmlrpc.php", "rsd", 0, NULL, NULL},

	{"forum: form", "*/posting.php", "mode", 0, NULL, NULL},
	{"forum: form", "*/newreply.php", NULL, 0, NULL, NULL},
	{"forum: print version", "*/printthread.php", NULL, 0, NULL, NULL},
	{"forum: print version", "*/viewtopic.php", "view=print", 0, NULL, NULL},
	{"forum: print version", "*", "action=printpage", BASE, NULL, NULL},
	{"drupal: view", "*/node/#/edit", NULL, 0, NULL, NULL},
	{"drupal: view", "*/node/#/revisions*", NULL, 0, NULL, NULL},
	{"drupal: form", "*/comment/reply/#*", NULL, 0, NULL, NULL},
	{"joomla: view", "*", "tmpl=component&print", BASE, NULL, NULL},
	{"joomla: form", "*", "option=com_mailto", 0, NULL, NULL},
	{"sphinx: source", "*/_sources/*.txt", NULL, 0, NULL, NULL},
	{"apache: order of a list", "*/", "c=n|m|s|d&o=a|d", BASE, NULL, NULL},

	{"login", "*/login*", "redirect_to", 0, NULL, NULL},
	{"login", "*/login*", "returnto", 0, NULL, NULL},
	{"login", "*/login*", "return_to", 0, NULL, NULL},
	{"login", "*/login*", "next", 0, NULL, NULL},
	{"login", "*/login*", "destination", 0, NULL, NULL},
	{"login", "*/login*", "referer", 0, NULL, NULL},
	{"login", "*/login*", "g", 0, NULL, NULL},
	{"edit", "*", "action=edit|editsource|modify", BASE, NULL, NULL},
	{"edit", "*", "do=edit", BASE, NULL, NULL},
	{"edit", "*", "mode=edit", BASE, NULL, NULL},
	{"edit", "*", "cmd=edit", BASE, NULL, NULL},
	{"edit", "*/#/edit", NULL, BASE, "/edit", ""},
	{"history", "*", "action=history|revisions|versions|log", BASE, NULL, NULL},
	{"history", "*", "do=history|revisions|versions", BASE, NULL, NULL},
	{"difference", "*", "action=diff|compare", BASE, NULL, NULL},
	{"difference", "*", "do=diff|compare", BASE, NULL, NULL},
	{"source", "*", "action=source|viewsource|raw|export", BASE, NULL, NULL},
	{"source", "*", "do=source|raw|export_*", BASE, NULL, NULL},
	{"backlinks", "*", "action=backlinks|backlink|info|refs", BASE, NULL, NULL},
	{"backlinks", "*", "do=backlinks|backlink|media|subscribe", BASE, NULL, NULL},
	{"login", "*", "action=login|register|lostpassword|reply|quote|report", BASE, NULL, NULL},
	{"login", "*", "do=login|register|resendpwd|admin|profile", BASE, NULL, NULL},
	{"print version", "*", "action=print|printable|printview", BASE, NULL, NULL},
	{"print version", "*", "print=1|yes|true|y|on", BASE, NULL, NULL},
	{"print version", "*", "view=print|printable", BASE, NULL, NULL},
	{"print version", "*", "format=print|printable", BASE, NULL, NULL},
	{"print version", "*", "mode=print|printable", BASE, NULL, NULL},
};

enum { RULES_COUNT = sizeof RULES / sizeof RULES[0] };
_Static_assert(RULES_COUNT < UINT8_MAX - 1, "captures keep a byte for each page");

/* Fields that say which document is meant, and not what of it is shown. */
static const char *const IDENTITIES[] = {"id", "title", "page", "p", "name", "n", "t", "f", "topic",
	"article", "pagename", "page_id", "pageid", "curid", "idx", "node", "nid", "item"};

struct field {
	slice name, value;
};

/* A URL taken apart; text is decoded, in lower case. */
struct parts {
	char text[2 * VIEW_URL_MAX];
	size_t used;
	slice path;
	struct field fields[FIELDS_MAX];
	slice raw[FIELDS_MAX]; /* as they stand in the URL */
	size_t count;
};

size_t view_count(void)
{
	return RULES_COUNT;
}

const char *view_name(size_t view)
{
	return view < RULES_COUNT ? RULES[view].name : "";
}

/* ---- the URL ---- */

static slice decode(struct parts *p, slice s)
{
	size_t from = p->used;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '%' && i + 2 < s.len && word_hex(s.ptr[i + 1]) >= 0 &&
			word_hex(s.ptr[i + 2]) >= 0) {
			c = (char)(word_hex(s.ptr[i + 1]) * 16 + word_hex(s.ptr[i + 2]));
			i += 2;
		}
		p->text[p->used++] = word_lower(c);
	}
	return (slice){p->text + from, p->used - from};
}

/* False: it has more fields than are looked at. */
static bool take_apart(const struct url *url, struct parts *p)
{
	slice query = url_part(url, url->query);

	p->used = p->count = 0;
	p->path = decode(p, url_part(url, url->path));
	while (query.len) {
		size_t end = 0, equals = 0;

		while (end < query.len && query.ptr[end] != '&' && query.ptr[end] != ';')
			end++;
		while (equals < end && query.ptr[equals] != '=')
			equals++;
		if (p->count == FIELDS_MAX)
			return false;
		p->raw[p->count] = slice_sub(query, 0, end);
		p->fields[p->count].name = decode(p, slice_sub(query, 0, equals));
		p->fields[p->count].value =
			decode(p, slice_sub(query, equals + (equals < end), end));
		p->count++;
		query = slice_sub(query, end + 1, query.len);
	}
	return true;
}

/* ---- patterns ---- */

/* How many bytes of the text "#" or "@" takes; 0: it does not match. */
static size_t take_class(char class, slice text)
{
	bool digit = false;
	size_t n = 0;

	while (n < text.len &&
		(class == '#' ? word_is_digit(text.ptr[n]) : word_hex(text.ptr[n]) >= 0))
		digit = word_is_digit(text.ptr[n++]) || digit;
	return class == '@' && (n < 7 || n > 64 || !digit) ? 0 : n;
}

/* Whether all of the text is as the pattern has it. */
static bool matches(slice pattern, slice text)
{
	slice star = {0}, from = {0};

	for (;;) {
		size_t n = 0;

		if (pattern.len && pattern.ptr[0] == '*') {
			star = pattern = slice_sub(pattern, 1, pattern.len);
			from = text;
			if (pattern.len == 0)
				return true;
			continue;
		}
		if (pattern.len == 0 && text.len == 0)
			return true;
		if (pattern.len && (pattern.ptr[0] == '#' || pattern.ptr[0] == '@'))
			n = take_class(pattern.ptr[0], text);
		else if (pattern.len && text.len && word_lower(pattern.ptr[0]) == text.ptr[0])
			n = 1;
		if (n) {
			pattern = slice_sub(pattern, 1, pattern.len);
			text = slice_sub(text, n, text.len);
		} else if (star.ptr && from.len) {
			pattern = star;
			text = from = slice_sub(from, 1, from.len);
		} else {
			return false;
		}
	}
}

/* Takes what is before the mark off the front of a list. */
static slice next_of(slice *list, char mark)
{
	size_t end = 0;
	slice first;

	while (end < list->len && list->ptr[end] != mark)
		end++;
	first = slice_sub(*list, 0, end);
	*list = slice_sub(*list, end + 1, list->len);
	return first;
}

bool view_is_listing(size_t view, const struct url *url, slice *ret_part)
{
	const struct view_rule *r = &RULES[view < RULES_COUNT ? view : 0];
	slice query = url_part(url, url->query);

	*ret_part = (slice){0};
	while (r->flags & LISTING && query.len) {
		slice field = next_of(&query, '&'), name = next_of(&field, '=');

		if (slice_eq(name, slice_str(r->part)))
			*ret_part = field;
	}
	return (r->flags & LISTING) != 0;
}

static bool matches_any(slice patterns, slice text)
{
	while (patterns.len)
		if (matches(next_of(&patterns, '|'), text))
			return true;
	return false;
}

static bool has_field(const struct parts *p, slice want)
{
	slice name = next_of(&want, '=');

	for (size_t i = 0; i < p->count; i++)
		if (slice_eq(p->fields[i].name, name) &&
			(!want.len || matches_any(want, p->fields[i].value)))
			return true;
	return false;
}

static bool has_query(const struct parts *p, const char *query)
{
	slice list = slice_str(query ? query : "");

	while (list.len) {
		slice want = next_of(&list, '&');
		bool is_absent = want.ptr[0] == '!';

		if (has_field(p, slice_sub(want, is_absent, want.len)) == is_absent)
			return false;
	}
	return true;
}

/*
 * Which three bytes stand side by side in a path, by a hash: most patterns have three of their own
 * behind the first "*", and most paths do not have these.
 */
struct triples {
	uint64_t bits[4];
};

/* The same whatever the case of letters. */
static unsigned triple_bit(const char *p)
{
	return ((p[0] & 0x5fU) * 37 ^ (p[1] & 0x5fU) * 101 ^ (p[2] & 0x5fU)) & 255;
}

static struct triples triples_of(slice path)
{
	struct triples t = {{0}};

	for (size_t i = 2; i < path.len; i++) {
		unsigned bit = triple_bit(path.ptr + i - 2);

		t.bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return t;
}

static bool is_class(char c)
{
	static const bool CLASSES[UINT8_MAX + 1] = {['*'] = true, ['#'] = true, ['@'] = true};

	return CLASSES[(unsigned char)c];
}

/* False: the path does not match. */
static bool may_match(const struct triples *t, const char *pattern, slice path)
{
	char last;

	if (pattern[0] && pattern[1] && pattern[2] && pattern[3] && !is_class(pattern[1]) &&
		!is_class(pattern[2]) && !is_class(pattern[3])) {
		unsigned bit = triple_bit(pattern + 1);

		if (!(t->bits[bit / 64] >> bit % 64 & 1))
			return false;
	}
	last = pattern[strlen(pattern) - 1];
	return is_class(last) || (path.len > 0 && path.ptr[path.len - 1] == word_lower(last));
}

/* ---- the document of a view ---- */

static bool is_identity(slice name)
{
	for (size_t i = 0; i < sizeof IDENTITIES / sizeof IDENTITIES[0]; i++)
		if (slice_eq(name, slice_str(IDENTITIES[i])))
			return true;
	return false;
}

struct base {
	char text[2 * VIEW_URL_MAX];
	size_t len;
};

static void append(struct base *b, slice s)
{
	if (s.ptr && s.len <= sizeof b->text - b->len) {
		memcpy(b->text + b->len, s.ptr, s.len);
		b->len += s.len;
	}
}

static slice all_before(const struct url *url, size_t end)
{
	return slice_sub(url_page(url), 0, end);
}

/* The path with another part in the place of that of the rule; without a query. */
static bool replace_part(const struct view_rule *r, const struct url *url, struct base *b)
{
	slice path = url_part(url, url->path), part = slice_str(r->part);
	size_t at = path.len;

	for (size_t i = 0; i + part.len <= path.len; i++)
		if (slice_eq(slice_sub(path, i, i + part.len), part))
			at = i; /* the last one */
	if (at == path.len)
		return false;
	append(b, all_before(url, url->path.at));
	append(b, slice_sub(path, 0, at));
	append(b, slice_str(r->instead));
	append(b, slice_sub(path, at + part.len, path.len));
	return true;
}

/* Only what says which document it is. */
static bool keep_identity(const struct url *url, const struct parts *p, struct base *b)
{
	bool any = false;

	append(b, all_before(url, url->path.at + url->path.len));
	for (size_t i = 0; i < p->count; i++)
		if (is_identity(p->fields[i].name)) {
			append(b, any ? SLICE("&") : SLICE("?"));
			append(b, p->raw[i]);
			any = true;
		}
	return any && p->count > 0;
}

static bool is_base_known(const struct view_rule *r, const struct url *url, const struct parts *p,
	view_is_known *known, void *context)
{
	struct base b = {.len = 0};

	if (r->instead) {
		if (!replace_part(r, url, &b))
			return false;
		if (known(context, (slice){b.text, b.len}))
			return true;
		/* With or without the slash of a directory. */
		if (b.len && b.text[b.len - 1] == '/')
			return known(context, (slice){b.text, b.len - 1});
		append(&b, SLICE("/"));
		return known(context, (slice){b.text, b.len});
	}
	if (keep_identity(url, p, &b))
		return known(context, (slice){b.text, b.len});
	return known(context, all_before(url, url->path.at + url->path.len));
}

size_t view_of_link(const struct url *url, bool on_view, view_is_known *known, void *context)
{
	struct parts p;
	struct triples triples;

	if (!url_is_http(url) || url_page(url).len > VIEW_URL_MAX || !take_apart(url, &p))
		return VIEW_NONE;
	triples = triples_of(p.path);
	for (size_t i = 0; i < RULES_COUNT; i++) {
		const struct view_rule *r = &RULES[i];

		/* Every query names a field that must be there. */
		if ((r->query && p.count == 0) || !may_match(&triples, r->path, p.path) ||
			!has_query(&p, r->query) || !matches(slice_str(r->path), p.path))
			continue;
		if (r->flags & DOCUMENT || (r->flags & UNLISTED && !on_view))
			return VIEW_NONE;
		if (!(r->flags & BASE) || is_base_known(r, url, &p, known, context))
			return i;
	}
	return VIEW_NONE;
}
