/* Requisites of requisites, and what a composite is called by its parts. */
#include "proof/composite.h"
#include "proof/requisites.h"

#include <stdio.h>

#include "tap.h"

#define NONE ((enum verdict)VERDICT_COUNT)

static void test_verdicts(void)
{
	static const struct {
		const char *label;
		enum verdict parts[3];
		enum composite want;
	} ROWS[] = {
		{"all sharp", {VERDICT_SHARP, VERDICT_SHARP, NONE}, COMPOSITE_SHARP},
		{"proven absent", {VERDICT_SHARP, VERDICT_ABSENT, NONE}, COMPOSITE_SHARP},
		{"a change", {VERDICT_SHARP, VERDICT_CHANGED, NONE}, COMPOSITE_BLURRED},
		{"the page gone", {VERDICT_GONE, VERDICT_SHARP, NONE}, COMPOSITE_BLURRED},
		{"appeared", {VERDICT_SHARP, VERDICT_APPEARED, NONE}, COMPOSITE_BLURRED},
		{"failed", {VERDICT_SHARP, VERDICT_FAILED, NONE}, COMPOSITE_INCOMPLETE},
		{"refused", {VERDICT_SHARP, VERDICT_EXCLUDED, NONE}, COMPOSITE_INCOMPLETE},
		{"blocked", {VERDICT_SHARP, VERDICT_BLOCKED, NONE}, COMPOSITE_INCOMPLETE},
		{"seen once", {VERDICT_SHARP, VERDICT_SINGLE, NONE}, COMPOSITE_INCOMPLETE},
		{"unconfirmed", {VERDICT_UNCONFIRMED, VERDICT_SHARP, NONE}, COMPOSITE_INCOMPLETE},
		{"a change beside a failure", {VERDICT_SHARP, VERDICT_FAILED, VERDICT_CHANGED},
			COMPOSITE_BLURRED},
		{"a failure behind a change", {VERDICT_CHANGED, VERDICT_FAILED, VERDICT_SHARP},
			COMPOSITE_BLURRED},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		enum composite c = COMPOSITE_SHARP;

		tap_case("composite: %s", ROWS[i].label);
		for (size_t k = 0; k < 3 && ROWS[i].parts[k] != NONE; k++)
			c = composite_with(c, ROWS[i].parts[k]);
		CHECK_STR(composite_name(c), composite_name(ROWS[i].want));
	}
}

/* Adds the edges of the next page. */
static void add(struct requisites *r, const uint32_t *edges, size_t count)
{
	CHECK_INT(u32_vec_push(&r->starts, (uint32_t)r->list.len), 0);
	CHECK_INT(u32_vec_add(&r->list, edges, count), 0);
}

static void end(struct requisites *r)
{
	CHECK_INT(u32_vec_push(&r->starts, (uint32_t)r->list.len), 0);
}

static void check_found(const struct requisites *r, uint32_t page, const char *want, bool complete)
{
	struct requisites_search s;
	char text[256] = "";
	size_t len = 0;

	requisites_search_init(&s, r);
	for (int again = 0; again < 2; again++) /* a search leaves nothing behind */
		requisites_find(r, page, &s);
	for (size_t i = 0; i < s.parts.len; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%u ", s.parts.ptr[i]);
	CHECK_STR(text, want);
	CHECK(s.complete == complete);
	requisites_search_release(&s);
}

/* 0: a style sheet 1 and an image 2; 1 imports 3, which imports 1 again and names its page. */
static void test_search(void)
{
	struct requisites r = {0};

	add(&r, (const uint32_t[]){1, 2}, 2);
	add(&r, (const uint32_t[]){3}, 1);
	add(&r, NULL, 0);
	add(&r, (const uint32_t[]){0, 1, 2}, 3);
	add(&r, (const uint32_t[]){3, CATALOG_NO_PAGE}, 2);
	end(&r);
	check_found(&r, 0, "1 2 3 ", true);
	check_found(&r, 2, "", true);
	check_found(&r, 3, "0 1 2 ", true);
	check_found(&r, 4, "3 0 1 2 ", false);
	requisites_release(&r);
}

/* A page with more parts than are followed is not complete; one with as many is. */
static void test_limit(void)
{
	for (size_t more = 0; more < 2; more++) {
		struct requisites r = {0};
		struct requisites_search s;
		struct u32_vec edges = {0};

		for (uint32_t i = 1; i <= REQUISITES_MAX + more; i++)
			CHECK_INT(u32_vec_push(&edges, i), 0);
		add(&r, edges.ptr, edges.len);
		for (size_t i = 0; i < edges.len; i++)
			add(&r, NULL, 0);
		end(&r);
		requisites_search_init(&s, &r);
		requisites_find(&r, 0, &s);
		CHECK_INT((int64_t)s.parts.len, REQUISITES_MAX);
		CHECK(s.complete == (more == 0));
		requisites_search_release(&s);
		requisites_release(&r);
		u32_vec_release(&edges);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_verdicts();
	TAP_RUN(test_search);
	TAP_RUN(test_limit);
	return tap_done();
}
