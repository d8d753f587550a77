#include "formats/robots.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static const struct row {
	const char *label;
	slice text;
	const char *agent;
	const char *path;
	bool allowed;
	uint32_t line;
} ROWS[] = {
	{"nothing", SLICE_INIT(""), "a", "/x", true, 0},
	{"no group for us", SLICE_INIT("user-agent: b\ndisallow: /\n"), "a", "/x", true, 0},
	{"rule before any group", SLICE_INIT("disallow: /\nuser-agent: a\n"), "a", "/x", true, 0},
	{"line of the rule", SLICE_INIT("#\n\nuser-agent: a\r\n\r\ndisallow: /x\n"), "a", "/x",
		false, 5},
	{"lines end in CR", SLICE_INIT("user-agent: a\rdisallow: /y\rdisallow: /x\r"), "a", "/x",
		false, 3},
	{"version of the agent", SLICE_INIT("user-agent: a\ndisallow: /"), "a/1.0", "/x", false, 2},
	{"version in the file", SLICE_INIT("user-agent: A/2.1 (x)\ndisallow: /"), "a", "/x", false,
		2},
	{"a prefix is another agent", SLICE_INIT("user-agent: ab\ndisallow: /"), "a", "/", true, 0},
	{"a longer one too", SLICE_INIT("user-agent: a\ndisallow: /"), "ab", "/", true, 0},
	{"digits end a name", SLICE_INIT("user-agent: a1\ndisallow: /"), "a1", "/", false, 2},
	{"other digits", SLICE_INIT("user-agent: a1\ndisallow: /"), "a2", "/", true, 0},
	{"any agent with a comment", SLICE_INIT("user-agent: * all\ndisallow: /"), "a", "/", false,
		2},
	{"a star in a name", SLICE_INIT("user-agent: *a\ndisallow: /"), "a", "/", true, 0},
	{"empty agent", SLICE_INIT("user-agent:\ndisallow: /"), "", "/", true, 0},
	{"our empty group beats *", SLICE_INIT("user-agent: *\ndisallow: /\nuser-agent: a\n"), "a",
		"/", true, 0},
	{"groups are merged",
		SLICE_INIT("user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /z\n"
			   "user-agent: A\ndisallow: /y"),
		"a", "/y", false, 6},
	{"and the other group is not in them",
		SLICE_INIT("user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /z\n"
			   "user-agent: A\ndisallow: /y"),
		"a", "/z", true, 0},
	{"agents share a group", SLICE_INIT("user-agent: a\n\nuser-agent: b\ndisallow: /"), "a",
		"/", false, 4},
	{"other records close no group",
		SLICE_INIT("user-agent: a\nsitemap: /s\ncrawl-delay: 1\nfoo: bar\n"
			   "user-agent: b\ndisallow: /"),
		"a", "/", false, 6},
	{"an empty rule closes it",
		SLICE_INIT("user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /"), "a", "/", true,
		0},
	{"most octets", SLICE_INIT("user-agent: *\nallow: /a/b\ndisallow: /a\n"), "a", "/a/b/c",
		true, 2},
	{"most octets, other way", SLICE_INIT("user-agent: *\ndisallow: /a/b\nallow: /a\n"), "a",
		"/a/b/c", false, 2},
	{"allow wins ties", SLICE_INIT("user-agent: *\ndisallow: /a*\nallow: /a/\n"), "a", "/a/b",
		true, 3},
	{"a star at the end counts", SLICE_INIT("user-agent: *\nallow: /a\ndisallow: /a*"), "a",
		"/ab", false, 3},
	{"a star inside counts", SLICE_INIT("user-agent: *\nallow: /ab\ndisallow: /*ab"), "a",
		"/ab", false, 3},
	{"a star before the end counts", SLICE_INIT("user-agent: *\nallow: /a\ndisallow: /*$"), "a",
		"/ab", false, 3},
	{"first of equal lines", SLICE_INIT("user-agent: *\ndisallow: /a\ndisallow: /a\n"), "a",
		"/a", false, 2},
	{"octets of the escaped rule",
		SLICE_INIT("user-agent: *\ndisallow: /\xc3\xa4\nallow: /*a4"), "a", "/%c3%a4",
		false, 2},
	{"robots.txt itself", SLICE_INIT("user-agent: *\ndisallow: /\n"), "a", "/robots.txt", true,
		0},
	{"robots.txt elsewhere", SLICE_INIT("user-agent: *\ndisallow: /\n"), "a", "/x/robots.txt",
		false, 2},
	{"robots.txt with a query", SLICE_INIT("user-agent: *\ndisallow: /\n"), "a",
		"/robots.txt?x", false, 2},
	{"empty path", SLICE_INIT("user-agent: *\ndisallow: /\n"), "a", "", false, 2},
	{"query only", SLICE_INIT("user-agent: *\ndisallow: /?x\n"), "a", "?x", false, 2},
	{"no colon", SLICE_INIT("user-agent a\ndisallow /x\n"), "a", "/x", false, 2},
	{"no colon and three words", SLICE_INIT("user-agent: a\ndisallow /x /y\n"), "a", "/x", true,
		0},
	{"blanks around the colon", SLICE_INIT("user-agent : a\n \tdisallow\t:\t/x\t\n"), "a", "/x",
		false, 2},
	{"misspelt", SLICE_INIT("useragent: a\ndissallow: /x\n"), "a", "/x", false, 2},
	{"unknown key", SLICE_INIT("user-agent: a\nno-disallow: /x\n"), "a", "/x", true, 0},
	{"comment in a rule", SLICE_INIT("user-agent: a # us\ndisallow: /x # y\n"), "a", "/x",
		false, 2},
	{"part of a mark", SLICE_INIT("\xef\xbbuser-agent: a\ndisallow: /x\n"), "a", "/x", false,
		2},
	{"NUL bytes", SLICE_INIT("user-agent: a\n\0\0\ndisallow: /x\n"), "a", "/x", false, 3},
	{"index.html stands for its directory",
		SLICE_INIT("user-agent: a\nallow: /d/index.html\ndisallow: /"), "a", "/d/", true,
		2},
	{"but only in allow", SLICE_INIT("user-agent: a\ndisallow: /d/index.html"), "a", "/d/",
		true, 0},
	{"and for nothing in it", SLICE_INIT("user-agent: a\nallow: /d/index.html\ndisallow: /"),
		"a", "/d/x", false, 3},
	{"UTF-16, little end first",
		SLICE_INIT("\xff\xfeu\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0a\0\r\0\n\0d\0i\0s\0"
			   "a\0l\0l\0o\0w\0:\0/\0\xe4\0\r\0\n\0"),
		"a", "/%C3%A4", false, 2},
	{"UTF-16, big end first",
		SLICE_INIT("\xfe\xff\0u\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0a\0\n\0d\0i\0s\0a\0l\0l"
			   "\0o\0w\0:\0/\0x"),
		"a", "/x", false, 2},
	{"a full URL is no path", SLICE_INIT("user-agent: a\ndisallow: http://h/x"), "a", "/x",
		true, 0},
	{"several names", SLICE_INIT("user-agent: b, a/1 ,c\ndisallow: /"), "a", "/", false, 2},
	{"a page",
		SLICE_INIT("<HTML><body bgcolor=#fff>\nUser-agent: a<BR>\nDisallow: /<br />\n"
			   "</body>"),
		"a", "/x", false, 3},
	{"a tag that is not closed", SLICE_INIT("<head>\nUser-agent: a\nDisallow: /x<br"), "a",
		"/x", false, 3},
	{"a tag and no page", SLICE_INIT("<b>\nUser-agent: a\nDisallow: /<br>"), "a", "/x", true,
		0},
	{"$ inside", SLICE_INIT("user-agent: a\ndisallow: /a$b"), "a", "/a$b/c", false, 2},
	{"$ alone", SLICE_INIT("user-agent: a\ndisallow: $"), "a", "/", true, 0},
};

