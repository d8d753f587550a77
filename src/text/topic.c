#include "text/topic.h"

#include <math.h>

#include "base/hash.h"
#include "base/parse.h"
#include "base/word.h"

/* Share of the background in what examples say of a word. */
static const double MIX = 0.5;

/* How steep the way from 0 to 1 is, per unit of the mean logarithm. */
static const double STEEPNESS = 4;

/* Words of text among which a given word, found once, is a hint and not yet a topic. */
static const double GIVEN_SPAN = 150, GIVEN_STRENGTH = 1.5;

/* Given words that a page about the topic may be expected to have, half of them at least. */
enum { GIVEN_ENOUGH = 4 };

static const double COUNT_MAX = 1e6;

void topic_release(struct topic *t)
{
	topic_words_release(&t->words);
	nummap_release(&t->places);
	u32_vec_release(&t->found);
	*t = (struct topic){0};
}

/* ---- words ---- */

static bool is_letter(char c)
{
	return word_is_alnum(c) || (unsigned char)c >= 0x80;
}

bool topic_next_word(slice *text, char out[TOPIC_WORD_MAX + 1], size_t *ret_len)
{
	while (text->len > 0) {
		size_t begin = 0, len = 0;

		while (begin < text->len && !is_letter(text->ptr[begin]))
			begin++;
		*text = slice_sub(*text, begin, text->len);
		while (len < text->len && is_letter(text->ptr[len]))
			len++;
		for (size_t i = 0; i < len && i < TOPIC_WORD_MAX; i++)
			out[i] = word_lower(text->ptr[i]);
		*text = slice_sub(*text, len, text->len);
		if (len < TOPIC_WORD_MIN || len > TOPIC_WORD_MAX)
			continue;
		len -= len > TOPIC_WORD_MIN && out[len - 1] == 's' && out[len - 2] != 's';
		out[len] = '\0';
		*ret_len = len;
		return true;
	}
	return false;
}

static uint64_t hash_word(const char *word, size_t len)
{
	/* No secret: a text could slow its own reading down by collisions, no more than that. */
	return hash_bytes((struct hash_key){0}, (slice){word, len});
}

/* The number of a word; UINT32_MAX for one that is new and not to be added. */
static uint32_t number_of(struct topic *t, uint64_t hash, bool add)
{
	struct nummap_entry *e = nummap_find(&t->places, hash);

	if (e || !add || t->words.len >= TOPIC_WORDS_MAX)
		return e ? e->value : UINT32_MAX;
	topic_words_push(&t->words, (struct topic_word){0});
	return nummap_need(&t->places, hash, (uint32_t)t->words.len - 1, NULL)->value;
}

/* Counts the words of a text in found; how many there are, known or not. */
static size_t count_words(struct topic *t, slice text, bool add)
{
	char word[TOPIC_WORD_MAX + 1];
	size_t len, all = 0;

	t->found.len = 0;
	for (; topic_next_word(&text, word, &len); all++) {
		uint32_t number = number_of(t, hash_word(word, len), add);

		if (number != UINT32_MAX && t->words.ptr[number].count++ == 0)
			u32_vec_push(&t->found, number);
	}
	return all;
}

static void forget_counts(struct topic *t)
{
	for (size_t i = 0; i < t->found.len; i++)
		t->words.ptr[t->found.ptr[i]].count = 0;
}

/* ---- learning ---- */

static double idf(const struct topic *t, const struct topic_word *w)
{
	return log1p((t->pages + 1.0) / (w->pages + 1.0));
}

static double feature(const struct topic *t, const struct topic_word *w)
{
	return log1p((double)w->count) * idf(t, w);
}

int topic_set_words(struct topic *t, slice words)
{
	(void)count_words(t, words, true);
	for (size_t i = 0; i < t->found.len; i++)
		t->words.ptr[t->found.ptr[i]].wanted = 1;
	forget_counts(t);
	t->is_given = t->is_set = true;
	return t->found.len == 0 ? ERR_SYNTAX : 0;
}

void topic_add_example(struct topic *t, slice text)
{
	(void)count_words(t, text, true);
	for (size_t i = 0; i < t->found.len; i++) {
		struct topic_word *w = &t->words.ptr[t->found.ptr[i]];
		double by = log1p((double)w->count);

		w->wanted += (float)by;
		t->wanted += by;
	}
	forget_counts(t);
	t->is_set = true;
}

