/* The srcset attribute: wpt's cases from the shared conformance data, and some of our own. */
#include "formats/link_values.h"

#include "base/buf.h"
#include "conformance.h"
#include "tap.h"

enum { MAX = 1 << 16 };

static const struct {
	const char *label;
	const char *in;
	const char *want; /* url[ Nw][ Nx][ Nh]; … */
} rows[] = {
	{"empty", "", ""},
	{"one", "a.png", "a.png;"},
	{"density and width", "a 1.5x, b 640w", "a 1.5x;b 640w;"},
	{"comma ends the URL", "a,b 2x", "a,b 2x;"},
	{"trailing commas", "a,, b,", "a;b;"},
	{"two descriptors", "a 1x 2x, b 1x", "b 1x;"},
	{"width with height", "a 10w 20h", "a 10w 20h;"},
	{"height alone", "a 20h, b", "b;"},
	{"parentheses hide commas", "a foo(1, 2), b", "b;"},
	{"open parenthesis", "a (, b", ""},
	{"zero width", "a 0w, b 0x", "b 0x;"},
	{"plus sign", "a +1x, b 1.x, c .5x, d 1e2x, e -1x", "c 0.5x;d 100x;"},
	{"huge", "a 99999999999999999999w, b 1e999x", "a 18446744073709551615w;"},
};

static void dump(slice in, struct buf *out)
{
	struct srcset_candidate c;
	struct srcset s;

	srcset_init(&s, in);
	while (srcset_next(&s, &c)) {
		(void)buf_add(out, c.url);
		if (c.has_w)
			(void)buf_printf(out, " %" PRIu64 "w", c.w);
		if (c.has_x)
			(void)buf_printf(out, " %gx", c.x);
		if (c.has_h)
			(void)buf_printf(out, " %" PRIu64 "h", c.h);
		(void)buf_add_char(out, ';');
	}
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		tap_case("srcset: %s", rows[i].label);
		buf_init(&out, MAX);
		dump(slice_str(rows[i].in), &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		buf_release(&out);
	}
}

static void check_number(const json_t *candidate, const char *key, bool has, double got)
{
	const json_t *want = json_object_get(candidate, key);

	if (CHECK(has == json_is_number(want)) && has)
		CHECK_NEAR(got, json_number_value(want), 1e-9);
}

static void check_candidate(const json_t *want, const struct srcset_candidate *got)
{
	CHECK_SLICE(got->url, slice_str(json_string_value(json_object_get(want, "url"))));
	check_number(want, "w", got->has_w, (double)got->w);
	check_number(want, "x", got->has_x, got->x);
	check_number(want, "h", got->has_h, (double)got->h);
}

static void check_case(const json_t *row, size_t n)
{
	const json_t *input = json_object_get(row, "input");
	const json_t *want = json_object_get(row, "candidates");
	struct srcset_candidate c;
	struct srcset s;
	size_t i = 0;

	tap_case("wpt: case %zu", n);
	srcset_init(&s, (slice){json_string_value(input), json_string_length(input)});
	for (; srcset_next(&s, &c); i++)
		if (i < json_array_size(want))
			check_candidate(json_array_get(want, i), &c);
	CHECK_INT((int64_t)i, (int64_t)json_array_size(want));
}

static void test_conformance(void)
{
	const json_t *cases;
	json_t *data;

	tap_case("wpt: the cases are there");
	data = conformance_load("srcset/srcset.json");
	cases = json_object_get(data, "cases");
	for (size_t i = 0; i < json_array_size(cases); i++)
		check_case(json_array_get(cases, i), i);
	json_decref(data);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	test_conformance();
	return tap_done();
}
