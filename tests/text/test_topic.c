/* Topics by words and by examples, and as lines of text. */
#include <string.h>

#include "tap.h"
#include "text/topic.h"

static void test_words(void)
{
	static const struct {
		const char *text, *words;
	} ROWS[] = {
		{"", ""},
		{"A be sea", "sea"},
		{"Bees, honey-bees; HIVES!", "bee honey bee hive"},
		{"class glass gas", "class glass gas"},
		{"caf\xc3\xa9 x2 x234", "caf\xc3\xa9 x234"},
		{"abcdefghijklmnopqrstuvwxyzabcdefgh end", "end"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		slice text = slice_str(ROWS[i].text);
		char word[TOPIC_WORD_MAX + 1], all[200] = "";
		size_t len;

		tap_case("words of '%s'", ROWS[i].text);
		while (topic_next_word(&text, word, &len)) {
			CHECK_INT(strlen(word), len);
			(void)strcat(strcat(all, all[0] ? " " : ""), word);
		}
		CHECK_STR(all, ROWS[i].words);
	}
}

static const char ON[] = "the bees of this hive make honey; the queen and her colony";
static const char OFF[] = "the engine of this car has a gearbox; the driver and his brake";

static void check_sides(struct topic *t)
{
	CHECK(topic_score(t, slice_str(ON)) >= TOPIC_RELEVANT);
	CHECK(topic_score(t, slice_str(OFF)) < TOPIC_RELEVANT);
	CHECK(topic_score(t, SLICE("")) == 0);
	CHECK(topic_score(t, SLICE("- 1 2")) == 0);
}

static void test_given(void)
{
	struct topic t = {0};
	char text[4000] = "";

	tap_case("topic by words: their density counts");
	CHECK_INT(topic_set_words(&t, SLICE("honey bees")), 0);
	check_sides(&t);
	for (int i = 0; i < 300; i++)
		(void)strcat(text, "and other");
	(void)strcat(text, " honey ");
	CHECK(topic_score(&t, slice_str(text)) < TOPIC_RELEVANT);
	CHECK(topic_score(&t, SLICE("honey")) < topic_score(&t, SLICE("bees and honey")));
	topic_release(&t);
}

/* Nobody writes a page with all of them. */
static void test_long_list(void)
{
	static const char WORDS[] =
		"honey bees hive queen colony apiary pollen nectar swarm beekeeper comb wax smoker "
		"brood drone larva mite forager propolis varroa";
	struct topic t = {0};

	tap_case("topic by twenty words: a text needs some of them, a link one");
	CHECK_INT(topic_set_words(&t, slice_str(WORDS)), 0);
	check_sides(&t);
	CHECK(topic_score(&t, SLICE("honey and sugar in the kitchen, with flour and two eggs")) <
		TOPIC_RELEVANT);
	CHECK(topic_promise(&t, SLICE("Our apiary in spring")) >= TOPIC_RELEVANT);
	CHECK(topic_promise(&t, SLICE("/shop/wax-and-comb")) >= TOPIC_RELEVANT);
	CHECK(topic_promise(&t, SLICE("Our kitchen in spring")) == 0);
	CHECK(topic_promise(&t, SLICE("honey")) <= 1);
	topic_release(&t);
}

static void test_examples(void)
{
	struct topic t = {0};
	tap_case("topic by examples: the other pages teach what is common");
	topic_add_example(&t, SLICE("the honey of the bees in the hive, and a queen"));
	topic_add_example(&t, SLICE("a colony of bees and the honey of this hive"));
	for (int i = 0; i < 20; i++)
		topic_add_page(&t, slice_str(OFF), false);
	check_sides(&t);
	CHECK(topic_score(&t, SLICE("the and this")) < topic_score(&t, SLICE("honey hives")));
	topic_release(&t);
}

static void test_lines(void)
{
	static const struct {
		const char *line;
		int want;
	} ROWS[] = {
		{"words honey bees", 0},
		{"examples honey:2.5 bee:1 hive:1e3", 0},
		{"", ERR_SYNTAX},
		{"words", ERR_SYNTAX},
		{"words of me", ERR_SYNTAX},
		{"examples", ERR_SYNTAX},
		{"examples honey", ERR_SYNTAX},
		{"examples :1", ERR_SYNTAX},
		{"examples honey:0", ERR_SYNTAX},
		{"examples honey:-1", ERR_SYNTAX},
		{"examples honey:nan", ERR_SYNTAX},
		{"examples honey:inf", ERR_SYNTAX},
		{"examples honey:1  bee:1", ERR_SYNTAX},
		{"others honey", ERR_SYNTAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct topic t = {0};
		struct err err = {0};

		tap_case("line '%s'", ROWS[i].line);
		CHECK_INT(topic_read(&t, slice_str(ROWS[i].line), &err), ROWS[i].want);
		CHECK_INT(err.code, ROWS[i].want);
		if (ROWS[i].want == 0)
			CHECK(topic_score(&t, SLICE("honey")) > 0);
		topic_release(&t);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_words();
	test_given();
	test_long_list();
	test_examples();
	test_lines();
	return tap_done();
}
