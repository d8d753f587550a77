#include "replay/access.h"

#include <string.h>

#include "base/clock.h"
#include "tap.h"

static const char RULES[] = "# the longest prefix wins\n"
			    "\n"
			    "org,example block\n"
			    "org,example)/open allow\n"
			    "org,example)/open/young embargo 10d\n"
			    "org,example)/twice block\n"
			    "org,example)/twice allow\n";

static void test_rules(void)
{
	static const int64_t NOW = INT64_C(1000) * 86400 * CLOCK_NS_PER_SECOND;
	static const struct {
		const char *label, *key;
		int days; /* the age of the memento */
		bool allowed;
	} ROWS[] = {
		{"no rule", "com,example)/", 1, true},
		{"prefix", "org,example)/", 1, false},
		{"prefix of the host, as bytes", "org,example2)/", 1, false},
		{"longer prefix", "org,example)/open", 1, true},
		{"below it", "org,example)/open/x", 1, true},
		{"young", "org,example)/open/young", 9, false},
		{"old enough", "org,example)/open/young", 10, true},
		{"beside it", "org,example)/opem", 1, false},
		{"behind it", "org,example)/opfn", 1, false},
		{"the last rule of one prefix", "org,example)/twice", 1, true},
	};
	struct access *a = NULL;
	struct err err = {0};

	CHECK_INT(access_parse(SLICE(RULES), &a, &err), 0);
	for (size_t i = 0; a && i < ARRAY_LEN(ROWS); i++) {
		int64_t time = NOW - ROWS[i].days * INT64_C(86400) * CLOCK_NS_PER_SECOND;

		if (!CHECK(access_allows(a, slice_str(ROWS[i].key), time, NOW) == ROWS[i].allowed))
			tap_note("%s", ROWS[i].label);
	}
	CHECK(access_allows(NULL, SLICE("x"), 0, 0));
	access_free(a);
}

static void test_default(void)
{
	struct access *a = NULL;
	struct err err = {0};

	CHECK_INT(access_parse(SLICE("* block\norg, allow\n"), &a, &err), 0);
	CHECK(a && access_blocks(a, SLICE("com,example)/")));
	CHECK(a && !access_blocks(a, SLICE("org,example)/")));
	access_free(a);
}

static void test_bad(void)
{
	static const char *const TEXTS[] = {"a\n", "a deny\n", "a embargo\n", "a embargo x\n",
		"a allow b\n", "ok allow\na embargo 1e30d"};

	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		struct access *a = NULL;
		struct err err = {0};

		CHECK_INT(access_parse(slice_str(TEXTS[i]), &a, &err), ERR_SYNTAX);
		CHECK(strncmp(err.text, "line ", 5) == 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_rules);
	TAP_RUN(test_default);
	TAP_RUN(test_bad);
	return tap_done();
}
