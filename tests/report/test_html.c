#include "report/html.h"

#include "report/assets.h"
#include "written.h"

static void test_text(void)
{
	static const struct {
		const char *label;
		slice text;
		const char *want;
	} ROWS[] = {
		{"plain", SLICE_INIT("a b"), "a b"},
		{"empty", SLICE_INIT(""), ""},
		{"markup", SLICE_INIT("<b a=\"x\">&amp;</b>"),
			"&lt;b a=&quot;x&quot;&gt;&amp;amp;&lt;/b&gt;"},
		{"end of a script", SLICE_INIT("</script>"), "&lt;/script&gt;"},
		{"UTF-8", SLICE_INIT("\xc3\xa9\xe2\x80\xa6"), "\xc3\xa9\xe2\x80\xa6"},
		{"broken UTF-8", SLICE_INIT("a\xff\xe2\x80<"), "a\xef\xbf\xbd\xef\xbf\xbd&lt;"},
		{"NUL", SLICE_INIT("a\0b"),
			"a\xef\xbf\xbd"
			"b"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct written w;
		char *text;

		tap_case("text: %s", ROWS[i].label);
		written_begin(&w);
		html_text(w.file, ROWS[i].text);
		text = written_end(&w);
		CHECK_STR(text, ROWS[i].want);
		free(text);
	}
}

static void test_table(void)
{
	static const char *const HEADINGS[] = {"page", "<n>", NULL};
	struct written w;
	char *text;

	written_begin(&w);
	html_table_begin(w.file, "a & b", HEADINGS);
	html_row_begin(w.file, "<i>");
	html_cell(w.file, "%.1f %%", 1.25);
	html_row_end(w.file);
	html_table_group(w.file, "more", 2);
	html_row_begin(w.file, "x");
	html_cell_empty(w.file);
	html_row_end(w.file);
	html_table_end(w.file);
	text = written_end(&w);
	CHECK_STR(text,
		"<div class=\"scroll\" tabindex=\"0\"><table><caption>a &amp; b</caption>\n"
		"<thead><tr><th scope=\"col\">page</th><th scope=\"col\">&lt;n&gt;</th>"
		"</tr></thead>\n<tbody>\n"
		"<tr><th scope=\"row\">&lt;i&gt;</th><td>1.2 %</td></tr>\n"
		"</tbody>\n<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"2\">more</th></tr>\n"
		"<tr><th scope=\"row\">x</th><td></td></tr>\n"
		"</tbody></table></div>\n");
	free(text);
}

/* The policy comes before anything that it has to hold for. */
static void test_page(void)
{
	struct written w;
	const char *policy;
	char *text;

	written_begin(&w);
	web_page_begin(w.file, SLICE("p{}"), SLICE("</title><script>"), "lead");
	web_page_section(w.file, "first");
	web_page_end(w.file, SLICE("run()"));
	text = written_end(&w);
	policy = strstr(text, "default-src 'none'; style-src 'unsafe-inline'; script-src "
			      "'unsafe-inline'; img-src data:");
	CHECK(policy && policy < strstr(text, "<style"));
	CHECK(strstr(text, "<title>&lt;/title&gt;&lt;script&gt;</title>") != NULL);
	CHECK(strstr(text, "<h2>first</h2>") != NULL);
	CHECK(strstr(text, "http://") == NULL && strstr(text, "https://") == NULL);
	free(text);
}

static bool holds(slice bytes, const char *what)
{
	return memmem(bytes.ptr, bytes.len, what, strlen(what)) != NULL;
}

static void test_assets(void)
{
	CHECK(holds(web_capture_css(), "prefers-color-scheme"));
	CHECK(!holds(web_capture_js(), "</script") && !holds(web_capture_css(), "</style"));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_text();
	TAP_RUN(test_table);
	TAP_RUN(test_page);
	TAP_RUN(test_assets);
	return tap_done();
}
