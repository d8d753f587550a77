#include "plan/predict_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "tap.h"

enum { PAGES = 600 };

#define HEAD                                \
	"stillpoint-model 1\n"              \
	"classifier c45\n"                  \
	"features offline\n"                \
	"pages 20\n"                        \
	"class 1 rate 0.5 upto 1 pages 8\n" \
	"class daily rate 3 upto 4 pages 12\n"

/* Written by hand: news change, and so do short addresses of PDFs. */
static const char TREE[] = HEAD "words type 2\n"
				"-\n"
				"pdf\n"
				"words word_1 3\n"
				"-\n"
				"%2D\n"
				"n%C3%A9ws\n"
				"tree 8\n"
				"all type 20 8 12\n"
				" - word_1 12 4 8\n"
				"  - leaf 4 4 0\n"
				"  n%C3%A9ws leaf 8 0 8\n"
				" pdf url_length<=20.5 8 4 4\n"
				"  yes leaf 4 0 4\n"
				"  no tilde 4 4 0\n"
				"   yes leaf 4 4 0\n"
				"end\n";

static int parse(const char *text, struct predict_model *ret, uint64_t *line, struct err *err)
{
	*err = (struct err){0};
	return predict_model_parse(slice_str(text), ret, line, err);
}

static size_t predict(struct predict_model *m, slice url)
{
	struct features f;

	CHECK_INT(features_of_url(&m->words, url, false, &f), 0);
	return predict_model_class(m, &f);
}

static void test_by_hand(void)
{
	static const struct {
		const char *label, *url;
		size_t class;
	} ROWS[] = {
		{"the empty word", "http://h/", 0},
		{"a word with odd bytes", "http://h/n\xc3\xa9ws/1", 1},
		{"a short address", "http://h/1.pdf", 1},
		{"a long address, a missing branch", "http://h/1234567890.pdf", 0},
		/* none 12/20: 8 of 12 in the second class; pdf 8/20: short */
		{"an unknown type", "http://h/news.x", 1},
	};
	struct predict_model m;
	struct buf text;
	struct err err;
	uint64_t line;

	CHECK_INT(parse(TREE, &m, &line, &err), 0);
	if (err.code) {
		tap_note("line %d: %s", (int)line, err.text);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("by hand: %s", ROWS[i].label);
		CHECK_INT((int64_t)predict(&m, slice_str(ROWS[i].url)), (int64_t)ROWS[i].class);
	}
	tap_case("by hand: classes");
	CHECK_STR(m.classes[1].name, "daily");
	CHECK_NEAR(m.classes[1].rate, 3, 0);
	CHECK_INT((int64_t)m.pages, 20);
	tap_case("by hand: written as it was, but for a word that no node asks for");
	buf_init(&text, 1 << 20);
	CHECK_INT(predict_model_write(&m, &text), 0);
	CHECK_INT((int64_t)text.len, (int64_t)(sizeof TREE - 1 - strlen("%2D\n")));
	buf_release(&text);
	predict_model_release(&m);
}

/* Made-up pages, some without one feature or the other. */
static void make_pages(struct feature_words *w, struct features *rows, uint8_t *labels)
{
	struct rng r;
	char url[128];

	rng_init(&r, 3);
	for (size_t i = 0; i < PAGES; i++) {
		unsigned part = (unsigned)rng_below(&r, 12);

		(void)snprintf(url, sizeof url, "http://h%u.org/part-%u/%u\x01\xff_%zu.%s",
			(unsigned)rng_below(&r, 5), part, (unsigned)rng_below(&r, 90), i,
			rng_below(&r, 2) ? "html" : "a b%c");
		CHECK_INT(features_of_url(w, slice_str(url), true, &rows[i]), 0);
		if (rng_below(&r, 4))
			rows[i].at[FEATURE_DAYS] = (float)(rng_exponential(&r, 0.1 * (part + 1)));
		labels[i] = (uint8_t)(rng_below(&r, 4) ? part % 5 : rng_below(&r, 5));
	}
}

/* Pages that two models put into different classes. Words may have other numbers in the second. */
static size_t count_different(
	const struct predict_model *a, const struct predict_model *b, const struct features *rows)
{
	size_t different = 0;

	for (size_t i = 0; i < PAGES; i++) {
		struct features f = rows[i];

		for (size_t k = 0; k < FEATURES_WORDS; k++) {
			slice word = a->words.words[k].ptr[(size_t)rows[i].at[k]];
			uint32_t n;

			f.at[k] = feature_words_find(&b->words, k, word, &n) ? (float)n : NAN;
		}
		different += predict_model_class(b, &f) != predict_model_class(a, &rows[i]);
	}
	return different;
}

