/* Refresh values. Expected values: the steps of HTML 4.2.5.3. */
#include "formats/link_values.h"

#include "tap.h"

static const struct {
	const char *label;
	const char *in;
	int64_t seconds; /* -1 when it is no refresh */
	const char *url;
} rows[] = {
	{"time only", "5", 5, ""},
	{"usual", "5; url=next.html", 5, "next.html"},
	{"comma", " 0,URL='a b'x", 0, "a b"},
	{"blank only", "1 next", 1, "next"},
	{"without url=", "1; next", 1, "next"},
	{"quoted without url=", "1;\"next\" more", 1, "next"},
	{"open quote", "1;url=\"next", 1, "next"},
	{"blanks around =", "1;url = next", 1, "next"},
	{"url without =", "1;urlnext", 1, "urlnext"},
	{"begins with u", "1;up.html", 1, "up.html"},
	{"fraction", "0.5.5;url=a", 0, "a"},
	{"point first", ".5;url=a", 0, "a"},
	{"no time", "url=a", -1, ""},
	{"empty", "", -1, ""},
	{"no separator", "5x", -1, ""},
	{"negative", "-1;url=a", -1, ""},
	{"two separators", "1;;a", 1, ";a"},
};

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t seconds = 0;
		slice url = {"", 0};
		bool ok = refresh_parse(slice_str(rows[i].in), &seconds, &url);

		tap_case("refresh: %s", rows[i].label);
		CHECK(ok == (rows[i].seconds >= 0));
		if (ok)
			CHECK_INT((int64_t)seconds, rows[i].seconds);
		CHECK_SLICE(url, slice_str(rows[i].url));
	}
	tap_case("refresh: too long a time");
	{
		uint64_t seconds = 0;
		slice url;

		CHECK(refresh_parse(SLICE("99999999999999999999999"), &seconds, &url));
		CHECK(seconds == UINT64_MAX);
	}
	return tap_done();
}
