/* Which words and templates are asked next, and how few queries a hidden database takes. */
#include <stdio.h>

#include "sim/hidden_database.h"
#include "tap.h"
#include "text/form_vocabulary.h"

static const struct hash_key KEY = {1, 2};

static void read_text(struct vocabulary *v, const char *text, enum vocabulary_source source,
	const char *asked, size_t want)
{
	CHECK_INT(vocabulary_read(v, slice_str(text), source, slice_str(asked)), want);
}

static void check_next(
	const struct vocabulary *v, enum vocabulary_class of, unsigned slot, const char *want)
{
	uint32_t term;
	bool any = vocabulary_next(v, of, slot, &term);

	CHECK_SLICE(any ? vocabulary_word(v, term) : SLICE("(none)"), slice_str(want));
}

static void test_words(void)
{
	struct vocabulary v;
	uint32_t term;

	vocabulary_init(&v, KEY);
	check_next(&v, VOCABULARY_WORDS, 0, "(none)");
	read_text(&v, "Home\nAbout us\nzebra lion tiger bear wolf", VOCABULARY_SITE, "", 3);
	check_next(&v, VOCABULARY_WORDS, 0, "zebra");
	read_text(&v, "12 for Zebra\nLION cave\nlion cub 1984", VOCABULARY_RESULTS, "zebra", 3);
	/* The same but for the number and the word. */
	read_text(&v, "7 for tiger\nlion cave", VOCABULARY_RESULTS, "tiger", 2);
	check_next(&v, VOCABULARY_WORDS, 0, "lion");
	check_next(&v, VOCABULARY_YEARS, 0, "1984");
	CHECK(vocabulary_next(&v, VOCABULARY_WORDS, 0, &term));
	vocabulary_ask(&v, term, 0);
	check_next(&v, VOCABULARY_WORDS, 1, "lion"); /* another form */
	check_next(&v, VOCABULARY_WORDS, 0, "cave");
	read_text(&v, "and this\nand that\nand more", VOCABULARY_RESULTS, "", 3);
	check_next(&v, VOCABULARY_WORDS, 0, "and");
	CHECK(vocabulary_next(&v, VOCABULARY_WORDS, 0, &term));
	vocabulary_failed(&v, term); /* search engines leave such words out */
	check_next(&v, VOCABULARY_WORDS, 0, "cave");
	vocabulary_release(&v);
}

/* A word that most documents have and that finds nothing is a label. */
static void test_labels(void)
{
	struct vocabulary v;
	uint32_t term;
	char text[64];

	vocabulary_init(&v, KEY);
	for (int i = 0; i < 20; i++) {
		(void)snprintf(text, sizeof text, "title w%cx author same%c", 'a' + i, 'a' + i / 4);
		read_text(&v, text, VOCABULARY_RESULTS, "", 1);
	}
	check_next(&v, VOCABULARY_WORDS, 0, "title");
	CHECK(vocabulary_next(&v, VOCABULARY_WORDS, 0, &term));
	vocabulary_ask(&v, term, 0);
	vocabulary_failed(&v, term);
	check_next(&v, VOCABULARY_WORDS, 0, "samea");
	vocabulary_release(&v);
}

static uint32_t next_template(struct templates *t)
{
	uint32_t number = UINT32_MAX;

	return templates_next(t, &number) ? number : UINT32_MAX;
}

static void answer(struct templates *t, uint32_t number, double gain)
{
	templates_advance(t, number);
	templates_answered(t, number, gain, gain > 0);
}

static void test_templates(void)
{
	struct templates t = {0};
	struct template_fields words = {.first = 0, .second = TEMPLATE_NO_FIELD};
	struct template_fields five = {.first = 1, .second = TEMPLATE_NO_FIELD, .values = 5};
	struct template_fields two = {.first = 2, .second = TEMPLATE_NO_FIELD, .values = 2};

	templates_add(&t, &words, false);
	templates_add(&t, &five, true);
	templates_add(&t, &two, true);
	for (uint32_t i = 0; i < 3; i++) { /* each is tried once */
		CHECK_INT(next_template(&t), i);
		answer(&t, i, i == 1 ? 30 : 10);
	}
	CHECK_INT(next_template(&t), 1);
	for (int i = 0; i < 4; i++)
		answer(&t, 1, 20);
	CHECK_INT(next_template(&t), 0); /* the values of the other are used up */
	for (int i = 0; i < TEMPLATE_IDLE_WORDS; i++)
		answer(&t, 0, 0);
	CHECK_INT(next_template(&t), 2);
	answer(&t, 2, 1);
	CHECK_INT(next_template(&t), 3); /* both together */
	CHECK_INT(t.list.ptr[3].of.second, 2);
	for (int i = 0; i < TEMPLATE_TESTS; i++)
		answer(&t, 3, 0);
	CHECK_INT(next_template(&t), UINT32_MAX); /* it is not informative */
	templates_release(&t);
}

static void test_database(void)
{
	static const struct hidden_params PARAMS[] = {
		{2000, 1000, 8, 16, 0, 0, 0.6, 0, 5, 0.9},
		{2000, 4000, 8, 16, 0, 0, 1, 50, 5, 0.9},
		{3000, 4000, 10, 20, 20, 0.6, 1, 20, 5, 0.9},
	};

	for (size_t i = 0; i < ARRAY_LEN(PARAMS); i++) {
		struct hidden_result result;
		struct rng rng;

		rng_init(&rng, i + 1);
		CHECK_INT(hidden_database_run(&PARAMS[i], &rng, 5000, &result), 0);
		tap_note("oracle %u, adaptive %u, random %u", result.oracle, result.adaptive,
			result.random);
		CHECK(result.adaptive <= 1.5 * result.oracle);
		CHECK(result.adaptive <= result.random / 2);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_words);
	TAP_RUN(test_labels);
	TAP_RUN(test_templates);
	TAP_RUN(test_database);
	return tap_done();
}