static void test_decisions(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		const struct row *row = &ROWS[i];
		struct robots_decision d = {0};
		struct robots r;

		tap_case("decisions: %s", row->label);
		if (!CHECK_INT(robots_parse(&r, row->text, slice_str(row->agent), NULL), 0))
			continue;
		CHECK_INT(robots_decide(&r, slice_str(row->path), &d), 0);
		CHECK_INT(d.allowed, row->allowed);
		CHECK_INT(d.line, row->line);
		robots_release(&r);
	}
}

static void test_normal_form(void)
{
	static const struct {
		const char *label;
		slice in;
		const char *path;
		const char *rule;
	} rows[] = {
		{"plain", SLICE_INIT("/a-Z._~0"), "/a-Z._~0", "/a-Z._~0"},
		{"reserved", SLICE_INIT("/:?[]@!&'()+,;="), "/:?[]@!&'()+,;=", "/:?[]@!&'()+,;="},
		{"escaped unreserved", SLICE_INIT("/%62%61%7A%7e%2d"), "/baz~-", "/baz~-"},
		{"escaped reserved", SLICE_INIT("/%2f%3F"), "/%2F%3F", "/%2F%3F"},
		{"not ASCII", SLICE_INIT("/\xe3\x83\x84"), "/%E3%83%84", "/%E3%83%84"},
		{"not even UTF-8", SLICE_INIT("/\xff"), "/%FF", "/%FF"},
		{"blanks and controls", SLICE_INIT("/ \x01\0"), "/%20%01%00", "/%20%01%00"},
		{"neither", SLICE_INIT("/\"<>\\^`{|}"), "/%22%3C%3E%5C%5E%60%7B%7C%7D",
			"/%22%3C%3E%5C%5E%60%7B%7C%7D"},
		{"no escape", SLICE_INIT("/%%4%zz%4z"), "/%25%254%25zz%254z", "/%25%254%25zz%254z"},
		{"escape cut off", SLICE_INIT("/%4"), "/%254", "/%254"},
		{"special characters", SLICE_INIT("/*$x"), "/%2A%24x", "/*%24x"},
		{"their escapes", SLICE_INIT("/%2a%24"), "/%2A%24", "/%2A%24"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		tap_case("normal form: %s", rows[i].label);
		buf_init(&out, 1000);
		CHECK_INT(robots_normalise_path(&out, rows[i].in), 0);
		CHECK_STR(buf_str(&out), rows[i].path);
		buf_reset(&out);
		CHECK_INT(robots_normalise_rule(&out, rows[i].in), 0);
		CHECK_STR(buf_str(&out), rows[i].rule);
		buf_release(&out);
	}
}

static void test_match(void)
{
	static const struct {
		const char *pattern, *path;
		bool anchored, want;
	} rows[] = {
		{"", "/", false, true},
		{"", "/", true, false},
		{"*", "", false, true},
		{"*", "/x", true, true},
		{"/a*", "/a", false, true},
		{"/a*b", "/ab", false, true},
		{"/a*b", "/a", false, false},
		{"/a*b", "/axbxb", true, true},
		{"/a*b", "/axbx", true, false},
		{"/a*a", "/a", true, false},
		{"/a*ba*a", "/aba", true, false},
		{"/a*ba*a", "/abaa", true, true},
		{"/a**b", "/a/b", false, true},
		{"/*.php", "/x.phpx", false, true},
		{"/*x*y*z", "/zyxzyx", false, false},
		{"/*x*y*z", "/zyxzyxzy/z", false, true},
		{"/a*b*", "/a/b/c", true, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t work = 0;

		tap_case("match: %s%s and %s", rows[i].pattern, rows[i].anchored ? "$" : "",
			rows[i].path);
		CHECK_INT(robots_match(slice_str(rows[i].pattern), rows[i].anchored,
				  slice_str(rows[i].path), &work),
			rows[i].want);
	}
}

/* Exponential for a backtracking matcher; here it is over before anybody looks at a clock. */
static void test_many_wildcards(void)
{
	enum { STARS = 10000, LETTERS = 60000 };
	struct robots_decision d;
	struct robots r;
	struct buf text, path;

	buf_init(&text, ROBOTS_PARSE_MAX);
	buf_init(&path, ROBOTS_PATH_MAX);
	(void)buf_add_str(&text, "user-agent: *\ndisallow: /");
	for (int i = 0; i < STARS; i++)
		(void)buf_add_str(&text, "*a");
	(void)buf_add_str(&text, "*b\n");
	(void)buf_add_char(&path, '/');
	for (int i = 0; i < LETTERS; i++)
		(void)buf_add_char(&path, 'a');
	if (CHECK_INT(robots_parse(&r, buf_slice(&text), SLICE("a"), NULL), 0)) {
		CHECK_INT(robots_decide(&r, buf_slice(&path), &d), 0);
		CHECK(d.allowed);
		(void)buf_add_char(&path, 'b');
		CHECK_INT(robots_decide(&r, buf_slice(&path), &d), 0);
		CHECK(!d.allowed);
		robots_release(&r);
	}
	buf_release(&text);
	buf_release(&path);
}

/* Rules that all have to be compared with all of a path, as many of them as that. */
static void make_slow_rules(struct buf *text, int count)
{
	buf_init(text, ROBOTS_PARSE_MAX);
	(void)buf_add_str(text, "user-agent: *\n");
	for (int i = 0; i < count; i++)
		(void)buf_printf(text, "disallow: /*b%d*c\n", i);
	(void)buf_add_str(text, "allow: /\n");
}

/* Work is counted in steps, not in seconds: beyond the budget a path is forbidden. */
static void test_work(void)
{
	static const struct {
		const char *label;
		int rules;
		size_t path;
		bool allowed;
	} rows[] = {
		{"usual rules and path", 500, 200, true},
		{"many rules", 4900, 200, true},
		{"a long path", 60, 60000, true},
		{"many rules and a long path", 4900, 60000, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct robots_decision d = {0};
		struct buf text, path;
		struct robots r;

		tap_case("work: %s", rows[i].label);
		make_slow_rules(&text, rows[i].rules);
		buf_init(&path, ROBOTS_PATH_MAX);
		(void)buf_add_char(&path, '/');
		while (path.len < rows[i].path)
			(void)buf_add_char(&path, 'a');
		if (CHECK_INT(robots_parse(&r, buf_slice(&text), SLICE("a"), NULL), 0)) {
			CHECK_INT(robots_decide(&r, buf_slice(&path), &d), 0);
			CHECK_INT(d.allowed, rows[i].allowed);
			CHECK_INT(d.exhausted, !rows[i].allowed);
			CHECK_INT(d.line > 0, rows[i].allowed);
			CHECK(d.work <= ROBOTS_WORK_MAX + rows[i].path + 10);
			CHECK(d.work >= (uint64_t)rows[i].rules * rows[i].path ||
				d.work > ROBOTS_WORK_MAX);
			robots_release(&r);
		}
		buf_release(&text);
		buf_release(&path);
	}
}

/* However many rules there are, those of the first 500 KiB count. */
static void test_rules_max(void)
{
	struct robots_decision d = {0};
	struct buf text;
	struct robots r;

	buf_init(&text, 2 * (size_t)ROBOTS_PARSE_MAX);
	(void)buf_add_str(&text, "user-agent:*\n");
	while (text.len < ROBOTS_PARSE_MIN - 20)
		(void)buf_add_str(&text, "allow /\n");
	(void)buf_add_str(&text, "disallow /no\n");
	while (text.len < ROBOTS_PARSE_MAX - 20)
		(void)buf_add_str(&text, "allow /\n");
	(void)buf_add_str(&text, "disallow /more\n");
	if (CHECK_INT(robots_parse(&r, buf_slice(&text), SLICE("a"), NULL), 0)) {
		CHECK_INT((int64_t)r.rules.len, ROBOTS_RULES_MAX);
		CHECK(r.truncated);
		CHECK_INT(robots_decide(&r, SLICE("/no"), &d), 0);
		CHECK(!d.allowed);
		CHECK_INT(robots_decide(&r, SLICE("/more"), &d), 0);
		CHECK(d.allowed);
		robots_release(&r);
	}
	buf_release(&text);
}

static void test_agent(void)
{
	static const struct {
		const char *user_agent, *want;
	} rows[] = {
		{"stillpoint", "stillpoint"},
		{"stillpoint/1.0", "stillpoint"},
		{"Mozilla/5.0 (compatible; stillpoint/0.1.0 +https://example.org/)", "stillpoint"},
		{"Mozilla/5.0 (COMPATIBLE;MyBot/2.1; +http://example.org/bot)", "MyBot"},
		{"Mozilla/5.0 (X11; Linux x86_64) Gecko/1 (compatible; a_b-c)", "a_b-c"},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "Mozilla"},
		{"Mozilla/5.0 (compatible; )", "Mozilla"},
		{"mybot/1.0 (compatible; other/2.0)", "mybot"},
		{" archiver1 (a@example.org)", "archiver1"},
		{"(nobody)", ""},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("agent: '%s'", rows[i].user_agent);
		CHECK_SLICE(robots_agent(slice_str(rows[i].user_agent)), slice_str(rows[i].want));
	}
}

static void test_packed(void)
{
	static const char *const texts[] = {"", "user-agent: *\ndisallow: /a*b$\nallow: /\n"
						"crawl-delay: 5\nsitemap: /s\nsitemap: /t"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct robots a, b;
		struct robots_decision d = {0};
		struct buf packed;

		tap_case("packed: %s", i ? "rules and sitemaps" : "nothing");
		buf_init(&packed, ROBOTS_MEMORY_MAX);
		if (CHECK_INT(robots_parse(&a, slice_str(texts[i]), SLICE("a"), NULL), 0) &&
			CHECK_INT(robots_pack(&a, &packed), 0)) {
			robots_unpack(&b, buf_slice(&packed));
			CHECK_INT((int64_t)b.rules.len, i ? 2 : 0);
			CHECK(b.crawl_delay == a.crawl_delay);
			CHECK_INT(robots_decide(&b, SLICE("/axb"), &d), 0);
			CHECK_INT(d.line, i ? 2 : 0);
			CHECK_INT((int64_t)b.sitemaps.len, i ? 2 : 0);
			if (b.sitemaps.len == 2)
				CHECK_SLICE(b.sitemaps.ptr[1], SLICE("/t"));
			CHECK(robots_size(&b) >= sizeof b);
			robots_release(&b);
		}
		robots_release(&a);
		buf_release(&packed);
	}
}

static void test_crawl_delay(void)
{
	static const struct {
		const char *label;
		const char *text;
		double want;
	} rows[] = {
		{"none", "user-agent: a\ndisallow: /x", -1},
		{"whole", "user-agent: a\ncrawl-delay: 20", 20},
		{"fraction", "user-agent: a\nCrawl-Delay : .5 # s", .5},
		{"no number", "user-agent: a\ncrawl-delay: soon", -1},
		{"negative", "user-agent: a\ncrawl-delay: -1", -1},
		{"outside of groups", "crawl-delay: 5\nuser-agent: a\n", -1},
		{"in a page", "<html>\nuser-agent: a<br>\ncrawl-delay: 7<br>", 7},
		{"for all", "user-agent: *\ncrawl-delay: 5\n", 5},
		{"not for all but us",
			"user-agent: *\ncrawl-delay: 5\nuser-agent: a\ndisallow:", -1},
		{"several agents", "user-agent: a\nuser-agent: b\ncrawl-delay: 5", 5},
		{"after a rule", "user-agent: a\ndisallow: /x\ncrawl-delay: 5", 5},
		{"for the next agent",
			"user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 5", 1},
		{"of merged groups",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\nallow: /\nuser-agent: a\n"
			"crawl-delay: 2",
			3},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct robots r;

		tap_case("crawl delay: %s", rows[i].label);
		if (!CHECK_INT(robots_parse(&r, slice_str(rows[i].text), SLICE("a"), NULL), 0))
			continue;
		CHECK_NEAR(r.crawl_delay, rows[i].want, 0);
		robots_release(&r);
	}
}

static void test_sitemaps(void)
{
	static const char text[] = "Sitemap: http://h/a.xml\nuser-agent: b\nsite-map: /b.xml # x\n"
				   "sitemap:\nSITEMAP : c.xml";
	struct robots r;

	if (!CHECK_INT(robots_parse(&r, slice_str(text), SLICE("a"), NULL), 0))
		return;
	if (CHECK_INT((int64_t)r.sitemaps.len, 3)) {
		CHECK_SLICE(r.sitemaps.ptr[0], SLICE("http://h/a.xml"));
		CHECK_SLICE(r.sitemaps.ptr[1], SLICE("/b.xml"));
		CHECK_SLICE(r.sitemaps.ptr[2], SLICE("c.xml"));
	}
	robots_release(&r);
}

static void check_file(slice text, bool want_rule, bool want_truncated)
{
	struct robots_decision d = {0};
	struct robots r;

	if (!CHECK_INT(robots_parse(&r, text, SLICE("a"), NULL), 0))
		return;
	CHECK_INT(robots_decide(&r, SLICE("/x"), &d), 0);
	CHECK_INT(d.allowed, !want_rule);
	CHECK_INT(r.truncated, want_truncated);
	robots_release(&r);
}

/* A file of size bytes whose last line, without an end, is a rule; in UTF-16 if wide. */
static void check_size(size_t size, bool wide, bool want_rule, bool want_truncated)
{
	static const slice head = SLICE_INIT("user-agent: *\n#");
	static const slice tail = SLICE_INIT("\ndisallow: /x");
	size_t letters = wide ? size / 2 - 1 : size;
	char *text = malloc(letters), *pairs = calloc(letters + 1, 2);

	if (CHECK(text && pairs)) {
		memset(text, 'x', letters);
		memcpy(text, head.ptr, head.len);
		memcpy(text + letters - tail.len, tail.ptr, tail.len);
		pairs[0] = '\xff';
		pairs[1] = '\xfe';
		for (size_t i = 0; i < letters; i++)
			pairs[2 + 2 * i] = text[i];
		check_file((slice){wide ? pairs : text, size}, want_rule, want_truncated);
	}
	free(pairs);
	free(text);
}

static void test_limits(void)
{
	struct robots_decision d;
	struct robots r;
	char *path = malloc(ROBOTS_PATH_MAX + 1);

	tap_case("limits: what RFC 9309 wants");
	check_size(ROBOTS_PARSE_MIN, false, true, false);
	tap_case("limits: longest file");
	check_size(ROBOTS_PARSE_MAX, false, true, false);
	tap_case("limits: a line that is cut is dropped");
	check_size(ROBOTS_PARSE_MAX + 1, false, false, true);
	tap_case("limits: the same in UTF-16");
	check_size(ROBOTS_PARSE_MAX, true, true, false);
	check_size(ROBOTS_PARSE_MAX + 2, true, false, true);
	tap_case("limits: path");
	if (CHECK(path != NULL) && CHECK_INT(robots_parse(&r, SLICE(""), SLICE("a"), NULL), 0)) {
		memset(path, 0xff, ROBOTS_PATH_MAX + 1);
		CHECK_INT(robots_decide(&r, (slice){path, ROBOTS_PATH_MAX}, &d), 0);
		CHECK_INT(robots_decide(&r, (slice){path, ROBOTS_PATH_MAX + 1}, &d), ERR_LIMIT);
		robots_release(&r);
	}
	free(path);
}

/* As many rules as there may be, all for two groups, each octet tripled by its escape. */
static void test_memory(void)
{
	static const char *const fillers[] = {"allow:/\n", "sitemap:x\n", "allow:\xff\n"};

	for (size_t f = 0; f < ARRAY_LEN(fillers); f++) {
		struct robots r;
		struct buf text;

		tap_case("memory: %zu", f);
		buf_init(&text, ROBOTS_PARSE_MAX + 100);
		(void)buf_add_str(&text, "user-agent:a\nuser-agent:*\n");
		while (text.len < ROBOTS_PARSE_MAX)
			(void)buf_add_str(&text, fillers[f]);
		CHECK_INT(robots_parse(&r, buf_slice(&text), SLICE("a"), NULL), 0);
		CHECK_INT((int64_t)(r.rules.len + r.sitemaps.len),
			f == 1 ? ROBOTS_SITEMAPS_MAX : ROBOTS_RULES_MAX);
		robots_release(&r);
		buf_release(&text);
	}
}

static void test_url_path(void)
{
	static const struct {
		const char *url, *want;
	} rows[] = {
		{"http://h/a?b#c", "/a?b"},
		{"http://h", ""},
		{"http://h?x", "?x"},
		{"http://h#/x", ""},
		{"http://h/r?u=http://i/", "/r?u=http://i/"},
		{"/r?u=http://i/", "/r?u=http://i/"},
		{"/a", "/a"},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("path of %s", rows[i].url);
		CHECK_SLICE(robots_url_path(slice_str(rows[i].url)), slice_str(rows[i].want));
	}
}

static void test_policy(void)
{
	static const struct {
		const char *label;
		struct robots_answer answer;
		enum robots_policy want;
	} rows[] = {
		{"200", {.status = 200}, ROBOTS_PARSE},
		{"204", {.status = 204}, ROBOTS_PARSE},
		{"first redirect", {.status = 301, .location = true}, ROBOTS_FOLLOW},
		{"fifth", {.status = 308, .location = true, .redirects = 4}, ROBOTS_FOLLOW},
		{"sixth", {.status = 302, .location = true, .redirects = 5}, ROBOTS_ALLOW_ALL},
		{"redirect in a circle", {.status = 302, .location = true, .loop = true},
			ROBOTS_DISALLOW_ALL},
		{"redirect to nowhere", {.status = 302}, ROBOTS_ALLOW_ALL},
		{"300", {.status = 300, .location = true}, ROBOTS_ALLOW_ALL},
		{"304", {.status = 304, .copy = true}, ROBOTS_KEEP},
		{"304 of nothing", {.status = 304}, ROBOTS_DISALLOW_ALL},
		{"401", {.status = 401}, ROBOTS_ALLOW_ALL},
		{"403", {.status = 403}, ROBOTS_ALLOW_ALL},
		{"404", {.status = 404, .copy = true}, ROBOTS_ALLOW_ALL},
		{"400", {.status = 400}, ROBOTS_ALLOW_ALL},
		{"429", {.status = 429}, ROBOTS_ALLOW_ALL},
		{"499", {.status = 499, .copy = true}, ROBOTS_ALLOW_ALL},
		{"500", {.status = 500}, ROBOTS_DISALLOW_ALL},
		{"503 with a copy", {.status = 503, .copy = true}, ROBOTS_KEEP},
		{"no answer", {.status = 0}, ROBOTS_DISALLOW_ALL},
		{"for 30 days less a second",
			{.status = 503, .unreachable_seconds = ROBOTS_GIVE_UP_SECONDS - 1},
			ROBOTS_DISALLOW_ALL},
		{"for 30 days", {.status = 503, .unreachable_seconds = ROBOTS_GIVE_UP_SECONDS},
			ROBOTS_ALLOW_ALL},
		{"no status of HTTP", {.status = 999}, ROBOTS_DISALLOW_ALL},
		{"negative", {.status = -1}, ROBOTS_DISALLOW_ALL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("policy: %s", rows[i].label);
		CHECK_INT(robots_policy(&rows[i].answer), rows[i].want);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_decisions();
	test_normal_form();
	test_match();
	TAP_RUN(test_many_wildcards);
	test_work();
	TAP_RUN(test_rules_max);
	test_agent();
	test_packed();
	test_crawl_delay();
	TAP_RUN(test_sitemaps);
	test_limits();
	test_memory();
	test_url_path();
	test_policy();
	return tap_done();
}
