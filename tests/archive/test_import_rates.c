#include "archive/import_rates.h"

#include <stdio.h>

#include "base/buf.h"
#include "tap.h"

/* A file with that content in a directory of its own. */
static const char *write_file(struct buf *path, slice content)
{
	FILE *f;

	buf_init(path, 4096);
	(void)buf_printf(path, "%s/rates.csv", tap_tempdir());
	f = fopen(buf_str(path), "wb");
	CHECK(f && fwrite(content.ptr, 1, content.len, f) == content.len);
	CHECK(f && fclose(f) == 0);
	return buf_str(path);
}

static void test_load(void)
{
	struct rates r = {0};
	struct err err = {0};
	struct buf path;
	struct rates_value value = {0};

	(void)write_file(&path, SLICE("weight,url,note,rate,shape\r\n"
				      "2.5,HTTP://Example.ORG:80/a/../b#part,hot,1e-3,0.5\r\n"
				      "0,https://example.org,cold,0,0\r\n"
				      "1,\"http://example.org/q?a,b\",,-0,1\r\n"));
	CHECK_INT(rates_load(buf_str(&path), &r, &err), 0);
	CHECK(rates_find(&r, SLICE("http://example.org/b"), &value));
	CHECK_NEAR(value.rate, 1e-3, 0);
	CHECK_NEAR(value.shape, 0.5, 0);
	CHECK_NEAR((double)value.weight, 2.5, 0);
	CHECK(rates_find(&r, SLICE("https://example.org/"), &value));
	CHECK_NEAR(value.rate, 0, 0);
	CHECK_NEAR((double)value.weight, 0, 0);
	CHECK(rates_find(&r, SLICE("http://example.org/q?a,b"), &value));
	CHECK(!rates_find(&r, SLICE("http://example.org/"), &value));
	rates_release(&r);
	buf_release(&path);
}

static void test_weights_default(void)
{
	struct rates r = {0};
	struct err err = {0};
	struct buf path, bare;
	struct rates_value value = {0};

	CHECK(!rates_find(&r, SLICE("http://a/"), &value));
	CHECK_INT(rates_load(write_file(&path, SLICE("url,rate\nhttp://a/,5\n")), &r, &err), 0);
	CHECK(rates_find(&r, SLICE("http://a/"), &value));
	CHECK_NEAR((double)value.weight, 1, 0);
	CHECK_NEAR(value.shape, 0, 0);
	rates_release(&r);
	CHECK_INT(rates_load(write_file(&bare, SLICE("url,rate\n")), &r, &err), 0);
	CHECK(!rates_find(&r, SLICE("http://a/"), &value));
	rates_release(&r);
	buf_release(&path);
	buf_release(&bare);
}

/* As in the files of plan; a column url comes first. */
static void test_page_column(void)
{
	struct rates r = {0};
	struct err err = {0};
	struct buf path, both;
	struct rates_value value = {0};

	CHECK_INT(rates_load(write_file(&path, SLICE("page,rate\nhttp://a/,5\n")), &r, &err), 0);
	CHECK(rates_find(&r, SLICE("http://a/"), &value));
	CHECK_NEAR(value.rate, 5, 0);
	rates_release(&r);
	CHECK_INT(rates_load(write_file(&both, SLICE("page,url,rate\n7,http://b/,5\n")), &r, &err),
		0);
	CHECK(rates_find(&r, SLICE("http://b/"), &value));
	rates_release(&r);
	buf_release(&path);
	buf_release(&both);
}

static void test_refused(void)
{
	static const struct {
		const char *label, *content;
		int code;
		const char *text; /* behind the file's name */
	} rows[] = {
		{"empty", "", ERR_SYNTAX, "line 1"},
		{"no url", "site,rate\nhttp://a/,1\n", ERR_SYNTAX,
			"line 1: no column 'url' (the header is url,rate[,weight][,shape])"},
		{"no rate", "url\nhttp://a/\n", ERR_SYNTAX,
			"line 1: no column 'rate' (the header is url,rate[,weight][,shape])"},
		{"negative", "url,rate\nhttp://a/,1\nhttp://b/,-1\n", ERR_RANGE,
			"line 3: rate -1 is negative (0 or more is needed)"},
		{"NaN", "url,rate\nhttp://a/,nan\n", ERR_SYNTAX,
			"line 2: rate 'nan' is not a number (0 or more is needed)"},
		{"missing", "url,rate\nhttp://a/,\n", ERR_SYNTAX,
			"line 2: the rate is missing (0 or more is needed)"},
		{"infinite", "url,rate\nhttp://a/,1e999\n", ERR_RANGE,
			"line 2: rate 1e999 is too large (at most 1.79769e+308)"},
		{"weight beyond float", "url,rate,weight\nhttp://a/,1,1e39\n", ERR_RANGE,
			"line 2: weight 1e39 is too large (at most 3.40282e+38)"},
		{"weight negative", "url,rate,weight\nhttp://a/,1,-2\n", ERR_RANGE,
			"line 2: weight -2 is negative (0 or more is needed)"},
		{"no URL", "url,rate\n/index.html,1\n", ERR_SYNTAX,
			"line 2: '/index.html' is not a URL: "},
		{"mail", "url,rate\nmailto:a@b,1\n", ERR_SYNTAX,
			"line 2: 'mailto:a@b' is not an http or https URL"},
		{"twice", "url,rate\nhttp://a/x,1\nhttp://b/,1\nhttp://A:80/x#y,2\n", ERR_EXISTS,
			"line 4: 'http://a/x' is given already (keep one of them)"},
		{"fields", "url,rate\nhttp://a/,1,2\n", ERR_SYNTAX, "line 2: "},
		{"quote", "url,rate\n\"http://a/,1\n", ERR_SYNTAX, "line "},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rates r = {0};
		struct err err = {0};
		struct buf path;
		slice text;

		tap_case("refused: %s", rows[i].label);
		(void)write_file(&path, slice_str(rows[i].content));
		CHECK_INT(rates_load(buf_str(&path), &r, &err), rows[i].code);
		text = slice_str(err.text);
		CHECK_SLICE(slice_sub(text, 0, path.len), buf_slice(&path));
		text = slice_sub(text, path.len + 2, text.len);
		CHECK_SLICE(slice_sub(text, 0, strlen(rows[i].text)), slice_str(rows[i].text));
		CHECK(r.values.len == 0 && !strchr(err.text, '\n'));
		buf_release(&path);
	}
}

static void test_files(void)
{
	struct rates r = {0};
	struct err err = {0};

	CHECK_INT(rates_load("/nonexistent/rates.csv", &r, &err), ERR_IO);
	CHECK_STR(err.text, "/nonexistent/rates.csv: No such file or directory");
	CHECK_INT(rates_load("/", &r, &err), ERR_IO);
	CHECK_STR(err.text, "/: is a directory, not a CSV file");
	CHECK_INT(rates_load("/nonexistent/rates.csv", &r, NULL), ERR_IO);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_load);
	TAP_RUN(test_weights_default);
	TAP_RUN(test_page_column);
	test_refused();
	TAP_RUN(test_files);
	return tap_done();
}