/* What is read back predicts the same for every page, and is written the same again. */
static void check_text(const struct predict_model *m, const struct features *rows)
{
	struct predict_model back;
	struct buf text, again;
	struct err err = {0};
	uint64_t line;

	buf_init(&text, 1 << 24);
	buf_init(&again, 1 << 24);
	CHECK_INT(predict_model_write(m, &text), 0);
	if (CHECK_INT(predict_model_parse(buf_slice(&text), &back, &line, &err), 0)) {
		CHECK_INT((int64_t)count_different(m, &back, rows), 0);
		CHECK_NEAR(back.classes[2].rate, 2 / 3.0, 0);
		CHECK_INT(predict_model_write(&back, &again), 0);
		CHECK(slice_eq(buf_slice(&text), buf_slice(&again)));
		predict_model_release(&back);
	}
	CHECK_STR(err.text, "");
	buf_release(&text);
	buf_release(&again);
}

static void test_round_trip(void)
{
	static struct features rows[PAGES];
	static uint8_t labels[PAGES];

	for (int i = 0; i < 2 * CLASSIFIER_KINDS; i++) {
		struct predict_model m = {.features = i < 2 ? FEATURES_ONLINE : FEATURES,
			.pages = PAGES,
			.class_count = 5};
		struct sample s = {PAGES, rows, labels, 5, m.features, m.words.counts};
		enum classifier_kind kind = (enum classifier_kind)(i % 2);

		tap_case("round trip: %s, %d features", classifier_name(kind), (int)m.features);
		feature_words_init(&m.words);
		make_pages(&m.words, rows, labels);
		for (int c = 0; c < 5; c++)
			m.classes[c] =
				(struct predict_class){{(char)('1' + c)}, c / 3.0, c / 2.9, 9};
		CHECK_INT(classifier_train(&m.classifier, kind, &s), 0);
		check_text(&m, rows);
		predict_model_release(&m);
	}
}

static void test_bad(void)
{
	static const struct {
		const char *label, *from, *to; /* what is replaced in TREE */
		unsigned line;
		const char *says;
	} ROWS[] = {
		{"another file", "stillpoint-model 1", "url,rate", 1, "not a model"},
		{"a later version", "model 1", "model 2", 1, "version 2 of models is not known"},
		{"an unknown classifier", "c45", "svm", 2, "classifier is bayes or c45, not 'svm'"},
		{"unknown features", "offline", "all", 3, "features is online or offline"},
		{"no count", "pages 20", "pages x", 4, "a count expected, not 'x'"},
		{"a negative rate", "rate 0.5", "rate -1", 5, "out of range"},
		{"a rate that is no number", "rate 0.5", "rate nan", 5, "a number expected"},
		{"no classes", "class 1 rate 0.5 upto 1 pages 8\nclass daily rate 3", "x", 5,
			"class expected, not 'x'"},
		{"more words than text", "type 2", "type 60000", 7, "count 60000 is above"},
		{"a word twice", "pdf", "-", 9, "given twice"},
		{"a bad escape", "%2D", "%2x", 12, "a word with %XX"},
		{"an unknown question", "type 20", "colour 20", 15, "leaf, a feature"},
		{"a number without threshold", "url_length<=20.5", "url_length", 19,
			"leaf, a feature"},
		{"a threshold that is none", "<=20.5", "<=inf", 19, "leaf, a feature"},
		{"an unknown word", "pdf url", "doc url", 19, "'doc' is not in the list of type"},
		{"a branch twice", " pdf url", " - url", 19, "twice or out of order"},
		{"too deep", "  - leaf", "    - leaf", 17, "indented by 4 blanks"},
		{"below a leaf", "  n%C3%A9ws leaf", "   n%C3%A9ws leaf", 18, "below a leaf"},
		{"a node without branches", "leaf 8 0 8", "domain 8 0 8", 18, "too few branches"},
		{"neither yes nor no", "  yes leaf", "  maybe leaf", 20,
			"yes or no expected, not 'maybe'"},
		{"a weight too few", "leaf 4 4 0\n", "leaf 4 4\n", 17, "a number expected"},
		{"a weight too many", "leaf 4 4 0\n", "leaf 4 4 0 0\n", 17,
			"end of the line expected"},
		{"nodes missing", "tree 8", "tree 9", 23, "indented by 0"},
		{"no nodes", "tree 8", "tree 0", 14, "at least 1"},
		{"cut off", "end\n", "", 23, "ends too early"},
		{"more behind it", "end\n", "end\nend\n", 24, "nothing may follow"},
	};
	char text[2 * sizeof TREE];

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		const char *at = strstr(TREE, ROWS[i].from);
		struct predict_model m;
		struct err err;
		uint64_t line;

		tap_case("bad: %s", ROWS[i].label);
		CHECK(at != NULL);
		if (!at)
			continue;
		(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - TREE), TREE, ROWS[i].to,
			at + strlen(ROWS[i].from));
		CHECK(parse(text, &m, &line, &err) < 0);
		CHECK_INT((int64_t)line, ROWS[i].line);
		CHECK(strstr(err.text, ROWS[i].says) != NULL);
		if (!strstr(err.text, ROWS[i].says))
			tap_note("said: %s", err.text);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_by_hand();
	test_round_trip();
	test_bad();
	return tap_done();
}
