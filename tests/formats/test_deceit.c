/* Signs of deceit: scripts that leave the page, hidden text, repeated words, and their line. */
#include "formats/deceit.h"

#include <stdlib.h>

#include "formats/page.h"
#include "tap.h"

static const struct {
	const char *script;
	const char *want; /* NULL: it stays */
} scripts[] = {
	{"location = '/a'", "/a"},
	{"location.href=\"/a\";", "/a"},
	{"window.location = '/a';", "/a"},
	{"window.top.location.replace( '/a' )", "/a"},
	{"self.location.assign(`/a`)", "/a"},
	{"var x = 1; // location = '/b'\nlocation = '/a'", "/a"},
	{"/* location = '/b' */ location = '/a'", "/a"},
	{"location = 'http://' + \"x.example\" + '/a';", "http://x.example/a"},
	{"location = unescape('%2fa')", "/a"},
	{"location = '\\x2fa'", "/a"},
	{"eval(unescape('%6cocation=\"/a\"'))", "/a"},
	{"eval('lo' + 'cation=\"/a\"')", "/a"},
	{"setTimeout(function () { location = '/a' }, 5)", "/a"},
	{"window.onload = function () { location = '/a' }", "/a"},
	{"(function () { location = '/a' })()", "/a"},
	{"function f() { x = 1 } location = '/a'", "/a"},
	{"if (document.referrer) location = '/a'", "/a"},
	{"if (/bot/.test(navigator.userAgent)) { } else { location = '/a' }", "/a"},
	{"function f() { location = '/a' }", NULL},
	{"a.onclick = function () { if (x) { y() } location = '/a' }", NULL},
	{"if (x) location = '/a'", NULL},
	{"if (x) { location = '/a' }", NULL},
	{"location == '/a'", NULL},
	{"location = x + '/a'", NULL},
	{"location = location.protocol", NULL},
	{"map.location = '/a'", NULL},
	{"mylocation = '/a'", NULL},
	{"x = \"location = '/a'\"", NULL},
	{"location.hash = '#a'", NULL},
	{"location = `${x}`", NULL},
	{"location = '", NULL},
	{"eval(", NULL},
	{"'", NULL},
	{"/", NULL},
	{"", NULL},
};

static void test_scripts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		char target[64];
		bool leaves =
			deceit_script_target(slice_str(scripts[i].script), target, sizeof target);

		tap_case("%s", scripts[i].script);
		CHECK_STR(leaves ? target : "(none)", scripts[i].want ? scripts[i].want : "(none)");
	}
}

static void judge(const char *html, struct deceit_signs *ret)
{
	struct page *page = malloc(sizeof *page);
	struct deceit d;

	deceit_init(&d);
	deceit_start(&d);
	page_open(page, &(struct page_params){
				.content_type = SLICE("text/html; charset=utf-8"), .deceit = &d});
	CHECK_INT(page_feed(page, slice_str(html)), 0);
	CHECK_INT(page_finish(page), 0);
	page_close(page);
	deceit_judge(&d, ret);
	deceit_release(&d);
	free(page);
}

#define TEN(text)  text text text text text text text text text text
#define MANY(text) TEN(text) TEN(text) TEN(text)
#define SENTENCE   "buy cheap pills and cheap watches in our casino today "

static const struct {
	const char *name;
	const char *html;
	bool want;
} pages[] = {
	{"repeated", MANY(SENTENCE), true},
	{"short", SENTENCE, false},
	{"hidden", "<p>Welcome.<div style='font-size: 0px'>" TEN(SENTENCE) "</div>", true},
	{"off screen", "<p>Hello.<p style='text-indent:-9999px'>" TEN(SENTENCE), true},
	{"same colours", "<body bgcolor=#fff>Hi.<font color=#FFF>" TEN(SENTENCE) "</font>", true},
	{"stuffed and hidden", "Hi.<div style='display:none'>" TEN(SENTENCE) "</div>", true},
	{"parked", "<title>x.example</title>This domain is for sale.", true},
	{"suspended", "<title>Account Suspended</title>Sorry.", true},
	{"in scripts", "<script>" MANY(SENTENCE) "</script><p>Welcome.", false},
	{"one word", TEN(TEN("cheap ")), true},
	{"nothing", "", false},
};

static void test_pages(void)
{
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		struct deceit_signs s;

		judge(pages[i].html, &s);
		tap_case("%s: %.2f", pages[i].name, s.score);
		CHECK_INT(s.score >= DECEIT_FLAGGED, pages[i].want);
		CHECK(s.score >= 0 && s.score <= 1);
	}
}

