/* Forms of URLs, what they differ by, and what becomes of rules. */
#include "crawl/dust.h"
#include "tap.h"

static void make(struct buf *key, struct url *u, const char *url, const struct dust_terms *terms,
	struct dust_form *ret)
{
	bool has = false;

	CHECK_INT(url_parse(u, slice_str(url), NULL, NULL), 0);
	CHECK_INT(dust_form(key, u, terms, ret, &has), 0);
	CHECK(has);
}

/* Two URLs of the same form, and the kinds by which they differ. */
static void test_kinds(void)
{
	static const struct {
		const char *a, *b;
		unsigned kinds;
	} rows[] = {
		{"http://example.org/a", "https://example.org/a", 1U << DUST_SCHEME},
		{"http://example.org/a", "http://www.example.org/a", 1U << DUST_WWW},
		{"http://example.org/~a/b", "http://example.org/%7Ea//b", 1U << DUST_SPELLING},
		{"http://example.org/a?", "http://example.org/a", 1U << DUST_SPELLING},
		{"http://example.org/A/b", "http://example.org/a/B", 1U << DUST_CASE},
		{"http://example.org/a/", "http://example.org/a", 1U << DUST_SLASH},
		{"http://example.org/a/", "http://example.org/a/index.html", 1U << DUST_INDEX},
		{"http://example.org/", "http://example.org/index.htm", 1U << DUST_INDEX},
		{"http://example.org/a/", "http://example.org/a/default.asp", 1U << DUST_DEFAULT},
		{"http://example.org/?a=1", "http://example.org/index.php?a=1", 1U << DUST_DEFAULT},
		{"http://example.org/a", "http://example.org/print/a", 1U << DUST_PRINT},
		{"http://example.org/a.html", "http://example.org/a-print.html", 1U << DUST_PRINT},
		{"http://example.org/a?b=1", "http://example.org/a?b=1&print=1", 1U << DUST_PRINT},
		{"http://example.org/a", "http://example.org/a?view=printable", 1U << DUST_PRINT},
		{"http://example.org/a", "http://example.org/a?sid=a1b2c3d4e5", 1U << DUST_SESSION},
		{"http://example.org/a?PHPSESSID=0123456789abcdef",
			"http://example.org/a?PHPSESSID=fedcba9876543210", 1U << DUST_SESSION},
		{"http://example.org/a", "http://example.org/a;jsessionid=12AB.node1",
			1U << DUST_SESSION},
		{"http://example.org/a?b=1", "http://example.org/a?utm_source=x&b=1",
			1U << DUST_TRACKING},
		{"http://example.org/a?b=1&a=2", "http://example.org/a?a=2&b=1", 1U << DUST_ORDER},
		{"http://www.example.org/A/index.html", "https://example.org/a/",
			1U << DUST_SCHEME | 1U << DUST_WWW | 1U << DUST_CASE | 1U << DUST_INDEX},
	};
	static struct dust_form a, b;
	struct dust_terms terms = {0};
	struct buf key_a, key_b;
	struct url ua, ub;

	buf_init(&key_a, URL_MAX);
	buf_init(&key_b, URL_MAX);
	url_init(&ua);
	url_init(&ub);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("kinds: %s and %s", rows[i].a, rows[i].b);
		make(&key_a, &ua, rows[i].a, &terms, &a);
		make(&key_b, &ub, rows[i].b, &terms, &b);
		CHECK_SLICE(a.key, b.key);
		CHECK_INT(dust_form_differences(&a, &b), rows[i].kinds);
		/* Where the kinds are off, they are different URLs. */
		terms.off = rows[i].kinds;
		make(&key_a, &ua, rows[i].a, &terms, &a);
		make(&key_b, &ub, rows[i].b, &terms, &b);
		CHECK(!slice_eq(a.key, b.key));
		terms.off = 0;
	}
	buf_release(&key_a);
	buf_release(&key_b);
	url_release(&ua);
	url_release(&ub);
}

static void test_different(void)
{
	static const char *const rows[][2] = {
		{"http://example.org/a", "http://example.org/b"},
		{"http://example.org/a?b=1", "http://example.org/a?b=2"},
		{"http://example.org/a?b=1", "http://example.org/a"},
		{"http://example.org/a?sid=3", "http://example.org/a?sid=4"}, /* no session */
		{"http://example.org/a?print=0", "http://example.org/a"},
		{"http://example.org/printer/a", "http://example.org/a"},
		{"http://example.org/blueprint", "http://example.org/blue"},
		{"http://example.org:8080/a", "http://example.org/a"},
		{"http://example.org:8080/a", "https://example.org:8080/a"},
		{"http://www.org/a", "http://org/a"},
		{"http://example.org/a?b=A", "http://example.org/a?b=a"},
	};
	static struct dust_form a, b;
	struct dust_terms terms = {0};
	struct buf key_a, key_b;
	struct url u;

	buf_init(&key_a, URL_MAX);
	buf_init(&key_b, URL_MAX);
	url_init(&u);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("different: %s and %s", rows[i][0], rows[i][1]);
		make(&key_a, &u, rows[i][0], &terms, &a);
		make(&key_b, &u, rows[i][1], &terms, &b);
		CHECK(!slice_eq(a.key, b.key));
	}
	buf_release(&key_a);
	buf_release(&key_b);
	url_release(&u);
}

