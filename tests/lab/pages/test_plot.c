#include "pages/assets.h"
#include "pages/plot.h"

#include <math.h>

#include "report/written.h"

/* What stands between the begin of the data and its end; cut out of the text. */
static const char *data_of(char *text)
{
	static const char BEGIN[] = "<script type=\"application/json\">";
	char *begin = strstr(text, BEGIN), *end;

	if (!CHECK(begin != NULL))
		return "";
	begin += strlen(BEGIN);
	end = strstr(begin, "</script></figure>\n");
	if (!CHECK(end != NULL))
		return "";
	*end = '\0';
	return begin;
}

static void test_lines(void)
{
	static const double X[] = {1, 10}, Y[] = {0.5, NAN}, LOW[] = {0.25, NAN}, HIGH[] = {1, NAN};
	static const struct plot_series SERIES[] = {
		{.name = "</script>", .values = Y, .low = LOW, .high = HIGH},
		{.name = "theirs", .colour = 1, .printed = true, .values = X}};
	struct written w;
	char *text;

	written_begin(&w);
	plot_lines(w.file, &(struct plot_lines){.caption = {"A <b>.", NULL},
				   .x_label = "n",
				   .y_label = "%",
				   .log_x = true,
				   .x = X,
				   .count = 2,
				   .series = SERIES,
				   .series_count = 2});
	text = written_end(&w);
	CHECK(strstr(text, "aria-label=\"Plot: A &lt;b&gt;.\"") != NULL);
	CHECK_STR(data_of(text),
		"{\"kind\":\"lines\",\"x\":{\"label\":\"n\",\"log\":true,\"values\":[1,10]},"
		"\"y\":{\"label\":\"%\",\"log\":false},\"series\":["
		"{\"name\":\"\\u003c/"
		"script>\",\"colour\":0,\"style\":\"line\",\"values\":[0.5,null],"
		"\"low\":[0.25,null],\"high\":[1,null]},"
		"{\"name\":\"theirs\",\"colour\":1,\"style\":\"points\",\"values\":[1,10],"
		"\"low\":null,\"high\":null}]}");
	free(text);
}

static void test_forest(void)
{
	static const struct plot_row ROWS[] = {{"a", 1, 0.5, 2, NAN}};
	struct written w;
	char *text;

	written_begin(&w);
	plot_forest(w.file, &(struct plot_forest){.caption = {"F", "read so"},
				    .x_label = "points",
				    .zero = true,
				    .rows = ROWS,
				    .count = 1});
	text = written_end(&w);
	CHECK(strstr(text, "<b>F</b> read so</figcaption>") != NULL);
	CHECK_STR(data_of(text),
		"{\"kind\":\"forest\",\"x\":{\"label\":\"points\",\"zero\":true},\"rows\":["
		"{\"name\":\"a\",\"value\":1,\"low\":0.5,\"high\":2,\"printed\":null}]}");
	free(text);
}

static void test_pyramid(void)
{
	static const struct plot_bar BARS[] = {{-2, 2, PLOT_HOPELESS}, {-1, 1, PLOT_SHARP}};
	struct written w;
	char *text;

	written_begin(&w);
	plot_pyramids_begin(w.file, false);
	plot_pyramid(w.file,
		&(struct plot_pyramid){
			.caption = {"P", NULL}, .x_label = "delays", .bars = BARS, .count = 2});
	plot_pyramids_end(w.file);
	text = written_end(&w);
	CHECK_STR(data_of(text), "{\"kind\":\"pyramid\",\"x\":{\"label\":\"delays\"},"
				 "\"bars\":[[-2,2,\"hopeless\"],[-1,1,\"sharp\"]]}");
	free(text);
}

static void test_assets(void)
{
	slice js = web_report_js(), css = web_report_css();

	CHECK(memmem(js.ptr, js.len, "figure.plot", strlen("figure.plot")) != NULL);
	CHECK(memmem(js.ptr, js.len, "</script", strlen("</script")) == NULL);
	CHECK(memmem(css.ptr, css.len, "prefers-color-scheme", strlen("prefers-color-scheme")) !=
		NULL);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_lines);
	TAP_RUN(test_forest);
	TAP_RUN(test_pyramid);
	TAP_RUN(test_assets);
	return tap_done();
}
