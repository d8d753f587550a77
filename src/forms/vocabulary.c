#include "forms/vocabulary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/word.h"
#include "forms/stop_words.h"

enum {
	ARENA_MAX = 64 << 20,
	LINES_START = 1024,
	LINE_MAX = 4096,    /* bytes by which lines are told apart */
	LONG_LINE = 5,      /* words of a line that is more than a label */
	MIN_LETTERS = 3,    /* bytes of a word of ASCII letters; of others and of codes 2 */
	LABEL_DOCUMENTS = 8 /* so many must there be before a share says anything */
};

static const double SITE_WEIGHT = 0.02;   /* of a line that no query found */
static const double LABEL_WEIGHT = 0.002; /* the same, of a few words */
static const double LABEL_SHARE = 0.3;

void vocabulary_init(struct vocabulary *v, struct hash_key key)
{
	*v = (struct vocabulary){.key = key, .label_share = 2};
	arena_init(&v->arena, ARENA_MAX);
	strmap_init(&v->numbers, key, &v->arena);
}

void vocabulary_release(struct vocabulary *v)
{
	strmap_release(&v->numbers);
	arena_release(&v->arena);
	vocabulary_terms_release(&v->terms);
	u32_vec_release(&v->fresh);
	free(v->lines);
	*v = (struct vocabulary){0};
}

/* ---- lines ---- */

static size_t line_slot(const uint64_t *lines, size_t room, uint64_t hash)
{
	size_t at = (size_t)hash & (room - 1);

	while (lines[at] && lines[at] != hash)
		at = (at + 1) & (room - 1);
	return at;
}

static int grow_lines(struct vocabulary *v)
{
	size_t room = v->line_room ? 2 * v->line_room : LINES_START;
	uint64_t *lines = calloc(room, sizeof *lines);

	if (!lines)
		return ERR_NOMEM;
	for (size_t i = 0; i < v->line_room; i++)
		if (v->lines[i])
			lines[line_slot(lines, room, v->lines[i])] = v->lines[i];
	free(v->lines);
	v->lines = lines;
	v->line_room = room;
	return 0;
}

/*
 * The word that was asked for does not tell lines apart: "nothing found for it". Neither do
 * numbers, if only words count: "page 3 of 7".
 */
static uint64_t hash_line(const struct vocabulary *v, slice line, slice asked, bool with_numbers)
{
	char text[LINE_MAX];
	size_t len = 0;

	while (line.len && len < LINE_MAX) {
		size_t used = asked.len && word_starts(line, asked) ? asked.len : 1;
		char c = line.ptr[0];

		if (used > 1)
			c = '*';
		if (!with_numbers && word_is_digit(c))
			c = '#';
		if (c != '#' || len == 0 || text[len - 1] != '#')
			text[len++] = c;
		line = slice_sub(line, used, line.len);
	}
	/* Two sets in one table. */
	return (hash_bytes(v->key, (slice){text, len}) << 1 | 1) ^ (with_numbers ? 0 : 2);
}

/* Whether the line is not known yet; it is from now on. */
static int note_line(
	struct vocabulary *v, slice line, slice asked, bool with_numbers, bool *ret_new)
{
	uint64_t hash = hash_line(v, line, asked, with_numbers);
	size_t at;
	int rc = v->line_count * 2 < v->line_room ? 0 : grow_lines(v);

	*ret_new = false;
	if (rc || v->line_count >= VOCABULARY_LINES_MAX)
		return rc;
	at = line_slot(v->lines, v->line_room, hash);
	*ret_new = v->lines[at] == 0;
	v->line_count += *ret_new;
	v->lines[at] = hash;
	return 0;
}

/* ---- words ---- */