static void test_text(void)
{
	struct deceit_text t;

	deceit_text_read(SLICE("one two three four one two three four five"), &t);
	CHECK_INT(t.words, 9);
	CHECK_INT(t.distinct, 5);
	CHECK_INT(t.most, 2);
	CHECK_INT(t.repeats, 2);
	deceit_text_read(SLICE("Casino casino CASINO casino"), &t);
	CHECK_INT(t.distinct, 1);
	CHECK_NEAR(t.entropy, 0, 1e-9);
	deceit_text_read(SLICE(""), &t);
	CHECK_INT(t.words, 0);
	CHECK(deceit_text_compression(SLICE(MANY("pills "))) > 10);
}

/* Adds words: the same after so many (period), one of so many another (stuffed); 0: none. */
static void add_words(struct buf *out, unsigned count, unsigned period, unsigned stuffed)
{
	uint32_t seed = 1;

	for (unsigned i = 0; i < count; i++) {
		unsigned word;

		seed = period && i % period == 0 ? 1 : seed * 1103515245 + 12345;
		/* As in a language: small numbers are more frequent. */
		word = (seed >> 16 & 1023) * (seed >> 8 & 1023) / 1024;
		if (stuffed && i % stuffed == 0)
			CHECK_INT(buf_add_str(out, "casino "), 0);
		else
			CHECK_INT(buf_printf(out, "w%cx%u ", 'a' + word % 26, word), 0);
	}
}

static void test_look(void)
{
	static const struct {
		const char *name;
		unsigned plain, period, stuffed, odd, then;
		bool is_odd;
	} rows[] = {
		{"ordinary", 1200, 0, 0, 0, 0, false},
		{"short", 80, 0, 0, 0, 0, false},
		{"a paragraph again and again", 0, 90, 0, 1200, 0, true},
		{"a long paragraph again and again", 0, 160, 0, 1200, 0, true},
		{"a word in all places", 0, 0, 5, 1200, 0, true},
		{"repeated from the middle on", 250, 40, 0, 900, 0, true},
		{"repeated to the middle", 0, 40, 0, 900, 250, true},
		{"one word in the beginning", 0, 0, 2, 700, 300, true},
		{"one word at the end", 300, 0, 2, 700, 0, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct deceit_text look, all;
		struct buf text;
		slice read;

		buf_init(&text, 64 << 10);
		add_words(&text, rows[i].plain, 0, 0);
		add_words(&text, rows[i].odd, rows[i].period, rows[i].stuffed);
		add_words(&text, rows[i].then, 0, 0);
		read = slice_sub(buf_slice(&text), 0, DECEIT_TEXT_MAX);
		deceit_text_read(read, &all);
		deceit_text_look(read, &look);
		tap_case("words of a text: %s", rows[i].name);
		CHECK_INT(all.repeats * 2 > all.words || all.most * 8 > all.words, rows[i].is_odd);
		CHECK(!rows[i].is_odd || (look.words == all.words && look.repeats == all.repeats &&
						 look.most == all.most));
		CHECK(look.words <= all.words);
		buf_release(&text);
	}
}

static void test_line(void)
{
	struct deceit_signs s = {.score = 0.75, .stuffing = 0.5, .redirect = DECEIT_SCRIPT}, again;
	char line[DECEIT_LINE_SIZE];

	(void)strcpy(s.target, "http://x.example/a b=c");
	deceit_write(&s, line);
	CHECK_STR(line, "score=0.75 stuffing=0.5 redirect=script http://x.example/a b=c");
	CHECK(deceit_read(slice_str(line), &again));
	CHECK_NEAR(again.stuffing, 0.5, 1e-9);
	CHECK_STR(again.target, s.target);
	s = (struct deceit_signs){.score = 0.05, .stuffing = 0.1};
	deceit_write(&s, line);
	CHECK_STR(line, ""); /* as ordinary pages have */
	CHECK(deceit_read(SLICE(""), &again));
	CHECK(!deceit_read(SLICE("score=x"), &again));
	CHECK(!deceit_read(SLICE("redirect=door /a"), &again));
	CHECK(deceit_read(SLICE("score=7 later=3"), &again));
	CHECK_NEAR(again.score, 1, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_scripts();
	test_pages();
	TAP_RUN(test_text);
	test_look();
	TAP_RUN(test_line);
	return tap_done();
}
