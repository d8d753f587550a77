#include "base/seen.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "tap.h"

enum {
	MANY = 160000,
	MANY_ENOUGH = 100000, /* for the bound on memory */
	BYTES_PER_URL_MAX = 28,
	CROWD = 60,
	CROWDED_BITS = 13, /* ten for the table, and an eighth of it */
};

static const struct hash_key KEY = {1, 2};

static slice url_text(char *out, size_t size, unsigned i)
{
	int n = snprintf(out, size, "http://example.org/section/%u/page-%u.html", i % 97, i);

	return (slice){out, (size_t)n};
}

static void test_empty(void)
{
	struct seen s;
	uint32_t number = 7;

	seen_init(&s, KEY);
	CHECK(!seen_find(&s, SLICE("http://example.org/"), &number));
	CHECK_INT(number, 7);
	CHECK_INT(seen_count(&s), 0);
	CHECK_INT(s.bytes, 0);
	seen_release(&s);
	s = (struct seen){0};
	seen_release(&s);
}

static void test_first_number_stays(void)
{
	struct seen s;
	uint32_t number = 0;

	seen_init(&s, KEY);
	CHECK_INT(seen_add(&s, SLICE("http://example.org/"), 0), 0);
	CHECK_INT(seen_add(&s, SLICE("http://example.org/"), 1), ERR_EXISTS);
	CHECK_INT(seen_add(&s, SLICE(""), UINT32_MAX), 0);
	CHECK(seen_find(&s, SLICE("http://example.org/"), &number));
	CHECK_INT(number, 0);
	CHECK(seen_find(&s, SLICE(""), &number));
	CHECK_INT(number, UINT32_MAX);
	CHECK(seen_find(&s, SLICE(""), NULL));
	CHECK(!seen_find(&s, SLICE("http://example.org/a"), NULL));
	CHECK_INT(seen_count(&s), 2);
	seen_release(&s);
}

/* While it grows, the whole of it is looked at now and then: a slot lost in a copy would show. */
static void check_all(const struct seen *s, unsigned count)
{
	unsigned wrong = 0;
	char text[80];

	for (unsigned i = 0; i < count; i++) {
		uint32_t number = UINT32_MAX;

		if (!seen_find(s, url_text(text, sizeof text, i), &number) || number != i)
			wrong++;
	}
	for (unsigned i = MANY; i < MANY + count; i++)
		if (seen_find(s, url_text(text, sizeof text, i), NULL))
			wrong++;
	CHECK_INT(wrong, 0);
}

static void test_many(void)
{
	unsigned next_check = 10, refused = 0;
	double worst = 0;
	struct seen s;
	char text[80];

	seen_init(&s, hash_key_random());
	for (unsigned i = 0; i < MANY; i++) {
		if (!CHECK_INT(seen_add(&s, url_text(text, sizeof text, i), i), 0))
			break;
		if (seen_add(&s, url_text(text, sizeof text, i / 2), MANY) != ERR_EXISTS)
			refused++;
		if (i + 1 >= MANY_ENOUGH && (double)s.bytes / (i + 1) > worst)
			worst = (double)s.bytes / (i + 1);
		if (i + 1 == next_check) {
			check_all(&s, i + 1);
			next_check *= 5;
		}
	}
	CHECK_INT(refused, 0);
	CHECK_INT(seen_count(&s), MANY);
	check_all(&s, MANY);
	tap_note("at most %.2f bytes per URL from %d on", worst, MANY_ENOUGH);
	CHECK(worst > 20 && worst <= BYTES_PER_URL_MAX);
	seen_release(&s);
	CHECK(!seen_find(&s, url_text(text, sizeof text, 1), NULL));
	CHECK_INT(seen_add(&s, url_text(text, sizeof text, 1), 1), 0);
	seen_release(&s);
}

/* The n-th URL of those whose digests are the largest: one table, and the end of it. */
static slice last_url(char *out, size_t size, unsigned *next)
{
	for (;;) {
		slice url = url_text(out, size, (*next)++);

		if (hash_bytes_128(KEY, url).first >> (64 - CROWDED_BITS) ==
			(1U << CROWDED_BITS) - 1)
			return url;
	}
}

/* Digests that crowd at the end of a table make it grow before it is full. */
static void test_crowded_end(void)
{
	unsigned add = 0, find = 0, wrong = 0;
	uint32_t number = 0;
	struct seen s;
	char text[80];

	seen_init(&s, KEY);
	for (unsigned i = 0; i < CROWD; i++)
		wrong += seen_add(&s, last_url(text, sizeof text, &add), i) != 0;
	for (unsigned i = 0; i < CROWD; i++)
		wrong += !seen_find(&s, last_url(text, sizeof text, &find), &number) || number != i;
	for (unsigned i = 0; i < CROWD; i++)
		wrong += seen_find(&s, last_url(text, sizeof text, &find), NULL);
	CHECK_INT(wrong, 0);
	CHECK_INT(seen_count(&s), CROWD);
	seen_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_empty);
	TAP_RUN(test_first_number_stays);
	TAP_RUN(test_many);
	TAP_RUN(test_crowded_end);
	return tap_done();
}