void topic_add_page(struct topic *t, slice text, bool relevant)
{
	(void)count_words(t, text, true);
	for (size_t i = 0; i < t->found.len; i++) {
		struct topic_word *w = &t->words.ptr[t->found.ptr[i]];
		double by = relevant ? 0 : log1p((double)w->count);

		w->seen += (float)by;
		w->pages++;
		t->seen += by;
	}
	forget_counts(t);
	t->pages++;
}

/* ---- judging ---- */

/* How much more often examples have the word than pages that were read. */
static double odds(const struct topic *t, const struct topic_word *w)
{
	double words = (double)t->words.len;
	double background = ((double)w->seen + 1) / (t->seen + words);

	return (1 - MIX) * (double)w->wanted / t->wanted / background + MIX;
}

static double score_by_examples(const struct topic *t, size_t count)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < t->found.len; i++) {
		const struct topic_word *w = &t->words.ptr[t->found.ptr[i]];
		double f = feature(t, w);

		sum += f * log(odds(t, w));
		weights += f;
	}
	/* Words that nobody has seen count like those that examples do not have. */
	for (size_t i = t->found.len; i < count && t->found.len == 0; i++) {
		sum += log(MIX);
		weights++;
	}
	return weights > 0 ? 1 / (1 + exp(-STEEPNESS * sum / weights)) : 0;
}

/*
 * How much of `enough` given words the text has, each by its density and rarity. Nobody expects a
 * text to have all words of a long list: a page needs those of a short one, a link a single one.
 */
static double score_by_words(const struct topic *t, size_t count, size_t enough)
{
	double sum = 0, all = 0;
	size_t given = 0;

	for (size_t i = 0; i < t->words.len; i++) {
		const struct topic_word *w = &t->words.ptr[i];
		double density = w->count * GIVEN_SPAN / (GIVEN_SPAN + (double)count);

		if (!(w->wanted > 0))
			break; /* given words come first */
		given++;
		all += idf(t, w);
		sum += idf(t, w) * (1 - exp(-GIVEN_STRENGTH * density));
	}
	if (given > enough)
		all *= (double)enough / (double)given;
	return all > 0 ? fmin(1, sum / all) : 0;
}

static double score(struct topic *t, slice text, size_t enough)
{
	size_t count = count_words(t, text, false);
	double score = 0;

	if (count > 0)
		score = t->is_given ? score_by_words(t, count, enough)
				    : score_by_examples(t, count);
	forget_counts(t);
	return score;
}

double topic_score(struct topic *t, slice text)
{
	return score(t, text, GIVEN_ENOUGH);
}

double topic_promise(struct topic *t, slice text)
{
	return score(t, text, 1);
}

/* ---- as text ---- */

static int read_count(struct topic *t, slice field)
{
	const char *colon = memchr(field.ptr, ':', field.len);
	size_t len = colon ? (size_t)(colon - field.ptr) : 0;
	double count;
	uint32_t number;

	if (len == 0 || len > TOPIC_WORD_MAX ||
		parse_double(slice_sub(field, len + 1, field.len), &count) ||
		!(count > 0 && count <= COUNT_MAX))
		return ERR_SYNTAX;
	number = number_of(t, hash_word(field.ptr, len), true);
	if (number == UINT32_MAX)
		return 0;
	t->words.ptr[number].wanted += (float)count;
	t->wanted += count;
	return 0;
}

int topic_read(struct topic *t, slice line, struct err *err)
{
	slice kind = slice_take(&line, ' ');
	int rc = ERR_SYNTAX;

	if (slice_eq(kind, SLICE("words")))
		rc = topic_set_words(t, line);
	else if (slice_eq(kind, SLICE("examples")))
		for (rc = line.len ? 0 : ERR_SYNTAX; rc == 0 && line.len > 0;)
			rc = read_count(t, slice_take(&line, ' '));
	t->is_set = rc == 0;
	if (rc == ERR_SYNTAX)
		return err_set(err, rc, "a topic that cannot be read");
	return err_code(err, rc);
}