/* A rule about a parameter: tried, its form; withdrawn, the form as before. */
static void test_parameter(void)
{
	static struct dust_form a, b;
	struct dust d;
	struct buf key_a, key_b, name;
	struct url ua, ub;
	uint32_t site, rule, rules[4];
	size_t count = 0;
	bool has;

	dust_init(&d, (struct hash_key){1, 2}, false);
	buf_init(&key_a, URL_MAX);
	buf_init(&key_b, URL_MAX);
	buf_init(&name, URL_MAX);
	url_init(&ua);
	url_init(&ub);
	CHECK_INT(url_parse(&ua, SLICE("http://example.org/a?x=1&ref=2"), NULL, NULL), 0);
	CHECK_INT(url_parse(&ub, SLICE("http://example.org/a?x=1"), NULL, NULL), 0);
	CHECK_INT(dust_site(&d, &ua, &site), 0);
	CHECK_INT(dust_rule_of(&d, site, DUST_PARAMETER, SLICE("ref"), &rule), 0);
	CHECK_INT(d.rules.ptr[rule].state, DUST_LEARNING);
	CHECK_INT(dust_try(&d, rule), 0);
	CHECK_INT(dust_form_of(&d, &key_a, &ua, &a, &has), 0);
	CHECK_INT(dust_form_of(&d, &key_b, &ub, &b, &has), 0);
	CHECK_SLICE(a.key, b.key);
	CHECK_INT(dust_rules_between(&d, site, &a, &b, rules, ARRAY_LEN(rules), &count), 0);
	CHECK(count == 1 && rules[0] == rule);
	CHECK_INT(dust_rule_name(&d, rule, &name), 0);
	CHECK_SLICE(buf_slice(&name), SLICE("parameter ref at example.org/"));
	dust_withdraw(&d, rule);
	CHECK_INT(dust_form_of(&d, &key_a, &ua, &a, &has), 0);
	CHECK(!slice_eq(a.key, b.key));
	url_release(&ua);
	url_release(&ub);
	buf_release(&key_a);
	buf_release(&key_b);
	buf_release(&name);
	dust_release(&d);
}

/* All URLs of a class have the same directory. */
static void test_directory(void)
{
	static const char *const rows[][2] = {
		{"http://example.org/", "example.org/"},
		{"https://www.example.org/page?x=1", "example.org/"},
		{"http://example.org:81/a/b/", "example.org:81/a/"},
		{"http://example.org/A/B", "example.org/a/"},
		{"http://example.org/a//b/index.html", "example.org/a/"},
		{"http://example.org/%61/b;jsessionid=0123456789abcdef", "example.org/a/"},
		{"http://example.org/print/a/b", "example.org/a/"},
		{"http://example.org/a/b/print", "example.org/a/"},
		{"http://example.org/a/b/c", "example.org/a/b/"},
	};
	struct buf name;
	struct url u;

	buf_init(&name, URL_MAX);
	url_init(&u);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("directory of %s", rows[i][0]);
		CHECK_INT(url_parse(&u, slice_str(rows[i][0]), NULL, NULL), 0);
		CHECK_INT(dust_directory(&name, &u), 0);
		CHECK_SLICE(buf_slice(&name), slice_str(rows[i][1]));
	}
	buf_release(&name);
	url_release(&u);
}

/* So many values that changed nothing speak for all others. */
static void test_values(void)
{
	struct dust_tally r = {0};

	CHECK(!dust_value_is_confirmed(&r, 1));
	dust_note_value(&r, 1, 7, 0);
	CHECK(!dust_value_is_confirmed(&r, 1));
	dust_confirm_value(&r, 1);
	CHECK(dust_value_is_confirmed(&r, 1) && !dust_value_is_confirmed(&r, 2));
	for (uint64_t i = 2; i <= DUST_VALUES_MAX; i++)
		dust_confirm_value(&r, i);
	CHECK(dust_value_is_confirmed(&r, 1000));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_kinds();
	test_different();
	test_directory();
	TAP_RUN(test_parameter);
	TAP_RUN(test_values);
	return tap_done();
}
