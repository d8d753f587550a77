/* What a capture learned: as text and back, for which pages it holds, and lines of pages. */
#include "base/err.h"
#include "proof/learned_lines.h"
#include "proof/learned_pages.h"
#include "tap.h"

static void test_text(void)
{
	static const struct {
		const char *label, *text;
		int rc;
	} rows[] = {
		{"a rule", "3 http://h/news/ html>body>form>input[name=zq7]@value", 0},
		{"a place with blanks", "1 http://h/a html>body>p[title=a b]@data-x", 0},
		{"twice", "3 http://h/news/ html>body>form>input[name=zq7]@value", ERR_EXISTS},
		{"no number", "http://h/news/ 5f3a9c11 field zq7 html>body 3", ERR_SYNTAX},
		{"no page", "0 http://h/ html", ERR_SYNTAX},
		{"no place", "1 http://h/", ERR_SYNTAX},
		{"nothing", "", ERR_SYNTAX},
	};
	struct learned l;
	struct buf out;

	learned_init(&l);
	buf_init(&out, LEARNED_LINE_MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("text: %s", rows[i].label);
		CHECK_INT(learned_parse(&l, slice_str(rows[i].text)), rows[i].rc);
		if (rows[i].rc)
			continue;
		buf_reset(&out);
		CHECK_INT(learned_format(&l.rules.ptr[l.rules.len - 1], &out), 0);
		CHECK_STR(buf_str(&out), rows[i].text);
	}
	buf_release(&out);
	learned_release(&l);
}

static void test_pages(void)
{
	static const struct {
		const char *url;
		bool any, has_kind, has_page;
	} rows[] = {
		{"http://h/news/1", true, true, false},
		{"http://h/news/x?y", true, true, false},
		{"http://h/a", true, false, true},
		{"http://h/b", false, false, false},
		{"http://other/news/1", false, false, false},
	};
	struct learned l;

	learned_init(&l);
	CHECK_INT(learned_parse(&l, SLICE("2 http://h/news/ html@data-kind")), 0);
	CHECK_INT(learned_parse(&l, SLICE("1 http://h/a html@data-page")), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct proof_learned places;
		bool any;

		tap_case("pages: %s", rows[i].url);
		proof_learned_init(&places);
		CHECK_INT(learned_places(&l, slice_str(rows[i].url), &places, &any), 0);
		CHECK_INT(any, rows[i].any);
		CHECK_INT(proof_learned_has(&places, SLICE("html@data-kind")), rows[i].has_kind);
		CHECK_INT(proof_learned_has(&places, SLICE("html@data-page")), rows[i].has_page);
		proof_learned_release(&places);
	}
	learned_release(&l);
}

#define DIGEST "sha256:0102030405060708091011121314151617181920212223242526272829303132"

/* Lines of both versions of the rules are read; rules of version 1 are not. */
static void test_lines(void)
{
	struct learned_pages p;
	struct legs legs = {.visit_number = 1, .revisit_number = 2};
	const struct learning_line *line;

	learned_pages_init(&p);
	CHECK_INT(learned_pages_add(&p, SLICE("rule http://h/ 5f3a9c11 field z html>body 3")),
		ERR_SYNTAX);
	CHECK_INT(
		learned_pages_add(&p, SLICE("same 1 2 " DIGEST " 7 learned=1,nonce=4 http://h/a")),
		0);
	CHECK_INT(learned_pages_add(&p, SLICE("same 1 2 " DIGEST " 1000001 - http://h/b")),
		ERR_SYNTAX);
	line = learned_pages_find(&p, SLICE("http://h/a"), &legs);
	if (CHECK(line != NULL)) {
		CHECK_INT(line->masked, 7);
		CHECK_SLICE(line->rules, SLICE("learned=1,nonce=4"));
		learned_pages_apply(line, &legs);
		CHECK(legs.visit.key.has_class && legs.revisit.key.has_class &&
			digest_eq(&legs.visit.key.class, &legs.revisit.key.class));
	}
	legs.revisit_number = 3;
	CHECK(!learned_pages_find(&p, SLICE("http://h/a"), &legs));
	learned_pages_release(&p);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_text);
	TAP_RUN(test_pages);
	TAP_RUN(test_lines);
	return tap_done();
}