static bool is_part(char c)
{
	return word_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Takes the next word off the text, folded into out; false at its end. */
static bool next_word(slice *text, char out[VOCABULARY_WORD_MAX], size_t *ret_len)
{
	while (text->len) {
		size_t n = 0;
		bool letters = true;

		while (text->len && !is_part(text->ptr[0]))
			*text = slice_sub(*text, 1, text->len);
		while (n < text->len && is_part(text->ptr[n])) {
			if (n < VOCABULARY_WORD_MAX)
				out[n] = word_lower(text->ptr[n]);
			letters = letters && word_is_alpha(text->ptr[n]);
			n++;
		}
		*text = slice_sub(*text, n, text->len);
		*ret_len = n;
		if (n <= VOCABULARY_WORD_MAX && n >= (letters ? MIN_LETTERS : 2))
			return true;
	}
	return false;
}

static int find_term(struct vocabulary *v, slice word, uint32_t *ret)
{
	struct vocabulary_term term = {.is_stop = stop_words_has(word)};
	int rc;

	if (strmap_get(&v->numbers, word, ret))
		return 0;
	if (v->terms.len >= VOCABULARY_TERMS_MAX)
		return ERR_LIMIT;
	term.word = (slice){arena_strdup(&v->arena, word), word.len};
	if (!term.word.ptr)
		return ERR_LIMIT;
	*ret = (uint32_t)v->terms.len;
	rc = vocabulary_terms_push(&v->terms, term);
	return rc ? rc : strmap_put(&v->numbers, term.word, *ret);
}

/* Adds the words of a line to the document that is being read. */
static int add_words(struct vocabulary *v, slice line)
{
	char word[VOCABULARY_WORD_MAX];
	uint32_t term;
	size_t len;
	int rc = 0;

	while (rc == 0 && next_word(&line, word, &len)) {
		rc = find_term(v, (slice){word, len}, &term);
		if (rc)
			return rc == ERR_LIMIT ? 0 : rc;
		if (v->terms.ptr[term].last == v->documents + 1)
			continue;
		v->terms.ptr[term].last = v->documents + 1;
		rc = u32_vec_push(&v->fresh, term);
	}
	return rc;
}

/* ---- documents ---- */

static double weight_of(const struct vocabulary *v, enum vocabulary_source source)
{
	if (source != VOCABULARY_SITE)
		return 1;
	return v->fresh.len >= LONG_LINE ? SITE_WEIGHT : LABEL_WEIGHT;
}

/* Counts the words of the document that was read. */
static void end_document(struct vocabulary *v, enum vocabulary_source source)
{
	double weight = weight_of(v, source);

	for (size_t i = 0; i < v->fresh.len; i++) {
		v->terms.ptr[v->fresh.ptr[i]].count++;
		v->terms.ptr[v->fresh.ptr[i]].promise += weight;
	}
	v->documents += v->fresh.len > 0;
	v->fresh.len = 0;
}

int vocabulary_read(struct vocabulary *v, slice text, enum vocabulary_source source, slice asked,
	size_t *ret_new)
{
	int rc = 0;

	*ret_new = 0;
	v->fresh.len = 0;
	while (rc == 0 && text.len) {
		slice line = slice_take(&text, '\n');
		bool is_new = false;

		rc = line.len ? note_line(v, line, asked, true, &is_new) : 0;
		if (rc || !is_new)
			continue;
		++*ret_new;
		rc = note_line(v, line, asked, false, &is_new);
		if (rc == 0 && is_new)
			rc = add_words(v, line);
		if (rc == 0 && source != VOCABULARY_RECORD)
			end_document(v, source);
	}
	if (rc == 0)
		end_document(v, source);
	return rc;
}

/* ---- choosing ---- */

static bool is_of_class(slice word, enum vocabulary_class of)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < word.len; i++) {
		digit = digit || word_is_digit(word.ptr[i]);
		letter = letter || !word_is_digit(word.ptr[i]);
	}
	if (of == VOCABULARY_YEARS)
		return !letter && word.len == 4 && (word.ptr[0] == '1' || word.ptr[0] == '2');
	return of == VOCABULARY_CODES ? digit : letter;
}

static bool is_candidate(const struct vocabulary *v, const struct vocabulary_term *t,
	enum vocabulary_class of, unsigned slot)
{
	double share = (double)t->count / (double)v->documents;

	return !(t->asked & 1U << slot) && is_of_class(t->word, of) &&
	       !(v->skips_stop && t->is_stop) &&
	       (share < v->label_share || v->documents < LABEL_DOCUMENTS);
}

bool vocabulary_next(
	const struct vocabulary *v, enum vocabulary_class of, unsigned slot, uint32_t *ret_term)
{
	double best = 0;

	for (size_t i = 0; i < v->terms.len; i++) {
		const struct vocabulary_term *t = &v->terms.ptr[i];

		if (t->promise > best && is_candidate(v, t, of, slot)) {
			best = t->promise;
			*ret_term = (uint32_t)i;
		}
	}
	return best > 0;
}

void vocabulary_ask(struct vocabulary *v, uint32_t term, unsigned slot)
{
	v->terms.ptr[term].asked |= 1U << slot;
}

void vocabulary_failed(struct vocabulary *v, uint32_t term)
{
	const struct vocabulary_term *t = &v->terms.ptr[term];
	double share = v->documents ? (double)t->count / (double)v->documents : 0;

	v->skips_stop = v->skips_stop || t->is_stop;
	if (v->documents >= LABEL_DOCUMENTS && share >= LABEL_SHARE)
		v->label_share = fmin(v->label_share, share);
}
